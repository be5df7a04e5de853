// Which computations are called, from where, and with what effects.
#pragma once

#include <vector>

#include "hlo/ir/module.h"

namespace hilo::passes {

// The computations that the entry reaches, itself included: callees before
// callers. Without recursion; linear.
std::vector<hlo::Computation*> ReachableComputations(const hlo::Module& module);

// The computations whose instructions run one after the other: the entry and
// what loops, branches and calls run. Each once.
std::vector<hlo::Computation*> ComputationsInSequence(
    const hlo::Module& module);

// Removes all computations that the entry does not reach; returns whether there
// were any. Ids of computations change.
bool RemoveUnusedComputations(hlo::Module& module);

// Tells which instructions must stay, in order, even where nobody uses them.
// Looks into called computations; valid until the module changes.
class SideEffects {
 public:
  explicit SideEffects(const hlo::Module& module);

  // An opcode or custom call with side effects, or a call of a computation
  // that holds one.
  bool Has(const hlo::Instruction& instruction) const;
  bool Has(const hlo::Computation& computation) const;

 private:
  // By computation id; computations that were added later have no entry and
  // are looked into anew.
  std::vector<bool> has_effect_;
};

// Whether two evaluations on equal operands give equal results and leave no
// trace: what may be merged, hoisted or computed ahead of time. Does not look
// into called computations.
bool IsPure(const hlo::Instruction& instruction);
// The same for all instructions of the computation and of those it calls.
bool IsPure(const hlo::Computation& computation);

}  // namespace hilo::passes
