// Simplifies loops: unused, constant and repeated carries, few turns.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
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
#include "passes/simplify/dead_code.h"
#include "passes/simplify/loop_state.h"
#include "passes/simplify/trip_count.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// Loops of so few turns, and so little code in all of them, are unrolled.
constexpr int64_t kMostUnrolledTurns = 4;
constexpr int64_t kMostUnrolledInstructions = 128;

// What stands for a loop of few turns; null when there are too many.
Instruction* Unrolled(Instruction& loop, const SideEffects& effects) {
  const std::optional<CountedLoop> counted = FindCountedLoop(loop);
  if (!counted || effects.Has(*loop.condition())) return nullptr;
  if (counted->trip_count == 0) return loop.operand(0);
  const int64_t size = loop.body()->instruction_count();
  const bool is_small =
      counted->trip_count == 1 ||
      (counted->trip_count <= kMostUnrolledTurns &&
       counted->trip_count * size <= kMostUnrolledInstructions);
  if (!is_small || effects.Has(*loop.body())) return nullptr;
  Instruction* state = loop.operand(0);
  for (int64_t turn = 0; turn < counted->trip_count; ++turn) {
    state = CopyBody(*loop.body(), {state}, loop.parent());
  }
  return state;
}

// Every look at carry `i` of the body or condition sees the value that `make`
// gives instead, but for what `except` (may be null) sees.
template <typename Make>
bool ReplaceReaders(Computation& computation, int64_t i,
                    const Instruction* except, Make&& make) {
  std::vector<Instruction::Use> uses;
  bool is_root = false;
  for (const Instruction::Use& use : computation.parameter(0)->uses()) {
    if (use.user->index() != i) continue;
    if (use.user == computation.root()) is_root = true;
    for (const Instruction::Use& inner : use.user->uses()) {
      if (inner.user != except) uses.push_back(inner);
    }
  }
  if (uses.empty() && !is_root) return false;
  Instruction* replacement = make();
  for (const Instruction::Use& use : uses) {
    use.user->ReplaceOperand(use.operand_index, replacement);
  }
  if (is_root) computation.set_root(replacement);
  return true;
}

bool IsSmallConstant(const Instruction& value) {
  return value.opcode() == Opcode::kConstant && value.shape().IsScalar();
}

// Constants that go round a loop unchanged are constants inside of it.
bool SinkConstants(TupleLoop& loop) {
  bool changed = false;
  for (int64_t i = 0; i < loop.carry_count(); ++i) {
    const Instruction* initial = loop.Initial(i);
    if (!loop.IsInvariant(i) || !IsSmallConstant(*initial)) continue;
    // The carry itself stays as it was, until nobody reads it.
    for (Computation* computation : {&loop.body(), &loop.condition()}) {
      if (ReplaceReaders(*computation, i, loop.body().root(), [&] {
            return Rewriter(computation).Constant(initial->value());
          })) {
        changed = true;
      }
    }
  }
  return changed;
}

// Behind the loop, what it did not change is what it was before.
bool BypassInvariants(TupleLoop& loop) {
  std::vector<Instruction*> readers;
  for (const Instruction::Use& use : loop.instruction()->uses()) {
    const bool is_read =
        use.user->HasUses() || use.user == use.user->parent()->root();
    if (use.user->opcode() == Opcode::kGetTupleElement && is_read &&
        loop.IsInvariant(use.user->index())) {
      readers.push_back(use.user);
    }
  }
  for (Instruction* reader : readers) {
    reader->ReplaceAllUsesWith(loop.Initial(reader->index()));
  }
  return !readers.empty();
}

// Two invariant carries that begin alike are one.
bool MergeInvariants(TupleLoop& loop) {
  bool changed = false;
  std::vector<std::pair<const Instruction*, int64_t>> known;
  for (int64_t i = 0; i < loop.carry_count(); ++i) {
    if (!loop.IsInvariant(i)) continue;
    const Instruction* initial = loop.instruction()->operand(0);
    if (initial->opcode() != Opcode::kTuple) return false;
    initial = initial->operand(i);
    known.emplace_back(initial, i);
  }
  // Sorted by the instruction's id: equal ones stand together.
  std::ranges::sort(known, [](const auto& a, const auto& b) {
    return a.first->id() != b.first->id() ? a.first->id() < b.first->id()
                                          : a.second < b.second;
  });
  for (size_t k = 1; k < known.size(); ++k) {
    if (known[k].first != known[k - 1].first) continue;
    const int64_t kept = known[k - 1].second;
    const int64_t dropped = known[k].second;
    known[k].second = kept;
    for (Computation* computation : {&loop.body(), &loop.condition()}) {
      if (ReplaceReaders(*computation, dropped, loop.body().root(), [&] {
            return Rewriter(computation)
                .GetTupleElement(computation->parameter(0), kept);
          })) {
        changed = true;
      }
    }
  }
  return changed;
}

