// The reference evaluator behind the backend interface.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "backends/backend.h"

namespace hilo::backends {

// A backend whose programs are the modules themselves, run by hlo::Evaluate.
// It has no use for the options.
absl::StatusOr<std::unique_ptr<Backend>> CreateInterpreter(
    const BackendOptions& options);

}  // namespace hilo::backends
