// How much is done to a module before code is made of it.
#pragma once

namespace hilo::passes {

// A stage of the pipeline runs at its level (see hilo list stages) and above:
// at 0 only what code needs, at 1 simplification, at 2 fusion, too.
inline constexpr int kMaxOptimizationLevel = 2;

}  // namespace hilo::passes
