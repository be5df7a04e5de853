// Operations whose sizes are operands: they become static ones.
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"
#include "hlo/verify/verify.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::stablehlo {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Copies what a value is computed from into a computation of its own, if that
// is constants and little work.
class ConstantCopier {
 public:
  explicit ConstantCopier(hlo::Computation* target) : target_(target) {}

  // Null when it is something else.
  Instruction* Copy(const Instruction& instruction, int depth) {
    constexpr int kMaxDepth = 100;
    constexpr size_t kMostInstructions = 1000;
    const auto known = copies_.find(&instruction);
    if (known != copies_.end()) return known->second;
    if (depth > kMaxDepth || copies_.size() > kMostInstructions ||
        !IsCheap(instruction)) {
      return nullptr;
    }
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction.operands()) {
      operands.push_back(Copy(*operand, depth + 1));
      if (operands.back() == nullptr) return nullptr;
    }
    Instruction* copy = target_->Add(instruction.opcode(), instruction.shape());
    copy->set_name(absl::StrCat("value.", copies_.size()));
    for (Instruction* operand : operands) copy->AppendOperand(operand);
    for (const hlo::Attribute& attribute : instruction.attributes()) {
      copy->SetAttribute(attribute.id, attribute.value);
    }
    copies_[&instruction] = copy;
    return copy;
  }

 private:
  static bool IsCheap(const Instruction& instruction) {
    constexpr int64_t kMostElements = 1 << 16;
    constexpr auto kMoves = std::to_array<Opcode>(
        {Opcode::kBroadcast, Opcode::kClamp, Opcode::kCompare,
         Opcode::kConcatenate, Opcode::kConstant, Opcode::kConvert,
         Opcode::kDynamicSlice, Opcode::kGather, Opcode::kIota, Opcode::kPad,
         Opcode::kReshape, Opcode::kReverse, Opcode::kSelect, Opcode::kSlice,
         Opcode::kTranspose});
    const Opcode opcode = instruction.opcode();
    return instruction.shape().IsArray() && !instruction.shape().IsDynamic() &&
           instruction.shape().ElementCount() <= kMostElements &&
           (hlo::IsElementwiseUnary(opcode) ||
            hlo::IsElementwiseBinary(opcode) ||
            absl::c_linear_search(kMoves, opcode));
  }

  hlo::Computation* target_;
  absl::flat_hash_map<const Instruction*, Instruction*> copies_;
};

// All elements of an array of integers or truth values.
std::optional<DimensionVector> IntegersOf(const hlo::Literal& literal) {
  const hlo::ElementType type = literal.shape().element_type();
  if (!hlo::IsInteger(type) && type != hlo::ElementType::kPred) {
    return std::nullopt;
  }
  DimensionVector values;
  hlo::DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (!NumericTraits<T>::is_complex) {
      for (const T value : literal.data<T>()) {
        values.push_back(ConvertElement<int64_t>(value));
      }
    }
  });
  return values;
}

Attribute ListAttribute(const DimensionVector& values, int64_t offset) {
  Attribute list = {.kind = AttributeKind::kArray, .offset = offset};
  for (const int64_t value : values) {
    list.elements.push_back(IntegerAttribute(value, offset));
  }
  return list;
}

}  // namespace

std::optional<hlo::Literal> Converter::ConstantValue(
    const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kConstant) return instruction.value();
  hlo::Module module("sizes");
  hlo::Computation* computation = module.AddComputation("sizes");
  module.set_entry(computation);
  Instruction* root = ConstantCopier(computation).Copy(instruction, 0);
  if (root == nullptr) return std::nullopt;
  computation->set_root(root);
  Diagnostics mistakes;
  hlo::Verify(module, &mistakes);
  if (mistakes.has_errors()) return std::nullopt;
  absl::StatusOr<hlo::Literal> literal = hlo::Evaluate(module, {});
  if (!literal.ok()) return std::nullopt;
  return *std::move(literal);
}

std::optional<DimensionVector> Converter::ConstantOperand(
    const Operation& operation, size_t operand) {
  const Instruction* value =
      Use(operation.operands[operand], operation.operand_offsets[operand]);
  if (value == nullptr) return std::nullopt;
  const std::optional<hlo::Literal> literal = ConstantValue(*value);
  return literal ? IntegersOf(*literal) : std::nullopt;
}

