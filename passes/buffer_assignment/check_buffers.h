// Proves that no array is overwritten while it is needed.
#pragma once

#include "absl/status/status.h"

#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "passes/buffer_assignment/buffer_options.h"

namespace hilo::passes {

// Replays the schedules of a buffer assignment with the value that each byte
// belongs to, and checks every read: loops run zero, one and two times,
// conditionals take every branch. Shares no code with AssignBuffers. Once more
// with the results that may share arguments in these.
//
// Errors: Internal, with the first instruction that reads what is not there,
// writes where it must not, or does not run after what it needs.
absl::Status CheckBuffers(const hlo::Module& module,
                          const BufferAssignment& assignment,
                          const BufferOptions& options);

}  // namespace hilo::passes
