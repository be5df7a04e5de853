// The order in which the instructions of a module run.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_options.h"

namespace hilo::passes {

// One order per sequential computation: operands and control predecessors
// before users, instructions with effects as in Computation::PostOrder().
struct Schedule {
  // By computation id; empty for computations that are not sequential.
  std::vector<std::vector<hlo::Instruction*>> orders;
};

// Orders every sequential computation so that little memory is in use at once:
// the best of a depth-first order, the order of ids and a greedy order that
// prefers what frees most. Deterministic.
//
// Readers of an array come before what overwrites it in place, and readers of
// a loop's parameter before what becomes its next value, where dependencies
// allow that. Errors: as SequentialComputations::Of; FailedPrecondition for
// control predecessors in a circle.
absl::StatusOr<Schedule> ScheduleModule(const hlo::Module& module,
                                        const BufferOptions& options);

}  // namespace hilo::passes
