// Copies of a product's operands: which ones there are, and where they lie.
#pragma once

#include <cstdint>

#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// Decides which operands are copied and whether panels of rhs are packed, by
// the tile. A copy that is chosen here has no dimensions before
// LayOutMatmulCopies, others stay.
void ChooseMatmulCopies(const passes::TargetTraits& traits, MatmulPlan& plan,
                        KernelPlan& decisions);

// Lays out the copies that ChooseMatmulCopies has chosen, and makes the loops
// walk through them; of others only sizes the dimension that units are blocks
// of.
void LayOutMatmulCopies(MatmulPlan& plan);

// Bytes of a chunk's scratch memory, in this order: the copy of lhs, that of
// rhs, the packed panels. Multiples of a cache line.
int64_t MatmulLhsCopyBytes(const MatmulPlan& plan);
int64_t MatmulRhsCopyBytes(const MatmulPlan& plan);
int64_t MatmulPackedBytes(const MatmulPlan& plan);

// Whether packed panels serve several units, so that each has a place of its
// own; otherwise all use the same.
bool KeepsPanels(const MatmulPlan& plan);

}  // namespace hilo::backends
