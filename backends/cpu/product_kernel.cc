// dot and convolution as kernels of programs.
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

#include "backends/cpu/code_compiler.h"
#include "backends/cpu/convolution_emitter.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// Scratch memory of all chunks.
int64_t ProductScratchBytes(const MatmulPlan& plan) {
  const int64_t grain = plan.grain > 0 ? plan.grain : 1;
  return plan.scratch_bytes * ((plan.units + grain - 1) / grain);
}

Kernel KernelOf(const MatmulPlan& plan, absl::string_view name,
                KernelContext& context) {
  // Loops step through panels that have been packed.
  HaveSimpleAddresses(
      *context.module.getFunction(llvm::StringRef(name.data(), name.size())));
  return {.name = std::string(name),
          .units = plan.units,
          .grain = plan.grain,
          .scratch_bytes = ProductScratchBytes(plan)};
}

}  // namespace

absl::StatusOr<Kernel> EmitDotKernel(const hlo::Instruction& instruction,
                                     absl::string_view name,
                                     KernelContext& context) {
  ASSIGN_OR_RETURN(MatmulPlan plan,
                   PlanDot(instruction, context.traits, context.plan));
  plan.grain = DecideGrain(plan.units, plan.grain, context.plan);
  RETURN_IF_ERROR(EmitMatmul(plan, context.module, name));
  return KernelOf(plan, name, context);
}

absl::StatusOr<Kernel> EmitConvolutionKernel(
    const hlo::Instruction& instruction, absl::string_view name,
    KernelContext& context) {
  ASSIGN_OR_RETURN(ConvolutionPlan plan,
                   PlanConvolution(instruction, context.traits, context.plan));
  plan.matmul.grain =
      DecideGrain(plan.matmul.units, plan.matmul.grain, context.plan);
  RETURN_IF_ERROR(EmitConvolution(plan, context.module, name));
  return KernelOf(plan.matmul, name, context);
}

int64_t KernelScratchBytes(const hlo::Instruction& instruction,
                           const passes::TargetTraits& traits,
                           KernelPlan& decisions) {
  // What cannot be planned is reported when it is emitted.
  if (instruction.opcode() == hlo::Opcode::kDot) {
    absl::StatusOr<MatmulPlan> plan = PlanDot(instruction, traits, decisions);
    if (plan.ok())
      plan->grain = DecideGrain(plan->units, plan->grain, decisions);
    return plan.ok() ? ProductScratchBytes(*plan) : 0;
  }
  if (instruction.opcode() == hlo::Opcode::kConvolution) {
    absl::StatusOr<ConvolutionPlan> plan =
        PlanConvolution(instruction, traits, decisions);
    if (plan.ok()) {
      plan->matmul.grain =
          DecideGrain(plan->matmul.units, plan->matmul.grain, decisions);
    }
    return plan.ok() ? ProductScratchBytes(plan->matmul) : 0;
  }
  return RowFusionScratchBytes(instruction, traits, decisions);
}

}  // namespace hilo::backends