// Finds which carries matter.
class CarryLiveness {
 public:
  CarryLiveness(const TupleLoop& loop, const SideEffects& effects)
      : loop_(loop),
        is_live_(loop.carry_count(), false),
        visited_(loop.body().instruction_count(), false) {
    MarkUsesBehind();
    for (const Instruction::Use& use : loop.condition().parameter(0)->uses()) {
      if (use.user->HasUses() || use.user == loop.condition().root()) {
        Mark(use.user->index());
      }
    }
    for (const auto& instruction : loop.body().instructions()) {
      if (effects.Has(*instruction)) Visit(instruction.get());
    }
    while (!pending_.empty()) {
      const int64_t i = pending_.back();
      pending_.pop_back();
      Visit(loop.Next(i));
    }
  }

  std::vector<int64_t> Live() const {
    std::vector<int64_t> live;
    for (size_t i = 0; i < is_live_.size(); ++i) {
      if (is_live_[i]) live.push_back(static_cast<int64_t>(i));
    }
    return live;
  }

 private:
  void Mark(int64_t i) {
    if (is_live_[i]) return;
    is_live_[i] = true;
    pending_.push_back(i);
  }

  void MarkUsesBehind() {
    const Instruction& loop = *loop_.instruction();
    bool whole = &loop == loop.parent()->root();
    for (const Instruction::Use& use : loop.uses()) {
      if (use.user->opcode() == Opcode::kGetTupleElement) {
        Mark(use.user->index());
      } else {
        whole = true;
      }
    }
    for (int64_t i = 0; whole && i < loop_.carry_count(); ++i) Mark(i);
  }

  void Visit(const Instruction* start) {
    std::vector<const Instruction*> stack = {start};
    while (!stack.empty()) {
      const Instruction* top = stack.back();
      stack.pop_back();
      if (visited_[top->id()]) continue;
      visited_[top->id()] = true;
      const int64_t carry = CarryIndex(*top);
      if (carry >= 0) {
        Mark(carry);
        continue;
      }
      for (const Instruction* operand : top->operands()) {
        stack.push_back(operand);
      }
      for (const Instruction* p : top->control_predecessors()) {
        stack.push_back(p);
      }
    }
  }

  const TupleLoop& loop_;
  std::vector<bool> is_live_;
  std::vector<bool> visited_;
  std::vector<int64_t> pending_;
};

bool DropUnusedCarries(TupleLoop& loop, const SideEffects& effects) {
  const std::vector<int64_t> live = CarryLiveness(loop, effects).Live();
  if (static_cast<int64_t>(live.size()) == loop.carry_count()) return false;
  loop.Keep(live, effects);
  return true;
}

bool SimplifyLoop(Instruction* instruction, const SideEffects& effects) {
  if (instruction->has_control_predecessors()) return false;
  Instruction* unrolled = Unrolled(*instruction, effects);
  if (unrolled != nullptr) {
    instruction->ReplaceAllUsesWith(unrolled);
    return true;
  }
  if (!TupleLoop::Fits(*instruction)) return false;
  TupleLoop loop(instruction);
  bool changed = SinkConstants(loop);
  changed = MergeInvariants(loop) || changed;
  changed = BypassInvariants(loop) || changed;
  if (changed) {
    RemoveDeadInstructions(loop.body(), effects);
    RemoveDeadInstructions(loop.condition(), effects);
  }
  // A loop with side effects may be there for nothing else.
  return DropUnusedCarries(loop, effects) || changed;
}

}  // namespace

absl::StatusOr<bool> SimplifyLoops(hlo::Module& module,
                                   const PassContext& /*context*/) {
  const SideEffects effects(module);
  std::vector<int64_t> call_counts = CountCalls(module);
  bool changed = false;
  for (Computation* computation : ReachableComputations(module)) {
    RemoveDeadInstructions(*computation, effects);
    for (Instruction* loop : LoopsOf(*computation, call_counts)) {
      if (loop->IsDead() && !effects.Has(*loop)) continue;
      if (SimplifyLoop(loop, effects)) changed = true;
    }
    RemoveDeadInstructions(*computation, effects);
  }
  if (RemoveUnusedComputations(module)) changed = true;
  return changed;
}

}  // namespace hilo::passes
