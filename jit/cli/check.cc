// hilo check: parses and verifies the modules of files.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "jit/cli/commands.h"
#include "jit/cli/console.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/module_files.h"
#include "jit/cli/option_kinds.h"

namespace hilo::cli {
namespace {

struct CheckCommandOptions {
  std::vector<std::string> files;
  std::string elided_constants = "counter";
  std::string unknown_attributes = "warn";
  std::vector<std::string> argument_sizes;
};

int Check(const CheckCommandOptions& options, Console& console) {
  const ReadOptions read_options = {
      .text = {.elided_constants = ToElidedConstants(options.elided_constants),
               .unknown_attributes_are_errors =
                   options.unknown_attributes == "error"},
      .argument_sizes = options.argument_sizes};
  int exit_status = kSuccess;
  for (const std::string& file : options.files) {
    const absl::StatusOr<std::vector<ModuleText>> texts = ReadModuleTexts(file);
    if (!texts.ok()) {
      exit_status = std::max(exit_status, console.Fail(texts.status()));
      continue;
    }
    for (const ModuleText& text : *texts) {
      if (ParseModule(text, read_options, /*verify=*/true, console) ==
          nullptr) {
        exit_status = std::max<int>(exit_status, kDiagnostics);
      }
    }
  }
  return exit_status;
}

}  // namespace

CommandAction DeclareCheck(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto options = std::make_shared<CheckCommandOptions>();
  AddFiles(command, options->files);
  AddElidedConstants(command, options->elided_constants);
  AddArgumentSizes(command, options->argument_sizes);
  AddOption(command, {.name = "--unknown-attributes",
                      .target = &options->unknown_attributes,
                      .doc = "What to do about attributes Hilo does not know",
                      .choices = {"warn", "error"},
                      .shows_default = true});
  return [options](Console& console) { return Check(*options, console); };
}

}  // namespace hilo::cli
