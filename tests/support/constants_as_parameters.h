// Rewrites a module so that it takes its constants as parameters.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hilo::tests {

// A module that computes what another one does, and what it has to be given.
struct ParameterizedModule {
  std::string text;
  // Options of `hilo run`, one per former constant: "--input=x={1, 2}".
  std::vector<std::string> inputs;
};

// Turns the array constants of the entry computation into parameters that
// follow those it has, so that no compiler can fold them. Constants of other
// computations stay. `inputs` is empty where there are none.
// Errors: what the parser says.
absl::StatusOr<ParameterizedModule> TurnConstantsIntoParameters(
    absl::string_view text);

}  // namespace hilo::tests
