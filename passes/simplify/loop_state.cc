// Loops whose state is a tuple.
#include "passes/simplify/loop_state.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/call_graph.h"
#include "passes/rewriter.h"
#include "passes/simplify/dead_code.h"
#include "runtime/base/check.h"

namespace hilo::passes {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

bool IsReadByElements(const Instruction& tuple) {
  return std::ranges::all_of(tuple.uses(), [](const Instruction::Use& use) {
    return use.user->opcode() == Opcode::kGetTupleElement &&
           !use.user->has_control_predecessors();
  });
}

// A copy of a computation, for one caller.
Computation* CopyOf(const Computation& computation) {
  hlo::Module& module = *computation.parent();
  Computation* copy = module.AddComputation(computation.name());
  copy->set_execution_thread(computation.execution_thread());
  std::vector<Instruction*> parameters;
  for (const Instruction* parameter : computation.parameters()) {
    Instruction* p =
        copy->AddParameter(parameter->parameter_number(), parameter->shape());
    p->set_name(parameter->name());
    parameters.push_back(p);
  }
  copy->set_root(CopyBody(computation, parameters, copy));
  return copy;
}

// Makes those who read elements of `tuple` read their new places.
void Renumber(Instruction& tuple, const std::vector<int64_t>& new_index) {
  for (const Instruction::Use& use : tuple.uses()) {
    const int64_t index = new_index[use.user->index()];
    CHECK(index >= 0) << use.user->name() << " reads a carry that is gone";
    use.user->set_index(index);
  }
}

}  // namespace

int64_t CarryIndex(const Instruction& value) {
  return value.opcode() == Opcode::kGetTupleElement &&
                 value.operand(0)->opcode() == Opcode::kParameter
             ? value.index()
             : -1;
}

bool TupleLoop::Fits(const Instruction& loop) {
  if (loop.opcode() != Opcode::kWhile || !loop.shape().IsTuple() ||
      loop.has_control_predecessors()) {
    return false;
  }
  const Instruction* body_root = loop.body()->root();
  return body_root->opcode() == Opcode::kTuple &&
         Compatible(body_root->shape(), loop.shape()) &&
         Compatible(loop.operand_shape(0), loop.shape()) &&
         Compatible(loop.body()->parameter(0)->shape(), loop.shape()) &&
         Compatible(loop.condition()->parameter(0)->shape(), loop.shape()) &&
         IsReadByElements(*loop.body()->parameter(0)) &&
         IsReadByElements(*loop.condition()->parameter(0));
}

Instruction* TupleLoop::Initial(int64_t i) const {
  Instruction* init = loop_->operand(0);
  if (init->opcode() == Opcode::kTuple) return init->operand(i);
  return Rewriter(*loop_).GetTupleElement(init, i);
}

bool TupleLoop::IsInvariant(int64_t i) const {
  return CarryIndex(*Next(i)) == i;
}

// A new loop that begins with these values; its computations are ready.
void TupleLoop::Rebuild(const std::vector<Instruction*>& initial) {
  Rewriter rewriter(*loop_);
  Instruction* init = rewriter.Tuple(initial);
  Instruction* loop = rewriter.Like(*loop_, init->shape(), {init});
  loop->set_name(loop_->name());
  // A trip count that a front end noted still holds.
  loop_ = loop;
}

void TupleLoop::Keep(const std::vector<int64_t>& carries,
                     const SideEffects& effects) {
  std::vector<Instruction*> initial;
  std::vector<Instruction*> next;
  std::vector<int64_t> new_index(carry_count(), -1);
  for (const int64_t i : carries) {
    new_index[i] = static_cast<int64_t>(next.size());
    initial.push_back(Initial(i));
    next.push_back(Next(i));
  }
  body().set_root(Rewriter(*body().root()).Tuple(next));
  Instruction* old_loop = loop_;
  Rebuild(initial);
  for (Computation* computation : {&body(), &condition()}) {
    RemoveDeadInstructions(*computation, effects);
    Instruction* parameter = computation->parameter(0);
    Renumber(*parameter, new_index);
    parameter->set_shape(loop_->shape());
    for (const Instruction::Use& use : parameter->uses()) {
      use.user->set_shape(loop_->shape().element(use.user->index()));
    }
  }
  while (old_loop->HasUses()) {
    Instruction* user = old_loop->uses().back().user;
    user->ReplaceOperand(0, loop_);
    user->set_index(new_index[user->index()]);
  }
}

std::vector<Instruction*> TupleLoop::AddInvariants(
    const std::vector<Instruction*>& values) {
  const int64_t count = carry_count();
  std::vector<Instruction*> initial;
  std::vector<Instruction*> next;
  for (int64_t i = 0; i < count; ++i) {
    initial.push_back(Initial(i));
    next.push_back(Next(i));
  }
  initial.insert(initial.end(), values.begin(), values.end());
  Instruction* old_loop = loop_;
  Rebuild(initial);
  body().parameter(0)->set_shape(loop_->shape());
  condition().parameter(0)->set_shape(loop_->shape());
  std::vector<Instruction*> readers;
  Rewriter rewriter(*body().root());
  for (size_t i = 0; i < values.size(); ++i) {
    readers.push_back(rewriter.GetTupleElement(
        body().parameter(0), count + static_cast<int64_t>(i)));
    next.push_back(readers.back());
  }
  body().set_root(rewriter.Tuple(next));
  Rewriter outside(*old_loop);
  if (IsReadByElements(*old_loop) && old_loop != old_loop->parent()->root()) {
    old_loop->ReplaceAllUsesWith(loop_);
    return readers;
  }
  std::vector<Instruction*> elements;
  elements.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    elements.push_back(outside.GetTupleElement(loop_, i));
  }
  old_loop->ReplaceAllUsesWith(outside.Tuple(elements));
  return readers;
}

std::vector<int64_t> CountCalls(const hlo::Module& module) {
  std::vector<int64_t> counts(module.computation_count(), 0);
  for (const Computation* computation : ReachableComputations(module)) {
    for (const auto& instruction : computation->instructions()) {
      for (const Computation* callee : instruction->called_computations()) {
        ++counts[callee->id()];
      }
    }
  }
  return counts;
}

std::vector<Instruction*> LoopsOf(Computation& computation,
                                  std::vector<int64_t>& call_counts) {
  std::vector<Instruction*> loops;
  const auto own = [&](Computation* callee) {
    call_counts.resize(computation.parent()->computation_count(), 1);
    if (call_counts[callee->id()] <= 1) return callee;
    --call_counts[callee->id()];
    Computation* copy = CopyOf(*callee);
    call_counts.resize(computation.parent()->computation_count(), 1);
    for (const auto& instruction : copy->instructions()) {
      for (const Computation* inner : instruction->called_computations()) {
        ++call_counts[inner->id()];
      }
    }
    return copy;
  };
  for (Instruction* instruction : computation.PostOrder()) {
    if (instruction->opcode() != Opcode::kWhile) continue;
    instruction->set_body(own(instruction->body()));
    instruction->set_condition(own(instruction->condition()));
    loops.push_back(instruction);
  }
  return loops;
}

}  // namespace hilo::passes
