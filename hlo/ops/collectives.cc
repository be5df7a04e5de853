// Shape rules of collectives and their asynchronous halves.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/called_computations.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/replica_groups.h"
#include "hlo/ops/result_types.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Operand shapes [0, count) without layouts.
std::vector<Shape> OperandShapes(const Instruction& instruction,
                                 int64_t count) {
  std::vector<Shape> shapes;
  shapes.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    shapes.push_back(WithoutLayout(instruction.operand_shape(i)));
  }
  return shapes;
}

absl::Status CheckOperands(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 1));
  return CheckArrayOperands(instruction);
}

// Error unless the reducer folds values of every operand's type.
absl::Status CheckReducers(const Instruction& instruction) {
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape& operand = instruction.operand_shape(i);
    const Shape scalar = Shape::Scalar(operand.element_type());
    RETURN_IF_ERROR(
        CheckReducer(*instruction.to_apply(), "to_apply", {operand}, {scalar})
            .status());
  }
  if (instruction.use_global_device_ids() && instruction.channel_id() <= 0) {
    return InvalidArgument("use_global_device_ids needs a channel_id");
  }
  return absl::OkStatus();
}

// Error unless `larger` is `smaller` with dimension `dimension` multiplied,
// by `group_size` exactly where `is_exact`.
absl::Status CheckMultiplied(const Shape& smaller, const Shape& larger,
                             int64_t dimension, int64_t group_size,
                             bool is_exact) {
  Shape expected = smaller;
  if (larger.IsArray() && larger.rank() == smaller.rank()) {
    expected.set_dimension(dimension, larger.dimension(dimension));
  }
  if (!CompatibleIgnoringFloatPrecision(expected, larger)) {
    return InvalidArgument(ShapeText(smaller), " and ", ShapeText(larger),
                           " differ in more than dimension ", dimension);
  }
  const int64_t part = smaller.dimension(dimension);
  const int64_t whole = larger.dimension(dimension);
  if (part == 0 ? whole != 0 : whole % part != 0) {
    return InvalidArgument("dimension ", dimension, " has ", whole,
                           " elements in all, not a multiple of ", part);
  }
  if (is_exact && group_size > 1 && part != 0 && whole / part != group_size) {
    return InvalidArgument(
        "dimension ", dimension, " has ", whole, " elements in all and ", part,
        " per device, but a group has ", group_size, " devices");
  }
  return absl::OkStatus();
}

// Whether a group holds exactly the devices that replica_groups lists. With a
// channel and without global ids each listed replica stands for all of its
// partitions.
bool GroupsAreExact(const Instruction& instruction) {
  return instruction.channel_id() <= 0 || instruction.use_global_device_ids();
}

// Checks `declared`, one array or a tuple of them, against the operands, which
// it multiplies (all-gather) or divides (reduce-scatter).
absl::Status CheckScaledResult(const Instruction& instruction,
                               const Shape& declared, bool divides) {
  ASSIGN_OR_RETURN(const int64_t group_size,
                   CheckReplicaGroups(instruction.replica_groups()));
  ASSIGN_OR_RETURN(
      const int64_t dimension,
      OnlyDimension(instruction, instruction.operand_shape(0).rank()));
  const int64_t count = instruction.operand_count();
  const bool is_tuple = count > 1;
  if (is_tuple != declared.IsTuple() ||
      (is_tuple && declared.element_count() != count)) {
    return InvalidArgument("the result is declared ", ShapeText(declared),
                           ", expected one array for each of ", count,
                           " operands");
  }
  for (int64_t i = 0; i < count; ++i) {
    const Shape& operand = instruction.operand_shape(i);
    const Shape& result = is_tuple ? declared.element(i) : declared;
    RETURN_IF_ERROR(CheckDimension(dimension, operand.rank(), "dimension"));
    if (!result.IsArray() || result.rank() != operand.rank()) {
      return InvalidArgument("the result is declared ", ShapeText(result),
                             ", expected the rank of ", ShapeText(operand));
    }
    RETURN_IF_ERROR(CheckMultiplied(divides ? result : operand,
                                    divides ? operand : result, dimension,
                                    group_size, GroupsAreExact(instruction)));
  }
  return absl::OkStatus();
}

