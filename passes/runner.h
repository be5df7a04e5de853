// Runs passes, and all that goes with it: checks, times, dumps, bisection.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"
#include "passes/optimization_level.h"
#include "passes/pass_context.h"

namespace hilo::passes {

// How long one run of a pass took.
struct PassTiming {
  std::string pass;
  double seconds = 0;
  bool changed = false;
  // Instructions of the module afterwards.
  int64_t instruction_count = 0;
};

// What is run, and who is told.
struct RunnerOptions {
  // Stages of the pipeline above this level are left out.
  int optimization_level = kMaxOptimizationLevel;
  // These passes, by name and in this order; empty: the pipeline.
  std::vector<std::string> passes = {};
  // Passes that are left out.
  std::vector<std::string> disabled = {};
  // The last pass, or stage, that runs; empty: all do.
  std::string stop_after = {};
  // How many runs of passes; negative: all. For bisection.
  int64_t pass_limit = -1;
  // Verifies the module after every pass that changed it, and checks each
  // stage's promise.
  bool verify = false;
  // Called after every pass that changed the module, or after every pass.
  std::function<void(absl::string_view pass, const hlo::Module& module)>
      after_change = nullptr;
  std::function<void(absl::string_view pass, const hlo::Module& module)>
      after_pass = nullptr;
  // Where the time of each run goes; null: nowhere.
  std::vector<PassTiming>* timings = nullptr;
};

// Runs the passes. The entry's layouts become part of the header, a schedule
// is forgotten, and names are unique afterwards.
//
// Errors: InvalidArgument for the name of no pass, with the nearest one; those
// of passes; Internal, naming the pass, when a module no longer verifies.
absl::Status RunPasses(hlo::Module& module, const PassContext& context,
                       const RunnerOptions& options);

}  // namespace hilo::passes
