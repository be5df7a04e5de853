// How sensitive a module's results are to roundings that backends may do
// differently.
#pragma once

#include <cstdint>
#include <memory>

#include "hlo/ir/module.h"

namespace hilo::fuzzing {

// Ways to perturb that are tried on every module: all up, all down, and at
// random. Ways beyond are at random, too.
inline constexpr int kPerturbationCount = 8;

// A copy of a verified module in which every result that is not exact is off by
// as much as its row of opcodes.def allows: math functions by their bound, sums
// by the rounding errors of another order. NaNs that operations make have other
// bits. What differs from the module's own results is what a backend may give
// otherwise. `is_exact` tells whether there was nothing to perturb but NaNs.
std::unique_ptr<hlo::Module> PerturbRoundings(const hlo::Module& module,
                                              int way, bool* is_exact);

}  // namespace hilo::fuzzing
