// Turns instructions that move nothing into ones that run no code.
#pragma once

#include <vector>

#include "hlo/ir/module.h"

namespace hilo::passes {

// In sequential computations, removes copies in the same layout and makes
// bitcasts of reshapes, transposes that only move dimensions of size 1, and
// bitcast-converts between types of one width, where bytes stay the same.
// Returns whether anything changed.
bool ForwardForms(const std::vector<hlo::Computation*>& computations);

}  // namespace hilo::passes
