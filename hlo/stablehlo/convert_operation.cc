// Operations of elements, and those that move them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::stablehlo {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Arithmetic on truth values is logic.
Opcode LogicalOpcode(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
      return Opcode::kOr;
    case Opcode::kMultiply:
    case Opcode::kMinimum:
      return Opcode::kAnd;
    default:  // NOLINT: all others are what they are.
      return opcode;
  }
}

}  // namespace

bool Converter::ConvertElementwise(const Operation& operation, Opcode opcode) {
  const bool is_logical =
      !operation.results.empty() &&
      TypeOf(operation.results[0]).shape.element_type() == ElementType::kPred;
  AttributeReader reader = Read(operation);
  Instruction* result =
      AddSimple(operation, is_logical ? LogicalOpcode(opcode) : opcode);
  if (result == nullptr) return false;
  SetResultAccuracy(operation, &reader, *result);
  return reader.ok() && SetResults(operation, result);
}

bool Converter::ConvertComplex(const Operation& operation) {
  return HasOperands(operation, 2) &&
         SetResults(operation, AddSimple(operation, Opcode::kComplex));
}

// atan(x) = atan2(x, 1), and for complex numbers -i atanh(i z).
bool Converter::ConvertAtan(const Operation& operation) {
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ReadOperation(operation, 1, &operands, &shape)) return false;
  const int64_t offset = operation.offset;
  const ElementType type = shape.element_type();
  if (!hlo::IsFloat(type) && !hlo::IsComplex(type)) {
    return Error(offset, absl::StrCat("atan of ", ToString(shape, false)));
  }
  if (!hlo::IsComplex(type)) {
    hlo::Literal one(Shape::Scalar(type));
    hlo::DispatchElementType(type, [&](auto tag) {
      using T = decltype(tag)::type;
      if constexpr (NumericTraits<T>::is_float) {
        one.mutable_data<T>()[0] = ConvertElement<T>(1.0);
      }
    });
    Instruction* ones =
        Add(Opcode::kBroadcast, shape,
            {AddScalarConstant(std::move(one), offset)}, offset);
    return SetResults(operation,
                      Add(Opcode::kAtan2, shape, {operands[0], ones}, offset));
  }
  const Shape part = hlo::WithElementType(shape, hlo::ComponentType(type));
  const auto turned = [&](Instruction* z, bool is_left) {
    // i z or -i z.
    Instruction* real = Add(Opcode::kReal, part, {z}, offset);
    Instruction* imag = Add(Opcode::kImag, part, {z}, offset);
    Instruction*& negated = is_left ? imag : real;
    negated = Add(Opcode::kNegate, part, {negated}, offset);
    return Add(Opcode::kComplex, shape, {imag, real}, offset);
  };
  Instruction* inner =
      Add(Opcode::kAtanh, shape, {turned(operands[0], true)}, offset);
  return SetResults(operation, turned(inner, false));
}

bool Converter::ConvertConstant(const Operation& operation) {
  Shape shape;
  return HasOneResult(operation) && ResultShape(operation, &shape) &&
         SetResults(operation, AddDense(operation, std::move(shape)));
}

Instruction* Converter::AddDense(const Operation& operation, Shape shape) {
  const Attribute* value = operation.attributes.Find("value");
  if (value == nullptr || value->kind != AttributeKind::kDense) {
    Error(operation.offset,
          value != nullptr && value->text == "dense_resource"
              ? "constants in resources, dense_resource, are not supported yet"
              : "a constant needs 'value = dense<...>'");
    return nullptr;
  }
  if (!hlo::Compatible(shape, value->type.shape)) {
    Error(operation.offset,
          absl::StrCat("the value is ", value->type.ToString(), ", the result ",
                       ToString(shape, false)));
    return nullptr;
  }
  Instruction* constant = AddScalarConstant(value->literal, operation.offset);
  // One element for all.
  if (constant->shape().rank() == shape.rank()) return constant;
  return Add(Opcode::kBroadcast, std::move(shape), {constant},
             operation.offset);
}

bool Converter::ConvertIota(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t dimension = reader.Integer("iota_dimension");
  Instruction* iota = AddSimple(operation, Opcode::kIota);
  if (iota == nullptr || !reader.ok()) return false;
  iota->set_iota_dimension(dimension);
  return SetResults(operation, iota);
}

// Complex numbers lose their imaginary parts.
bool Converter::ConvertConversion(const Operation& operation) {
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ReadOperation(operation, 1, &operands, &shape)) return false;
  Instruction* value = operands[0];
  const ElementType from = value->shape().element_type();
  if (hlo::IsComplex(from) && !hlo::IsComplex(shape.element_type())) {
    value = Add(Opcode::kReal,
                hlo::WithElementType(value->shape(), hlo::ComponentType(from)),
                {value}, operation.offset);
  }
  if (value->shape() != shape) {
    value = Add(Opcode::kConvert, std::move(shape), {value}, operation.offset);
  }
  scope_->values[operation.results[0]] = value;
  return true;
}