bool Converter::RefineResult(const Operation& operation, size_t operand) {
  if (!HasOneResult(operation)) return false;
  const ValueId id = operation.results[0];
  const Type& type = TypeOf(id);
  if (operand >= operation.operands.size()) {
    return HasOperands(operation, operand + 1);
  }
  const std::optional<DimensionVector> sizes =
      ConstantOperand(operation, operand);
  if (!sizes) {
    if (!HasOpenSizes(type.shape)) return true;
    return Error(operation.operand_offsets[operand],
                 absl::StrCat(operation.name, " gives ", type.ToString(),
                              ", and its sizes are no constants"),
                 "export the program for arguments of fixed sizes");
  }
  const bool is_right =
      type.kind == TypeKind::kTensor &&
      sizes->size() <= static_cast<size_t>(Shape::kMaxRank) &&
      absl::c_all_of(*sizes, [](int64_t size) { return size >= 0; });
  const Shape shape =
      is_right ? Shape::Array(type.shape.element_type(), *sizes) : Shape();
  if (!is_right || !hlo::ValidateShape(shape).ok()) {
    return Error(operation.operand_offsets[operand],
                 absl::StrCat(operation.name, ": {", absl::StrJoin(*sizes, ","),
                              "} are no sizes of an array"));
  }
  return Refine(operation, id, shape);
}

bool Converter::ConvertAsStatic(
    const Operation& operation, absl::string_view name, size_t kept,
    std::initializer_list<std::pair<absl::string_view, size_t>> constants) {
  Operation fixed = operation;
  fixed.name = std::string(name);
  fixed.operands.resize(kept);
  fixed.operand_offsets.resize(kept);
  for (const auto& [key, operand] : constants) {
    const int64_t offset = operation.operand_offsets[operand];
    const std::optional<DimensionVector> values =
        ConstantOperand(operation, operand);
    if (!values) {
      return Error(
          offset, absl::StrCat(operation.name, ": '", key, "' is no constant"));
    }
    AddEntry(&fixed.attributes, key, ListAttribute(*values, offset));
  }
  return Dispatch(fixed);
}

bool Converter::ConvertGetDimensionSize(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t dimension = reader.Integer("dimension");
  std::vector<Instruction*> operands;
  if (!reader.ok() || !HasOperands(operation, 1) || !HasOneResult(operation) ||
      !UseOperands(operation, &operands)) {
    return false;
  }
  const Shape& shape = operands[0]->shape();
  if (dimension < 0 || dimension >= shape.rank()) {
    return Error(operation.offset,
                 absl::StrCat("get_dimension_size: ", ToString(shape, false),
                              " has no dimension ", dimension));
  }
  if (shape.IsDynamicDimension(dimension)) {
    Instruction* size = AddSimple(operation, Opcode::kGetDimensionSize);
    if (size == nullptr) return false;
    size->set_dimensions({dimension});
    return SetResults(operation, size);
  }
  return SetResults(
      operation,
      AddScalarConstant(hlo::Literal::Scalar<int32_t>(
                            static_cast<int32_t>(shape.dimension(dimension))),
                        operation.offset));
}

// Of the full size it changes nothing.
bool Converter::ConvertSetDimensionSize(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t dimension = reader.Integer("dimension");
  std::vector<Instruction*> operands;
  if (!reader.ok() || !HasOperands(operation, 2) || !HasOneResult(operation) ||
      !UseOperands(operation, &operands)) {
    return false;
  }
  const Shape& shape = operands[0]->shape();
  if (dimension < 0 || dimension >= shape.rank()) {
    return Error(operation.offset,
                 absl::StrCat("set_dimension_size: ", ToString(shape, false),
                              " has no dimension ", dimension));
  }
  const ValueId id = operation.results[0];
  const std::optional<DimensionVector> size = ConstantOperand(operation, 1);
  const bool is_full =
      size && size->size() == 1 && (*size)[0] == shape.dimension(dimension);
  if (is_full && !TypeOf(id).shape.IsDynamicDimension(dimension)) {
    scope_->values[id] = operands[0];
    return true;
  }
  if (!TypeOf(id).shape.IsDynamicDimension(dimension)) {
    return Error(operation.offset,
                 absl::StrCat("set_dimension_size gives a size of the run "
                              "time, not ",
                              TypeOf(id).ToString()));
  }
  Shape result = shape;
  result.set_dynamic_dimension(dimension, true);
  if (HasOpenSizes(TypeOf(id).shape)) shapes_[id] = result;
  Instruction* set = AddSimple(operation, Opcode::kSetDimensionSize);
  if (set == nullptr) return false;
  set->set_dimensions({dimension});
  return SetResults(operation, set);
}

