// Divides products into units of work.
#pragma once

#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// Decides which blocks of rows and columns are a unit, so that what it reads
// stays in the caches and all cores have work, and how many units are a chunk.
// Expects tiles and copies.
void DivideMatmul(const passes::TargetTraits& traits, MatmulPlan& plan,
                  KernelPlan& decisions);

}  // namespace hilo::backends
