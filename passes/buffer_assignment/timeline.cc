// Walks schedules into calls and out of them.
#include "passes/buffer_assignment/timeline.h"

#include <cstddef>
#include <vector>

#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/sequential_computations.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "passes/scheduling/schedule.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;

// Where the walk is inside one computation.
struct Frame {
  const Computation* computation = nullptr;
  // The next instruction of its schedule.
  size_t next = 0;
  // Callees of that instruction which have been walked.
  size_t callees_done = 0;
};

}  // namespace

Timeline::Timeline(const hlo::Module& module,
                   const hlo::SequentialComputations& computations,
                   const Schedule& schedule) {
  const auto computation_count =
      static_cast<size_t>(module.computation_count());
  at_.resize(computation_count);
  enter_.resize(computation_count);
  begin_.resize(computation_count, 0);
  end_.resize(computation_count, 0);
  for (const Computation* computation : computations.callers_first()) {
    at_[computation->id()].resize(computation->instruction_count(), 0);
    enter_[computation->id()].resize(computation->instruction_count(), 0);
  }
  std::vector<Frame> frames = {{.computation = module.entry()}};
  begin_[module.entry()->id()] = AddEvent(nullptr);
  while (!frames.empty()) {
    Frame& frame = frames.back();
    const Computation& computation = *frame.computation;
    const auto& order = schedule.orders[computation.id()];
    if (frame.next == order.size()) {
      AddEvent(nullptr);
      end_[computation.id()] = AddEvent(nullptr);
      frames.pop_back();
      continue;
    }
    const Instruction& instruction = *order[frame.next];
    const std::vector<Computation*> callees =
        hlo::SequentialCallees(instruction);
    if (!callees.empty() && frame.callees_done == 0) {
      enter_[computation.id()][instruction.id()] = AddEvent(nullptr);
      AddEvent(nullptr);
    }
    if (frame.callees_done < callees.size()) {
      const Computation* callee = callees[frame.callees_done++];
      begin_[callee->id()] = AddEvent(nullptr);
      frames.push_back({.computation = callee});
      continue;
    }
    at_[computation.id()][instruction.id()] = count();
    if (hlo::RunsCode(instruction)) AddEvent(&instruction);
    if (!callees.empty()) AddEvent(nullptr);
    ++frame.next;
    frame.callees_done = 0;
  }
}

Time Timeline::AddEvent(const Instruction* instruction) {
  events_.push_back(instruction);
  return static_cast<Time>(events_.size()) - 1;
}

}  // namespace hilo::passes
