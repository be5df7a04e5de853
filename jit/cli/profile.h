// Tells where the time of a program goes.
#pragma once

#include <cstdint>

#include "absl/status/status.h"

#include "backends/backend.h"
#include "jit/cli/console.h"

namespace hilo::cli {

// Prints a table to standard error, what takes most time first: calls, time,
// operations and bytes per second, and the share of what the machine could do
// on `threads` threads (0: one per core). Errors: InvalidArgument for a profile
// without runs, as backends give it that have no kernels.
absl::Status PrintProfile(const backends::ProgramProfile& profile,
                          int64_t threads, Console& console);

}  // namespace hilo::cli
