// Products, gathers, linear algebra, random numbers and custom calls.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/attribute_text.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/dot_algorithm.h"
#include "hlo/stablehlo/special_functions.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Custom calls that mean something for several devices only.
bool IsIdentityOnOneDevice(absl::string_view target) {
  return target == "Sharding" || target == "SPMDFullToShardShape" ||
         target == "SPMDShardToFullShape" ||
         target == "annotate_device_placement" ||
         absl::StartsWith(target, "xla.sdy.");
}

// The types that they are defined for.
bool HasSpecialFunctions(const Shape& shape) {
  using hlo::ElementType;
  const ElementType type = shape.element_type();
  return type == ElementType::kF16 || type == ElementType::kBF16 ||
         type == ElementType::kF32 || type == ElementType::kF64;
}

}  // namespace

// The last dimension of lhs with the first one of rhs.
bool Converter::ConvertDot(const Operation& operation) {
  AttributeReader reader = Read(operation);
  hlo::PrecisionList precision = ReadPrecision(operation, &reader);
  Instruction* dot = AddSimple(operation, Opcode::kDot);
  if (!reader.ok() || dot == nullptr || !HasOperands(operation, 2)) {
    return false;
  }
  if (dot->operand_shape(0).rank() == 0) {
    return Error(operation.offset, "dot: lhs has no dimension to contract");
  }
  dot->set_lhs_contracting_dims({dot->operand_shape(0).rank() - 1});
  dot->set_rhs_contracting_dims({0});
  if (!precision.empty()) dot->set_operand_precision(std::move(precision));
  return SetResults(operation, dot);
}

void Converter::SetDotDimensions(AttributeReader* numbers, Instruction& dot) {
  dot.set_lhs_batch_dims(numbers->IntegersOrNone("lhs_batching_dimensions"));
  dot.set_rhs_batch_dims(numbers->IntegersOrNone("rhs_batching_dimensions"));
  dot.set_lhs_contracting_dims(
      numbers->IntegersOrNone("lhs_contracting_dimensions"));
  dot.set_rhs_contracting_dims(
      numbers->IntegersOrNone("rhs_contracting_dimensions"));
}

bool Converter::ConvertDotGeneral(const Operation& operation) {
  AttributeReader reader = Read(operation);
  AttributeReader numbers = reader.Structure("dot_dimension_numbers");
  hlo::PrecisionList precision = ReadPrecision(operation, &reader);
  const hlo::DotAlgorithm algorithm = ReadDotAlgorithm(operation, &reader);
  Instruction* dot = AddSimple(operation, Opcode::kDot);
  if (dot == nullptr || !HasOperands(operation, 2)) return false;
  SetDotDimensions(&numbers, *dot);
  if (!precision.empty()) dot->set_operand_precision(std::move(precision));
  dot->set_dot_algorithm(algorithm);
  return reader.ok() && numbers.ok() && SetResults(operation, dot);
}

bool Converter::ConvertConvolution(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const Attribute* labels = operation.attributes.Find("dimension_numbers");
  const std::optional<hlo::ConvolutionDimensionNumbers> numbers =
      labels == nullptr ? std::nullopt : ParseConvolutionLabels(labels->text);
  if (!numbers) {
    reader.Error("'dimension_numbers' are not as in [b,0,f]x[0,i,o]->[b,0,f]");
    return false;
  }
  hlo::PrecisionList precision = ReadPrecision(operation, &reader);
  Instruction* convolution = AddSimple(operation, Opcode::kConvolution);
  if (convolution == nullptr || !HasOperands(operation, 2)) return false;
  DimensionVector sizes;
  for (const int64_t d : numbers->kernel_spatial) {
    const Shape& kernel = convolution->operand_shape(1);
    if (d >= kernel.rank()) {
      return Error(operation.offset,
                   absl::StrCat("convolution: the kernel has rank ",
                                kernel.rank(), ", its labels more"));
    }
    sizes.push_back(kernel.dimension(d));
  }
  convolution->set_window(ReadWindow(operation, &reader, sizes));
  convolution->set_dim_labels(*numbers);
  convolution->set_feature_group_count(
      reader.Integer("feature_group_count", 1));
  convolution->set_batch_group_count(reader.Integer("batch_group_count", 1));
  if (!precision.empty()) {
    convolution->set_operand_precision(std::move(precision));
  }
  return reader.ok() && SetResults(operation, convolution);
}

