// Algebraic simplification: one worklist, all rules, and constant folding.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
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

// A rule, and its text once it was needed.
class IndexedRule {
 public:
  explicit IndexedRule(const Rule& rule) : rule_(rule) {}

  const Rule& rule() const { return rule_; }

  // Null where nothing changes.
  Instruction* Apply(Instruction& instruction, Rewriter& rewriter) const {
    if (rule_.apply != nullptr) return rule_.apply(instruction, rewriter);
    std::call_once(read_, [&] {
      absl::StatusOr<TextRule> text = ParseTextRule(rule_.text);
      CHECK(text.ok()) << "rule " << rule_.name << ": "
                       << text.status().message();
      text_ = *std::move(text);
    });
    return ApplyTextRule(text_, rule_.types, instruction, rewriter);
  }

 private:
  const Rule& rule_;
  mutable std::once_flag read_;
  mutable TextRule text_;
};

// The rules that may apply at each opcode. Small modules meet few of them:
// reading the texts of all would take longer than the rest of the passes.
class RuleIndex {
 public:
  static const RuleIndex& Get() {
    static const RuleIndex kIndex;
    return kIndex;
  }

  absl::Span<const IndexedRule* const> At(Opcode opcode) const {
    return by_opcode_[static_cast<size_t>(opcode)];
  }

 private:
  RuleIndex() : by_opcode_(hlo::kOpcodeCount) {
    for (const Rule& rule : Rules()) {
      const IndexedRule* indexed = &rules_.emplace_back(rule);
      const std::optional<Opcode> opcode =
          rule.apply == nullptr ? OpcodeOfTextRule(rule.text) : rule.opcode;
      if (opcode) {
        by_opcode_[static_cast<size_t>(*opcode)].push_back(indexed);
        continue;
      }
      for (int i = 0; i < hlo::kOpcodeCount; ++i) {
        if (rule.at_opcodes(static_cast<Opcode>(i))) {
          by_opcode_[i].push_back(indexed);
        }
      }
    }
  }

  // Addresses stay.
  std::deque<IndexedRule> rules_;
  std::vector<std::vector<const IndexedRule*>> by_opcode_;
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
    for (const IndexedRule* indexed :
         RuleIndex::Get().At(instruction.opcode())) {
      const Rule& rule = indexed->rule();
      if (rule.exactness == Exactness::kRealNumbers && !context_.fast_math) {
        continue;
      }
      if (context_.IsRuleDisabled(rule.name)) continue;
      Rewriter rewriter(instruction);
      Instruction* replacement = indexed->Apply(instruction, rewriter);
      if (replacement == nullptr) continue;
      replacement = WithShape(replacement, instruction.shape());
      if (replacement == nullptr) continue;
      context_.CountRule(rule.name);
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
