// Groups the arrays of a computation and adds up what is in use.
#include "passes/scheduling/computation_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/array_leaves.h"
#include "hlo/analysis/leaf_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "passes/buffer_assignment/buffer_options.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::LeafId;

// Values that lie where others lie, as far as instructions say so.
std::vector<std::pair<LeafId, LeafId>> InPlaceValues(
    const Instruction& instruction, const hlo::LeafTable& leaves,
    const hlo::LeafValues& values) {
  std::vector<std::pair<LeafId, LeafId>> pairs;
  const LeafId first = leaves.first_leaf(instruction);
  for (const hlo::InPlacePair& pair : hlo::InPlacePairs(instruction)) {
    const LeafId operand =
        leaves.first_leaf(*instruction.operand(pair.input.operand));
    pairs.emplace_back(
        values.value(static_cast<LeafId>(operand + pair.input.leaf)),
        static_cast<LeafId>(first + pair.output_leaf));
  }
  if (instruction.opcode() == hlo::Opcode::kWhile) {
    const LeafId init = leaves.first_leaf(*instruction.operand(0));
    const auto count = static_cast<LeafId>(leaves.leaf_count(instruction));
    for (LeafId i = 0; i < count; ++i) {
      pairs.emplace_back(values.value(init + i), values.value(first + i));
    }
  }
  return pairs;
}

bool TakesMemory(const Instruction& instruction) {
  return hlo::RunsCode(instruction) || hlo::IsSequentialCall(instruction);
}

}  // namespace

ComputationMemory::ComputationMemory(const Computation& computation,
                                     const hlo::LeafTable& leaves,
                                     const hlo::LeafValues& values,
                                     const std::vector<int64_t>& callee_bytes,
                                     const BufferOptions& options) {
  const auto count = static_cast<size_t>(computation.instruction_count());
  groups_of_.resize(count);
  work_bytes_.resize(count, 0);
  MakeGroups(computation, leaves, values);
  FindUsers(computation, leaves, values);
  for (const auto& instruction : computation.instructions()) {
    int64_t& bytes = work_bytes_[instruction->id()];
    for (const Computation* callee : hlo::SequentialCallees(*instruction)) {
      bytes = std::max(bytes, callee_bytes[callee->id()]);
    }
    if (options.scratch_bytes != nullptr && hlo::RunsCode(*instruction)) {
      bytes = options.scratch_bytes(*instruction);
    }
  }
}

void ComputationMemory::MakeGroups(const Computation& computation,
                                   const hlo::LeafTable& leaves,
                                   const hlo::LeafValues& values) {
  if (computation.instruction_count() == 0) return;
  const Instruction& last = *computation.instruction(
      static_cast<InstructionId>(computation.instruction_count() - 1));
  first_leaf_ = leaves.first_leaf(*computation.instruction(0));
  const auto end =
      static_cast<LeafId>(leaves.first_leaf(last) + leaves.leaf_count(last));
  std::vector<int32_t> parents(end - first_leaf_);
  std::iota(parents.begin(), parents.end(), 0);
  const auto find = [&](int32_t at) {
    while (parents[at] != at) at = parents[at] = parents[parents[at]];
    return at;
  };
  const auto is_here = [&](LeafId value) {
    return value >= first_leaf_ && value < end;
  };
  std::vector<bool> is_outside(parents.size(), false);
  for (const auto& instruction : computation.instructions()) {
    for (const auto& [from, to] : InPlaceValues(*instruction, leaves, values)) {
      if (is_here(from) && is_here(to)) {
        const int32_t root = find(from - first_leaf_);
        const int32_t other = find(to - first_leaf_);
        parents[other] = root;
        is_outside[root] = is_outside[root] || is_outside[other];
      } else if (is_here(to)) {
        is_outside[find(to - first_leaf_)] = true;
      }
    }
  }
  group_of_leaf_.resize(parents.size(), -1);
  for (LeafId leaf = first_leaf_; leaf < end; ++leaf) {
    const Instruction& instruction = *leaves.instruction(leaf);
    if (!values.IsDefined(leaf)) continue;
    const int32_t root = find(leaf - first_leaf_);
    // Parameters and constants lie elsewhere.
    if (!TakesMemory(instruction)) is_outside[root] = true;
  }
  for (LeafId leaf = first_leaf_; leaf < end; ++leaf) {
    const int32_t root = find(leaf - first_leaf_);
    if (!values.IsDefined(leaf) || is_outside[root]) continue;
    if (group_of_leaf_[root] < 0) {
      group_of_leaf_[root] = static_cast<int32_t>(groups_.size());
      groups_.emplace_back();
    }
    const int32_t group = group_of_leaf_[root];
    group_of_leaf_[leaf - first_leaf_] = group;
    groups_[group].bytes =
        std::max(groups_[group].bytes, hlo::StoredBytes(leaves.shape(leaf)));
  }
}

void ComputationMemory::FindUsers(const Computation& computation,
                                  const hlo::LeafTable& leaves,
                                  const hlo::LeafValues& values) {
  for (const auto& instruction : computation.instructions()) {
    if (!TakesMemory(*instruction)) continue;
    const auto touch_leaves = [&](const Instruction& of) {
      const LeafId first = leaves.first_leaf(of);
      const auto count = static_cast<LeafId>(leaves.leaf_count(of));
      for (LeafId leaf = first; leaf < first + count; ++leaf) {
        Touch(instruction->id(), values.value(leaf));
      }
    };
    touch_leaves(*instruction);
    for (const Instruction* operand : instruction->operands()) {
      touch_leaves(*operand);
    }
    std::vector<int32_t>& list = groups_of_[instruction->id()];
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
    for (const int32_t group : list) ++groups_[group].user_count;
  }
  const Instruction& root = *computation.root();
  const LeafId first = leaves.first_leaf(root);
  const auto count = static_cast<LeafId>(leaves.leaf_count(root));
  for (LeafId leaf = first; leaf < first + count; ++leaf) {
    const LeafId place = values.value(leaf) - first_leaf_;
    if (place < 0 || std::cmp_greater_equal(place, group_of_leaf_.size()) ||
        group_of_leaf_[place] < 0) {
      continue;
    }
    Group& group = groups_[group_of_leaf_[place]];
    group.is_kept = true;
    // Results of the program are not in the arena.
    if (&computation == computation.parent()->entry()) group.bytes = 0;
  }
}

void ComputationMemory::Touch(InstructionId id, LeafId value) {
  const LeafId place = value - first_leaf_;
  if (place < 0 || std::cmp_greater_equal(place, group_of_leaf_.size())) return;
  if (group_of_leaf_[place] >= 0) {
    groups_of_[id].push_back(group_of_leaf_[place]);
  }
}

int64_t ComputationMemory::PeakBytes(
    absl::Span<Instruction* const> order) const {
  std::vector<int32_t> users_left(groups_.size(), -1);
  int64_t bytes = 0;
  int64_t peak = 0;
  for (const Instruction* instruction : order) {
    const std::vector<int32_t>& used = groups_of_[instruction->id()];
    for (const int32_t group : used) {
      if (users_left[group] >= 0) continue;
      users_left[group] = groups_[group].user_count;
      bytes += groups_[group].bytes;
    }
    peak = std::max(peak, bytes + work_bytes_[instruction->id()]);
    for (const int32_t group : used) {
      if (--users_left[group] == 0 && !groups_[group].is_kept) {
        bytes -= groups_[group].bytes;
      }
    }
  }
  return peak;
}

}  // namespace hilo::passes
