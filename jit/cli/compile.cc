// hilo compile: a module at a stage of compilation.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "backends/cpu/code_compiler.h"
#include "backends/cpu/cpu_compiler.h"
#include "hlo/ir/module.h"
#include "hlo/text/printer.h"
#include "jit/cli/commands.h"
#include "jit/cli/compilation_files.h"
#include "jit/cli/console.h"
#include "jit/cli/execution_options.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/module_files.h"
#include "jit/cli/option_kinds.h"
#include "jit/client.h"
#include "jit/files.h"
#include "passes/optimization_level.h"
#include "runtime/base/status.h"

namespace hilo::cli {
namespace {

struct CompileChoices {
  std::string file;
  std::string emit = "asm";
  int64_t optimization_level = passes::kMaxOptimizationLevel;
  std::string target;
  std::string target_cpu;
  std::string plan;
  std::string dump;
  std::string output;
  std::vector<std::string> argument_sizes;
};

// A row of what --emit takes.
struct StageRow {
  const char* name;
  backends::CpuStage stage;
};
constexpr auto kStages = std::to_array<StageRow>({
    {"hlo", backends::CpuStage::kHlo},
    {"plan", backends::CpuStage::kPlan},
    {"buffers", backends::CpuStage::kBuffers},
    {"llvm", backends::CpuStage::kLlvm},
    {"asm", backends::CpuStage::kAssembly},
    {"obj", backends::CpuStage::kObject},
});

std::vector<std::string> StageNames() {
  std::vector<std::string> names;
  names.reserve(kStages.size());
  for (const StageRow& row : kStages) names.emplace_back(row.name);
  return names;
}

// "TRIPLE/CPU", either of which may be missing, and --target-cpu.
backends::CpuTarget TargetOf(const CompileChoices& choices) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(choices.target, absl::MaxSplits('/', 1));
  return {.triple = parts.first,
          .cpu = choices.target_cpu.empty() ? parts.second : choices.target_cpu,
          .features = ""};
}

absl::StatusOr<std::string> Emit(std::unique_ptr<hlo::Module> module,
                                 const CompileChoices& choices,
                                 CompilationFiles& files) {
  const StageRow* row = std::ranges::find_if(
      kStages, [&](const StageRow& r) { return choices.emit == r.name; });
  const CompileOptions options = files.OptionsFor(module->name());
  if (options.dump != nullptr) {
    RETURN_IF_ERROR(options.dump("parsed.hlo", hlo::Print(*module)));
  }
  ASSIGN_OR_RETURN(
      std::string emitted,
      backends::CompileToStage(
          std::move(module), TargetOf(choices), row->stage,
          {.optimization_level = static_cast<int>(choices.optimization_level),
           .emission = {.plans = options.plans},
           .dump = options.dump}));
  const bool is_text = row->stage != backends::CpuStage::kObject;
  if (is_text && !emitted.empty() && emitted.back() != '\n') emitted += '\n';
  return emitted;
}

// Why an object file cannot go where it shall; empty if it can.
std::string ReasonAgainstObject(const CompileChoices& choices,
                                size_t module_count) {
  if (choices.emit != "obj") return "";
  if (module_count > 1) {
    return absl::StrCat(choices.file, " holds ", module_count,
                        " modules, an object file has room for one");
  }
  const bool is_printed = choices.output.empty() || choices.output == "-";
  if (is_printed && Console::IsOutputTerminal()) {
    return "not writing an object file to a terminal; use --output=FILE.o";
  }
  return "";
}

// Compiles all modules; what was emitted goes to the end of `result`.
int CompileAll(const std::vector<ModuleText>& texts,
               const CompileChoices& choices, CompilationFiles& files,
               Console& console, std::string& result) {
  int exit_status = kSuccess;
  for (const ModuleText& text : texts) {
    std::unique_ptr<hlo::Module> module =
        ParseModule(text, {.argument_sizes = choices.argument_sizes},
                    /*verify=*/true, console);
    if (module == nullptr) {
      exit_status = std::max<int>(exit_status, kDiagnostics);
      continue;
    }
    const absl::StatusOr<std::string> emitted =
        Emit(std::move(module), choices, files);
    if (!emitted.ok()) {
      exit_status =
          std::max(exit_status, console.Fail(emitted.status(), text.label));
      continue;
    }
    result += *emitted;
  }
  return exit_status;
}

int Compile(const CompileChoices& choices, Console& console) {
  const absl::StatusOr<std::vector<ModuleText>> texts =
      ReadModuleTexts(choices.file);
  if (!texts.ok()) return console.Fail(texts.status());
  const std::string reason = ReasonAgainstObject(choices, texts->size());
  if (!reason.empty()) return console.FailUsage(reason);
  absl::StatusOr<CompilationFiles> files =
      CompilationFiles::Open(choices.plan, choices.dump);
  if (!files.ok()) return console.Fail(files.status());
  std::string result;
  const int exit_status = CompileAll(*texts, choices, *files, console, result);
  if (exit_status != kSuccess) return exit_status;
  if (choices.output.empty() || choices.output == "-") {
    console.Print(result);
    return kSuccess;
  }
  const absl::Status status = WriteFile(choices.output, result);
  return status.ok() ? kSuccess : console.Fail(status);
}

}  // namespace

CommandAction DeclareCompile(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto choices = std::make_shared<CompileChoices>();
  AddFile(command, choices->file);
  AddArgumentSizes(command, choices->argument_sizes);
  AddOption(command, {.name = "--emit",
                      .target = &choices->emit,
                      .doc = "What is written: the module after all passes, "
                             "the plans of its kernels, its buffers, LLVM IR, "
                             "assembly, or a relocatable object file",
                      .choices = StageNames(),
                      .shows_default = true});
  AddOptimizationLevel(command, choices->optimization_level);
  AddOption(command, {.name = "--target",
                      .target = &choices->target,
                      .doc = "The kind of machine, by LLVM's names "
                             "(aarch64-linux-gnu/neoverse-v2) [this machine's]",
                      .value_name = "TRIPLE/CPU"});
  AddTargetCpu(command, choices->target_cpu);
  AddPlan(command, choices->plan);
  AddDump(command, choices->dump);
  AddOption(command, {.name = "--output,-o",
                      .target = &choices->output,
                      .doc = "Writes to this file instead of printing",
                      .value_name = "FILE"});
  return [choices](Console& console) { return Compile(*choices, console); };
}

}  // namespace hilo::cli
