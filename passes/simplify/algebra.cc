// Algebraic simplification: one worklist, all rules, and constant folding.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "passes/call_graph.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "passes/rewriter.h"
#include "passes/rules/rule.h"
#include "passes/rules/rule_text.h"
#include "passes/simplify/constant_folding.h"
#include "passes/simplify/dead_code.h"
#include "runtime/base/check.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Opcode;

// The rules that may apply at each opcode, read once.
class RuleIndex {
 public:
  struct Entry {
    const Rule* rule = nullptr;
    // Null for rules that are functions.
    std::unique_ptr<TextRule> text;
  };

  static const RuleIndex& Get() {
    static const RuleIndex kIndex;
    return kIndex;
  }

  absl::Span<const int> At(Opcode opcode) const {
    return by_opcode_[static_cast<size_t>(opcode)];
  }
  const Entry& entry(int i) const { return entries_[i]; }

 private:
  RuleIndex() : by_opcode_(hlo::kOpcodeCount) {
    for (const Rule& rule : Rules()) {
      Entry entry{.rule = &rule, .text = nullptr};
      std::optional<Opcode> opcode = rule.opcode;
      if (rule.apply == nullptr) {
        absl::StatusOr<TextRule> text = ParseTextRule(rule.text);
        CHECK(text.ok()) << "rule " << rule.name << ": "
                         << text.status().message();
        opcode = text->pattern.opcode;
        entry.text = std::make_unique<TextRule>(*std::move(text));
      }
      const int number = static_cast<int>(entries_.size());
      entries_.push_back(std::move(entry));
      for (int i = 0; i < hlo::kOpcodeCount; ++i) {
        const auto candidate = static_cast<Opcode>(i);
        const bool fits =
            opcode ? candidate == *opcode : rule.at_opcodes(candidate);
        if (fits) by_opcode_[i].push_back(number);
      }
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::vector<int>> by_opcode_;
};

// Simplifies one computation.
class Simplifier {
 public:
  Simplifier(Computation& computation, const SideEffects& effects,
             const PassContext& context, ConstantFolder& folder)
      : computation_(computation),
        effects_(effects),
        context_(context),
        folder_(folder),
        pinned_(computation.instruction_count(), false),
        is_queued_(computation.instruction_count(), false) {
    for (const auto& instruction : computation.instructions()) {
      if (!instruction->has_control_predecessors()) continue;
      pinned_[instruction->id()] = true;
      for (const Instruction* p : instruction->control_predecessors()) {
        pinned_[p->id()] = true;
      }
    }
  }

  bool Run() {
    // A stack: what is pushed last comes first.
    const std::vector<Instruction*> order = computation_.PostOrder();
    for (Instruction* instruction : std::views::reverse(order)) {
      Push(instruction);
    }
    // No list of rules is proven to end; this is far above what they need.
    constexpr int64_t kMostRewritesPerInstruction = 64;
    int64_t budget =
        kMostRewritesPerInstruction * (1 + static_cast<int64_t>(stack_.size()));
    while (!stack_.empty() && budget > 0) {
      Instruction* instruction = computation_.instruction(stack_.back());
      stack_.pop_back();
      is_queued_[instruction->id()] = false;
      if (Visit(*instruction)) --budget;
    }
    return changed_;
  }

 private:
  void Push(Instruction* instruction) {
    const size_t id = instruction->id();
    if (id >= is_queued_.size()) is_queued_.resize(id + 1, false);
    if (is_queued_[id]) return;
    is_queued_[id] = true;
    stack_.push_back(instruction->id());
  }

  bool IsPinned(const Instruction& instruction) const {
    const size_t id = instruction.id();
    return id < pinned_.size() && pinned_[id];
  }

  bool IsRemovable(const Instruction& instruction) const {
    return instruction.IsDead() && !IsPinned(instruction) &&
           instruction.opcode() != Opcode::kParameter &&
           !effects_.Has(instruction);
  }

  // Lets go of the operands of what is dead, so that they count their uses
  // right; dead code elimination takes the rest away.
  void Detach(Instruction& instruction) {
    for (Instruction* operand : instruction.operands()) Push(operand);
    if (instruction.operand_count() == 0) return;
    instruction.RemoveAllOperands();
    changed_ = true;
  }

  static bool IsDetached(const Instruction& instruction) {
    return instruction.IsDead() && instruction.operand_count() == 0;
  }

  // Whether something was rewritten.
  bool Visit(Instruction& instruction) {
    if (IsRemovable(instruction)) {
      Detach(instruction);
      return false;
    }
    if (IsPinned(instruction) || IsDetached(instruction) ||
        instruction.shape().IsDynamic()) {
      return false;
    }
    const int64_t before = computation_.instruction_count();
    Instruction* replacement = Rewrite(instruction);
    if (replacement == nullptr) {
      DropSince(before);
      return false;
    }
    changed_ = true;
    Replace(instruction, replacement, before);
    return true;
  }

  // What a rule had made before it gave up is of no use.
  void DropSince(int64_t before) {
    for (int64_t id = computation_.instruction_count() - 1; id >= before;
         --id) {
      Instruction* unused =
          computation_.instruction(static_cast<InstructionId>(id));
      unused->RemoveAllOperands();
    }
  }

  Instruction* Rewrite(Instruction& instruction) {
    const RuleIndex& index = RuleIndex::Get();
    for (const int i : index.At(instruction.opcode())) {
      const RuleIndex::Entry& entry = index.entry(i);
      if (entry.rule->exactness == Exactness::kRealNumbers &&
          !context_.fast_math) {
        continue;
      }
      if (context_.IsRuleDisabled(entry.rule->name)) continue;
      Rewriter rewriter(instruction);
      Instruction* replacement =
          entry.text != nullptr ? ApplyTextRule(*entry.text, entry.rule->types,
                                                instruction, rewriter)
                                : entry.rule->apply(instruction, rewriter);
      if (replacement == nullptr) continue;
      replacement = WithShape(replacement, instruction.shape());
      if (replacement == nullptr) continue;
      context_.CountRule(entry.rule->name);
      return replacement;
    }
    return folder_.Fold(instruction);
  }

  void Replace(Instruction& instruction, Instruction* replacement,
               int64_t before) {
    for (const Instruction::Use& use : instruction.uses()) Push(use.user);
    if (replacement != &instruction) {
      instruction.ReplaceAllUsesWith(replacement);
      for (const Instruction::Use& use : replacement->uses()) Push(use.user);
      Detach(instruction);
    }
    Push(replacement);
    for (Instruction* operand : replacement->operands()) Push(operand);
    // New instructions last, so that they are looked at first.
    for (int64_t id = computation_.instruction_count() - 1; id >= before;
         --id) {
      Push(computation_.instruction(static_cast<InstructionId>(id)));
    }
  }

  Computation& computation_;
  const SideEffects& effects_;
  const PassContext& context_;
  ConstantFolder& folder_;
  // Part of a control dependency.
  std::vector<bool> pinned_;
  std::vector<bool> is_queued_;
  std::vector<InstructionId> stack_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> SimplifyAlgebra(hlo::Module& module,
                                     const PassContext& context) {
  const SideEffects effects(module);
  ConstantFolder folder(module);
  bool changed = false;
  for (Computation* computation : ReachableComputations(module)) {
    if (Simplifier(*computation, effects, context, folder).Run()) {
      changed = true;
    }
    // Also what rules made in vain.
    RemoveDeadInstructions(*computation, effects);
  }
  RemoveUnusedComputations(module);
  return changed;
}

}  // namespace hilo::passes
