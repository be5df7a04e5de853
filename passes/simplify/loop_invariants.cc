// Loop-invariant code motion.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/call_graph.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "passes/rewriter.h"
#include "passes/simplify/constant_folding.h"
#include "passes/simplify/dead_code.h"
#include "passes/simplify/loop_state.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// Arrays below this may grow by being computed before the loop.
constexpr int64_t kSmallBytes = 64 << 10;

int64_t SizeInBytes(const hlo::Shape& shape) {
  int64_t bytes = 0;
  for (const hlo::Shape* leaf : shape.Leaves()) {
    if (leaf->IsArray()) bytes += leaf->ByteSize();
  }
  return bytes;
}

// Whether the value costs nothing, or more memory than time, to have again in
// every turn.
bool IsCheap(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConstant:
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBroadcast:
    case Opcode::kIota:
    case Opcode::kReshape:
      return true;
    default:  // NOLINT: the rest computes or moves something
      return false;
  }
}

// Whether computing it before the loop takes little more memory.
bool IsWorthKeeping(const Instruction& instruction) {
  const int64_t bytes = SizeInBytes(instruction.shape());
  if (bytes <= kSmallBytes) return true;
  int64_t operand_bytes = 0;
  for (const Instruction* operand : instruction.operands()) {
    operand_bytes += SizeInBytes(operand->shape());
  }
  const bool is_heavy =
      EstimateOperations(instruction) > 4 * (bytes + operand_bytes);
  return bytes <= operand_bytes || is_heavy;
}

bool MayHoist(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kWhile ||
      instruction.opcode() == Opcode::kConditional ||
      instruction.has_control_predecessors() || !IsPure(instruction) ||
      instruction.shape().IsToken() || instruction.shape().IsDynamic()) {
    return false;
  }
  return std::ranges::all_of(
      instruction.called_computations(),
      [](const Computation* callee) { return IsPure(*callee); });
}

// Moves what a loop computes anew in every turn, always the same.
class Hoister {
 public:
  explicit Hoister(TupleLoop loop)
      : loop_(loop),
        is_invariant_(loop.body().instruction_count(), false),
        is_asked_(loop.body().instruction_count(), false) {}

  bool Run() {
    const std::vector<Instruction*> order = loop_.body().PostOrder();
    for (const Instruction* instruction : order) Classify(*instruction);
    for (Instruction* instruction : order) {
      if (!is_invariant_[instruction->id()] && !instruction->IsDead()) {
        AskOperands(*instruction);
      }
    }
    if (hoisted_.empty()) return false;
    MoveOut();
    return true;
  }

 private:
  void Classify(const Instruction& instruction) {
    const int64_t carry = CarryIndex(instruction);
    if (carry >= 0) {
      is_invariant_[instruction.id()] = loop_.IsInvariant(carry);
      return;
    }
    if (instruction.opcode() == Opcode::kParameter ||
        &instruction == loop_.body().root() || !MayHoist(instruction)) {
      return;
    }
    const std::vector<Instruction*> operands = instruction.operands();
    is_invariant_[instruction.id()] = std::ranges::all_of(
        operands, [&](const auto* o) { return is_invariant_[o->id()]; });
  }

  // What is needed inside of the loop is moved out, or made of what is.
  void AskOperands(const Instruction& user) {
    std::vector<Instruction*> stack = user.operands();
    while (!stack.empty()) {
      Instruction* value = stack.back();
      stack.pop_back();
      if (!is_invariant_[value->id()] || is_asked_[value->id()]) continue;
      is_asked_[value->id()] = true;
      if (CarryIndex(*value) >= 0) continue;
      if (!IsCheap(*value) && IsWorthKeeping(*value)) {
        hoisted_.push_back(value);
        continue;
      }
      for (Instruction* operand : value->operands()) stack.push_back(operand);
    }
  }

  void MoveOut() {
    Computation& body = loop_.body();
    Computation* outside = loop_.instruction()->parent();
    InstructionCopies copies;
    for (const auto& instruction : body.instructions()) {
      const int64_t carry = CarryIndex(*instruction);
      if (carry >= 0 && is_invariant_[instruction->id()]) {
        copies[instruction->id()] = loop_.Initial(carry);
      }
    }
    std::vector<Instruction*> values;
    values.reserve(hoisted_.size());
    for (const Instruction* instruction : hoisted_) {
      values.push_back(CopyInto(*instruction, copies, outside));
    }
    const std::vector<Instruction*> readers = loop_.AddInvariants(values);
    for (size_t i = 0; i < hoisted_.size(); ++i) {
      hoisted_[i]->ReplaceAllUsesWith(readers[i]);
    }
  }

  TupleLoop loop_;
  std::vector<bool> is_invariant_;
  std::vector<bool> is_asked_;
  std::vector<Instruction*> hoisted_;
};

}  // namespace

absl::StatusOr<bool> HoistLoopInvariants(hlo::Module& module,
                                         const PassContext& /*context*/) {
  const SideEffects effects(module);
  std::vector<int64_t> call_counts = CountCalls(module);
  bool changed = false;
  // Inner loops first: what leaves them may leave outer ones as well.
  for (Computation* computation : ReachableComputations(module)) {
    for (Instruction* loop : LoopsOf(*computation, call_counts)) {
      if (!TupleLoop::Fits(*loop) || !Hoister(TupleLoop(loop)).Run()) continue;
      RemoveDeadInstructions(*loop->body(), effects);
      changed = true;
    }
    RemoveDeadInstructions(*computation, effects);
  }
  RemoveUnusedComputations(module);
  return changed;
}

}  // namespace hilo::passes
