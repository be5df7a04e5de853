// Chooses tiles and blocks of plans with MatmulLanes::kFeatures.
#pragma once

#include <cstdint>

#include "backends/cpu/matmul_plan.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// Decides how many positions, vectors of features and elements of the window
// are in registers at once.
void ChooseFeatureTile(const passes::TargetTraits& traits, MatmulPlan& plan);

// Panels whose inputs, of all that one position of the first row loop reads,
// stay in the second cache for the next one.
int64_t ChooseFeatureBlock(const passes::TargetTraits& traits,
                           const MatmulPlan& plan);

}  // namespace hilo::backends
