// Reads the modules of a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/module.h"
#include "hlo/stablehlo/stablehlo.h"
#include "hlo/text/parser.h"
#include "jit/cli/console.h"
#include "runtime/base/source.h"

namespace hilo::cli {

// The text of one module of a file.
struct ModuleText {
  // The file's name for the first module, "model.hlo#2" for the second.
  std::string label;
  std::shared_ptr<const Source> source;
};

// Splits a file, or standard input for "-", at lines "// -----". Errors: what
// the system says.
absl::StatusOr<std::vector<ModuleText>> ReadModuleTexts(
    const std::string& file);

struct ReadOptions {
  hlo::ParseOptions text = {};
  // As --argument-sizes takes them, for StableHLO.
  std::vector<std::string> argument_sizes = {};
};

// Parses HLO or StableHLO text, whichever it is, and, if `verify`, verifies.
// Prints all diagnostics, warnings too; returns null when there were errors.
// With `checks`, those of a StableHLO program are results, too.
std::unique_ptr<hlo::Module> ParseModule(
    const ModuleText& text, const ReadOptions& options, bool verify,
    Console& console, std::vector<StableHloCheck>* checks = nullptr);

}  // namespace hilo::cli
