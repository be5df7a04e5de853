// hilo reduce: the smallest module that fails in the same way.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "hlo/ir/module.h"
#include "hlo/text/printer.h"
#include "jit/cli/check_options.h"
#include "jit/cli/commands.h"
#include "jit/cli/console.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/module_files.h"
#include "jit/cli/option_kinds.h"
#include "jit/files.h"
#include "jit/fuzzing/module_check.h"
#include "jit/fuzzing/module_reducer.h"

namespace hilo::cli {
namespace {

struct ReduceOptions {
  CheckOptions check;
  std::string file;
  std::string output;
};

int Reduce(const ReduceOptions& options, Console& console) {
  const absl::StatusOr<std::vector<ModuleText>> texts =
      ReadModuleTexts(options.file);
  if (!texts.ok()) return console.Fail(texts.status());
  if (texts->size() != 1) {
    return console.FailUsage(absl::StrCat(
        options.file, " holds ", texts->size(), " modules, expected one"));
  }
  const std::unique_ptr<hlo::Module> module =
      ParseModule((*texts)[0], {}, /*verify=*/true, console);
  if (module == nullptr) return kDiagnostics;
  const absl::Status warm = fuzzing::WarmUp();
  if (!warm.ok()) return console.Fail(warm);
  const IsolatedCheck check = CheckIsolated(*module, options.check);
  if (!check.IsFailure()) {
    console.PrintNote(absl::StrCat(options.file, ": nothing is wrong",
                                   check.message.empty() ? "" : ": ",
                                   check.message));
    return kSuccess;
  }
  IsolatedCheck last = check;
  const std::unique_ptr<hlo::Module> reduced =
      fuzzing::ReduceModule(*module, [&](const hlo::Module& candidate) {
        IsolatedCheck result = CheckIsolated(candidate, options.check);
        if (result.kind != check.kind) return false;
        last = std::move(result);
        return true;
      });
  const std::string text =
      absl::StrCat(HeaderOf(last, options.check), hlo::Print(*reduced));
  if (options.output.empty() || options.output == "-") {
    console.Print(text);
  } else {
    const absl::Status status = WriteFile(options.output, text);
    if (!status.ok()) return console.Fail(status);
  }
  return kMismatch;
}

}  // namespace

CommandAction DeclareReduce(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto options = std::make_shared<ReduceOptions>();
  AddFile(command, options->file);
  AddOption(command, {.name = "--output,-o",
                      .target = &options->output,
                      .doc = "Writes the module here instead of printing it",
                      .value_name = "FILE"});
  AddCheckOptions(command, options->check);
  return [options](Console& console) { return Reduce(*options, console); };
}

}  // namespace hilo::cli
