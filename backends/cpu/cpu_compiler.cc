// Runs the steps of compilation, and prints them.
#include "backends/cpu/cpu_compiler.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "backends/cpu/memory_options.h"
#include "hlo/text/printer.h"
#include "passes/buffer_assignment/check_buffers.h"
#include "passes/copy_insertion/copy_insertion.h"
#include "passes/layout_assignment/layout_assignment.h"
#include "passes/runner.h"
#include "runtime/base/status.h"

namespace hilo::backends {

passes::TargetTraits TraitsOf(const CodeCompiler& compiler) {
  passes::TargetTraits traits;
  traits.vector_bytes = compiler.vector_bytes();
  traits.vector_registers = compiler.vector_bytes() == 64 ? 32 : 16;
  traits.cores = compiler.cores();
  return traits;
}

absl::StatusOr<CpuCompilation> CompileToLlvm(
    std::unique_ptr<hlo::Module> module, const CodeCompiler& compiler,
    int optimization_level, const GivenPlans& plans,
    const KernelLibrary* library, bool profiles) {
  const passes::PassContext context{.traits = TraitsOf(compiler)};
  RETURN_IF_ERROR(passes::RunPasses(
      *module, context, {.optimization_level = optimization_level}));
  RETURN_IF_ERROR(passes::AssignLayouts(*module, context).status());
  const passes::BufferOptions memory = MemoryOptions(context.traits, plans);
  RETURN_IF_ERROR(passes::InsertCopies(*module, context, memory).status());
  ASSIGN_OR_RETURN(passes::BufferAssignment buffers,
                   passes::AssignBuffers(*module, memory));
#ifndef NDEBUG
  RETURN_IF_ERROR(passes::CheckBuffers(*module, buffers, memory));
#endif
  ASSIGN_OR_RETURN(
      EmittedProgram program,
      EmitProgram(*module, buffers, context.traits, plans, library, profiles));
  return CpuCompilation{.module = std::move(module),
                        .buffers = std::move(buffers),
                        .program = std::move(program)};
}

namespace {

// A line for each instruction that has a kernel.
std::string PlansOf(const EmittedProgram& program) {
  std::string text;
  for (const auto& [instruction, plan] : program.plans) {
    absl::StrAppend(&text, instruction, ": ", plan, "\n");
  }
  return text;
}

// The text of all LLVM modules, one after the other.
absl::StatusOr<std::string> TextOf(const CpuCompilation& compilation,
                                   const CodeCompiler& compiler,
                                   bool is_assembly) {
  std::string text;
  for (const LlvmModule& module : compilation.program.modules) {
    compiler.Prepare(*module.module);
    if (!is_assembly) {
      text += PrintModule(module);
      continue;
    }
    ASSIGN_OR_RETURN(const std::string assembly,
                     compiler.CompileToAssembly(*module.module));
    text += assembly;
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> CompileToText(std::unique_ptr<hlo::Module> module,
                                          const CpuTarget& target,
                                          int optimization_level,
                                          CpuStage stage,
                                          const GivenPlans& plans) {
  ASSIGN_OR_RETURN(const std::unique_ptr<CodeCompiler> compiler,
                   CodeCompiler::Create(target));
  ASSIGN_OR_RETURN(const CpuCompilation compilation,
                   CompileToLlvm(std::move(module), *compiler,
                                 optimization_level, plans, nullptr));
  switch (stage) {
    case CpuStage::kHlo:
      return hlo::Print(*compilation.module);
    case CpuStage::kPlan:
      return PlansOf(compilation.program);
    case CpuStage::kBuffers:
      return compilation.buffers.ToString();
    case CpuStage::kLlvm:
      return TextOf(compilation, *compiler, /*is_assembly=*/false);
    case CpuStage::kAssembly:
      return TextOf(compilation, *compiler, /*is_assembly=*/true);
  }
  return absl::InternalError("no such stage");
}

}  // namespace hilo::backends