bool Converter::ConvertBitcast(const Operation& operation) {
  return HasOperands(operation, 1) &&
         SetResults(operation, AddSimple(operation, Opcode::kBitcastConvert));
}

bool Converter::ConvertReshape(const Operation& operation) {
  return HasOperands(operation, 1) &&
         SetResults(operation, AddSimple(operation, Opcode::kReshape));
}

bool Converter::ConvertBroadcastInDim(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const DimensionVector dimensions = reader.Integers("broadcast_dimensions");
  Shape shape;
  std::vector<Instruction*> operands;
  if (!reader.ok() || !ReadOperation(operation, 1, &operands, &shape)) {
    return false;
  }
  return SetResults(operation, AddBroadcast(operation, operands[0],
                                            std::move(shape), dimensions));
}

// HLO's broadcast does not stretch dimensions of size 1: those go first.
Instruction* Converter::AddBroadcast(const Operation& operation,
                                     Instruction* operand, Shape shape,
                                     const DimensionVector& dimensions) {
  const Shape& from = operand->shape();
  if (static_cast<int64_t>(dimensions.size()) != from.rank()) {
    Error(operation.offset,
          absl::StrCat(absl::StripPrefix(operation.name, "stablehlo."), ": ",
                       dimensions.size(),
                       " dimensions are given for an operand of rank ",
                       from.rank()));
    return nullptr;
  }
  DimensionVector sizes;
  DimensionVector kept;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    const int64_t to = dimensions[i];
    const bool is_stretched = from.dimension(d) == 1 && to >= 0 &&
                              to < shape.rank() && shape.dimension(to) != 1;
    if (is_stretched) continue;
    sizes.push_back(from.dimension(d));
    kept.push_back(to);
  }
  if (kept.size() != dimensions.size()) {
    operand = Add(Opcode::kReshape, Shape::Array(from.element_type(), sizes),
                  {operand}, operation.offset);
  }
  Instruction* broadcast =
      Add(Opcode::kBroadcast, std::move(shape), {operand}, operation.offset);
  broadcast->set_dimensions(kept);
  return broadcast;
}

// The new dimensions come first.
bool Converter::ConvertBroadcast(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const auto count =
      static_cast<int64_t>(reader.Integers("broadcast_sizes").size());
  Instruction* broadcast = AddSimple(operation, Opcode::kBroadcast);
  if (!reader.ok() || broadcast == nullptr || !HasOperands(operation, 1)) {
    return false;
  }
  DimensionVector dimensions;
  for (int64_t d = 0; d < broadcast->operand_shape(0).rank(); ++d) {
    dimensions.push_back(count + d);
  }
  broadcast->set_dimensions(dimensions);
  return SetResults(operation, broadcast);
}

bool Converter::ConvertTranspose(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const DimensionVector permutation = reader.Integers("permutation");
  Instruction* transpose = AddSimple(operation, Opcode::kTranspose);
  if (!reader.ok() || transpose == nullptr) return false;
  transpose->set_dimensions(permutation);
  return SetResults(operation, transpose);
}

bool Converter::ConvertReverse(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const DimensionVector dimensions = reader.Integers("dimensions");
  Instruction* reverse = AddSimple(operation, Opcode::kReverse);
  if (!reader.ok() || reverse == nullptr) return false;
  reverse->set_dimensions(dimensions);
  return SetResults(operation, reverse);
}

bool Converter::ConvertConcatenate(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t dimension = reader.Integer("dimension");
  Instruction* concatenate = AddSimple(operation, Opcode::kConcatenate);
  if (!reader.ok() || concatenate == nullptr) return false;
  concatenate->set_dimensions({dimension});
  return SetResults(operation, concatenate);
}

bool Converter::ConvertSlice(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const DimensionVector starts = reader.Integers("start_indices");
  const auto rank = static_cast<int64_t>(starts.size());
  const DimensionVector limits = reader.PerDimension("limit_indices", rank, 0);
  const DimensionVector strides = reader.PerDimension("strides", rank, 1);
  Instruction* slice = AddSimple(operation, Opcode::kSlice);
  if (!reader.ok() || slice == nullptr) return false;
  hlo::SliceDimensions ranges;
  for (size_t d = 0; d < starts.size(); ++d) {
    ranges.push_back(
        {.start = starts[d], .limit = limits[d], .stride = strides[d]});
  }
  slice->set_slice(std::move(ranges));
  return SetResults(operation, slice);
}

bool Converter::ConvertDynamicSlice(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const DimensionVector sizes = reader.Integers("slice_sizes");
  Instruction* slice = AddSimple(operation, Opcode::kDynamicSlice);
  if (!reader.ok() || slice == nullptr) return false;
  slice->set_dynamic_slice_sizes(sizes);
  return SetResults(operation, slice);
}

