// What buffer assignment is told about the CPU backend's kernels.
#pragma once

#include "passes/buffer_assignment/buffer_options.h"
#include "passes/target_traits.h"

namespace hilo::backends {

passes::BufferOptions MemoryOptions(const passes::TargetTraits& traits);

}  // namespace hilo::backends
