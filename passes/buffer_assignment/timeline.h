// When the instructions of a scheduled module run.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/analysis/sequential_computations.h"
#include "hlo/ir/module.h"
#include "passes/scheduling/schedule.h"

namespace hilo::passes {

// A moment of a run in which every computation runs once.
using Time = int32_t;

// Puts the instructions of all sequential computations on one line: those of a
// callee between the begin and the end of its call, callees one after the
// other. Nothing happens twice at one time.
class Timeline {
 public:
  Timeline(const hlo::Module& module,
           const hlo::SequentialComputations& computations,
           const Schedule& schedule);

  // When code reads its operands and writes its results; when a sequential
  // call has its results. Other instructions have the time of the next event.
  Time at(const hlo::Instruction& instruction) const {
    return at_[instruction.parent()->id()][instruction.id()];
  }
  // When a sequential call reads its operands, and when copies of them are
  // where its callees expect them.
  Time enter(const hlo::Instruction& call) const {
    return enter_[call.parent()->id()][call.id()];
  }
  Time enter_copied(const hlo::Instruction& call) const {
    return enter(call) + 1;
  }
  // Before the first instruction of a computation.
  Time begin(const hlo::Computation& computation) const {
    return begin_[computation.id()];
  }
  // After the last one: when the root is read, and when copies of it are where
  // the caller expects them.
  Time read_root(const hlo::Computation& computation) const {
    return end_[computation.id()] - 1;
  }
  Time end(const hlo::Computation& computation) const {
    return end_[computation.id()];
  }
  // One more than the last time.
  Time count() const { return static_cast<Time>(events_.size()); }
  // The instruction that runs code then; null: something else happens.
  const hlo::Instruction* running(Time time) const { return events_[time]; }

 private:
  Time AddEvent(const hlo::Instruction* instruction);

  // By computation id and instruction id.
  std::vector<std::vector<Time>> at_;
  std::vector<std::vector<Time>> enter_;
  // By computation id.
  std::vector<Time> begin_;
  std::vector<Time> end_;
  std::vector<const hlo::Instruction*> events_;
};

}  // namespace hilo::passes
