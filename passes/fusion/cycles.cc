// Whether loops would need their own results: what others compute from them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "hlo/ir/instruction.h"
#include "passes/fusion/grouping.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;

// Instructions that are looked at to rule out a cycle.
constexpr size_t kMaxVisits = 256;

}  // namespace

void Grouping::AddSpan(const FusionGroup& group) {
  int64_t first = group.last_position;
  int64_t last = group.last_position;
  for (const Instruction* output : group.outputs) {
    first = std::min(first, positions_[static_cast<size_t>(output->id())]);
  }
  auto next = spans_.upper_bound(first);
  if (next != spans_.begin() && std::prev(next)->second >= first) --next;
  while (next != spans_.end() && next->first <= last) {
    first = std::min(first, next->first);
    last = std::max(last, next->second);
    next = spans_.erase(next);
  }
  spans_[first] = last;
}

int64_t Grouping::LastPositionBefore(int32_t number) const {
  const int64_t last = groups_[static_cast<size_t>(number)].last_position;
  const auto next = spans_.upper_bound(last);
  return next == spans_.begin() ? last
                                : std::max(last, std::prev(next)->second);
}

bool Grouping::ComesBack(const std::vector<const Instruction*>& instructions,
                         int32_t own, int32_t number) const {
  // Groups as negative numbers.
  absl::flat_hash_set<int64_t> seen;
  std::vector<const Instruction*> stack;
  const int64_t last = LastPositionBefore(number);
  const auto visit_users = [&](const Instruction& from, int32_t from_group) {
    bool is_found = false;
    for (const Instruction::Use& use : from.uses()) {
      const int32_t group = group_of_[static_cast<size_t>(use.user->id())];
      if (group != kNoGroup && group == from_group) continue;
      if (group == number) is_found = true;
      // What comes later is no operand's operand.
      if (group == kNoGroup &&
          positions_[static_cast<size_t>(use.user->id())] > last) {
        continue;
      }
      const int64_t node = group == kNoGroup ? use.user->id() : -1 - group;
      if (seen.insert(node).second) stack.push_back(use.user);
    }
    return is_found;
  };
  for (const Instruction* instruction : instructions) {
    if (visit_users(*instruction, own)) return true;
  }
  while (!stack.empty()) {
    if (seen.size() > kMaxVisits) return true;
    const Instruction* top = stack.back();
    stack.pop_back();
    const int32_t group = group_of_[static_cast<size_t>(top->id())];
    if (group == kNoGroup) {
      if (visit_users(*top, kNoGroup)) return true;
      continue;
    }
    for (const Instruction* output :
         groups_[static_cast<size_t>(group)].outputs) {
      if (visit_users(*output, group)) return true;
    }
  }
  return false;
}

}  // namespace hilo::passes
