// Quantized values, which are held as their integers.
//
// What only moves elements works on the integers; everything else computes on
// the numbers that they stand for. Source: StableHLO specification,
// "Quantization computations".
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/element_math.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/box.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::stablehlo {
namespace {

using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

enum class QuantizedKind : uint8_t {
  // Elements go to other places.
  kMoves,
  // Its regions say what happens to each element.
  kAppliesRegions,
  // Values are passed on as they are.
  kPasses,
  // Computes on the numbers.
  kComputes,
};

struct QuantizedRow {
  absl::string_view name;
  QuantizedKind kind;
};

constexpr auto kQuantizedRows = std::to_array<QuantizedRow>({
    {"stablehlo.all_gather", QuantizedKind::kMoves},
    {"stablehlo.all_reduce", QuantizedKind::kAppliesRegions},
    {"stablehlo.all_to_all", QuantizedKind::kMoves},
    {"stablehlo.batch_norm_inference", QuantizedKind::kComputes},
    {"stablehlo.bitcast_convert", QuantizedKind::kPasses},
    {"stablehlo.broadcast", QuantizedKind::kMoves},
    {"stablehlo.broadcast_in_dim", QuantizedKind::kMoves},
    {"stablehlo.case", QuantizedKind::kPasses},
    {"stablehlo.clamp", QuantizedKind::kComputes},
    {"stablehlo.collective_broadcast", QuantizedKind::kMoves},
    {"stablehlo.collective_permute", QuantizedKind::kMoves},
    {"stablehlo.compare", QuantizedKind::kComputes},
    {"stablehlo.composite", QuantizedKind::kPasses},
    {"stablehlo.concatenate", QuantizedKind::kMoves},
    {"stablehlo.constant", QuantizedKind::kPasses},
    {"stablehlo.convolution", QuantizedKind::kComputes},
    {"stablehlo.custom_call", QuantizedKind::kPasses},
    {"stablehlo.dot", QuantizedKind::kComputes},
    {"stablehlo.dot_general", QuantizedKind::kComputes},
    {"stablehlo.dynamic_broadcast_in_dim", QuantizedKind::kMoves},
    {"stablehlo.dynamic_conv", QuantizedKind::kComputes},
    {"stablehlo.dynamic_gather", QuantizedKind::kMoves},
    {"stablehlo.dynamic_iota", QuantizedKind::kComputes},
    {"stablehlo.dynamic_pad", QuantizedKind::kMoves},
    {"stablehlo.dynamic_reshape", QuantizedKind::kMoves},
    {"stablehlo.dynamic_slice", QuantizedKind::kMoves},
    {"stablehlo.dynamic_update_slice", QuantizedKind::kMoves},
    {"stablehlo.gather", QuantizedKind::kMoves},
    {"stablehlo.get_dimension_size", QuantizedKind::kPasses},
    {"stablehlo.get_tuple_element", QuantizedKind::kPasses},
    {"stablehlo.if", QuantizedKind::kPasses},
    {"stablehlo.iota", QuantizedKind::kComputes},
    {"stablehlo.map", QuantizedKind::kAppliesRegions},
    {"stablehlo.optimization_barrier", QuantizedKind::kPasses},
    {"stablehlo.pad", QuantizedKind::kMoves},
    {"stablehlo.real_dynamic_slice", QuantizedKind::kMoves},
    {"stablehlo.reduce", QuantizedKind::kAppliesRegions},
    {"stablehlo.reduce_precision", QuantizedKind::kComputes},
    {"stablehlo.reduce_scatter", QuantizedKind::kAppliesRegions},
    {"stablehlo.reduce_window", QuantizedKind::kAppliesRegions},
    {"stablehlo.reshape", QuantizedKind::kMoves},
    {"stablehlo.reverse", QuantizedKind::kMoves},
    {"stablehlo.scatter", QuantizedKind::kAppliesRegions},
    {"stablehlo.select", QuantizedKind::kMoves},
    {"stablehlo.select_and_scatter", QuantizedKind::kAppliesRegions},
    {"stablehlo.slice", QuantizedKind::kMoves},
    {"stablehlo.sort", QuantizedKind::kAppliesRegions},
    {"stablehlo.torch_index_select", QuantizedKind::kMoves},
    {"stablehlo.transpose", QuantizedKind::kMoves},
    {"stablehlo.tuple", QuantizedKind::kPasses},
    {"stablehlo.uniform_dequantize", QuantizedKind::kComputes},
    {"stablehlo.uniform_quantize", QuantizedKind::kComputes},
    {"stablehlo.while", QuantizedKind::kPasses},
    {"func.call", QuantizedKind::kPasses},
    {"check.expect_eq", QuantizedKind::kPasses},
    {"check.expect_eq_const", QuantizedKind::kPasses},
    {"interpreter.probe", QuantizedKind::kPasses},
});

// Functions of numbers, element by element: those of bits have no meaning.
bool IsFunctionOfNumbers(absl::string_view name) {
  if (absl::StartsWith(name, "chlo.broadcast_")) {
    name.remove_prefix(absl::string_view("chlo.broadcast_").size());
  } else if (absl::StartsWith(name, "stablehlo.") ||
             absl::StartsWith(name, "chlo.")) {
    name.remove_prefix(name.find('.') + 1);
  }
  std::string text(name);
  std::ranges::replace(text, '_', '-');
  const std::optional<Opcode> opcode = hlo::OpcodeFromText(text);
  return opcode &&
         (hlo::IsElementwiseUnary(*opcode) ||
          hlo::IsElementwiseBinary(*opcode)) &&
         (hlo::InfoOf(*opcode).types & hlo::kFloatTypes) != 0;
}

// The same scales and zero points, along whichever dimension.
bool IsSameMapping(const Quantization& a, const Quantization& b) {
  return a.expressed == b.expressed && a.min == b.min && a.max == b.max &&
         a.scales == b.scales && a.zero_points == b.zero_points;
}

}  // namespace

bool Converter::IsQuantized(const Operation& operation) const {
  const auto is_quantized = [&](ValueId id) {
    return static_cast<bool>(TypeOf(id).quantization);
  };
  return absl::c_any_of(operation.operands, is_quantized) ||
         absl::c_any_of(operation.results, is_quantized);
}

// Whether all quantized values, arguments of regions included, have the same.
bool Converter::HasOneQuantization(const Operation& operation) const {
  std::vector<ValueId> ids = operation.operands;
  ids.insert(ids.end(), operation.results.begin(), operation.results.end());
  for (const Region& region : operation.regions) {
    ids.insert(ids.end(), region.arguments.begin(), region.arguments.end());
  }
  const Quantization* first = nullptr;
  for (const ValueId id : ids) {
    const Box<Quantization>& quantization = TypeOf(id).quantization;
    if (!quantization) continue;
    if (first == nullptr) first = &*quantization;
    if (!IsSameMapping(*first, *quantization)) return false;
  }
  return true;
}

// Whether what takes the operands takes them as they are quantized.
bool Converter::HasSameArguments(const Operation& operation) const {
  const auto takes_operands = [&](const std::vector<ValueId>& arguments) {
    for (size_t i = 0;
         i < std::min(arguments.size(), operation.operands.size()); ++i) {
      if (TypeOf(arguments[i]).ToString() !=
          TypeOf(operation.operands[i]).ToString()) {
        return false;
      }
    }
    return true;
  };
  const Attribute* callee = operation.attributes.Find(
      operation.name == "func.call" ? "callee" : "decomposition");
  if (callee != nullptr) {
    const auto function = functions_.find(callee->text);
    return function == functions_.end() ||
           takes_operands(function->second->body.arguments);
  }
  return operation.name != "stablehlo.while" ||
         absl::c_all_of(operation.regions, [&](const Region& region) {
           return takes_operands(region.arguments);
         });
}

bool Converter::ConvertQuantized(const Operation& operation) {
  const auto* const row = absl::c_find_if(
      kQuantizedRows,
      [&](const QuantizedRow& r) { return r.name == operation.name; });
  if (row == kQuantizedRows.end()) {
    if (IsFunctionOfNumbers(operation.name)) return ComputeOnNumbers(operation);
    return Error(operation.offset,
                 absl::StrCat("'", operation.name,
                              "' of quantized values is not supported"));
  }
  switch (row->kind) {
    case QuantizedKind::kMoves:
      return HasOneQuantization(operation) ? Dispatch(operation)
                                           : ComputeOnNumbers(operation);
    case QuantizedKind::kAppliesRegions:
      if (HasOneQuantization(operation)) return Dispatch(operation);
      break;
    case QuantizedKind::kPasses:
      if (HasSameArguments(operation)) return Dispatch(operation);
      break;
    case QuantizedKind::kComputes:
      return ComputeOnNumbers(operation);
  }
  return Error(operation.offset,
               absl::StrCat("'", operation.name,
                            "' of values that are quantized in different ways "
                            "is not supported"));
}

// Between integers and numbers: ComputeOnNumbers does all that is to be done.
bool Converter::ConvertUniform(const Operation& operation) {
  std::vector<Instruction*> operands;
  Shape shape;
  if (!ReadOperation(operation, 1, &operands, &shape)) return false;
  if (!IsQuantized(operation)) {
    return Error(operation.offset, absl::StrCat(operation.name,
                                                " of values that are not "
                                                "quantized"));
  }
  Instruction* value = operands[0];
  if (value->shape() != shape) {
    value = Add(Opcode::kConvert, shape, {value}, operation.offset);
  }
  scope_->values[operation.results[0]] = value;
  return true;
}

bool Converter::ComputeOnNumbers(const Operation& operation) {
  std::vector<Instruction*> operands;
  if (!UseOperands(operation, &operands)) return false;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Box<Quantization>& quantization =
        TypeOf(operation.operands[i]).quantization;
    if (quantization) {
      operands[i] = Dequantize(operands[i], *quantization, operation.offset);
    }
  }
  std::vector<Shape> shapes(operation.results.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    const ValueId id = operation.results[i];
    if (!ShapeOf(id, operation.offset, &shapes[i])) return false;
    const Box<Quantization>& quantization = TypeOf(id).quantization;
    if (quantization) shapes[i].set_element_type(quantization->expressed);
  }
  if (!DispatchAs(operation, operands, shapes)) return false;
  for (const ValueId id : operation.results) {
    const Type& type = TypeOf(id);
    if (!type.quantization) continue;
    Instruction*& value = scope_->values[id];
    if (value == nullptr || !value->shape().IsArray()) {
      return Error(operation.offset,
                   absl::StrCat(operation.name, " has no quantized result"));
    }
    value = Quantize(value, *type.quantization, type.shape.element_type(),
                     operation.offset);
  }
  return true;
}

