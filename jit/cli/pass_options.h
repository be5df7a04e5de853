// The options that say which passes run, and what is told of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/ir/module.h"
#include "hlo/text/printer.h"
#include "jit/cli/console.h"
#include "passes/runner.h"

namespace CLI {
class App;
}

namespace hilo::cli {

struct PassChoices {
  // "all", or names with commas between them; empty: none.
  std::string passes;
  std::string stop_after;
  std::vector<std::string> disabled;
  std::vector<std::string> disabled_rules;
  int64_t pass_limit = -1;
  bool fast_math = false;
  bool verify = false;
  bool print_after_all = false;
  bool print_after_change = false;
  bool time_passes = false;
  bool rule_counts = false;

  // Whether any passes are to run.
  bool runs_passes() const;
};

// Declares --passes, --stop-after, --disable-pass, --disable-rule,
// --pass-limit, --fast-math, --verify-passes, --print-after-all,
// --print-after-change, --time-passes and --count-rules.
void AddPassChoices(CLI::App& command, PassChoices& choices);

// Runs the passes on one module. Modules in between go to standard output,
// times and counts to standard error. Errors: as passes::RunPasses.
absl::Status RunChosenPasses(const PassChoices& choices,
                             const hlo::PrintOptions& print_options,
                             hlo::Module& module, Console& console);

}  // namespace hilo::cli
