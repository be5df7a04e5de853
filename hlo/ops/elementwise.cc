// Shape rules of element-wise opcodes.
#include "hlo/ops/elementwise.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

ElementType ResultType(const OpcodeInfo& info, ElementType operand) {
  if (info.Has(kPredicateResult)) return ElementType::kPred;
  return info.Has(kComponentResult) ? ComponentType(operand) : operand;
}

// Makes dimensions of `result` dynamic that are so in any operand.
void PropagateDynamic(const Instruction& instruction, Shape* result) {
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape& shape = instruction.operand_shape(i);
    if (shape.rank() != result->rank()) continue;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      CopyDynamic(shape, d, result, d);
    }
  }
}

// Checks the ordering of a compare against the operands' type.
absl::Status CheckComparisonType(const Instruction& instruction) {
  const ElementType type = instruction.operand_shape(0).element_type();
  const ComparisonType comparison = instruction.comparison_type();
  const bool is_total_order =
      comparison == ComparisonType::kTotalOrder && IsFloat(type);
  if (comparison != DefaultComparisonType(type) && !is_total_order) {
    return InvalidArgument("comparison type ", TextOf(comparison),
                           " does not fit operands of type ", TextOf(type),
                           ", expected ", TextOf(DefaultComparisonType(type)));
  }
  const ComparisonDirection direction = instruction.direction();
  if (IsComplex(type) && direction != ComparisonDirection::kEq &&
      direction != ComparisonDirection::kNe) {
    return InvalidArgument("complex numbers have no order: direction is ",
                           TextOf(direction), ", expected EQ or NE");
  }
  return absl::OkStatus();
}

// Errors unless the declared result has the dimensions of operand 0.
absl::Status CheckDeclaredDimensions(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckDeclaredArray(instruction));
  if (SameDimensions(instruction.shape(), instruction.operand_shape(0))) {
    return absl::OkStatus();
  }
  return InvalidArgument("dimensions differ: operand 0 is ",
                         ShapeText(instruction.operand_shape(0)),
                         ", the result is ", ShapeText(instruction.shape()));
}

}  // namespace

absl::StatusOr<Shape> InferUnary(const Instruction& instruction) {
  const OpcodeInfo& info = InfoOf(instruction.opcode());
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckOperandType(instruction, 0, info.types));
  const Shape& operand = instruction.operand_shape(0);
  return ArrayLike(operand, ResultType(info, operand.element_type()));
}

absl::StatusOr<Shape> InferBinary(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 1));
  RETURN_IF_ERROR(CheckSameDimensions(instruction, 0, 1));
  ASSIGN_OR_RETURN(Shape result, InferUnary(instruction));
  PropagateDynamic(instruction, &result);
  return result;
}

absl::StatusOr<Shape> InferClamp(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  for (const int64_t bound : {0, 2}) {
    RETURN_IF_ERROR(CheckSameElementType(instruction, bound, 1));
    if (instruction.operand_shape(bound).IsScalar()) continue;
    RETURN_IF_ERROR(CheckSameDimensions(instruction, bound, 1));
  }
  const Shape& operand = instruction.operand_shape(1);
  Shape result = ArrayLike(operand, operand.element_type());
  PropagateDynamic(instruction, &result);
  return result;
}

absl::StatusOr<Shape> InferCompare(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 1));
  RETURN_IF_ERROR(CheckSameDimensions(instruction, 0, 1));
  RETURN_IF_ERROR(CheckComparisonType(instruction));
  Shape result = ArrayLike(instruction.operand_shape(0), ElementType::kPred);
  PropagateDynamic(instruction, &result);
  return result;
}

absl::StatusOr<Shape> InferComplex(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 1));
  RETURN_IF_ERROR(CheckSameDimensions(instruction, 0, 1));
  const Shape& part = instruction.operand_shape(0);
  if (part.element_type() != ElementType::kF32 &&
      part.element_type() != ElementType::kF64) {
    return InvalidArgument("the parts have element type ",
                           TextOf(part.element_type()),
                           ", expected f32 or f64");
  }
  Shape result = ArrayLike(part, part.element_type() == ElementType::kF32
                                     ? ElementType::kC64
                                     : ElementType::kC128);
  PropagateDynamic(instruction, &result);
  return result;
}

absl::StatusOr<Shape> InferConvert(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckDeclaredDimensions(instruction));
  const ElementType from = instruction.operand_shape(0).element_type();
  const ElementType to = instruction.shape().element_type();
  if (IsComplex(from) && !IsComplex(to)) {
    return InvalidArgument("cannot convert ", TextOf(from), " to ", TextOf(to),
                           "; take its real or imag part first");
  }
  return instruction.shape();
}

absl::StatusOr<Shape> InferReducePrecision(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckOperandType(instruction, 0, kFloatTypes));
  if (instruction.exponent_bits() < 1) {
    return InvalidArgument("exponent_bits is ", instruction.exponent_bits(),
                           ", expected at least 1");
  }
  if (instruction.mantissa_bits() < 0) {
    return InvalidArgument("mantissa_bits is ", instruction.mantissa_bits(),
                           ", expected at least 0");
  }
  const Shape& operand = instruction.operand_shape(0);
  return ArrayLike(operand, operand.element_type());
}

absl::StatusOr<Shape> InferSelect(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckOperandType(instruction, 0, kPredicateTypes));
  RETURN_IF_ERROR(CheckSameElementType(instruction, 1, 2));
  RETURN_IF_ERROR(CheckSameDimensions(instruction, 1, 2));
  if (!instruction.operand_shape(0).IsScalar()) {
    RETURN_IF_ERROR(CheckSameDimensions(instruction, 0, 1));
  }
  const Shape& on_true = instruction.operand_shape(1);
  Shape result = ArrayLike(on_true, on_true.element_type());
  PropagateDynamic(instruction, &result);
  return result;
}

absl::StatusOr<Shape> InferStochasticConvert(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckOperandType(instruction, 0, kFloatTypes));
  RETURN_IF_ERROR(
      CheckOperandType(instruction, 1, ClassBit(ElementClass::kUnsigned)));
  RETURN_IF_ERROR(CheckSameDimensions(instruction, 0, 1));
  const ElementType from = instruction.operand_shape(0).element_type();
  const ElementType random = instruction.operand_shape(1).element_type();
  if (InfoOf(from).bits != InfoOf(random).bits) {
    return InvalidArgument("operand widths differ: ", TextOf(from), " has ",
                           InfoOf(from).bits, " bits, ", TextOf(random),
                           " has ", InfoOf(random).bits);
  }
  RETURN_IF_ERROR(CheckDeclaredDimensions(instruction));
  if (!IsSignedInteger(instruction.shape().element_type())) {
    return InvalidArgument("the result has element type ",
                           TextOf(instruction.shape().element_type()),
                           ", expected a signed integer");
  }
  return instruction.shape();
}

}  // namespace hilo::hlo
