// Evaluates collectives and transfers, with one device taking part.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Devices along one axis of the mesh, or along the part of it that is meant.
int64_t AxisSize(const AxisReference& axis, const ReplicaGroups& groups) {
  if (axis.sub_axis_pre_size > 0) return axis.sub_axis_size;
  const bool is_known =
      axis.axis >= 0 && std::cmp_less(axis.axis, groups.mesh.axes.size());
  return is_known ? groups.mesh.axes[axis.axis].size : 1;
}

// Devices in the largest group; 0 when no groups are given.
int64_t GroupSize(const ReplicaGroups& groups) {
  if (groups.iota_group_count > 0) return groups.iota_group_size;
  if (!groups.mesh_axes.empty()) {
    int64_t size = 1;
    for (const AxisReference& axis : groups.mesh_axes) {
      size *= AxisSize(axis, groups);
    }
    return size;
  }
  size_t size = 0;
  for (const DimensionVector& group : groups.groups) {
    size = std::max(size, group.size());
  }
  return static_cast<int64_t>(size);
}

// Errors unless the instruction's groups have one device each.
absl::Status CheckAlone(const Instruction& instruction) {
  const int64_t size = GroupSize(instruction.replica_groups());
  if (size > 1) {
    return Unimplemented("groups of ", size,
                         " devices communicate, but one device runs");
  }
  if (size == 1) return absl::OkStatus();
  const ModuleHeader& header = instruction.parent()->parent()->header();
  const int64_t devices = header.replica_count * header.num_partitions;
  if (devices <= 1) return absl::OkStatus();
  return Unimplemented(devices, " devices communicate, but one device runs");
}

Literal AsOneValue(absl::Span<Literal> values) {
  if (values.size() == 1) return std::move(values[0]);
  return Literal::Tuple({std::make_move_iterator(values.begin()),
                         std::make_move_iterator(values.end())});
}

// What a collective gives that has the whole group's data already.
absl::StatusOr<Literal> Identity(const Instruction& instruction,
                                 absl::Span<Literal> operands) {
  RETURN_IF_ERROR(CheckAlone(instruction));
  if (operands.size() == 1 && instruction.shape().IsTuple() &&
      !operands[0].IsTuple()) {
    return Literal::Tuple({std::move(operands[0])});
  }
  return AsOneValue(operands);
}

// (operands, results, contexts...), or the results alone.
absl::StatusOr<Literal> Start(const Instruction& instruction,
                              absl::Span<Literal> operands, Literal result) {
  const Shape& shape = instruction.shape();
  const bool is_pair = shape.IsTuple() && shape.element_count() >= 2 &&
                       (operands.size() == 1 || shape.element(0).IsTuple());
  if (!is_pair) return result;
  std::vector<Literal> elements = {AsOneValue(operands), std::move(result)};
  for (int64_t i = 2; i < shape.element_count(); ++i) {
    elements.emplace_back(shape.element(i));
  }
  return Literal::Tuple(std::move(elements));
}

// Element 1 of what Start gave, or all of it.
Literal Done(const Instruction& instruction, Literal start) {
  if (!start.IsTuple() || Compatible(start.shape(), instruction.shape())) {
    return start;
  }
  std::vector<Literal> elements = std::move(start).TakeElements();
  return elements.size() < 2 ? Literal() : std::move(elements[1]);
}

absl::Status NoPeer() {
  return Unimplemented("needs a peer: one device has none");
}
absl::Status NoHostQueue() {
  return Unimplemented("needs a host queue, which the evaluator lacks");
}

// Zeros unless device 0 sends to itself.
absl::StatusOr<Literal> Permute(const Instruction& instruction,
                                absl::Span<Literal> operands) {
  if (operands.size() == 4) return Unimplemented("in-place form");
  for (const DimensionVector& pair : instruction.source_target_pairs()) {
    if (pair.size() != 2 || pair[1] != 0) continue;
    if (pair[0] != 0) {
      return Unimplemented("device ", pair[0],
                           " sends to device 0, but one device runs");
    }
    std::vector<Literal> values(operands.begin(), operands.end());
    return AsOneValue(absl::MakeSpan(values));
  }
  std::vector<Literal> zeros;
  for (const Literal& operand : operands) zeros.emplace_back(operand.shape());
  return AsOneValue(absl::MakeSpan(zeros));
}

// An integer array of offsets or sizes with one entry: there is one peer.
absl::StatusOr<int64_t> SingleIndex(const Literal& literal) {
  if (literal.shape().IsArray() && literal.element_count() == 1) {
    if (literal.shape().element_type() == ElementType::kS32) {
      return literal.data<int32_t>()[0];
    }
    if (literal.shape().element_type() == ElementType::kS64) {
      return literal.data<int64_t>()[0];
    }
  }
  return Unimplemented("offsets and sizes of shape ",
                       ToString(literal.shape()));
}

}  // namespace

