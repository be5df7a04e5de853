// Shape rules of infeed, outfeed, send and recv.
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/result_types.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// What send and recv give: (value, u32[] context, token[]).
Shape TransferShape(const Shape& value) {
  return Shape::Tuple(
      {value, Shape::Scalar(ElementType::kU32), Shape::Token()});
}

// Error unless operand 0 is what send or recv gives.
absl::Status CheckTransferOperand(const Instruction& instruction) {
  const Shape& shape = instruction.operand_shape(0);
  if (shape.IsTuple() && shape.element_count() == 3 &&
      Compatible(shape, TransferShape(shape.element(0)))) {
    return absl::OkStatus();
  }
  return InvalidArgument("operand 0 is ", ShapeText(shape),
                         ", expected (value, u32[], token[])");
}

}  // namespace

absl::StatusOr<Shape> InferInfeed(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckTokenOperand(instruction, 0));
  const Shape& shape = instruction.shape();
  if (shape.IsTuple() && shape.element_count() == 2 &&
      shape.element(1).IsToken()) {
    return shape;
  }
  return InvalidArgument("the result is declared ", ShapeText(shape),
                         ", expected (value, token[])");
}

absl::StatusOr<Shape> InferOutfeed(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckTokenOperand(instruction, 1));
  const Shape& value = instruction.operand_shape(0);
  if (instruction.has_outfeed_shape() &&
      !Compatible(value, instruction.outfeed_shape())) {
    return InvalidArgument("outfeed_shape is ",
                           ShapeText(instruction.outfeed_shape()),
                           ", operand 0 is ", ShapeText(value));
  }
  return CheckDeclaredShape(instruction, Shape::Token());
}

absl::StatusOr<Shape> InferSend(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckTokenOperand(instruction, 1));
  return CheckDeclaredShape(instruction,
                            TransferShape(instruction.operand_shape(0)));
}

absl::StatusOr<Shape> InferSendDone(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckTransferOperand(instruction));
  return CheckDeclaredShape(instruction, Shape::Token());
}

absl::StatusOr<Shape> InferRecv(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckTokenOperand(instruction, 0));
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple() || shape.element_count() != 3) {
    return InvalidArgument("the result is declared ", ShapeText(shape),
                           ", expected (value, u32[], token[])");
  }
  return CheckDeclaredShape(instruction, TransferShape(shape.element(0)));
}

absl::StatusOr<Shape> InferRecvDone(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckTransferOperand(instruction));
  return CheckDeclaredShape(
      instruction,
      Shape::Tuple({instruction.operand_shape(0).element(0), Shape::Token()}));
}

}  // namespace hilo::hlo
