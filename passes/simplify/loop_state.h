// Loops whose state is a tuple, for passes that change what they carry.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/ir/module.h"
#include "passes/call_graph.h"

namespace hilo::passes {

// A while instruction with computations of its own, whose state is read and
// written element by element. Invalid when the loop's shape changes otherwise.
class TupleLoop {
 public:
  // Whether a loop has the form: tuples in, tuples out, and every look at the
  // state is a get-tuple-element.
  static bool Fits(const hlo::Instruction& loop);

  explicit TupleLoop(hlo::Instruction* loop) : loop_(loop) {}

  hlo::Instruction* instruction() const { return loop_; }
  hlo::Computation& body() const { return *loop_->body(); }
  hlo::Computation& condition() const { return *loop_->condition(); }
  int64_t carry_count() const { return loop_->shape().element_count(); }

  // The value that carry `i` has before the first turn, and after each.
  hlo::Instruction* Initial(int64_t i) const;
  hlo::Instruction* Next(int64_t i) const { return body().root()->operand(i); }
  // Whether the body passes the carry on as it is.
  bool IsInvariant(int64_t i) const;

  // Keeps only these carries; the others must neither be read by the
  // condition, nor by a kept carry, nor behind the loop. The instruction is
  // replaced by a new one.
  void Keep(const std::vector<int64_t>& carries, const SideEffects& effects);
  // Adds invariant carries that begin as `values`; returns what reads them in
  // the body. The instruction is replaced by a new one.
  std::vector<hlo::Instruction*> AddInvariants(
      const std::vector<hlo::Instruction*>& values);

 private:
  void Rebuild(const std::vector<hlo::Instruction*>& initial);

  hlo::Instruction* loop_;
};

// The carry that `value` reads in its computation; -1 for none.
int64_t CarryIndex(const hlo::Instruction& value);

// The loops of a computation, in post-order; each with a body and a condition
// that nobody else calls: shared ones are copied.
std::vector<hlo::Instruction*> LoopsOf(hlo::Computation& computation,
                                       std::vector<int64_t>& call_counts);
// By computation id: how many instructions call it.
std::vector<int64_t> CountCalls(const hlo::Module& module);

}  // namespace hilo::passes
