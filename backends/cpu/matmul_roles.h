// Assigns roles to the operands and loops of products.
#pragma once

#include "backends/cpu/matmul_plan.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// Decides which loops the lanes run along, which operand plays lhs, and which
// loop of each list comes last. Expects collapsed loops and the types.
void ChooseMatmulRoles(const passes::TargetTraits& traits, MatmulPlan& plan);

// The same with the roles that there are: lanes run along columns.
void OrderMatmulLoops(MatmulPlan& plan);

// Exchanges the roles of the operands.
void SwapMatmulOperands(MatmulPlan& plan);

}  // namespace hilo::backends
