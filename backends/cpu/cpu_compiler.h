// The steps from a module to LLVM IR for CPUs, and looks at what they give.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "backends/cpu/code_compiler.h"
#include "backends/cpu/kernel_library.h"
#include "backends/cpu/program_emitter.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// What a compiler's target is like, for passes and plans.
passes::TargetTraits TraitsOf(const CodeCompiler& compiler);

// A module that has been through all passes, and what was made of it.
struct CpuCompilation {
  std::unique_ptr<hlo::Module> module;
  // Refers to the module.
  passes::BufferAssignment buffers;
  EmittedProgram program;
};

// Passes, layouts, copies, buffers, code: in this order. Errors: Unimplemented,
// naming the instruction, for what the backend cannot run; InvalidArgument for
// plans that cannot be followed. `library` and `profiles` as for EmitProgram.
absl::StatusOr<CpuCompilation> CompileToLlvm(
    std::unique_ptr<hlo::Module> module, const CodeCompiler& compiler,
    int optimization_level, const GivenPlans& plans,
    const KernelLibrary* library, bool profiles = false);

// A stage of compilation as text.
enum class CpuStage { kHlo, kPlan, kBuffers, kLlvm, kAssembly };

// Compiles for `target` and returns the stage's text. Errors: as CompileToLlvm,
// and InvalidArgument for targets that LLVM lacks.
absl::StatusOr<std::string> CompileToText(std::unique_ptr<hlo::Module> module,
                                          const CpuTarget& target,
                                          int optimization_level,
                                          CpuStage stage,
                                          const GivenPlans& plans);

}  // namespace hilo::backends
