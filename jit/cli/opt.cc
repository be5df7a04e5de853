// hilo opt: parses, verifies, transforms and prints the modules of a file.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"
#include "hlo/stablehlo/print_stablehlo.h"
#include "hlo/text/printer.h"
#include "jit/cli/commands.h"
#include "jit/cli/console.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/module_files.h"
#include "jit/cli/option_kinds.h"
#include "jit/cli/pass_options.h"
#include "jit/cli/print_options.h"
#include "jit/files.h"
#include "runtime/base/source.h"

namespace hilo::cli {
namespace {

struct OptOptions {
  std::string file;
  PrintChoices print;
  PassChoices passes;
  std::string output;
  std::vector<std::string> argument_sizes;
  bool verify_roundtrip = false;
  bool no_verify = false;
};

// Says where two texts begin to differ.
void PrintFirstDifference(const std::string& label, absl::string_view first,
                          absl::string_view second, Console& console) {
  const std::vector<absl::string_view> a = absl::StrSplit(first, '\n');
  const std::vector<absl::string_view> b = absl::StrSplit(second, '\n');
  const size_t common = std::min(a.size(), b.size());
  size_t line = 0;
  while (line < common && a[line] == b[line]) ++line;
  console.PrintDiagnostics(absl::StrCat(
      label, ": error: printing, parsing and printing again differs in line ",
      line + 1, "\n  first:  ", line < a.size() ? a[line] : "",
      "\n  second: ", line < b.size() ? b[line] : "", "\n"));
}

// Whether the printed text parses back to a module that prints the same.
int VerifyRoundtrip(const hlo::Module& module, const ModuleText& text,
                    bool verify, Console& console) {
  const std::string printed = hlo::Print(module);
  const ModuleText again = {.label = text.label,
                            .source = std::make_shared<const Source>(
                                text.label + " (printed again)", printed)};
  const std::unique_ptr<hlo::Module> parsed =
      ParseModule(again, {}, verify, console);
  if (parsed == nullptr) return kMismatch;
  const std::string printed_again = hlo::Print(*parsed);
  if (printed == printed_again) return kSuccess;
  PrintFirstDifference(text.label, printed, printed_again, console);
  return kMismatch;
}

// Whether a file of this name holds StableHLO rather than HLO.
bool IsStableHloPath(const std::string& path) {
  return absl::EndsWith(path, ".mlir") || absl::EndsWith(path, ".stablehlo");
}

// The text of a module, in the language that the output's name asks for.
absl::StatusOr<std::string> TextOf(const hlo::Module& module,
                                   const OptOptions& options) {
  const hlo::PrintOptions print_options = options.print.print_options();
  if (!IsStableHloPath(options.output)) {
    return hlo::Print(module, print_options);
  }
  return PrintStableHlo(module, {.metadata = print_options.metadata});
}

int Opt(const OptOptions& options, Console& console) {
  const absl::StatusOr<std::vector<ModuleText>> texts =
      ReadModuleTexts(options.file);
  if (!texts.ok()) return console.Fail(texts.status());
  int exit_status = kSuccess;
  std::string result;
  // StableHLO is written of modules that are well formed.
  const bool verify = !options.no_verify || IsStableHloPath(options.output);
  for (const ModuleText& text : *texts) {
    const std::unique_ptr<hlo::Module> module = ParseModule(
        text, {.argument_sizes = options.argument_sizes}, verify, console);
    if (module == nullptr) {
      exit_status = std::max<int>(exit_status, kDiagnostics);
      continue;
    }
    if (options.verify_roundtrip) {
      exit_status =
          std::max(exit_status,
                   VerifyRoundtrip(*module, text, !options.no_verify, console));
    }
    if (options.passes.runs_passes()) {
      const absl::Status status = RunChosenPasses(
          options.passes, options.print.print_options(), *module, console);
      if (!status.ok()) return console.Fail(status, text.label);
    }
    const absl::StatusOr<std::string> printed = TextOf(*module, options);
    if (!printed.ok()) return console.Fail(printed.status(), text.label);
    absl::StrAppend(&result, result.empty() ? "" : "// -----\n", *printed);
    if (!absl::EndsWith(result, "\n")) result += '\n';
  }
  if (options.output.empty() || options.output == "-") {
    console.Print(result);
    return exit_status;
  }
  if (exit_status == kDiagnostics) return exit_status;
  const absl::Status status = WriteFile(options.output, result);
  return status.ok() ? exit_status : console.Fail(status);
}

// Refuses endings of forms that cannot be written.
std::string CheckWritableForm(const std::string& path) {
  for (const char* ending : {".pb", ".pbtxt", ".mlirbc", ".onnx"}) {
    if (!absl::EndsWith(path, ending)) continue;
    return absl::StrCat(ending,
                        " is not available in this version: only text forms of "
                        "HLO and StableHLO can be written");
  }
  return "";
}

CommandAction Action(std::shared_ptr<OptOptions> options) {
  return [options = std::move(options)](Console& console) {
    return Opt(*options, console);
  };
}

}  // namespace

CommandAction DeclareOpt(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto options = std::make_shared<OptOptions>();
  AddFile(command, options->file);
  AddPassChoices(command, options->passes);
  AddPrintChoices(command, options->print);
  AddArgumentSizes(command, options->argument_sizes);
  AddOption(command, {.name = "--output,-o",
                      .target = &options->output,
                      .doc = "Writes to this file instead of printing; "
                             "StableHLO if its name ends in .mlir",
                      .value_name = "FILE"});
  AddOption(command,
            {.name = "--verify-roundtrip",
             .target = &options->verify_roundtrip,
             .doc = "Checks that the printed text reads back to the same text; "
                    "exit status 3 if not"});
  AddOption(command, {.name = "--no-verify",
                      .target = &options->no_verify,
                      .doc = "Prints modules that are not well formed, too"});
  return Action(std::move(options));
}

CommandAction DeclareConvert(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto options = std::make_shared<OptOptions>();
  AddOption(
      command,
      {.name = "IN",
       .target = &options->file,
       .doc = "HLO text in any form, also from a log, or StableHLO text or "
              "bytecode; - is standard input",
       .value_name = "FILE",
       .is_required = true});
  AddOption(command, {.name = "OUT",
                      .target = &options->output,
                      .doc = "HLO text, or StableHLO text if its name ends in "
                             ".mlir or .stablehlo; - is standard output",
                      .value_name = "FILE",
                      .check = &CheckWritableForm,
                      .is_required = true});
  AddPrintChoices(command, options->print);
  AddArgumentSizes(command, options->argument_sizes);
  return Action(std::move(options));
}

}  // namespace hilo::cli
