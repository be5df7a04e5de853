// Simplifies conditionals.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/call_graph.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "passes/rewriter.h"
#include "passes/rules/rule.h"
#include "passes/simplify/constant_folding.h"
#include "passes/simplify/dead_code.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Both branches are computed when they are this small together.
constexpr int64_t kMostSelectedBranches = 4;
constexpr int64_t kMostSelectedOperations = 512;
constexpr int64_t kMostSelectedInstructions = 24;

bool IsPredicated(const Instruction& conditional) {
  return conditional.operand_shape(0).element_type() == hlo::ElementType::kPred;
}

// The branch that runs, where that is known.
std::optional<int64_t> KnownBranch(const Instruction& conditional) {
  const auto count = static_cast<int64_t>(conditional.branches().size());
  if (count == 1) return 0;
  const Instruction* selector = conditional.operand(0);
  if (selector->opcode() != Opcode::kConstant) return std::nullopt;
  if (IsPredicated(conditional)) {
    return IsNumber(selector->value(), 0) ? 1 : 0;
  }
  const std::optional<int64_t> index = IntegerConstant(selector);
  if (!index) return std::nullopt;
  return *index < 0 || *index >= count ? count - 1 : *index;
}

// Whether it does not matter which branch runs.
bool AllBranchesAlike(const Instruction& conditional) {
  const std::vector<Computation*> branches = conditional.branches();
  for (size_t i = 1; i < branches.size(); ++i) {
    if (branches[i] != branches[0] ||
        conditional.operand(static_cast<int64_t>(i) + 1) !=
            conditional.operand(1)) {
      return false;
    }
  }
  return true;
}

Instruction* InlineBranch(Instruction& conditional, int64_t branch) {
  Instruction* value =
      CopyBody(*conditional.branches()[branch],
               {conditional.operand(branch + 1)}, conditional.parent());
  return WithShape(value, conditional.shape());
}

bool IsCheapBranch(const Computation& branch) {
  if (branch.instruction_count() > kMostSelectedInstructions) return false;
  int64_t operations = 0;
  for (const auto& instruction : branch.instructions()) {
    const Opcode opcode = instruction->opcode();
    if (!instruction->called_computations().empty() ||
        instruction->has_control_predecessors() || !IsPure(*instruction) ||
        instruction->shape().IsToken() || opcode == Opcode::kDot ||
        opcode == Opcode::kConvolution || opcode == Opcode::kFft) {
      return false;
    }
    const bool computes = opcode != Opcode::kParameter &&
                          opcode != Opcode::kTuple &&
                          opcode != Opcode::kGetTupleElement;
    if (computes) operations += EstimateOperations(*instruction);
  }
  return operations <= kMostSelectedOperations;
}

bool HoldsArrays(const Shape& shape) {
  const std::vector<const Shape*> leaves = shape.Leaves();
  int64_t elements = 0;
  for (const Shape* leaf : leaves) {
    if (!leaf->IsArray() || leaf->IsDynamic()) return false;
    elements += leaf->ElementCount();
  }
  return elements <= kMostSelectedOperations;
}

// One of two values, leaf by leaf.
Instruction* SelectLeaves(Instruction* predicate, Instruction* on_true,
                          Instruction* on_false, Rewriter& rewriter) {
  const Shape& shape = on_true->shape();
  if (!shape.IsTuple()) {
    if (on_true == on_false) return on_true;
    return rewriter.Select(
        rewriter.Splat(predicate,
                       WithElementType(shape, hlo::ElementType::kPred)),
        on_true, on_false);
  }
  std::vector<Instruction*> elements;
  elements.reserve(static_cast<size_t>(shape.element_count()));
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    elements.push_back(
        SelectLeaves(predicate, rewriter.GetTupleElement(on_true, i),
                     rewriter.GetTupleElement(on_false, i), rewriter));
  }
  return rewriter.Tuple(elements);
}

// All branches are computed, and one result is chosen. Null where that would
// cost more than it saves.
Instruction* AsSelect(Instruction& conditional) {
  const std::vector<Computation*> branches = conditional.branches();
  if (static_cast<int64_t>(branches.size()) > kMostSelectedBranches ||
      !HoldsArrays(conditional.shape()) ||
      !std::ranges::all_of(
          branches, [](const Computation* b) { return IsCheapBranch(*b); })) {
    return nullptr;
  }
  std::vector<Instruction*> values;
  for (size_t i = 0; i < branches.size(); ++i) {
    values.push_back(InlineBranch(conditional, static_cast<int64_t>(i)));
    if (values.back() == nullptr) return nullptr;
  }
  Rewriter rewriter(conditional);
  Instruction* selector = conditional.operand(0);
  if (IsPredicated(conditional)) {
    return SelectLeaves(selector, values[0], values[1], rewriter);
  }
  // The last branch runs for all indices out of range.
  Instruction* result = values.back();
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    Instruction* is_branch = rewriter.Compare(
        hlo::ComparisonDirection::kEq, selector,
        rewriter.Scalar(hlo::ElementType::kS32, static_cast<double>(i)));
    result = SelectLeaves(is_branch, values[i], result, rewriter);
  }
  return result;
}

