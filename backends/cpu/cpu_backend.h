// The compiler for CPUs behind the backend interface.
#pragma once

#include <memory>

#include "absl/status/statusor.h"

#include "backends/backend.h"

namespace hilo::backends {

// A backend whose programs are native code of this machine. Errors:
// InvalidArgument for a cache directory that cannot be used.
absl::StatusOr<std::unique_ptr<Backend>> CreateCpuBackend(
    const BackendOptions& options);

}  // namespace hilo::backends