bool Converter::ConvertGather(const Operation& operation) {
  AttributeReader reader = Read(operation);
  AttributeReader numbers = reader.Structure("dimension_numbers");
  Instruction* gather = AddSimple(operation, Opcode::kGather);
  if (gather == nullptr || !HasOperands(operation, 2)) return false;
  gather->set_offset_dims(numbers.IntegersOrNone("offset_dims"));
  gather->set_collapsed_slice_dims(
      numbers.IntegersOrNone("collapsed_slice_dims"));
  gather->set_operand_batching_dims(
      numbers.IntegersOrNone("operand_batching_dims"));
  gather->set_start_indices_batching_dims(
      numbers.IntegersOrNone("start_indices_batching_dims"));
  gather->set_start_index_map(numbers.IntegersOrNone("start_index_map"));
  gather->set_index_vector_dim(numbers.Integer("index_vector_dim", 0));
  gather->set_slice_sizes(reader.Integers("slice_sizes"));
  gather->set_indices_are_sorted(reader.Bool("indices_are_sorted"));
  return reader.ok() && numbers.ok() && SetResults(operation, gather);
}

bool Converter::ConvertFft(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const auto type = reader.Enum("fft_type", hlo::FftType::kFft);
  const DimensionVector lengths = reader.Integers("fft_length");
  Instruction* fft = AddSimple(operation, Opcode::kFft);
  if (!reader.ok() || fft == nullptr) return false;
  fft->set_fft_type(type);
  fft->set_fft_length(lengths);
  return SetResults(operation, fft);
}

bool Converter::ConvertCholesky(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const bool lower = reader.Bool("lower");
  Instruction* cholesky = AddSimple(operation, Opcode::kCholesky);
  if (!reader.ok() || cholesky == nullptr) return false;
  cholesky->set_lower(lower);
  return SetResults(operation, cholesky);
}

bool Converter::ConvertTriangularSolve(const Operation& operation) {
  AttributeReader reader = Read(operation);
  Instruction* solve = AddSimple(operation, Opcode::kTriangularSolve);
  if (solve == nullptr) return false;
  solve->set_left_side(reader.Bool("left_side"));
  solve->set_lower(reader.Bool("lower"));
  solve->set_unit_diagonal(reader.Bool("unit_diagonal"));
  solve->set_transpose_a(
      reader.Enum("transpose_a", hlo::TransposeOption::kNoTranspose));
  return reader.ok() && SetResults(operation, solve);
}

bool Converter::ConvertBatchNorm(const Operation& operation) {
  Opcode opcode = Opcode::kBatchNormInference;
  if (absl::EndsWith(operation.name, "training")) {
    opcode = Opcode::kBatchNormTraining;
  } else if (absl::EndsWith(operation.name, "grad")) {
    opcode = Opcode::kBatchNormGrad;
  }
  AttributeReader reader = Read(operation);
  const double epsilon = reader.Float("epsilon");
  const int64_t feature = reader.Integer("feature_index");
  Instruction* result = AddSimple(operation, opcode);
  if (!reader.ok() || result == nullptr) return false;
  result->set_epsilon(epsilon);
  result->set_feature_index(feature);
  return SetResults(operation, result);
}

// The operand that says the sizes says nothing new.
bool Converter::ConvertRng(const Operation& operation) {
  AttributeReader reader = Read(operation);
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ReadOperation(operation, 3, &operands, &shape)) return false;
  const std::string kind = reader.EnumText("rng_distribution");
  if (kind != "UNIFORM" && kind != "NORMAL") {
    reader.Error("'rng_distribution' is UNIFORM or NORMAL");
    return false;
  }
  operands.pop_back();
  Instruction* rng =
      Add(Opcode::kRng, std::move(shape), operands, operation.offset);
  rng->set_distribution(kind == "NORMAL" ? hlo::RandomDistribution::kNormal
                                         : hlo::RandomDistribution::kUniform);
  return SetResults(operation, rng);
}

