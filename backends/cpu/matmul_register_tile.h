// Chooses the sums of a product that stay in registers.
#pragma once

#include <cstdint>

#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// Elements of the accumulator's type in one vector register, or in two for
// complex types.
int64_t FullLanes(const passes::TargetTraits& traits, const MatmulPlan& plan);

// Registers that the product of two vectors takes before it is added.
int TemporaryRegisters(const passes::TargetTraits& traits,
                       const MatmulPlan& plan);

// Decides how many rows and vectors (or columns) a tile has, by the lanes. Also
// says how far the depth is unrolled, unless lanes run along columns.
void ChooseRegisterTile(const passes::TargetTraits& traits, MatmulPlan& plan,
                        KernelPlan& decisions);

// Decides how many steps of the depth are taken at once, by the tile and
// plan.depth_block.
void ChooseDepthUnroll(const passes::TargetTraits& traits, MatmulPlan& plan,
                       KernelPlan& decisions);

}  // namespace hilo::backends
