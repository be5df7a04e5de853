// Call inlining; fusions that a module came with count as calls.
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
#include "passes/rewriter.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// Instructions that inlining may add to a module: calls of calls can double
// it at every level.
constexpr int64_t kMostInlinedInstructions = 4 << 20;

bool IsInlinable(const Instruction& instruction) {
  return (instruction.opcode() == Opcode::kCall ||
          instruction.opcode() == Opcode::kFusion) &&
         !instruction.has_control_predecessors();
}

const Computation& CalleeOf(const Instruction& call) {
  return call.opcode() == Opcode::kFusion ? *call.calls() : *call.to_apply();
}

// Instructions named by control dependencies of others.
std::vector<bool> ControlPredecessors(const Computation& computation) {
  std::vector<bool> is_predecessor(computation.instruction_count(), false);
  for (const auto& instruction : computation.instructions()) {
    for (const Instruction* p : instruction->control_predecessors()) {
      is_predecessor[p->id()] = true;
    }
  }
  return is_predecessor;
}

}  // namespace

absl::StatusOr<bool> InlineCalls(hlo::Module& module,
                                 const PassContext& /*context*/) {
  bool changed = false;
  int64_t added = 0;
  for (Computation* computation : ReachableComputations(module)) {
    std::vector<Instruction*> calls;
    for (const auto& instruction : computation->instructions()) {
      if (IsInlinable(*instruction)) calls.push_back(instruction.get());
    }
    if (calls.empty()) continue;
    const std::vector<bool> must_stay = ControlPredecessors(*computation);
    std::vector<bool> keep(computation->instruction_count(), true);
    for (Instruction* call : calls) {
      const Computation& callee = CalleeOf(*call);
      if (must_stay[call->id()]) continue;
      added += callee.instruction_count();
      if (added > kMostInlinedInstructions) {
        return ResourceExhausted(call->name(), ": call: the program grows by ",
                                 "more than ", kMostInlinedInstructions,
                                 " instructions when calls are inlined");
      }
      Instruction* value = WithShape(
          CopyBody(callee, call->operands(), computation), call->shape());
      if (value == nullptr) continue;
      call->ReplaceAllUsesWith(value);
      keep[call->id()] = false;
      changed = true;
    }
    keep.resize(computation->instruction_count(), true);
    computation->RemoveExcept(keep);
  }
  if (changed) RemoveUnusedComputations(module);
  return changed;
}

}  // namespace hilo::passes
