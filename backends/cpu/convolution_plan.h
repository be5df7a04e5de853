// How convolutions are computed: as matrix products.
#pragma once

#include <optional>

#include "absl/status/statusor.h"

#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/instruction.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// A plan for any convolution, by the layouts of its operands and result: a
// matrix product whose depth runs over the window's elements and input
// features, and whose rows run over positions (or over features where those are
// not neighbours in the output). Padding and holes between the input's elements
// are written into a copy of the input. `stored_type` is what an epilogue makes
// of the result's elements, by default their type. Errors: Unimplemented for
// operands with a sparsity_config.
absl::StatusOr<MatmulPlan> PlanConvolution(
    const hlo::Instruction& convolution, const passes::TargetTraits& traits,
    KernelPlan& decisions,
    std::optional<hlo::ElementType> stored_type = std::nullopt);

}  // namespace hilo::backends