#define HLO_IDENTITY_COLLECTIVE(Name)                                    \
  absl::StatusOr<Literal> Evaluate##Name(const Instruction& instruction, \
                                         absl::Span<Literal> operands,   \
                                         EvaluationContext&) {           \
    return Identity(instruction, operands);                              \
  }
HLO_IDENTITY_COLLECTIVE(AllGather)
HLO_IDENTITY_COLLECTIVE(AllReduce)
HLO_IDENTITY_COLLECTIVE(AllReduceStart)
HLO_IDENTITY_COLLECTIVE(AllToAll)
HLO_IDENTITY_COLLECTIVE(ReduceScatter)
#undef HLO_IDENTITY_COLLECTIVE

#define HLO_COLLECTIVE_DONE(Name)                                        \
  absl::StatusOr<Literal> Evaluate##Name(const Instruction& instruction, \
                                         absl::Span<Literal> operands,   \
                                         EvaluationContext&) {           \
    return Done(instruction, std::move(operands[0]));                    \
  }
HLO_COLLECTIVE_DONE(AllGatherDone)
HLO_COLLECTIVE_DONE(AllReduceDone)
HLO_COLLECTIVE_DONE(CollectivePermuteDone)
#undef HLO_COLLECTIVE_DONE

#define HLO_TRANSFER(Name, Reason)                                   \
  absl::StatusOr<Literal> Evaluate##Name(                            \
      const Instruction&, absl::Span<Literal>, EvaluationContext&) { \
    return Reason();                                                 \
  }
HLO_TRANSFER(Infeed, NoHostQueue)
HLO_TRANSFER(Outfeed, NoHostQueue)
HLO_TRANSFER(Recv, NoPeer)
HLO_TRANSFER(RecvDone, NoPeer)
HLO_TRANSFER(Send, NoPeer)
HLO_TRANSFER(SendDone, NoPeer)
#undef HLO_TRANSFER

absl::StatusOr<Literal> EvaluateAllGatherStart(const Instruction& instruction,
                                               absl::Span<Literal> operands,
                                               EvaluationContext& /*context*/) {
  RETURN_IF_ERROR(CheckAlone(instruction));
  std::vector<Literal> results(operands.begin(), operands.end());
  return Start(instruction, operands, AsOneValue(absl::MakeSpan(results)));
}

absl::StatusOr<Literal> EvaluateCollectivePermute(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& /*context*/) {
  return Permute(instruction, operands);
}

absl::StatusOr<Literal> EvaluateCollectivePermuteStart(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& /*context*/) {
  ASSIGN_OR_RETURN(Literal result, Permute(instruction, operands));
  return Start(instruction, operands, std::move(result));
}

// Identity when device 0 is in a group, else zeros.
absl::StatusOr<Literal> EvaluateCollectiveBroadcast(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& /*context*/) {
  RETURN_IF_ERROR(CheckAlone(instruction));
  if (instruction.has_dynamic_root()) operands.remove_suffix(1);
  const std::vector<DimensionVector>& groups =
      instruction.replica_groups().groups;
  const bool takes_part =
      groups.empty() || std::ranges::any_of(groups, [](const auto& group) {
        return std::find(group.begin(), group.end(), 0) != group.end();
      });
  if (takes_part) return Identity(instruction, operands);
  return Literal(instruction.shape());
}

// (input, output, input offsets, send sizes, output offsets, receive sizes):
// copies rows of the input into the output.
absl::StatusOr<Literal> EvaluateRaggedAllToAll(const Instruction& instruction,
                                               absl::Span<Literal> operands,
                                               EvaluationContext& /*context*/) {
  RETURN_IF_ERROR(CheckAlone(instruction));
  ASSIGN_OR_RETURN(const int64_t input_offset, SingleIndex(operands[2]));
  ASSIGN_OR_RETURN(const int64_t size, SingleIndex(operands[3]));
  ASSIGN_OR_RETURN(const int64_t output_offset, SingleIndex(operands[4]));
  const Literal& input = operands[0];
  Literal result = std::move(operands[1]);
  if (!input.shape().IsArray() || input.shape().rank() == 0 ||
      !result.shape().IsArray() || result.shape().rank() == 0) {
    return InvalidArgument("input and output are not arrays with rows");
  }
  const int64_t input_rows = input.shape().dimension(0);
  const int64_t output_rows = result.shape().dimension(0);
  if (size < 0 || input_offset < 0 || output_offset < 0 ||
      size > input_rows - input_offset || size > output_rows - output_offset) {
    return InvalidArgument(size, " rows from ", input_offset, " to ",
                           output_offset, " do not fit ", input_rows, " and ",
                           output_rows);
  }
  if (size == 0 || input.size_bytes() == 0) return result;
  const int64_t row_bytes = input.size_bytes() / input_rows;
  std::memcpy(result.mutable_untyped_data() + output_offset * row_bytes,
              input.untyped_data() + input_offset * row_bytes,
              size * row_bytes);
  return result;
}

}  // namespace hilo::hlo
