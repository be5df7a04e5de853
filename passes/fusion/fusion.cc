// Puts producers into the loops of their only consumers.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/analysis/aliasing.h"
#include "passes/fusion/fusible.h"
#include "passes/pipeline.h"
#include "passes/rewriter.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

constexpr const char kPass[] = "fusion";
constexpr int32_t kNoGroup = -1;

// Beyond these a kernel runs out of registers, or takes long to compile.
constexpr int64_t kMaxInstructions = 64;
constexpr int64_t kMaxOperands = 24;

// Instructions that one loop computes; `root` is the result.
struct Group {
  Instruction* root = nullptr;
  int64_t instruction_count = 0;
  int64_t operand_count = 0;
};

// Assigns the instructions of one computation to groups, consumers first, so
// that a producer finds out whether all who use it are together.
class Grouping {
 public:
  Grouping(const Computation& computation, const PassContext& context)
      : context_(context),
        group_of_(static_cast<size_t>(computation.instruction_count()),
                  kNoGroup),
        repetitions_(static_cast<size_t>(computation.instruction_count()), 1) {
    const std::vector<Instruction*> order = computation.PostOrder();
    for (auto i = order.rbegin(); i != order.rend(); ++i) Assign(**i);
  }

  const std::vector<Group>& groups() const { return groups_; }
  bool IsInGroup(const Instruction& instruction, int32_t group) const {
    return group_of_[static_cast<size_t>(instruction.id())] == group;
  }

 private:
  void Assign(Instruction& instruction) {
    if (IsCheapToRepeat(instruction)) return;
    const int32_t group = GroupOfAllUsers(instruction);
    if (group != kNoGroup && Joins(instruction, group)) return;
    if (!CanBeFusionRoot(instruction)) return;
    group_of_[static_cast<size_t>(instruction.id())] =
        static_cast<int32_t>(groups_.size());
    groups_.push_back({.root = &instruction,
                       .instruction_count = 1,
                       .operand_count = instruction.operand_count()});
  }

  int32_t GroupOfAllUsers(const Instruction& instruction) const {
    int32_t group = kNoGroup;
    for (const Instruction::Use& use : instruction.uses()) {
      const int32_t other = group_of_[static_cast<size_t>(use.user->id())];
      if (other == kNoGroup || (group != kNoGroup && group != other)) {
        return kNoGroup;
      }
      group = other;
    }
    return instruction.parent()->root() == &instruction ? kNoGroup : group;
  }

  bool Joins(Instruction& instruction, int32_t number) {
    Group& group = groups_[static_cast<size_t>(number)];
    double repetitions = 0;
    for (const Instruction::Use& use : instruction.uses()) {
      if (!CanReadElements(*use.user, use.operand_index)) return false;
      repetitions = std::max(repetitions,
                             repetitions_[static_cast<size_t>(use.user->id())] *
                                 RepetitionsBy(*use.user, use.operand_index));
    }
    if (const char* reason = WhyNotFused(instruction, repetitions)) {
      context_.Remember(kPass, instruction, "not fused into ",
                        group.root->name(), ": ", reason);
      return false;
    }
    if (group.instruction_count >= kMaxInstructions ||
        group.operand_count + instruction.operand_count() > kMaxOperands) {
      context_.Remember(kPass, instruction, "not fused into ",
                        group.root->name(), ": the loop is long enough");
      return false;
    }
    group_of_[static_cast<size_t>(instruction.id())] = number;
    repetitions_[static_cast<size_t>(instruction.id())] = repetitions;
    ++group.instruction_count;
    group.operand_count += instruction.operand_count() - 1;
    context_.Remember(kPass, instruction, "fused into ", group.root->name());
    return true;
  }

  const PassContext& context_;
  std::vector<Group> groups_;
  std::vector<int32_t> group_of_;
  // How often each element is computed within its group.
  std::vector<double> repetitions_;
};

// Makes one fusion of a group.
class GroupBuilder {
 public:
  GroupBuilder(const Grouping& grouping, int32_t group)
      : grouping_(grouping),
        group_(group),
        root_(grouping.groups()[static_cast<size_t>(group)].root),
        fused_(root_->parent()->parent()->AddComputation(
            "fused_" + std::string(hlo::TextOf(root_->opcode())))),
        copies_(static_cast<size_t>(root_->parent()->instruction_count()),
                nullptr) {}

