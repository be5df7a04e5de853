// Shape rules of slices at run-time places and of run-time sizes.
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Checks the start indices from operand `first` on, for an array of `rank`:
// one scalar per dimension or, in old modules, one vector.
absl::Status CheckStartIndices(const Instruction& instruction, int64_t first,
                               int64_t rank) {
  const int64_t count = instruction.operand_count() - first;
  for (int64_t i = first; i < instruction.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckOperandType(instruction, i, kIntegerTypes));
    RETURN_IF_ERROR(CheckSameElementType(instruction, first, i));
  }
  if (count == 1 && instruction.operand_shape(first).rank() == 1) {
    const int64_t indices = instruction.operand_shape(first).dimension(0);
    if (indices == rank) return absl::OkStatus();
    return InvalidArgument("operand ", first, " holds ", indices,
                           " start indices, but operand 0 has rank ", rank);
  }
  if (count != rank) {
    return InvalidArgument("got ", count,
                           " start indices, but operand 0 has rank ", rank);
  }
  for (int64_t i = first; i < instruction.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckScalarOperand(instruction, i));
  }
  return absl::OkStatus();
}

absl::Status CheckSliceSize(int64_t dimension, int64_t size, int64_t limit) {
  if (size >= 0 && size <= limit) return absl::OkStatus();
  return InvalidArgument("slice size ", size, " of dimension ", dimension,
                         " does not fit into its ", limit, " elements");
}

// Errors unless operand i is s32[].
absl::Status CheckSizeOperand(const Instruction& instruction, int64_t i) {
  if (instruction.operand_shape(i) == Shape::Scalar(ElementType::kS32)) {
    return absl::OkStatus();
  }
  return InvalidArgument("operand ", i, " is ",
                         ShapeText(instruction.operand_shape(i)),
                         ", expected s32[]");
}

}  // namespace

absl::StatusOr<Shape> InferDynamicReshape(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 1));
  RETURN_IF_ERROR(CheckArrayOperand(instruction, 0));
  RETURN_IF_ERROR(CheckDeclaredArray(instruction));
  const Shape& operand = instruction.operand_shape(0);
  const Shape& result = instruction.shape();
  RETURN_IF_ERROR(CheckDeclaredType(instruction, operand.element_type()));
  if (instruction.operand_count() - 1 != result.rank()) {
    return InvalidArgument("got ", instruction.operand_count() - 1,
                           " sizes, but the result is ", ShapeText(result));
  }
  for (int64_t i = 1; i < instruction.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckSizeOperand(instruction, i));
  }
  if (operand.ElementCount() != result.ElementCount()) {
    return InvalidArgument("element counts differ: operand 0 ",
                           ShapeText(operand), " has ", operand.ElementCount(),
                           ", the result ", ShapeText(result), " has ",
                           result.ElementCount());
  }
  return result;
}

absl::StatusOr<Shape> InferDynamicSlice(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 1));
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  const Shape& operand = instruction.operand_shape(0);
  RETURN_IF_ERROR(CheckStartIndices(instruction, 1, operand.rank()));
  const DimensionVector& sizes = instruction.dynamic_slice_sizes();
  if (static_cast<int64_t>(sizes.size()) != operand.rank()) {
    return InvalidArgument("dynamic_slice_sizes lists ", sizes.size(),
                           " sizes, but operand 0 is ", ShapeText(operand));
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    RETURN_IF_ERROR(CheckSliceSize(i, sizes[i], operand.dimension(i)));
  }
  return Shape::Array(operand.element_type(), sizes);
}

absl::StatusOr<Shape> InferDynamicUpdateSlice(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 2));
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  const Shape& operand = instruction.operand_shape(0);
  const Shape& update = instruction.operand_shape(1);
  RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 1));
  if (update.rank() != operand.rank()) {
    return InvalidArgument("ranks differ: operand 0 is ", ShapeText(operand),
                           ", the update is ", ShapeText(update));
  }
  RETURN_IF_ERROR(CheckStartIndices(instruction, 2, operand.rank()));
  for (int64_t i = 0; i < operand.rank(); ++i) {
    RETURN_IF_ERROR(
        CheckSliceSize(i, update.dimension(i), operand.dimension(i)));
  }
  return ArrayLike(operand, operand.element_type());
}

absl::StatusOr<Shape> InferGetDimensionSize(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(
      OnlyDimension(instruction, instruction.operand_shape(0).rank()).status());
  return Shape::Scalar(ElementType::kS32);
}

absl::StatusOr<Shape> InferSetDimensionSize(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckSizeOperand(instruction, 1));
  const Shape& operand = instruction.operand_shape(0);
  ASSIGN_OR_RETURN(const int64_t dimension,
                   OnlyDimension(instruction, operand.rank()));
  Shape result = ArrayLike(operand, operand.element_type());
  result.set_dynamic_dimension(dimension, true);
  return result;
}

}  // namespace hilo::hlo
