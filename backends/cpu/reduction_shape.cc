// Chooses the kernel of a reduction by how its dimensions lie.
#include "backends/cpu/reduction_shape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "backends/codegen/dimension_groups.h"
#include "backends/cpu/kernel.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;

// Shorter rows are reduced many at a time, one a lane.
constexpr int64_t kLeastRow = 8;
// Fewer columns, or rows, are left to the loop over elements.
constexpr int64_t kLeastColumns = 16;
constexpr int64_t kLeastColumnRows = 8;

bool Contains(const hlo::DimensionVector& list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

bool HasDefaultLayouts(const Instruction& instruction) {
  return std::ranges::all_of(
      instruction.shape().Leaves(),
      [](const Shape* leaf) { return leaf->HasDefaultLayout(); });
}

// Elements of the fastest dimensions that are all reduced, or all kept.
int64_t FastestCount(const Instruction& reduction, bool is_reduced) {
  const Shape& input = reduction.operand_shape(0);
  int64_t count = 1;
  for (int64_t d = input.rank() - 1; d >= 0; --d) {
    if (input.dimension(d) == 1) continue;
    if (Contains(reduction.dimensions(), d) != is_reduced) break;
    count *= input.dimension(d);
  }
  return count;
}

}  // namespace

const Instruction* ReductionOf(const Instruction& instruction) {
  if (instruction.opcode() == hlo::Opcode::kReduce) return &instruction;
  if (instruction.opcode() != hlo::Opcode::kFusion) return nullptr;
  const Instruction* root = instruction.calls()->root();
  return root->opcode() == hlo::Opcode::kReduce ? root : nullptr;
}

bool IsReduced(const Instruction& reduction, const DimensionGroup& group) {
  return Contains(reduction.dimensions(), group.last - 1);
}

std::vector<DimensionGroup> ReductionGroups(
    const Instruction& reduction,
    const absl::flat_hash_set<const Instruction*>& arrays) {
  const Shape& input = reduction.operand_shape(0);
  std::vector<const Instruction*> inputs;
  inputs.reserve(static_cast<size_t>(reduction.operand_count() / 2));
  for (int64_t i = 0; i < reduction.operand_count() / 2; ++i) {
    inputs.push_back(reduction.operand(i));
  }
  std::vector<DimensionGroup> split;
  for (const DimensionGroup& group : GroupDimensions(inputs, input, arrays)) {
    bool continues = false;
    for (int64_t d = group.first; d < group.last; ++d) {
      if (input.dimension(d) == 1) continue;
      continues = continues && Contains(reduction.dimensions(), d) ==
                                   IsReduced(reduction, split.back());
      if (!continues) split.push_back({.first = d, .last = d, .size = 1});
      split.back().last = d + 1;
      split.back().size *= input.dimension(d);
      continues = true;
    }
  }
  return split;
}

bool IsRowReduction(const Instruction& instruction) {
  const Instruction* reduction = ReductionOf(instruction);
  return reduction != nullptr &&
         FastestCount(*reduction, /*is_reduced=*/true) >= kLeastRow &&
         reduction->operand_shape(0).ElementCount() > 0 &&
         HasDefaultLayouts(instruction);
}

bool IsColumnReduction(const Instruction& instruction) {
  const Instruction* reduction = ReductionOf(instruction);
  if (reduction == nullptr || !HasDefaultLayouts(instruction)) return false;
  const int64_t elements = reduction->operand_shape(0).ElementCount();
  const int64_t results = instruction.shape().Leaves()[0]->ElementCount();
  return elements > 0 && elements / results >= kLeastColumnRows &&
         FastestCount(*reduction, /*is_reduced=*/false) >= kLeastColumns;
}

}  // namespace hilo::backends
