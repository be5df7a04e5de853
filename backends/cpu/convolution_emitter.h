// Emits the kernels of convolutions.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/instruction.h"
#include "passes/target_traits.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace hilo::backends {

// How one convolution is computed: as a matrix product whose depth runs over
// the window's elements and input features, and whose rows run over positions
// (or over features where those are not neighbours in the output). Padding and
// holes between the input's elements are written into a copy of the input.
struct ConvolutionPlan {
  MatmulPlan matmul;

  // One line per fact, for --emit=plan.
  std::string ToString() const;
};

// A plan for any convolution, by the layouts of its operands and result.
// `stored_type` is what an epilogue makes of the result's elements, by default
// their type. Errors: Unimplemented for operands with a sparsity_config.
absl::StatusOr<ConvolutionPlan> PlanConvolution(
    const hlo::Instruction& convolution, const passes::TargetTraits& traits,
    KernelPlan& decisions,
    std::optional<hlo::ElementType> stored_type = std::nullopt);

// As EmitMatmul, for the convolution's operands and result.
absl::Status EmitConvolution(const ConvolutionPlan& plan, llvm::Module& module,
                             absl::string_view name,
                             const MatmulEpilogue& epilogue = {});

}  // namespace hilo::backends
