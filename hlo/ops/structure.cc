// Shape rules of leaves, tuples and ordering opcodes.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {

absl::StatusOr<Shape> InferAddDependency(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckTokenOperand(instruction, 1));
  return WithoutLayout(instruction.operand_shape(0));
}

absl::StatusOr<Shape> InferAfterAll(const Instruction& instruction) {
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckTokenOperand(instruction, i));
  }
  return Shape::Token();
}

absl::StatusOr<Shape> InferConstant(const Instruction& instruction) {
  if (!instruction.has_value()) return InvalidArgument("the value is missing");
  const Shape& shape = instruction.value().shape();
  if (!Compatible(shape, instruction.shape())) {
    return InvalidArgument("the value is ", ShapeText(shape),
                           ", the result is declared ",
                           ShapeText(instruction.shape()));
  }
  return instruction.shape();
}

absl::StatusOr<Shape> InferDomain(const Instruction& instruction) {
  return WithoutLayout(instruction.operand_shape(0));
}

absl::StatusOr<Shape> InferGetTupleElement(const Instruction& instruction) {
  const Shape& tuple = instruction.operand_shape(0);
  if (!tuple.IsTuple()) {
    return InvalidArgument("operand 0 is ", ShapeText(tuple),
                           ", expected a tuple");
  }
  const int64_t index = instruction.index();
  if (index < 0 || index >= tuple.element_count()) {
    return InvalidArgument("index ", index, " is out of range for a tuple of ",
                           tuple.element_count(), " elements");
  }
  return WithoutLayout(tuple.element(index));
}

absl::StatusOr<Shape> InferIota(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckDeclaredArray(instruction));
  const Shape& shape = instruction.shape();
  if (shape.rank() == 0) {
    return InvalidArgument("the result is ", ShapeText(shape),
                           ", expected at least one dimension");
  }
  if (shape.element_type() == ElementType::kPred) {
    return InvalidArgument("the result is ", ShapeText(shape),
                           ", expected a number type");
  }
  RETURN_IF_ERROR(CheckDimension(instruction.iota_dimension(), shape.rank(),
                                 "iota_dimension"));
  return shape;
}

absl::StatusOr<Shape> InferOptimizationBarrier(const Instruction& instruction) {
  return WithoutLayout(instruction.operand_shape(0));
}

absl::StatusOr<Shape> InferParameter(const Instruction& instruction) {
  if (instruction.parameter_number() < 0) {
    return InvalidArgument("parameter number ", instruction.parameter_number(),
                           " is negative");
  }
  return instruction.shape();
}

absl::StatusOr<Shape> InferPartitionId(const Instruction& /*instruction*/) {
  return Shape::Scalar(ElementType::kU32);
}

absl::StatusOr<Shape> InferReplicaId(const Instruction& /*instruction*/) {
  return Shape::Scalar(ElementType::kU32);
}

absl::StatusOr<Shape> InferTuple(const Instruction& instruction) {
  std::vector<Shape> elements;
  elements.reserve(instruction.operand_count());
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    elements.push_back(WithoutLayout(instruction.operand_shape(i)));
  }
  return Shape::Tuple(std::move(elements));
}

}  // namespace hilo::hlo
