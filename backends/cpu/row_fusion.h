// The loops over rows of a fusion, for kernels made of them.
#pragma once

#include "absl/status/status.h"

#include "backends/cpu/kernel_function.h"
#include "backends/cpu/row_fusion_plan.h"

namespace hilo::backends {

// Emits the function of a fusion of rows by its plan: its units are rows, and a
// chunk begins at every plan.grain of them.
absl::Status EmitRows(const RowFusionPlan& plan, KernelFunction& function);

}  // namespace hilo::backends
