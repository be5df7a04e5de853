// Expansions of communication, with one device taking part.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"
#include "passes/legalize/legalize.h"
#include "passes/rewriter.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Devices in the largest group; 0 when no groups are given.
int64_t GroupSize(const hlo::ReplicaGroups& groups) {
  if (groups.iota_group_count > 0) return groups.iota_group_size;
  if (!groups.mesh_axes.empty()) {
    int64_t size = 1;
    for (const hlo::AxisReference& axis : groups.mesh_axes) {
      const bool is_known =
          axis.axis >= 0 && std::cmp_less(axis.axis, groups.mesh.axes.size());
      if (axis.sub_axis_pre_size > 0) {
        size *= axis.sub_axis_size;
      } else if (is_known) {
        size *= groups.mesh.axes[axis.axis].size;
      }
    }
    return size;
  }
  size_t size = 0;
  for (const hlo::DimensionVector& group : groups.groups) {
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
  const hlo::ModuleHeader& header = instruction.parent()->parent()->header();
  const int64_t devices = header.replica_count * header.num_partitions;
  if (devices <= 1) return absl::OkStatus();
  return Unimplemented(devices, " devices communicate, but one device runs");
}

Instruction* AsOneValue(Rewriter::Operands values, Rewriter& rewriter) {
  return values.size() == 1 ? values[0] : rewriter.Tuple(values);
}

// Zero bits: f8e8m0fnu has no number 0.
Instruction* Zeros(const Shape& shape, Rewriter& rewriter) {
  return rewriter.Splat(
      rewriter.Constant(hlo::Literal(Shape::Scalar(shape.element_type()))),
      shape);
}

// The operands as the result's shape groups them.
absl::StatusOr<Instruction*> Identity(Instruction& instruction,
                                      Rewriter::Operands operands,
                                      Rewriter& rewriter) {
  RETURN_IF_ERROR(CheckAlone(instruction));
  Instruction* value = AsOneValue(operands, rewriter);
  if (operands.size() == 1 && instruction.shape().IsTuple() &&
      !value->shape().IsTuple()) {
    return rewriter.Tuple({value});
  }
  return value;
}

// (operands, results, contexts...), or the results alone.
absl::StatusOr<Instruction*> Start(Instruction& instruction,
                                   Instruction* result, Rewriter& rewriter) {
  const Shape& shape = instruction.shape();
  const bool is_pair =
      shape.IsTuple() && shape.element_count() >= 2 &&
      (instruction.operand_count() == 1 || shape.element(0).IsTuple());
  if (!is_pair) return result;
  std::vector<Instruction*> elements = {
      AsOneValue(instruction.operands(), rewriter), result};
  for (int64_t i = 2; i < shape.element_count(); ++i) {
    if (!shape.element(i).IsArray()) {
      return Unimplemented("a context of shape ", ToString(shape.element(i)));
    }
    elements.push_back(Zeros(shape.element(i), rewriter));
  }
  return rewriter.Tuple(elements);
}

// Zeros unless device 0 sends to itself.
absl::StatusOr<Instruction*> Permute(Instruction& instruction,
                                     Rewriter& rewriter) {
  if (instruction.operand_count() == 4) return Unimplemented("in-place form");
  for (const hlo::DimensionVector& pair : instruction.source_target_pairs()) {
    if (pair.size() != 2 || pair[1] != 0) continue;
    if (pair[0] != 0) {
      return Unimplemented("device ", pair[0],
                           " sends to device 0, but one device runs");
    }
    return AsOneValue(instruction.operands(), rewriter);
  }
  std::vector<Instruction*> zeros;
  for (const Instruction* operand : instruction.operands()) {
    zeros.push_back(Zeros(operand->shape(), rewriter));
  }
  return AsOneValue(zeros, rewriter);
}

}  // namespace

absl::StatusOr<Instruction*> ExpandCollective(Instruction& instruction,
                                              Rewriter& rewriter) {
  return Identity(instruction, instruction.operands(), rewriter);
}

absl::StatusOr<Instruction*> ExpandCollectiveStart(Instruction& instruction,
                                                   Rewriter& rewriter) {
  RETURN_IF_ERROR(CheckAlone(instruction));
  return Start(instruction, AsOneValue(instruction.operands(), rewriter),
               rewriter);
}

