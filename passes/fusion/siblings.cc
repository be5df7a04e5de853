// Unites groups that read the same arrays in the same order.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hlo/ir/instruction.h"
#include "passes/fusion/fusible.h"
#include "passes/fusion/grouping.h"
#include "passes/fusion/row_space.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;

constexpr size_t kMaxSharedMembers = 256;
constexpr size_t kMaxSharedOperands = 16;
constexpr size_t kMaxSharedOutputs = 8;
// Groups that are looked at for each array.
constexpr size_t kMaxSiblings = 16;

std::vector<const Instruction*> OutputsOf(const FusionGroup& group) {
  return {group.outputs.begin(), group.outputs.end()};
}

}  // namespace

void Grouping::UniteSiblings() {
  for (const Instruction* operand : computation_.PostOrder()) {
    if (IsCheapToRepeat(*operand) || operand->uses().size() < 2) continue;
    std::vector<int32_t> groups = GroupsOfUsers(*operand);
    groups.resize(std::min(groups.size(), kMaxSiblings));
    for (size_t i = 0; i < groups.size(); ++i) {
      for (size_t j = i + 1; j < groups.size(); ++j) {
        if (WhyNotTogether(*operand, groups[i], groups[j]) != nullptr) continue;
        Unite(groups[i], groups[j]);
        groups.erase(groups.begin() + static_cast<int64_t>(j--));
      }
    }
  }
}

bool Grouping::ReadsAtOwnElement(const Instruction& operand,
                                 int32_t number) const {
  const FusionGroup& group = groups_[static_cast<size_t>(number)];
  return std::ranges::any_of(operand.uses(), [&](const Instruction::Use& use) {
    return IsInGroup(*use.user, number) &&
           ReadAtThrough(*use.user, use.operand_index,
                         read_at_[static_cast<size_t>(use.user->id())],
                         group.rows.has_value() ? &*group.rows : nullptr) ==
               ReadAt::kOwnElement;
  });
}

const char* Grouping::WhyNotTogether(const Instruction& operand, int32_t first,
                                     int32_t second) const {
  const FusionGroup& a = groups_[static_cast<size_t>(first)];
  const FusionGroup& b = groups_[static_cast<size_t>(second)];
  if (a.loop_shape == nullptr || b.loop_shape == nullptr ||
      a.product != nullptr || b.product != nullptr ||
      !ChangesUnitDimensionsOnly(*a.loop_shape, *b.loop_shape)) {
    return "the loops are others";
  }
  if (a.rows.has_value() && b.rows.has_value() &&
      !IsSameSpace(*a.rows, *b.rows)) {
    return "the rows are others";
  }
  if (!ReadsAtOwnElement(operand, first) ||
      !ReadsAtOwnElement(operand, second)) {
    return "elements are read elsewhere";
  }
  if (a.outputs.size() + b.outputs.size() > kMaxSharedOutputs ||
      a.members.size() + b.members.size() > kMaxSharedMembers ||
      a.operands.size() + b.operands.size() > kMaxSharedOperands) {
    return "one loop would be too long";
  }
  if (ComesBack(OutputsOf(a), first, second) ||
      ComesBack(OutputsOf(b), second, first)) {
    return "one needs results of the other";
  }
  return nullptr;
}

void Grouping::Unite(int32_t first, int32_t second) {
  FusionGroup& a = groups_[static_cast<size_t>(first)];
  FusionGroup& b = groups_[static_cast<size_t>(second)];
  context_.Remember("fusion", *b.outputs.front(), "computed together with ",
                    a.outputs.front()->name());
  for (const Instruction* member : b.members) {
    group_of_[static_cast<size_t>(member->id())] = first;
    a.members.push_back(member);
  }
  a.outputs.insert(a.outputs.end(), b.outputs.begin(), b.outputs.end());
  a.operands.insert(b.operands.begin(), b.operands.end());
  if (!a.rows.has_value()) a.rows = b.rows;
  a.row_cost += b.row_cost;
  a.last_position = std::max(a.last_position, b.last_position);
  AddSpan(a);
  b = {};
}

}  // namespace hilo::passes