// The shape that holds operands and results of a start: (operands, results,
// context...), where several operands or results are tuples themselves.
bool IsPairTuple(const Shape& shape) {
  return shape.IsTuple() && shape.element_count() >= 2;
}

absl::StatusOr<Shape> InferSameShape(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckOperands(instruction));
  RETURN_IF_ERROR(CheckReplicaGroups(instruction.replica_groups()).status());
  return CheckDeclaredShape(
      instruction,
      ShapeOrTuple(OperandShapes(instruction, instruction.operand_count())));
}

absl::StatusOr<Shape> InferReduction(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckOperands(instruction));
  RETURN_IF_ERROR(CheckReducers(instruction));
  return InferSameShape(instruction);
}

// What a permute gives: the output buffer of the in-place form, or the
// operands' shapes.
absl::StatusOr<Shape> PermutedShape(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 1));
  RETURN_IF_ERROR(CheckSourceTargetPairs(instruction.source_target_pairs()));
  if (!instruction.has_permute_slice_sizes()) {
    RETURN_IF_ERROR(CheckArrayOperands(instruction));
    return ShapeOrTuple(
        OperandShapes(instruction, instruction.operand_count()));
  }
  if (instruction.operand_count() != 4) {
    return InvalidArgument(
        "slice_sizes needs operands (input, output, input indices, output "
        "indices), got ",
        instruction.operand_count(), " operands");
  }
  return WithoutLayout(instruction.operand_shape(1));
}

// The first element of a start's result.
Shape PermuteInput(const Instruction& instruction) {
  if (instruction.has_permute_slice_sizes()) {
    return WithoutLayout(instruction.operand_shape(0));
  }
  return ShapeOrTuple(OperandShapes(instruction, instruction.operand_count()));
}

}  // namespace

absl::StatusOr<Shape> InferAllGather(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckOperands(instruction));
  RETURN_IF_ERROR(CheckScaledResult(instruction, instruction.shape(),
                                    /*divides=*/false));
  return instruction.shape();
}

absl::StatusOr<Shape> InferAllGatherStart(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckOperands(instruction));
  const Shape& declared = instruction.shape();
  const Shape operands =
      ShapeOrTuple(OperandShapes(instruction, instruction.operand_count()));
  // Some modules give a start the bare result.
  const bool has_operands =
      IsPairTuple(declared) &&
      CompatibleIgnoringFloatPrecision(declared.element(0), operands);
  RETURN_IF_ERROR(CheckScaledResult(
      instruction, has_operands ? declared.element(1) : declared,
      /*divides=*/false));
  return declared;
}

absl::StatusOr<Shape> InferAllGatherDone(const Instruction& instruction) {
  const Shape& operand = instruction.operand_shape(0);
  if (IsPairTuple(operand) && CompatibleIgnoringFloatPrecision(
                                  instruction.shape(), operand.element(1))) {
    return instruction.shape();
  }
  return CheckDeclaredShape(instruction, operand);
}

absl::StatusOr<Shape> InferAllReduce(const Instruction& instruction) {
  return InferReduction(instruction);
}

absl::StatusOr<Shape> InferAllReduceStart(const Instruction& instruction) {
  return InferReduction(instruction);
}

absl::StatusOr<Shape> InferAllReduceDone(const Instruction& instruction) {
  return CheckDeclaredShape(instruction, instruction.operand_shape(0));
}

absl::StatusOr<Shape> InferReduceScatter(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckOperands(instruction));
  RETURN_IF_ERROR(CheckReducers(instruction));
  RETURN_IF_ERROR(CheckScaledResult(instruction, instruction.shape(),
                                    /*divides=*/true));
  return instruction.shape();
}

