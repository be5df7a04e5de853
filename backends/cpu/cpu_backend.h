// The compiler for CPUs behind the backend interface.
#pragma once

#include <memory>

#include "backends/backend.h"

namespace hilo::backends {

// A backend whose programs are native code of this machine.
std::unique_ptr<Backend> CreateCpuBackend();

}  // namespace hilo::backends
