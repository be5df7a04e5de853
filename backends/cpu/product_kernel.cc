// dot and convolution as kernels of programs.
#include "backends/cpu/convolution_emitter.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// Scratch memory of all chunks.
int64_t ScratchBytes(const MatmulPlan& plan) {
  const int64_t grain = plan.grain > 0 ? plan.grain : 1;
  return plan.scratch_bytes * ((plan.units + grain - 1) / grain);
}

Kernel KernelOf(const MatmulPlan& plan, absl::string_view name) {
  return {.name = std::string(name),
          .units = plan.units,
          .grain = plan.grain,
          .scratch_bytes = ScratchBytes(plan)};
}

}  // namespace

absl::StatusOr<Kernel> EmitDotKernel(const hlo::Instruction& instruction,
                                     absl::string_view name,
                                     KernelContext& context) {
  ASSIGN_OR_RETURN(const MatmulPlan plan, PlanDot(instruction, context.traits));
  RETURN_IF_ERROR(EmitMatmul(plan, context.module, name));
  return KernelOf(plan, name);
}

absl::StatusOr<Kernel> EmitConvolutionKernel(
    const hlo::Instruction& instruction, absl::string_view name,
    KernelContext& context) {
  ASSIGN_OR_RETURN(const ConvolutionPlan plan,
                   PlanConvolution(instruction, context.traits));
  RETURN_IF_ERROR(EmitConvolution(plan, context.module, name));
  return KernelOf(plan.matmul, name);
}

int64_t KernelScratchBytes(const hlo::Instruction& instruction,
                           const passes::TargetTraits& traits) {
  // What cannot be planned is reported when it is emitted.
  if (instruction.opcode() == hlo::Opcode::kDot) {
    const absl::StatusOr<MatmulPlan> plan = PlanDot(instruction, traits);
    return plan.ok() ? ScratchBytes(*plan) : 0;
  }
  if (instruction.opcode() == hlo::Opcode::kConvolution) {
    const absl::StatusOr<ConvolutionPlan> plan =
        PlanConvolution(instruction, traits);
    return plan.ok() ? ScratchBytes(plan->matmul) : 0;
  }
  return RowFusionScratchBytes(instruction, traits);
}

}  // namespace hilo::backends
