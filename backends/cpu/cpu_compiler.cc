// Runs the steps of compilation, and prints them.
#include "backends/cpu/cpu_compiler.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "llvm/TargetParser/Triple.h"

#include "backends/backend.h"
#include "backends/cpu/code_compiler.h"
#include "backends/cpu/memory_options.h"
#include "backends/cpu/program_emitter.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/module.h"
#include "hlo/text/printer.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "passes/buffer_assignment/buffer_options.h"
// For builds that check.
#include "passes/buffer_assignment/check_buffers.h"  // IWYU pragma: keep
#include "passes/copy_insertion/copy_insertion.h"
#include "passes/layout_assignment/layout_assignment.h"
#include "passes/pass_context.h"
#include "passes/runner.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// Tells a DumpFunction, which may be null, what the steps give.
class CompilationDump {
 public:
  explicit CompilationDump(const DumpFunction& dump) : dump_(dump) {}

  explicit operator bool() const { return dump_ != nullptr; }

  absl::Status Write(absl::string_view name, absl::string_view contents) const {
    return dump_ == nullptr ? absl::OkStatus() : dump_(name, contents);
  }

  absl::Status WriteModule(absl::string_view step,
                           const hlo::Module& module) const {
    constexpr int64_t kElideAbove = 10000;
    if (dump_ == nullptr) return absl::OkStatus();
    return dump_(absl::StrCat(step, ".hlo"),
                 hlo::Print(module, {.elide_constants_above = kElideAbove}));
  }

 private:
  const DumpFunction& dump_;
};

// The module's own passes, and a dump after each that changed it.
absl::Status RunAndDumpPasses(hlo::Module& module,
                              const passes::PassContext& context,
                              int optimization_level,
                              const CompilationDump& dump) {
  absl::Status dump_status;
  passes::RunnerOptions options{.optimization_level = optimization_level};
  if (dump) {
    options.after_change = [&](absl::string_view pass,
                               const hlo::Module& changed) {
      dump_status.Update(dump.WriteModule(pass, changed));
    };
  }
  RETURN_IF_ERROR(passes::RunPasses(module, context, options));
  return dump_status;
}

// A line for each instruction that has a kernel.
std::string PlansOf(const EmittedProgram& program) {
  std::string text;
  for (const auto& [instruction, plan] : program.plans) {
    absl::StrAppend(&text, instruction, ": ", plan, "\n");
  }
  return text;
}

absl::Status DumpCode(const EmittedProgram& program,
                      const CodeCompiler& compiler,
                      const CompilationDump& dump) {
  if (!dump) return absl::OkStatus();
  RETURN_IF_ERROR(dump.Write("plan.txt", PlansOf(program)));
  for (const LlvmModule& module : program.modules) {
    compiler.Prepare(*module.module);
    const std::string name = NameOf(module);
    RETURN_IF_ERROR(dump.Write(name + ".ll", PrintModule(module)));
    ASSIGN_OR_RETURN(const std::string assembly,
                     compiler.CompileToAssembly(*module.module));
    RETURN_IF_ERROR(dump.Write(name + ".s", assembly));
  }
  return absl::OkStatus();
}

}  // namespace

passes::TargetTraits TraitsOf(const CodeCompiler& compiler) {
  passes::TargetTraits traits;
  traits.vector_bytes = compiler.vector_bytes();
  traits.vector_registers = compiler.vector_bytes() == 64 ? 32 : 16;
  traits.multiplies_pairs = llvm::Triple(compiler.target().triple).isX86();
  traits.cores = compiler.cores();
  return traits;
}

absl::StatusOr<CpuCompilation> CompileToLlvm(
    std::unique_ptr<hlo::Module> module, const CodeCompiler& compiler,
    const CompilationOptions& options) {
  const CompilationDump dump(options.dump);
  const passes::PassContext context{.traits = TraitsOf(compiler)};
  RETURN_IF_ERROR(
      RunAndDumpPasses(*module, context, options.optimization_level, dump));
  RETURN_IF_ERROR(passes::AssignLayouts(*module, context).status());
  RETURN_IF_ERROR(dump.WriteModule("layout-assignment", *module));
  const GivenPlans no_plans;
  const GivenPlans* plans = options.emission.plans;
  const passes::BufferOptions memory =
      MemoryOptions(context.traits, plans == nullptr ? no_plans : *plans);
  RETURN_IF_ERROR(passes::InsertCopies(*module, context, memory).status());
  RETURN_IF_ERROR(dump.WriteModule("copy-insertion", *module));
  ASSIGN_OR_RETURN(passes::BufferAssignment buffers,
                   passes::AssignBuffers(*module, memory));
  if (dump) {
    RETURN_IF_ERROR(dump.Write("buffers.txt", buffers.ToString()));
  }
#ifndef NDEBUG
  RETURN_IF_ERROR(passes::CheckBuffers(*module, buffers, memory));
#endif
  ASSIGN_OR_RETURN(
      EmittedProgram program,
      EmitProgram(*module, buffers, context.traits, options.emission));
  RETURN_IF_ERROR(DumpCode(program, compiler, dump));
  return CpuCompilation{.module = std::move(module),
                        .buffers = std::move(buffers),
                        .program = std::move(program)};
}

absl::StatusOr<std::string> CompileToStage(std::unique_ptr<hlo::Module> module,
                                           const CpuTarget& target,
                                           CpuStage stage,
                                           CompilationOptions options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<CodeCompiler> compiler,
                   CodeCompiler::Create(target));
  options.emission.is_one_module = true;
  ASSIGN_OR_RETURN(const CpuCompilation compilation,
                   CompileToLlvm(std::move(module), *compiler, options));
  const LlvmModule& code = compilation.program.modules[0];
  compiler->Prepare(*code.module);
  switch (stage) {
    case CpuStage::kHlo:
      return hlo::Print(*compilation.module);
    case CpuStage::kPlan:
      return PlansOf(compilation.program);
    case CpuStage::kBuffers:
      return compilation.buffers.ToString();
    case CpuStage::kLlvm:
      return PrintModule(code);
    case CpuStage::kAssembly:
      return compiler->CompileToAssembly(*code.module);
    case CpuStage::kObject:
      HideAllBut(EmittedProgram::kEntryName, *code.module);
      return compiler->CompileToObject(*code.module);
  }
  return absl::InternalError("no such stage");
}

}  // namespace hilo::backends