// Says that sizes are what the program was exported for.
bool Converter::ConvertShapeAssertion(const Operation& operation) {
  AttributeReader reader = Read(operation);
  if (operation.operands.empty()) return HasOperands(operation, 1);
  const std::optional<DimensionVector> holds = ConstantOperand(operation, 0);
  if (!holds || holds->size() != 1) {
    return Error(operation.operand_offsets[0],
                 "shape_assertion: the condition is no constant");
  }
  if ((*holds)[0] != 0) return true;
  return Error(
      operation.offset,
      absl::StrCat("shape_assertion: ",
                   reader.String("error_message", "the sizes are wrong")));
}

bool Converter::ConvertDynamicBroadcastInDim(const Operation& operation) {
  if (!HasOperands(operation, 2) || !RefineResult(operation, 1)) return false;
  return ConvertAsStatic(operation, "stablehlo.broadcast_in_dim", 1, {});
}

bool Converter::ConvertDynamicReshape(const Operation& operation) {
  if (!HasOperands(operation, 2) || !RefineResult(operation, 1)) return false;
  return ConvertAsStatic(operation, "stablehlo.reshape", 1, {});
}

bool Converter::ConvertDynamicIota(const Operation& operation) {
  if (!HasOperands(operation, 1) || !RefineResult(operation, 0)) return false;
  return ConvertAsStatic(operation, "stablehlo.iota", 0, {});
}

bool Converter::ConvertDynamicPad(const Operation& operation) {
  if (!HasOperands(operation, 5)) return false;
  return ConvertAsStatic(operation, "stablehlo.pad", 2,
                         {{"edge_padding_low", 2},
                          {"edge_padding_high", 3},
                          {"interior_padding", 4}});
}

bool Converter::ConvertDynamicGather(const Operation& operation) {
  return HasOperands(operation, 3) &&
         ConvertAsStatic(operation, "stablehlo.gather", 2,
                         {{"slice_sizes", 2}});
}

bool Converter::ConvertDynamicConvolution(const Operation& operation) {
  return HasOperands(operation, 3) &&
         ConvertAsStatic(operation, "stablehlo.convolution", 2,
                         {{"padding", 2}});
}

// Where only the sizes are known it is a dynamic slice.
bool Converter::ConvertRealDynamicSlice(const Operation& operation) {
  if (!HasOperands(operation, 4) || !HasOneResult(operation)) return false;
  const ValueId id = operation.results[0];
  const std::optional<DimensionVector> strides = ConstantOperand(operation, 3);
  const bool is_dense =
      strides && absl::c_all_of(*strides, [](int64_t s) { return s == 1; });
  if (!is_dense || HasOpenSizes(TypeOf(id).shape) ||
      ConstantOperand(operation, 1)) {
    return ConvertAsStatic(
        operation, "stablehlo.slice", 1,
        {{"start_indices", 1}, {"limit_indices", 2}, {"strides", 3}});
  }
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ResultShape(operation, &shape) || !UseOperands(operation, &operands)) {
    return false;
  }
  const Shape& starts = operands[1]->shape();
  if (starts.rank() != 1 || starts.dimension(0) != shape.rank()) {
    return Error(operation.offset,
                 absl::StrCat("real_dynamic_slice: the starts are ",
                              ToString(starts, false)));
  }
  std::vector<Instruction*> slice_operands = {operands[0]};
  for (int64_t d = 0; d < shape.rank(); ++d) {
    Instruction* start =
        Add(Opcode::kSlice, Shape::Array(starts.element_type(), {1}),
            {operands[1]}, operation.offset);
    start->set_slice({{.start = d, .limit = d + 1, .stride = 1}});
    slice_operands.push_back(Add(Opcode::kReshape,
                                 Shape::Scalar(starts.element_type()), {start},
                                 operation.offset));
  }
  Instruction* slice =
      Add(Opcode::kDynamicSlice, shape, slice_operands, operation.offset);
  slice->set_dynamic_slice_sizes(
      {shape.dimensions().begin(), shape.dimensions().end()});
  return SetResults(operation, slice);
}

}  // namespace hilo::stablehlo
