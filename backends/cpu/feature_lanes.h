// Convolutions feature by feature: the lanes of vectors are features.
#pragma once

#include "absl/status/status.h"

#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_result.h"
#include "backends/cpu/matmul_unit.h"

namespace hilo::backends {

// Emits a unit of a plan with MatmulLanes::kFeatures: the sums of each tile of
// positions for one panel of features after the other, so that memory is read
// in its order. Elements of the window that lie on padding are left out: of the
// last dimension when the code is made, which is why the first and last tiles
// have code of their own.
absl::Status EmitFeatureUnit(MatmulCode& code, MatmulResult& result,
                             const MatmulUnit& unit);

}  // namespace hilo::backends
