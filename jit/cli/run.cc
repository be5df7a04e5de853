// hilo run: compiles and runs the modules of a file.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/stablehlo/stablehlo.h"
#include "jit/cli/commands.h"
#include "jit/cli/compilation_files.h"
#include "jit/cli/console.h"
#include "jit/cli/execution_options.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/input_options.h"
#include "jit/cli/module_files.h"
#include "jit/cli/option_kinds.h"
#include "jit/cli/outputs.h"
#include "jit/cli/profile.h"
#include "jit/cli/timing.h"
#include "jit/client.h"
#include "jit/executable.h"
#include "jit/files.h"
#include "jit/program_check.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/status.h"

namespace hilo::cli {
namespace {

struct RunOptions {
  std::string file;
  ExecutionOptions execution;
  std::string output;
  std::string format;
  int64_t repeat = 1;
};

// Runs `repeat` times; tells how long that took if more than once.
absl::StatusOr<std::vector<Buffer>> RunRepeatedly(
    const Executable& executable, const std::vector<Buffer>& arguments,
    int64_t repeat, Console& console) {
  std::vector<Buffer> results;
  std::vector<double> seconds;
  for (int64_t i = 0; i < repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    ASSIGN_OR_RETURN(results, executable.Run(arguments));
    seconds.push_back(SecondsSince(start));
  }
  if (repeat > 1) {
    const RunTimes times = Summarize(std::move(seconds));
    console.PrintNote(absl::StrFormat("%d runs, median %s, fastest %s",
                                      times.runs, FormatSeconds(times.median_s),
                                      FormatSeconds(times.min_s)));
  }
  return results;
}

// Prints or writes the results.
absl::Status Deliver(const std::vector<Buffer>& results,
                     const RunOptions& options, Console& console) {
  std::vector<hlo::Literal> literals;
  for (const Buffer& result : results) {
    ASSIGN_OR_RETURN(hlo::Literal literal, result.ToLiteral());
    literals.push_back(std::move(literal));
  }
  std::string format = options.format;
  if (format.empty()) format = FormatOfFile(options.output);
  ASSIGN_OR_RETURN(const std::string text, FormatResults(literals, format));
  if (!options.output.empty() && options.output != "-") {
    return WriteFile(options.output, text);
  }
  if (absl::StartsWith(format, "np") && Console::IsOutputTerminal()) {
    return InvalidArgument("not writing ", format,
                           " to a terminal; use --output=FILE.", format);
  }
  console.Print(text);
  return absl::OkStatus();
}

// Takes what checks compare off the results, and says which do not hold.
absl::StatusOr<bool> RunChecks(const std::vector<StableHloCheck>& checks,
                               const ModuleText& text,
                               std::vector<Buffer>& results, Console& console) {
  Diagnostics faults;
  const size_t first = results.size() - 2 * checks.size();
  for (size_t i = 0; i < checks.size(); ++i) {
    ASSIGN_OR_RETURN(const hlo::Literal got,
                     results[first + 2 * i].ToLiteral());
    ASSIGN_OR_RETURN(const hlo::Literal want,
                     results[first + 2 * i + 1].ToLiteral());
    const std::optional<std::string> fault = FindFault(checks[i], got, want);
    if (!fault) continue;
    faults.Error(checks[i].offset, absl::StrCat(checks[i].name, ": ", *fault));
  }
  results.resize(first);
  console.PrintDiagnostics(faults.Render(*text.source));
  return !faults.has_errors();
}

// False when a check of the program does not hold.
absl::StatusOr<bool> RunModule(const Client& client,
                               std::unique_ptr<hlo::Module> module,
                               const std::vector<StableHloCheck>& checks,
                               const ModuleText& text,
                               const RunOptions& options,
                               CompilationFiles& files, Console& console) {
  const CompileOptions compile_options = files.OptionsFor(module->name());
  ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable,
                   client.Compile(std::move(module), compile_options));
  ASSIGN_OR_RETURN(
      std::vector<hlo::Literal> inputs,
      ReadInputs(options.execution.inputs, options.execution.seed,
                 text.source->text(), executable->argument_leaves(), console));
  ASSIGN_OR_RETURN(const std::vector<Buffer> arguments,
                   ToBuffers(*executable, std::move(inputs)));
  ASSIGN_OR_RETURN(
      std::vector<Buffer> results,
      RunRepeatedly(*executable, arguments, options.repeat, console));
  ASSIGN_OR_RETURN(const bool is_right,
                   RunChecks(checks, text, results, console));
  RETURN_IF_ERROR(Deliver(results, options, console));
  if (options.execution.profiles) {
    RETURN_IF_ERROR(PrintProfile(executable->profile(),
                                 options.execution.threads, console));
  }
  return is_right;
}

int Run(const RunOptions& options, Console& console) {
  const absl::StatusOr<std::unique_ptr<Client>> client =
      CreateClient(options.execution);
  if (!client.ok()) return console.FailUsage(client.status().message());
  const absl::StatusOr<std::vector<ModuleText>> texts =
      ReadModuleTexts(options.file);
  if (!texts.ok()) return console.Fail(texts.status());
  if (texts->size() > 1 && !options.output.empty()) {
    return console.FailUsage(
        absl::StrCat(options.file, " holds ", texts->size(),
                     " modules, --output has room for the results of one"));
  }
  absl::StatusOr<CompilationFiles> files =
      CompilationFiles::Open(options.execution.plan, options.execution.dump);
  if (!files.ok()) return console.Fail(files.status());
  int exit_status = kSuccess;
  bool is_first = true;
  for (const ModuleText& text : *texts) {
    if (!std::exchange(is_first, false)) console.Print("// -----\n");
    std::vector<StableHloCheck> checks;
    std::unique_ptr<hlo::Module> module =
        ParseModule(text, options.execution.read_options(), /*verify=*/true,
                    console, &checks);
    if (module == nullptr) {
      exit_status = std::max<int>(exit_status, kDiagnostics);
      continue;
    }
    const absl::StatusOr<bool> is_right = RunModule(
        **client, std::move(module), checks, text, options, *files, console);
    if (!is_right.ok()) {
      exit_status =
          std::max(exit_status, console.Fail(is_right.status(), text.label));
    } else if (!*is_right) {
      exit_status = std::max<int>(exit_status, kMismatch);
    }
  }
  PrintCacheStatistics(**client, options.execution, console);
  return exit_status;
}

}  // namespace

CommandAction DeclareRun(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto options = std::make_shared<RunOptions>();
  AddFile(command, options->file);
  AddExecutionOptions(command, options->execution);
  AddOptimizationLevel(command, options->execution.optimization_level);
  AddTargetCpu(command, options->execution.target_cpu);
  AddPlan(command, options->execution.plan);
  AddDump(command, options->execution.dump);
  AddOption(command,
            {.name = "--output,-o",
             .target = &options->output,
             .doc = "Writes the results to this file instead of printing them; "
                    "its ending (.npz, .npy, .json) sets the format",
             .value_name = "FILE"});
  AddOption(command, {.name = "--format",
                      .target = &options->format,
                      .doc = "Form of the results [text, or as --output ends]",
                      .choices = OutputFormats()});
  AddOption(command, {.name = "--repeat",
                      .target = &options->repeat,
                      .doc = "Runs so many times and tells how long that took",
                      .value_name = "N",
                      .check = &CheckPositive,
                      .shows_default = true});
  AddOption(command,
            {.name = "--profile",
             .target = &options->execution.profiles,
             .doc = "Tells the time of each kernel, and how near that is to "
                    "what the machine can do"});
  return [options](Console& console) { return Run(*options, console); };
}

}  // namespace hilo::cli
