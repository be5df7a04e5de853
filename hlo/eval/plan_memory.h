// Foresees the memory that a plan's values take.
#pragma once

#include "hlo/ir/computation.h"

namespace hilo::hlo {

class EvaluationPlan;

// Fills in the byte counts of the plan's steps. Values that share elements
// with others (tuples, reshapes, copies) count once, for as long as any of
// them is needed; what callees hold is counted while they run, by their plans.
void PlanMemory(const Computation& computation, EvaluationPlan* plan);

}  // namespace hilo::hlo