// One for all elements, or one for each index of the dimension.
Instruction* Converter::AddNumbers(const std::vector<double>& numbers,
                                   const Shape& shape, int64_t dimension,
                                   int64_t offset) {
  const auto count = static_cast<int64_t>(numbers.size());
  const bool is_one = dimension < 0;
  hlo::Literal literal(is_one ? Shape::Scalar(shape.element_type())
                              : Shape::Array(shape.element_type(), {count}));
  hlo::DispatchElementType(shape.element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (NumericTraits<T>::is_float) {
      const auto elements = literal.mutable_data<T>();
      for (size_t i = 0; i < elements.size(); ++i) {
        elements[i] = ConvertElement<T>(numbers[i]);
      }
    }
  });
  Instruction* constant = AddScalarConstant(std::move(literal), offset);
  if (shape.rank() == 0) return constant;
  Instruction* broadcast = Add(Opcode::kBroadcast, shape, {constant}, offset);
  if (!is_one) broadcast->set_dimensions({dimension});
  return broadcast;
}

Instruction* Converter::Dequantize(Instruction* operand,
                                   const Quantization& quantization,
                                   int64_t offset) {
  const Shape shape =
      hlo::WithElementType(operand->shape(), quantization.expressed);
  ElementMath math(scope_->computation, shape, offset);
  Term number(&math, math.Add(Opcode::kConvert, shape, {operand}));
  const std::vector<double> zeros(quantization.zero_points.begin(),
                                  quantization.zero_points.end());
  if (absl::c_any_of(zeros, [](double zero) { return zero != 0; })) {
    number = number - Term(&math, AddNumbers(zeros, shape,
                                             quantization.dimension, offset));
  }
  const Term scale(&math, AddNumbers(quantization.scales, shape,
                                     quantization.dimension, offset));
  return (number * scale).value();
}

Instruction* Converter::Quantize(Instruction* operand,
                                 const Quantization& quantization,
                                 ElementType storage, int64_t offset) {
  const Shape shape = operand->shape();
  ElementMath math(scope_->computation, shape, offset);
  const Term scale(&math, AddNumbers(quantization.scales, shape,
                                     quantization.dimension, offset));
  Term number = Term(&math, operand) / scale;
  const std::vector<double> zeros(quantization.zero_points.begin(),
                                  quantization.zero_points.end());
  if (absl::c_any_of(zeros, [](double zero) { return zero != 0; })) {
    number = number + Term(&math, AddNumbers(zeros, shape,
                                             quantization.dimension, offset));
  }
  Instruction* clamped =
      math.Add(Opcode::kClamp, shape,
               {math.Number(static_cast<double>(quantization.min)).value(),
                number.value(),
                math.Number(static_cast<double>(quantization.max)).value()});
  const Term rounded =
      math.Unary(Opcode::kRoundNearestEven, Term(&math, clamped));
  return math.Add(Opcode::kConvert, hlo::WithElementType(shape, storage),
                  {rounded.value()});
}

}  // namespace hilo::stablehlo