// A branch whose result has only these elements.
Computation* KeepElements(const Computation& branch,
                          const std::vector<int64_t>& kept) {
  Computation* narrow = branch.parent()->AddComputation(branch.name());
  narrow->set_execution_thread(branch.execution_thread());
  Instruction* parameter =
      narrow->AddParameter(0, branch.parameter(0)->shape());
  parameter->set_name(branch.parameter(0)->name());
  Instruction* root = CopyBody(branch, {parameter}, narrow);
  Rewriter rewriter(narrow);
  std::vector<Instruction*> elements;
  elements.reserve(kept.size());
  for (const int64_t i : kept) {
    elements.push_back(rewriter.GetTupleElement(root, i));
  }
  narrow->set_root(rewriter.Tuple(elements));
  return narrow;
}

// Drops elements of the result that nobody looks at; returns whether there
// were any.
bool DropUnusedResults(Instruction& conditional, const SideEffects& effects) {
  if (!conditional.shape().IsTuple() ||
      &conditional == conditional.parent()->root()) {
    return false;
  }
  std::vector<bool> is_used(conditional.shape().element_count(), false);
  for (const Instruction::Use& use : conditional.uses()) {
    if (use.user->opcode() != Opcode::kGetTupleElement) return false;
    is_used[use.user->index()] = true;
  }
  std::vector<int64_t> kept;
  std::vector<int64_t> new_index(is_used.size(), -1);
  for (size_t i = 0; i < is_used.size(); ++i) {
    if (!is_used[i]) continue;
    new_index[i] = static_cast<int64_t>(kept.size());
    kept.push_back(static_cast<int64_t>(i));
  }
  if (kept.size() == is_used.size()) return false;
  std::vector<Computation*> branches;
  for (const Computation* branch : conditional.branches()) {
    branches.push_back(KeepElements(*branch, kept));
    RemoveDeadInstructions(*branches.back(), effects);
  }
  Instruction* narrow = Rewriter(conditional)
                            .Like(conditional, branches[0]->root()->shape(),
                                  conditional.operands());
  narrow->set_name(conditional.name());
  if (conditional.has_branch_computations()) {
    narrow->set_branch_computations(branches);
  } else {
    narrow->set_true_computation(branches[0]);
    narrow->set_false_computation(branches[1]);
  }
  while (conditional.HasUses()) {
    Instruction* user = conditional.uses().back().user;
    user->ReplaceOperand(0, narrow);
    user->set_index(new_index[user->index()]);
  }
  return true;
}

bool SimplifyConditional(Instruction& conditional, const SideEffects& effects) {
  Instruction* replacement = nullptr;
  const std::optional<int64_t> branch = KnownBranch(conditional);
  if (branch) {
    replacement = InlineBranch(conditional, *branch);
  } else if (AllBranchesAlike(conditional)) {
    replacement = InlineBranch(conditional, 0);
  } else {
    replacement = AsSelect(conditional);
  }
  if (replacement == nullptr) return DropUnusedResults(conditional, effects);
  conditional.ReplaceAllUsesWith(replacement);
  return true;
}

// Takes the instructions away whose values others stand for now: side effects
// in their branches happen there.
void Remove(Computation& computation,
            const std::vector<hlo::InstructionId>& ids) {
  std::vector<bool> keep(computation.instruction_count(), true);
  for (const hlo::InstructionId id : ids) keep[id] = false;
  computation.RemoveExcept(keep);
}

}  // namespace

absl::StatusOr<bool> SimplifyConditionals(hlo::Module& module,
                                          const PassContext& /*context*/) {
  const SideEffects effects(module);
  bool changed = false;
  for (Computation* computation : ReachableComputations(module)) {
    RemoveDeadInstructions(*computation, effects);
    std::vector<bool> is_predecessor(computation->instruction_count(), false);
    for (const auto& instruction : computation->instructions()) {
      for (const Instruction* p : instruction->control_predecessors()) {
        is_predecessor[p->id()] = true;
      }
    }
    std::vector<hlo::InstructionId> replaced;
    const int64_t count = computation->instruction_count();
    for (hlo::InstructionId id = 0; id < count; ++id) {
      Instruction& instruction = *computation->instruction(id);
      if (instruction.opcode() != Opcode::kConditional ||
          instruction.has_control_predecessors() || is_predecessor[id]) {
        continue;
      }
      if (!SimplifyConditional(instruction, effects)) continue;
      replaced.push_back(id);
      changed = true;
    }
    Remove(*computation, replaced);
    RemoveDeadInstructions(*computation, effects);
  }
  RemoveUnusedComputations(module);
  return changed;
}

}  // namespace hilo::passes