absl::StatusOr<Shape> InferAllToAll(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckOperands(instruction));
  ASSIGN_OR_RETURN(const int64_t group_size,
                   CheckReplicaGroups(instruction.replica_groups()));
  const int64_t count = instruction.operand_count();
  std::vector<Shape> shapes = OperandShapes(instruction, count);
  if (!instruction.has_dimensions()) {
    for (int64_t i = 1; i < count; ++i) {
      RETURN_IF_ERROR(CheckSameElementType(instruction, 0, i));
      RETURN_IF_ERROR(CheckSameDimensions(instruction, 0, i));
    }
    if (instruction.shape().IsArray()) {
      return CheckDeclaredShape(instruction, ShapeOrTuple(std::move(shapes)));
    }
    return CheckDeclaredShape(instruction, Shape::Tuple(std::move(shapes)));
  }
  if (count != 1) {
    return InvalidArgument("got ", count,
                           " operands, expected 1 where dimensions is given");
  }
  const Shape& operand = instruction.operand_shape(0);
  ASSIGN_OR_RETURN(const int64_t dimension,
                   OnlyDimension(instruction, operand.rank()));
  if (group_size > 1 && operand.dimension(dimension) % group_size != 0) {
    return InvalidArgument(
        "dimension ", dimension, " has ", operand.dimension(dimension),
        " elements, not a multiple of the ", group_size, " devices of a group");
  }
  return CheckDeclaredShape(instruction, ShapeOrTuple(std::move(shapes)));
}

absl::StatusOr<Shape> InferRaggedAllToAll(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckReplicaGroups(instruction.replica_groups()).status());
  RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 1));
  const Shape& input = instruction.operand_shape(0);
  const Shape& output = instruction.operand_shape(1);
  if (input.rank() < 1 || output.rank() != input.rank() ||
      input.dimensions().subspan(1) != output.dimensions().subspan(1)) {
    return InvalidArgument("operands 0 and 1 may differ in dimension 0 only: ",
                           ShapeText(input), " and ", ShapeText(output));
  }
  for (int64_t i = 2; i < 6; ++i) {
    RETURN_IF_ERROR(CheckOperandType(instruction, i, kIntegerTypes));
    RETURN_IF_ERROR(CheckSameElementType(instruction, 2, i));
    RETURN_IF_ERROR(CheckSameDimensions(instruction, 2, i));
  }
  const Shape& offsets = instruction.operand_shape(2);
  if (offsets.rank() < 1 || offsets.rank() > 2) {
    return InvalidArgument("offsets and sizes must have rank 1 or 2, are ",
                           ShapeText(offsets));
  }
  return CheckDeclaredShape(instruction, output);
}

absl::StatusOr<Shape> InferCollectiveBroadcast(const Instruction& instruction) {
  const bool has_root = instruction.has_dynamic_root();
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, has_root ? 2 : 1));
  if (!has_root) return InferSameShape(instruction);
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckReplicaGroups(instruction.replica_groups()).status());
  const int64_t root = instruction.operand_count() - 1;
  RETURN_IF_ERROR(CheckOperandType(instruction, root, kIntegerTypes));
  return CheckDeclaredShape(instruction,
                            ShapeOrTuple(OperandShapes(instruction, root)));
}

absl::StatusOr<Shape> InferCollectivePermute(const Instruction& instruction) {
  ASSIGN_OR_RETURN(const Shape result, PermutedShape(instruction));
  return CheckDeclaredShape(instruction, result);
}

absl::StatusOr<Shape> InferCollectivePermuteStart(
    const Instruction& instruction) {
  ASSIGN_OR_RETURN(Shape result, PermutedShape(instruction));
  std::vector<Shape> elements = {PermuteInput(instruction), std::move(result)};
  // Any number of contexts may follow.
  const Shape& declared = instruction.shape();
  const int64_t count = declared.IsTuple() ? declared.element_count() : 0;
  for (int64_t i = 2; i < count; ++i) {
    elements.push_back(Shape::Scalar(ElementType::kU32));
  }
  return CheckDeclaredShape(instruction, Shape::Tuple(std::move(elements)));
}

absl::StatusOr<Shape> InferCollectivePermuteDone(
    const Instruction& instruction) {
  const Shape& operand = instruction.operand_shape(0);
  if (!IsPairTuple(operand)) {
    return InvalidArgument("operand 0 is ", ShapeText(operand),
                           ", expected (input, output, context...)");
  }
  return CheckDeclaredShape(instruction, operand.element(1));
}

}  // namespace hilo::hlo
