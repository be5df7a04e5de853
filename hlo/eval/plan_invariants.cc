// Finds what a computation need not evaluate again when it runs again.
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <vector>

#include "hlo/eval/evaluation_plan.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"

namespace hilo::hlo {
namespace {

// Larger values are made again: keeping them would cost more memory than the
// loop that uses them saves time.
constexpr int64_t kMaxKeptBytes = 4096;

// Reducers and comparators: nothing but element-wise operations.
bool IsElementwise(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    const Opcode opcode = instruction->opcode();
    if (!InfoOf(opcode).Has(kElementwise) && opcode != Opcode::kParameter &&
        opcode != Opcode::kConstant && opcode != Opcode::kTuple &&
        opcode != Opcode::kGetTupleElement) {
      return false;
    }
  }
  return true;
}

// Whether equal operands always give an equal value, and nothing else happens.
bool IsPure(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  const OpcodeInfo& info = InfoOf(opcode);
  if (info.Has(kNotPure) || info.Has(kSideEffect) || info.Has(kCollective) ||
      opcode == Opcode::kParameter || opcode == Opcode::kCustomCall ||
      !instruction.shape().IsArray()) {
    return false;
  }
  return std::ranges::all_of(
      instruction.called_computations(),
      [](const Computation* called) { return IsElementwise(*called); });
}

// A constant's value is shared with its instruction: keeping it costs nothing.
bool IsCheapToKeep(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kConstant ||
         instruction.shape().ByteSize() <= kMaxKeptBytes;
}

}  // namespace

void EvaluationPlan::MarkInvariants(const Computation& computation) {
  const int64_t count = computation.instruction_count();
  // Values that no parameter reaches.
  std::vector<bool> is_invariant(count, false);
  for (const Step& step : steps_) {
    bool invariant = IsPure(*step.instruction) && step.projection_count == 0;
    for (const OperandUse& use : operands(step)) {
      invariant = invariant && is_invariant[use.value];
    }
    is_invariant[step.instruction->id()] = invariant;
  }
  // Values that a step of every run needs. The root is given away.
  std::vector<bool> is_needed(count, false);
  is_needed[root_] = true;
  std::vector<bool> is_kept(count, false);
  for (auto& step : std::views::reverse(steps_)) {
    const InstructionId id = step.instruction->id();
    is_kept[id] = is_invariant[id] && is_needed[id] && id != root_ &&
                  IsCheapToKeep(*step.instruction);
    step.runs_once = is_invariant[id] && (is_kept[id] || !is_needed[id]);
    for (int64_t i = 0; i < step.operand_count; ++i) {
      OperandUse& use = operands_[step.first_operand + i];
      if (!step.runs_once) is_needed[use.value] = true;
    }
  }
  for (OperandUse& use : operands_) {
    if (is_kept[use.value]) use.is_last = false;
  }
}

}  // namespace hilo::hlo
