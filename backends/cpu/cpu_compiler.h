// The steps from a module to LLVM IR for CPUs, and looks at what they give.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "backends/backend.h"
#include "backends/cpu/code_compiler.h"
#include "backends/cpu/program_emitter.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "passes/optimization_level.h"
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

// How a module is compiled.
struct CompilationOptions {
  int optimization_level = passes::kMaxOptimizationLevel;
  EmissionOptions emission = {};
  // Told of the module after each pass that changed it (constants of more than
  // 10,000 elements elided), then of plans, buffers, and LLVM IR and assembly
  // of each LLVM module.
  DumpFunction dump = nullptr;
};

// Passes, layouts, copies, buffers, code: in this order. Errors: Unimplemented,
// naming the instruction, for what the backend cannot run; InvalidArgument for
// plans that cannot be followed; those of options.dump.
absl::StatusOr<CpuCompilation> CompileToLlvm(
    std::unique_ptr<hlo::Module> module, const CodeCompiler& compiler,
    const CompilationOptions& options);

// A stage of compilation that can be looked at.
enum class CpuStage : uint8_t {
  kHlo,
  kPlan,
  kBuffers,
  kLlvm,
  kAssembly,
  kObject,
};

// Compiles for `target` and returns what the stage made: text, or the bytes of
// a relocatable object file. That defines EmittedProgram::kEntryName and needs
// what its code calls by name: hilo_parallel_for, hilo_loop_slot,
// hilo_skip_padding, hilo_call_host_function, and the C library. LLVM IR, assembly and object are
// of one LLVM module. Errors: as CompileToLlvm, and InvalidArgument for targets
// that LLVM lacks.
absl::StatusOr<std::string> CompileToStage(std::unique_ptr<hlo::Module> module,
                                           const CpuTarget& target,
                                           CpuStage stage,
                                           CompilationOptions options);

}  // namespace hilo::backends
