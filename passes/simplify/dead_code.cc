// Dead code elimination.
#include "passes/simplify/dead_code.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "passes/call_graph.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"

namespace hilo::passes {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

bool RemoveDeadInstructions(Computation& computation,
                            const SideEffects& effects) {
  std::vector<bool> keep(computation.instruction_count(), false);
  std::vector<const Instruction*> stack;
  const auto mark = [&](const Instruction* instruction) {
    if (keep[instruction->id()]) return;
    keep[instruction->id()] = true;
    stack.push_back(instruction);
  };
  mark(computation.root());
  for (const auto& instruction : computation.instructions()) {
    if (instruction->opcode() == Opcode::kParameter ||
        effects.Has(*instruction)) {
      mark(instruction.get());
    }
  }
  while (!stack.empty()) {
    const Instruction* top = stack.back();
    stack.pop_back();
    for (int64_t i = 0; i < top->operand_count(); ++i) mark(top->operand(i));
    for (const Instruction* p : top->control_predecessors()) mark(p);
  }
  if (std::ranges::find(keep, false) == keep.end()) return false;
  computation.RemoveExcept(keep);
  return true;
}

bool RemoveDeadInstructions(hlo::Module& module) {
  const SideEffects effects(module);
  bool changed = false;
  for (Computation* computation : ReachableComputations(module)) {
    if (RemoveDeadInstructions(*computation, effects)) changed = true;
  }
  return RemoveUnusedComputations(module) || changed;
}

absl::StatusOr<bool> EliminateDeadCode(hlo::Module& module,
                                       const PassContext& /*context*/) {
  return RemoveDeadInstructions(module);
}

}  // namespace hilo::passes