bool Converter::ConvertRngBitGenerator(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const std::string name = reader.EnumText("rng_algorithm");
  hlo::RandomAlgorithm algorithm = hlo::RandomAlgorithm::kDefault;
  if (name == "THREE_FRY") {
    algorithm = hlo::RandomAlgorithm::kThreeFry;
  } else if (name == "PHILOX") {
    algorithm = hlo::RandomAlgorithm::kPhilox;
  } else if (name != "DEFAULT") {
    reader.Error("'rng_algorithm' is DEFAULT, THREE_FRY or PHILOX");
    return false;
  }
  Instruction* result = AddSimple(operation, Opcode::kRngBitGenerator);
  if (result == nullptr) return false;
  result->set_random_algorithm(algorithm);
  return SetResults(operation, result);
}

bool Converter::ConvertTopK(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t k = reader.Integer("k");
  Instruction* result = AddSimple(operation, Opcode::kTopK);
  if (!reader.ok() || result == nullptr) return false;
  result->set_k(k);
  result->set_largest(reader.Bool("largest", true));
  return SetResults(operation, result);
}

bool Converter::ConvertSpecialFunction(const Operation& operation) {
  const SpecialFunction& function = SpecialFunctions().at(operation.name);
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ReadOperation(operation, function.operand_count, &operands, &shape)) {
    return false;
  }
  const bool is_same =
      std::ranges::all_of(operands, [&](const Instruction* operand) {
        return hlo::Compatible(operand->shape(), shape);
      });
  if (!HasSpecialFunctions(shape) || !is_same) {
    return Error(operation.offset,
                 absl::StrCat(operation.name, " of ", ToString(shape, false),
                              " is not supported"));
  }
  return SetResults(operation, function.emit(scope_->computation, operands,
                                             operation.offset));
}

bool Converter::ConvertCustomCall(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const std::string target = reader.String("call_target_name");
  if (!reader.ok()) return false;
  if (absl::StartsWith(target, "check.")) {
    return ConvertCheckCall(operation, target);
  }
  if (IsIdentityOnOneDevice(target) && operation.operands.size() == 1) {
    std::vector<Instruction*> operands;
    if (!HasOneResult(operation) || !UseOperands(operation, &operands)) {
      return false;
    }
    scope_->values[operation.results[0]] = operands[0];
    return true;
  }
  if (absl::StartsWith(target, "mhlo.")) return ConvertExtension(operation);
  if (target == "shape_assertion") return ConvertShapeAssertion(operation);
  const Attribute* tilings = operation.attributes.Find("result_tilings");
  if (tilings != nullptr && !tilings->elements.empty()) {
    reader.Error("'result_tilings' are not supported");
    return false;
  }
  std::vector<hlo::Computation*> called;
  const Attribute* names = operation.attributes.Find("called_computations");
  if (names != nullptr) {
    for (const Attribute& name : names->elements) {
      called.push_back(ComputationOf(name.text, operation.offset, {}));
      if (called.back() == nullptr) return false;
    }
  }
  Instruction* call = AddSimple(operation, Opcode::kCustomCall);
  if (call == nullptr) return false;
  if (!called.empty()) call->set_called_computation_list(std::move(called));
  call->set_custom_call_target(target);
  call->set_custom_call_has_side_effect(reader.Bool("has_side_effect"));
  SetBackendConfig(operation, *call);
  SetCallLayouts(operation, &reader, *call);
  SetCallAliases(operation, *call);
  constexpr std::array kVersions = {
      hlo::CustomCallApiVersion::kOriginal,
      hlo::CustomCallApiVersion::kOriginal,
      hlo::CustomCallApiVersion::kStatusReturning,
      hlo::CustomCallApiVersion::kStatusReturningUnified,
      hlo::CustomCallApiVersion::kTypedFfi};
  const int64_t version = reader.Integer("api_version", 1);
  if (version < 0 || std::cmp_greater_equal(version, kVersions.size())) {
    reader.Error(absl::StrCat("'api_version' is 1 to 4, not ", version));
    return false;
  }
  call->set_api_version(kVersions[static_cast<size_t>(version)]);
  return reader.ok() && SetResults(operation, call);
}

