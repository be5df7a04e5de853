// Chooses tiles, blocks, packing and units of a MatmulPlan.
#pragma once

#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// Decides which loops the lanes run along, which operand plays lhs, and which
// loop of each list comes last. Expects collapsed loops and the types.
void ChooseMatmulRoles(const passes::TargetTraits& traits, MatmulPlan& plan);

// The same with the roles that there are: lanes run along columns.
void OrderMatmulLoops(MatmulPlan& plan);

// Exchanges the roles of the operands.
void SwapMatmulOperands(MatmulPlan& plan);

// Decides the rest of the plan. Expects its loops in their roles; copies that
// are enabled already stay as they are, but for the size of their block
// dimension, which must be outermost. No decision that `decisions` can make
// changes results.
void ChooseMatmulTiles(const passes::TargetTraits& traits, MatmulPlan& plan,
                       KernelPlan& decisions);

// Registers that the product of two vectors takes before it is added.
int TemporaryRegisters(const passes::TargetTraits& traits,
                       const MatmulPlan& plan);

// Bytes of a chunk's scratch memory, in this order: the copy of lhs, that of
// rhs, the packed panels. Multiples of a cache line.
int64_t MatmulLhsCopyBytes(const MatmulPlan& plan);
int64_t MatmulRhsCopyBytes(const MatmulPlan& plan);
int64_t MatmulPackedBytes(const MatmulPlan& plan);

// Whether packed panels serve several units, so that each has a place of its
// own; otherwise all use the same.
bool KeepsPanels(const MatmulPlan& plan);

}  // namespace hilo::backends