bool Converter::ConvertDynamicUpdateSlice(const Operation& operation) {
  return SetResults(operation,
                    AddSimple(operation, Opcode::kDynamicUpdateSlice));
}

bool Converter::ConvertPad(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const DimensionVector low = reader.Integers("edge_padding_low");
  const auto rank = static_cast<int64_t>(low.size());
  const DimensionVector high =
      reader.PerDimension("edge_padding_high", rank, 0);
  const DimensionVector interior =
      reader.PerDimension("interior_padding", rank, 0);
  Instruction* pad = AddSimple(operation, Opcode::kPad);
  if (!reader.ok() || pad == nullptr) return false;
  hlo::PaddingConfig padding;
  for (size_t d = 0; d < low.size(); ++d) {
    padding.push_back(
        {.low = low[d], .high = high[d], .interior = interior[d]});
  }
  pad->set_padding(std::move(padding));
  return SetResults(operation, pad);
}

bool Converter::ConvertCompare(const Operation& operation) {
  AttributeReader reader = Read(operation);
  if (!reader.Has("comparison_direction")) {
    reader.Error("'comparison_direction' is missing");
    return false;
  }
  const auto direction =
      reader.Enum("comparison_direction", hlo::ComparisonDirection::kEq);
  const std::string type = reader.EnumText("compare_type");
  Instruction* compare = AddSimple(operation, Opcode::kCompare);
  if (!reader.ok() || compare == nullptr || !HasOperands(operation, 2)) {
    return false;
  }
  compare->set_direction(direction);
  const hlo::ComparisonType usual =
      hlo::DefaultComparisonType(compare->operand_shape(0).element_type());
  hlo::ComparisonType order = usual;
  if (!type.empty() && type != "NOTYPE") {
    order = reader.Enum("compare_type", usual);
  }
  if (order != usual) compare->set_type(order);
  return reader.ok() && SetResults(operation, compare);
}

// A scalar chooses between arrays as a whole.
bool Converter::ConvertSelect(const Operation& operation) {
  Shape shape;
  std::vector<Instruction*> operands;
  if (!ReadOperation(operation, 3, &operands, &shape)) return false;
  if (operands[0]->shape().IsScalar() && shape.rank() > 0) {
    operands[0] =
        Add(Opcode::kBroadcast, hlo::WithElementType(shape, ElementType::kPred),
            {operands[0]}, operation.offset);
  }
  return SetResults(operation, Add(Opcode::kSelect, std::move(shape), operands,
                                   operation.offset));
}

bool Converter::ConvertClamp(const Operation& operation) {
  return HasOperands(operation, 3) &&
         SetResults(operation, AddSimple(operation, Opcode::kClamp));
}

bool Converter::ConvertReducePrecision(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t exponent = reader.Integer("exponent_bits");
  const int64_t mantissa = reader.Integer("mantissa_bits");
  Instruction* result = AddSimple(operation, Opcode::kReducePrecision);
  if (!reader.ok() || result == nullptr) return false;
  result->set_exponent_bits(exponent);
  result->set_mantissa_bits(mantissa);
  return SetResults(operation, result);
}

// What debuggers look at, and what one device has all of.
bool Converter::ConvertIdentity(const Operation& operation) {
  std::vector<Instruction*> operands;
  if (!HasOperands(operation, 1) || !HasOneResult(operation) ||
      !UseOperands(operation, &operands)) {
    return false;
  }
  scope_->values[operation.results[0]] = operands[0];
  return true;
}

// Programs compute the same without it.
bool Converter::ConvertNothing(const Operation& operation) {
  return operation.results.empty() ||
         Error(operation.offset,
               absl::StrCat(operation.name, " has no results"));
}

bool Converter::ConvertBarrier(const Operation& operation) {
  std::vector<Instruction*> operands;
  if (!UseOperands(operation, &operands)) return false;
  if (operands.empty()) return true;
  Instruction* value = MakeRoot(operands, operation.offset, false);
  return SetResults(operation, Add(Opcode::kOptimizationBarrier, value->shape(),
                                   {value}, operation.offset));
}

bool Converter::ConvertTuple(const Operation& operation) {
  return SetResults(operation, AddSimple(operation, Opcode::kTuple));
}

bool Converter::ConvertGetTupleElement(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t index = reader.Integer("index");
  Instruction* element = AddSimple(operation, Opcode::kGetTupleElement);
  if (!reader.ok() || element == nullptr || !HasOperands(operation, 1)) {
    return false;
  }
  element->set_index(index);
  return SetResults(operation, element);
}

bool Converter::ConvertAfterAll(const Operation& operation) {
  return SetResults(operation, AddSimple(operation, Opcode::kAfterAll));
}

}  // namespace hilo::stablehlo
