// From file to verified modules.
#include "jit/cli/module_files.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "hlo/ir/module.h"
#include "hlo/stablehlo/stablehlo.h"
#include "hlo/text/parser.h"
#include "hlo/verify/verify.h"
#include "jit/cli/console.h"
#include "jit/cli/crash_report.h"
#include "jit/cli/option_kinds.h"
#include "jit/files.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"
#include "runtime/base/status.h"

namespace hilo::cli {

absl::StatusOr<std::vector<ModuleText>> ReadModuleTexts(
    const std::string& file) {
  ASSIGN_OR_RETURN(std::string text, ReadFile(file));
  const std::string name = file == "-" ? "<stdin>" : file;
  std::vector<std::string> pieces;
  if (IsStableHloBytecode(text)) {
    pieces.push_back(std::move(text));
  } else {
    pieces = hlo::SplitModules(text);
  }
  std::vector<ModuleText> modules;
  for (std::string& piece : pieces) {
    // A separator before the first or after the last module is harmless.
    const bool is_blank = absl::StripAsciiWhitespace(piece).empty();
    if (is_blank && pieces.size() > 1) continue;
    std::string label = name;
    if (!modules.empty()) absl::StrAppend(&label, "#", modules.size() + 1);
    modules.push_back(
        {.label = std::move(label),
         .source = std::make_shared<const Source>(name, std::move(piece))});
  }
  return modules;
}

std::unique_ptr<hlo::Module> ParseModule(const ModuleText& text,
                                         const ReadOptions& options,
                                         bool verify, Console& console,
                                         std::vector<StableHloCheck>* checks) {
  SetModuleForCrashReport(std::string(text.source->text()));
  Diagnostics diagnostics;
  std::unique_ptr<hlo::Module> module;
  if (IsStableHlo(text.source->text())) {
    StableHloProgram program = ParseStableHlo(
        text.source,
        {.has_checks = checks != nullptr,
         .argument_sizes = ToArgumentSizes(options.argument_sizes)},
        &diagnostics);
    module = std::move(program.module);
    if (checks != nullptr) *checks = std::move(program.checks);
  } else {
    module = hlo::Parse(text.source, options.text, &diagnostics);
  }
  if (module != nullptr && verify) hlo::Verify(*module, &diagnostics);
  console.PrintDiagnostics(diagnostics.Render(*text.source));
  if (diagnostics.has_errors()) return nullptr;
  return module;
}

}  // namespace hilo::cli
