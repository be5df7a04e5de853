// The way back: HLO as StableHLO text.
#pragma once

#include <string>

#include "absl/status/statusor.h"

#include "hlo/ir/module.h"
#include "runtime/base/diagnostic.h"

namespace hilo {

struct StableHloPrintOptions {
  // Names and places of metadata, as locations.
  bool metadata = true;
};

// A verified module in the text form of StableHLO, with CHLO where StableHLO
// has no operation of that kind: what ParseStableHlo and MLIR read.
//
// The entry is the public function "main", computations that are called and
// fused are private functions. Tuples become several values: nested ones among
// arguments and results are flattened. Donated arguments, layouts of arguments
// and results, shardings and frontend attributes are kept as attributes;
// statistics, control dependencies, layouts within the program and the schedule
// are left out.
//
// Errors: Unimplemented with every instruction that StableHLO cannot say and
// the reason, rendered with its place.
absl::StatusOr<std::string> PrintStableHlo(
    const hlo::Module& module, const StableHloPrintOptions& options = {});

// The same; empty after errors, which are in `diagnostics`.
std::string PrintStableHlo(const hlo::Module& module,
                           const StableHloPrintOptions& options,
                           Diagnostics* diagnostics);

}  // namespace hilo
