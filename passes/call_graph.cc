// Walks the call graph.
#include "passes/call_graph.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "hlo/analysis/aliasing.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"

namespace hilo::passes {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

std::vector<Computation*> CalleesOf(const Computation& computation) {
  std::vector<Computation*> callees;
  for (const auto& instruction : computation.instructions()) {
    for (Computation* callee : instruction->called_computations()) {
      callees.push_back(callee);
    }
  }
  return callees;
}

bool HasOwnSideEffect(const Instruction& instruction) {
  if (hlo::InfoOf(instruction.opcode()).Has(hlo::kSideEffect)) return true;
  return instruction.opcode() == Opcode::kCustomCall &&
         instruction.custom_call_has_side_effect();
}

}  // namespace

std::vector<Computation*> ReachableComputations(const hlo::Module& module) {
  struct Frame {
    Computation* computation = nullptr;
    std::vector<Computation*> callees;
    size_t next = 0;
  };
  std::vector<Computation*> order;
  std::vector<bool> entered(module.computation_count(), false);
  std::vector<Frame> stack;
  const auto enter = [&](Computation* computation) {
    if (entered[computation->id()]) return;
    entered[computation->id()] = true;
    stack.push_back(
        {.computation = computation, .callees = CalleesOf(*computation)});
  };
  enter(module.entry());
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next < top.callees.size()) {
      enter(top.callees[top.next++]);
      continue;
    }
    order.push_back(top.computation);
    stack.pop_back();
  }
  return order;
}

std::vector<Computation*> ComputationsInSequence(const hlo::Module& module) {
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

bool RemoveUnusedComputations(hlo::Module& module) {
  std::vector<bool> is_used(module.computation_count(), false);
  size_t used_count = 0;
  for (const Computation* computation : ReachableComputations(module)) {
    is_used[computation->id()] = true;
    ++used_count;
  }
  if (used_count == is_used.size()) return false;
  std::vector<Computation*> unused;
  for (const auto& computation : module.computations()) {
    if (!is_used[computation->id()]) unused.push_back(computation.get());
  }
  // A module hands out its list for reading only; MoveToEnd keeps the ids
  // dense, so the tail can go.
  for (Computation* computation : unused) module.MoveToEnd(computation);
  const_cast<std::vector<std::unique_ptr<Computation>>&>(module.computations())
      .resize(used_count);
  return true;
}

SideEffects::SideEffects(const hlo::Module& module)
    : has_effect_(module.computation_count(), false) {
  for (const Computation* computation : ReachableComputations(module)) {
    for (const auto& instruction : computation->instructions()) {
      if (!Has(*instruction)) continue;
      has_effect_[computation->id()] = true;
      break;
    }
  }
}

bool SideEffects::Has(const Computation& computation) const {
  if (std::cmp_less(computation.id(), has_effect_.size())) {
    return has_effect_[computation.id()];
  }
  return std::ranges::any_of(
      computation.instructions(),
      [&](const auto& instruction) { return Has(*instruction); });
}

bool SideEffects::Has(const Instruction& instruction) const {
  return HasOwnSideEffect(instruction) ||
         std::ranges::any_of(
             instruction.called_computations(),
             [&](const Computation* callee) { return Has(*callee); });
}

bool IsPure(const Instruction& instruction) {
  const hlo::OpcodeInfo& info = hlo::InfoOf(instruction.opcode());
  if (info.Has(hlo::kSideEffect) || info.Has(hlo::kNotPure)) return false;
  switch (instruction.opcode()) {
    case Opcode::kCustomCall:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
    case Opcode::kCopyStart:
    case Opcode::kCopyDone:
      return false;
    default:  // NOLINT: the rest is as its row says
      return !info.Has(hlo::kCollective);
  }
}

bool IsPure(const Computation& computation) {
  std::vector<const Computation*> stack = {&computation};
  while (!stack.empty()) {
    const Computation* top = stack.back();
    stack.pop_back();
    for (const auto& instruction : top->instructions()) {
      if (!IsPure(*instruction)) return false;
      for (const Computation* callee : instruction->called_computations()) {
        stack.push_back(callee);
      }
    }
  }
  return true;
}

}  // namespace hilo::passes
