// Declares the options of passes and runs what they ask for.
#include "jit/cli/pass_options.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"
#include "hlo/text/printer.h"
#include "jit/cli/console.h"
#include "jit/cli/option_kinds.h"
#include "passes/pass_context.h"
#include "passes/runner.h"

namespace hilo::cli {
namespace {

std::vector<std::string> SplitNames(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (const absl::string_view name : absl::StrSplit(list, ',')) {
      if (!name.empty()) names.emplace_back(name);
    }
  }
  return names;
}

// A comment line, then the module.
void PrintModule(absl::string_view pass, const hlo::Module& module,
                 const hlo::PrintOptions& options, Console& console) {
  std::string text =
      absl::StrCat("// After ", pass, "\n", hlo::Print(module, options));
  if (!absl::EndsWith(text, "\n")) text += '\n';
  console.Print(text);
}

void PrintTimings(const std::vector<passes::PassTiming>& timings,
                  Console& console) {
  double total = 0;
  for (const passes::PassTiming& timing : timings) total += timing.seconds;
  std::string text = "   ms  instructions  pass\n";
  for (const passes::PassTiming& timing : timings) {
    absl::StrAppend(&text,
                    absl::StrFormat("%8.3f  %9d  %s%s\n", timing.seconds * 1e3,
                                    timing.instruction_count, timing.pass,
                                    timing.changed ? "" : " (no change)"));
  }
  absl::StrAppend(&text, absl::StrFormat("%8.3f  in all\n", total * 1e3));
  console.PrintDiagnostics(text);
}

void PrintCounts(const std::map<std::string, int64_t>& counts,
                 Console& console) {
  std::vector<std::pair<int64_t, std::string>> rows;
  rows.reserve(counts.size());
  for (const auto& [rule, count] : counts) rows.emplace_back(count, rule);
  std::ranges::sort(rows, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string text;
  for (const auto& [count, rule] : rows) {
    absl::StrAppend(&text, absl::StrFormat("%8d  %s\n", count, rule));
  }
  console.PrintDiagnostics(text);
}

}  // namespace

bool PassChoices::runs_passes() const {
  return !passes.empty() || !stop_after.empty() || pass_limit >= 0 ||
         !disabled.empty() || !disabled_rules.empty() || print_after_all ||
         print_after_change || time_passes || rule_counts || verify;
}

void AddPassChoices(CLI::App& command, PassChoices& choices) {
  AddOption(command,
            {.name = "--passes",
             .target = &choices.passes,
             .doc = "Runs these passes in this order, with commas between "
                    "them; all: the pipeline (see hilo list passes)",
             .value_name = "NAMES"});
  AddOption(command, {.name = "--stop-after",
                      .target = &choices.stop_after,
                      .doc = "The last pass or stage that runs",
                      .value_name = "NAME"});
  AddOption(command, {.name = "--disable-pass",
                      .target = &choices.disabled,
                      .doc = "Leaves out passes; may be repeated",
                      .value_name = "NAMES"});
  AddOption(command,
            {.name = "--disable-rule",
             .target = &choices.disabled_rules,
             .doc = "Leaves out rules of algebraic simplification; may be "
                    "repeated",
             .value_name = "NAMES"});
  AddOption(command, {.name = "--pass-limit",
                      .target = &choices.pass_limit,
                      .doc = "Runs only the first N passes, to find the one "
                             "that goes wrong",
                      .value_name = "N",
                      .check = &CheckNotNegative});
  const auto flags = std::to_array<OptionRow>({
      {"--fast-math", &choices.fast_math,
       "Allows rewrites that are true only over the real numbers"},
      {"--verify-passes", &choices.verify,
       "Verifies the module after every pass"},
      {"--print-after-all", &choices.print_after_all,
       "Prints the module after every pass"},
      {"--print-after-change", &choices.print_after_change,
       "Prints the module after every pass that changed it"},
      {"--time-passes", &choices.time_passes, "Tells how long each pass took"},
      {"--count-rules", &choices.rule_counts,
       "Tells how often each rule was applied"},
  });
  for (const OptionRow& row : flags) AddOption(command, row);
}

absl::Status RunChosenPasses(const PassChoices& choices,
                             const hlo::PrintOptions& print_options,
                             hlo::Module& module, Console& console) {
  passes::PassContext context;
  context.fast_math = choices.fast_math;
  context.disabled_rules = SplitNames(choices.disabled_rules);
  std::map<std::string, int64_t> counts;
  if (choices.rule_counts) context.rule_counts = &counts;
  std::vector<passes::PassTiming> timings;
  passes::RunnerOptions options;
  if (choices.passes != "all") options.passes = SplitNames({choices.passes});
  options.disabled = SplitNames(choices.disabled);
  options.stop_after = choices.stop_after;
  options.pass_limit = choices.pass_limit;
  options.verify = choices.verify;
  if (choices.time_passes) options.timings = &timings;
  const auto print = [&](absl::string_view pass, const hlo::Module& changed) {
    PrintModule(pass, changed, print_options, console);
  };
  if (choices.print_after_all) options.after_pass = print;
  if (choices.print_after_change && !choices.print_after_all) {
    options.after_change = print;
  }
  const absl::Status status = passes::RunPasses(module, context, options);
  if (choices.time_passes) PrintTimings(timings, console);
  if (choices.rule_counts) PrintCounts(counts, console);
  return status;
}

}  // namespace hilo::cli
