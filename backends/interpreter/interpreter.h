// The reference evaluator behind the backend interface.
#pragma once

#include <memory>

#include "backends/backend.h"

namespace hilo::backends {

// A backend whose programs are the modules themselves, run by hlo::Evaluate.
std::unique_ptr<Backend> CreateInterpreter();

}  // namespace hilo::backends
