// Kernels that compute every result element on its own.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/codegen/dimension_groups.h"
#include "backends/cpu/element_loops.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "hlo/ir/computation.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;

absl::Status CheckLeaves(const Instruction& instruction) {
  const std::vector<const Shape*> leaves = instruction.shape().Leaves();
  for (const Shape* leaf : leaves) {
    if (!leaf->IsArray() || !hlo::SameDimensions(*leaf, *leaves[0])) {
      return Unimplemented(hlo::TextOf(instruction.opcode()), " '",
                           instruction.name(),
                           "': results of different dimensions in one loop");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Kernel> EmitLoopKernel(const Instruction& instruction,
                                      absl::string_view name,
                                      KernelContext& context) {
  RETURN_IF_ERROR(CheckLeaves(instruction));
  const std::vector<const Shape*> leaves = instruction.shape().Leaves();
  KernelFunction function(instruction, name, context);
  const std::vector<DimensionGroup> groups =
      GroupDimensions({&instruction}, *leaves[0], function.arrays());
  ElementLoops loops(function, groups, leaves[0]->rank(), context.traits);
  RETURN_IF_ERROR(loops.Emit([&](ElementEmitter& emitter,
                                 const ArrayIndex& index) -> absl::Status {
    // All loads before all stores: an output may lie over an operand.
    std::vector<ElementValue> values;
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      ASSIGN_OR_RETURN(
          const ElementValue value,
          emitter.Element(instruction, static_cast<int64_t>(leaf), index));
      values.push_back(value);
    }
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      emitter.Store(values[leaf], function.output(static_cast<int64_t>(leaf)),
                    *leaves[leaf], index);
    }
    return absl::OkStatus();
  }));
  return loops.Finish(name);
}

namespace {

// Dimensions of an update: neighbours go together where the inner one is
// replaced as a whole.
std::vector<DimensionGroup> UpdateGroups(const Shape& operand,
                                         const Shape& update) {
  std::vector<DimensionGroup> groups;
  for (int64_t d = 0; d < update.rank(); ++d) {
    const int64_t size = update.dimension(d);
    if (size == 1) continue;
    // A dimension of size 1 between two others separates them unless it has
    // this size in the operand, too.
    bool is_joined = !groups.empty() && size == operand.dimension(d);
    for (int64_t b = is_joined ? groups.back().last : d; b < d; ++b) {
      is_joined = is_joined && operand.dimension(b) == 1;
    }
    if (is_joined) {
      groups.back().last = d + 1;
      groups.back().size *= size;
    } else {
      groups.push_back({.first = d, .last = d + 1, .size = size});
    }
  }
  return groups;
}

// Groups with the borders of both.
std::vector<DimensionGroup> CommonGroups(const std::vector<DimensionGroup>& a,
                                         const std::vector<DimensionGroup>& b) {
  std::vector<DimensionGroup> groups;
  size_t i = 0;
  size_t j = 0;
  int64_t rest_a = a.empty() ? 1 : a[0].size;
  int64_t rest_b = b.empty() ? 1 : b[0].size;
  while (i < a.size() && j < b.size()) {
    // Both list the same dimensions: the group that ends first ends both.
    const int64_t size = std::min(rest_a, rest_b);
    groups.push_back({.first = std::max(a[i].first, b[j].first),
                      .last = std::min(a[i].last, b[j].last),
                      .size = size});
    rest_a /= size;
    rest_b /= size;
    if (rest_a == 1 && ++i < a.size()) rest_a = a[i].size;
    if (rest_b == 1 && ++j < b.size()) rest_b = b[j].size;
  }
  return groups;
}

}  // namespace

const Instruction* UpdateOf(const Instruction& instruction) {
  const Instruction* root = &instruction;
  if (root->opcode() == hlo::Opcode::kFusion) root = root->calls()->root();
  return root->opcode() == hlo::Opcode::kDynamicUpdateSlice ? root : nullptr;
}

absl::StatusOr<Kernel> EmitUpdateKernel(const Instruction& instruction,
                                        absl::string_view name,
                                        KernelContext& context) {
  const Instruction& root = *UpdateOf(instruction);
  const Shape& shape = root.shape();
  const Instruction& update = *root.operand(1);
  KernelFunction function(instruction, name, context);
  std::vector<DimensionGroup> groups = UpdateGroups(shape, update.shape());
  if (&root != &instruction) {
    // What is fused into the update may need a counter per dimension.
    groups = CommonGroups(
        groups, GroupDimensions({&update}, update.shape(), function.arrays()));
  }
  ElementLoops loops(function, groups, shape.rank(), context.traits);
  RETURN_IF_ERROR(loops.Emit(
      [&](ElementEmitter& emitter, const ArrayIndex& index) -> absl::Status {
        ASSIGN_OR_RETURN(const ElementValue value,
                         emitter.Element(update, 0, index));
        ArrayIndex place = index;
        for (int64_t d = 0; d < shape.rank(); ++d) {
          const int64_t room = shape.dimension(d) - update.shape().dimension(d);
          if (room == 0) continue;
          ASSIGN_OR_RETURN(const Coordinate start,
                           EmitDynamicStart(emitter, root, 2, d, room));
          Coordinate& c = place[static_cast<size_t>(d)];
          c = emitter.math().Add(c, start);
        }
        emitter.Store(value, function.output(0), shape, place);
        return absl::OkStatus();
      }));
  return loops.Finish(name);
}

}  // namespace hilo::backends