// An operation of MHLO that StableHLO has no name for: "mhlo.erf", its
// attributes in a dictionary.
bool Converter::ConvertExtension(const Operation& operation) {
  Operation extension = operation;
  extension.name =
      CurrentName(operation.attributes.Find("call_target_name")->text);
  const Attribute* attributes = operation.attributes.Find("mhlo.attributes");
  extension.attributes = {.kind = AttributeKind::kDictionary,
                          .offset = operation.offset};
  if (attributes != nullptr) {
    extension.attributes.entries = attributes->entries;
  }
  return Dispatch(extension);
}

// A text, or a dictionary as MLIR writes it.
void Converter::SetBackendConfig(const Operation& operation,
                                 Instruction& call) {
  for (const absl::string_view key :
       {"mhlo.backend_config", "backend_config"}) {
    const Attribute* config = operation.attributes.Find(key);
    if (config == nullptr) continue;
    std::string text = config->kind == AttributeKind::kDictionary
                           ? AttributeText(*config)
                           : config->text;
    if (text.empty()) continue;
    call.set_backend_config(std::move(text));
    break;
  }
}

// Minor-to-major orders of operands and results, if both are given.
void Converter::SetCallLayouts(const Operation& operation,
                               AttributeReader* reader, Instruction& call) {
  const Attribute* operands = operation.attributes.Find("operand_layouts");
  const Attribute* results = operation.attributes.Find("result_layouts");
  if (operands == nullptr || results == nullptr) return;
  const auto with_layout = [&](const Attribute* list, size_t i, Shape shape) {
    if (i >= list->elements.size() || !shape.IsArray()) return shape;
    Attribute entry = {.kind = AttributeKind::kDictionary};
    entry.entries.emplace_back("layout", list->elements[i]);
    hlo::DimensionVector order =
        AttributeReader(operation, entry, diagnostics_).Integers("layout");
    hlo::Layout layout;
    layout.minor_to_major = std::move(order);
    if (static_cast<int64_t>(layout.minor_to_major.size()) != shape.rank()) {
      reader->Error("a layout has not as many dimensions as its array");
      return shape;
    }
    shape.set_layout(std::move(layout));
    const absl::Status status = hlo::ValidateShape(shape);
    if (!status.ok()) reader->Error(std::string(status.message()));
    return shape;
  };
  std::vector<Shape> constraints;
  constraints.reserve(static_cast<size_t>(call.operand_count()));
  for (int64_t i = 0; i < call.operand_count(); ++i) {
    constraints.push_back(
        with_layout(operands, static_cast<size_t>(i), call.operand_shape(i)));
  }
  call.set_operand_layout_constraints(std::move(constraints));
  Shape shape = call.shape();
  if (!shape.IsTuple()) {
    shape = with_layout(results, 0, std::move(shape));
  } else {
    for (size_t i = 0; i < shape.elements().size(); ++i) {
      Shape& element = shape.mutable_elements()[i];
      element = with_layout(results, i, std::move(element));
    }
  }
  call.set_shape(std::move(shape));
}

void Converter::SetCallAliases(const Operation& operation, Instruction& call) {
  const Attribute* list = operation.attributes.Find("output_operand_aliases");
  if (list == nullptr) return;
  hlo::OutputOperandAliasing aliasing;
  for (const Attribute& element : list->elements) {
    AttributeReader alias(operation, element, diagnostics_);
    hlo::OutputOperandAlias& entry = aliasing.emplace_back();
    entry.output_index = alias.IntegersOrNone("output_tuple_indices");
    entry.operand = alias.Integer("operand_index", 0);
    entry.operand_index = alias.IntegersOrNone("operand_tuple_indices");
  }
  call.set_output_to_operand_aliasing(std::move(aliasing));
}

}  // namespace hilo::stablehlo
