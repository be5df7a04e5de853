// What buffer assignment is told about the CPU backend's kernels.
#pragma once

#include "backends/plan/kernel_plan.h"
#include "passes/buffer_assignment/buffer_options.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// `plans` must outlive the options.
passes::BufferOptions MemoryOptions(const passes::TargetTraits& traits,
                                    const GivenPlans& plans);

}  // namespace hilo::backends
