// The kernels of a program: made, used again, or taken from other programs.
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/cpu/kernel.h"
#include "backends/cpu/program_emitter.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/instruction.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// Adds kernels, and the LLVM modules that hold them, to a program.
class ProgramKernels {
 public:
  // Begins the program with the module for its entry code.
  ProgramKernels(const passes::TargetTraits& traits,
                 const EmissionOptions& options, EmittedProgram& program);

  // The kernel of an instruction: made when it is needed first, unless another
  // program has it.
  absl::StatusOr<const Kernel*> KernelOf(const hlo::Instruction& instruction);

  // The plan given by hand for an instruction; null when there is none.
  const GivenPlan* GivenFor(const hlo::Instruction& instruction) const;

 private:
  void AddModule(absl::string_view name);
  absl::StatusOr<const Kernel*> Emit(const hlo::Instruction& instruction,
                                     const GivenPlan* given,
                                     const std::string& key);

  const passes::TargetTraits& traits_;
  const EmissionOptions& options_;
  EmittedProgram& program_;
  // By KernelKey. Owned by the program, or by kernels that it imports.
  absl::flat_hash_map<std::string, const Kernel*> kernels_;
};

}  // namespace hilo::backends
