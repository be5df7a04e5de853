// Chooses tiles, blocks, packing and units of a MatmulPlan.
#pragma once

#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// Decides the rest of the plan. Expects its loops in their roles; copies that
// are enabled already stay as they are, but for the size of their block
// dimension, which must be outermost. No decision that `decisions` can make
// changes results.
void ChooseMatmulTiles(const passes::TargetTraits& traits, MatmulPlan& plan,
                       KernelPlan& decisions);

}  // namespace hilo::backends
