// Runs passes, and all that goes with it.
#include "passes/runner.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/module.h"
#include "hlo/verify/verify.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

std::optional<PassId> FindPass(absl::string_view name) {
  const absl::Span<const PassInfo> passes = Passes();
  for (size_t i = 0; i < passes.size(); ++i) {
    if (passes[i].name == name) return static_cast<PassId>(i);
  }
  return std::nullopt;
}

std::optional<Stage> FindStage(absl::string_view name) {
  const absl::Span<const StageInfo> stages = Stages();
  for (size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].name == name) return static_cast<Stage>(i);
  }
  return std::nullopt;
}

absl::Status NoSuchPass(absl::string_view name, bool or_stage) {
  std::vector<absl::string_view> names;
  for (const PassInfo& pass : Passes()) names.push_back(pass.name);
  if (or_stage) {
    for (const StageInfo& stage : Stages()) names.push_back(stage.name);
  }
  const std::string suggestion = SuggestNearest(name, names);
  return InvalidArgument("there is no pass ", or_stage ? "or stage " : "", "'",
                         name, "'", suggestion.empty() ? "" : "; ", suggestion);
}

absl::StatusOr<std::vector<PassId>> FindPasses(
    const std::vector<std::string>& names) {
  std::vector<PassId> passes;
  for (const std::string& name : names) {
    const std::optional<PassId> pass = FindPass(name);
    if (!pass) return NoSuchPass(name, /*or_stage=*/false);
    passes.push_back(*pass);
  }
  return passes;
}

// What comes after `stop_after`, the last time it occurs, is cut off.
absl::Status CutAfter(absl::string_view stop_after,
                      std::vector<PassId>& passes) {
  if (stop_after.empty()) return absl::OkStatus();
  const std::optional<PassId> pass = FindPass(stop_after);
  const std::optional<Stage> stage = FindStage(stop_after);
  if (!pass && !stage) return NoSuchPass(stop_after, /*or_stage=*/true);
  const auto last = std::ranges::find_if(
      std::views::reverse(passes),
      [&](PassId p) { return pass ? p == *pass : InfoOf(p).stage == *stage; });
  passes.erase(last.base(), passes.end());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<PassId>> Select(const RunnerOptions& options) {
  std::vector<PassId> passes(Pipeline().begin(), Pipeline().end());
  std::erase_if(passes, [&](PassId pass) {
    return InfoOf(InfoOf(pass).stage).level > options.optimization_level;
  });
  if (!options.passes.empty()) {
    ASSIGN_OR_RETURN(passes, FindPasses(options.passes));
  }
  RETURN_IF_ERROR(CutAfter(options.stop_after, passes));
  ASSIGN_OR_RETURN(const std::vector<PassId> disabled,
                   FindPasses(options.disabled));
  std::erase_if(passes, [&](PassId pass) {
    return std::ranges::find(disabled, pass) != disabled.end();
  });
  if (options.pass_limit >= 0 &&
      std::cmp_less(options.pass_limit, passes.size())) {
    passes.resize(options.pass_limit);
  }
  return passes;
}

absl::Status Verify(const hlo::Module& module, absl::string_view pass) {
  absl::Status status = hlo::Verify(module);
  if (status.ok()) return status;
  return absl::InternalError(absl::StrCat("pass ", pass,
                                          " left a module that is not well "
                                          "formed:\n",
                                          status.message()));
}

// Verifies the module after a pass, and shows it to those who watch. They get a
// copy with unique names: what names the passes give in the end does not depend
// on who watches.
absl::Status Show(absl::string_view pass, bool changed,
                  const hlo::Module& module, const RunnerOptions& options) {
  const bool is_shown = changed && options.after_change != nullptr;
  const bool is_verified = changed && options.verify;
  if (!is_verified && !is_shown && options.after_pass == nullptr) {
    return absl::OkStatus();
  }
  const std::unique_ptr<hlo::Module> copy = module.Clone();
  copy->UniquifyNames();
  if (is_verified) {
    RETURN_IF_ERROR(Verify(*copy, pass));
  }
  if (is_shown) options.after_change(pass, *copy);
  if (options.after_pass != nullptr) options.after_pass(pass, *copy);
  return absl::OkStatus();
}

// Runs one pass; returns whether it changed the module.
absl::StatusOr<bool> RunOne(const PassInfo& pass, hlo::Module& module,
                            const PassContext& context,
                            const RunnerOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  ASSIGN_OR_RETURN(const bool changed, pass.function(module, context));
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - begin;
  if (options.timings != nullptr) {
    options.timings->push_back(
        {.pass = std::string(pass.name),
         .seconds = time.count(),
         .changed = changed,
         .instruction_count = module.instruction_count()});
  }
  RETURN_IF_ERROR(Show(pass.name, changed, module, options));
  return changed;
}

// Whether every stage runs all that its promise needs.
bool IsComplete(const RunnerOptions& options) {
  return options.passes.empty() && options.disabled.empty() &&
         options.stop_after.empty() && options.pass_limit < 0;
}

}  // namespace

absl::Status RunPasses(hlo::Module& module, const PassContext& context,
                       const RunnerOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<PassId> passes, Select(options));
  if (passes.empty()) return absl::OkStatus();
  hlo::ModuleHeader& header = module.header();
  if (!header.entry_computation_layout) {
    header.entry_computation_layout = module.entry_layout();
  }
  header.is_scheduled = false;
  bool has_changed = false;
  for (size_t i = 0; i < passes.size(); ++i) {
    const PassInfo& pass = InfoOf(passes[i]);
    ASSIGN_OR_RETURN(const bool changed,
                     RunOne(pass, module, context, options));
    has_changed = has_changed || changed;
    const bool ends_stage =
        i + 1 == passes.size() || InfoOf(passes[i + 1]).stage != pass.stage;
    if (ends_stage && options.verify && IsComplete(options)) {
      RETURN_IF_ERROR(InfoOf(pass.stage).check(module))
          << "after stage " << InfoOf(pass.stage).name;
    }
  }
  if (has_changed) module.UniquifyNames();
  return absl::OkStatus();
}

}  // namespace hilo::passes