  void Build() {
    FindOperands();
    Instruction* fused_root = CopyInto(*root_, copies_, fused_);
    fused_->set_root(fused_root);
    std::vector<hlo::Attribute> attributes = {
        With::calls(fused_),
        With::fusion_kind(root_->opcode() == Opcode::kReduce
                              ? hlo::FusionKind::kInput
                              : hlo::FusionKind::kLoop)};
    if (root_->opcode() == Opcode::kDynamicUpdateSlice) {
      attributes.push_back(With::output_to_operand_aliasing(
          {{.output_index = {},
            .operand = NumberOf(root_->operand(0)),
            .operand_index = {}}}));
    }
    Instruction* fusion = Rewriter(*root_).Add(
        Opcode::kFusion, root_->shape(), operands_, std::move(attributes));
    root_->ReplaceAllUsesWith(fusion);
    if (root_->parent()->root() == root_) root_->parent()->set_root(fusion);
  }

 private:
  int64_t NumberOf(const Instruction* operand) const {
    return std::ranges::find(operands_, operand) - operands_.begin();
  }

  // Makes parameters of what the group reads from outside.
  void FindOperands() {
    std::vector<Instruction*> stack = {root_};
    std::vector<bool> seen(copies_.size(), false);
    while (!stack.empty()) {
      Instruction* instruction = stack.back();
      stack.pop_back();
      for (int64_t i = 0; i < instruction->operand_count(); ++i) {
        Instruction* operand = instruction->operand(i);
        const auto id = static_cast<size_t>(operand->id());
        if (seen[id]) continue;
        seen[id] = true;
        // What an update is written onto is memory.
        const bool is_updated =
            i == 0 && instruction->opcode() == Opcode::kDynamicUpdateSlice;
        if (!is_updated && (grouping_.IsInGroup(*operand, group_) ||
                            IsCheapToRepeat(*operand))) {
          stack.push_back(operand);
          continue;
        }
        copies_[id] = fused_->AddParameter(
            static_cast<int64_t>(operands_.size()), operand->shape());
        copies_[id]->set_name(operand->name());
        operands_.push_back(operand);
      }
    }
  }

  const Grouping& grouping_;
  int32_t group_;
  Instruction* root_;
  Computation* fused_;
  std::vector<Instruction*> copies_;
  std::vector<Instruction*> operands_;
};

// Whether one loop is better than one per instruction: there is more than the
// root, apart from constants that it would read from memory.
bool IsWorthwhile(const Group& group) {
  if (group.instruction_count > 1) return true;
  return std::ranges::any_of(
      group.root->operands(), [&](const Instruction* operand) {
        return IsCheapToRepeat(*operand) && !operand->shape().IsScalar();
      });
}

// The computations whose instructions run one after the other: the entry and
// what loops, branches and calls run. Each once.
std::vector<Computation*> SequentialComputations(const hlo::Module& module) {
  std::vector<bool> seen(static_cast<size_t>(module.computation_count()),
                         false);
  std::vector<Computation*> found = {module.entry()};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const auto& instruction : found[i]->instructions()) {
      for (Computation* callee : hlo::SequentialCallees(*instruction)) {
        const auto id = static_cast<size_t>(callee->id());
        if (!seen[id]) found.push_back(callee);
        seen[id] = true;
      }
    }
  }
  return found;
}

bool FuseComputation(Computation& computation, const PassContext& context) {
  const Grouping grouping(computation, context);
  bool changed = false;
  // Consumers first: a group's operands are still the originals then, and
  // replaced when their own group is built.
  for (size_t g = 0; g < grouping.groups().size(); ++g) {
    if (!IsWorthwhile(grouping.groups()[g])) continue;
    GroupBuilder(grouping, static_cast<int32_t>(g)).Build();
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> FuseInstructions(hlo::Module& module,
                                      const PassContext& context) {
  bool changed = false;
  for (Computation* computation : SequentialComputations(module)) {
    if (FuseComputation(*computation, context)) changed = true;
  }
  // The originals have no users any more.
  if (changed) {
    RETURN_IF_ERROR(EliminateDeadCode(module, context).status());
  }
  return changed;
}

}  // namespace hilo::passes