absl::StatusOr<Instruction*> ExpandCollectiveDone(Instruction& instruction,
                                                  Rewriter& rewriter) {
  Instruction* start = instruction.operand(0);
  if (!start->shape().IsTuple() ||
      Compatible(start->shape(), instruction.shape())) {
    return start;
  }
  if (start->shape().element_count() < 2) {
    return Unimplemented("the operand is no asynchronous value");
  }
  return rewriter.GetTupleElement(start, 1);
}

absl::StatusOr<Instruction*> ExpandCollectivePermute(Instruction& instruction,
                                                     Rewriter& rewriter) {
  return Permute(instruction, rewriter);
}

absl::StatusOr<Instruction*> ExpandCollectivePermuteStart(
    Instruction& instruction, Rewriter& rewriter) {
  ASSIGN_OR_RETURN(Instruction * result, Permute(instruction, rewriter));
  return Start(instruction, result, rewriter);
}

absl::StatusOr<Instruction*> ExpandCollectiveBroadcast(Instruction& instruction,
                                                       Rewriter& rewriter) {
  RETURN_IF_ERROR(CheckAlone(instruction));
  std::vector<Instruction*> operands = instruction.operands();
  if (instruction.has_dynamic_root()) operands.pop_back();
  const auto& groups = instruction.replica_groups().groups;
  const bool takes_part =
      groups.empty() || std::ranges::any_of(groups, [](const auto& group) {
        return std::ranges::find(group, 0) != group.end();
      });
  if (!takes_part) {
    for (Instruction*& operand : operands) {
      operand = Zeros(operand->shape(), rewriter);
    }
  }
  return Identity(instruction, operands, rewriter);
}

// The rows of the result come from the input where device 0 sends any to
// itself.
absl::StatusOr<Instruction*> ExpandRaggedAllToAll(Instruction& instruction,
                                                  Rewriter& rewriter) {
  RETURN_IF_ERROR(CheckAlone(instruction));
  constexpr hlo::ElementType kIndex = hlo::ElementType::kS64;
  Instruction* input = instruction.operand(0);
  Instruction* output = instruction.operand(1);
  for (int64_t i = 2; i < 6; ++i) {
    const Shape& shape = instruction.operand_shape(i);
    if (shape.ElementCount() != 1) {
      return Unimplemented("offsets and sizes of shape ", ToString(shape));
    }
  }
  if (input->shape().rank() == 0 || output->shape().rank() == 0) {
    return Unimplemented("input and output are not arrays with rows");
  }
  if (input->shape().ElementCount() == 0) return output;
  const int64_t rows = output->shape().dimension(0);
  const Shape places = Shape::Array(kIndex, {rows});
  const auto number = [&](int64_t operand) {
    Instruction* scalar = rewriter.Reshape(instruction.operand(operand), {});
    return rewriter.Splat(rewriter.Convert(scalar, kIndex), places);
  };
  Instruction* sent =
      rewriter.Binary(Opcode::kSubtract, rewriter.Iota(places, 0), number(4));
  Instruction* is_sent = rewriter.Binary(
      Opcode::kAnd,
      rewriter.Compare(
          hlo::ComparisonDirection::kGe, sent,
          rewriter.Splat(rewriter.IntegerScalar(kIndex, 0), places)),
      rewriter.Compare(hlo::ComparisonDirection::kLt, sent, number(3)));
  hlo::DimensionVector window;
  hlo::DimensionVector slice_sizes(output->shape().dimensions().begin(),
                                   output->shape().dimensions().end());
  slice_sizes[0] = 1;
  for (int64_t i = 1; i < output->shape().rank(); ++i) window.push_back(i);
  Instruction* taken = rewriter.Add(
      Opcode::kGather, {input, rewriter.Binary(Opcode::kAdd, sent, number(2))},
      {With::offset_dims(window), With::collapsed_slice_dims({0}),
       With::start_index_map({0}), With::index_vector_dim(1),
       With::slice_sizes(slice_sizes)});
  return rewriter.Select(
      rewriter.Broadcast(is_sent, output->shape().dimensions(), {0}), taken,
      output);
}

}  // namespace hilo::passes
