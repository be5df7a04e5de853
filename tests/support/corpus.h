// Corpus modules: how near their results must be, and which are slow.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

#include "tests/support/compare_arrays.h"

namespace hilo::tests {

// The tolerance of the corpus module `name` (tests/corpus/modules.def).
ArrayTolerance ToleranceOf(absl::string_view name);

// Why the module is left out of the default run; empty when it is not.
absl::string_view SlowReason(absl::string_view name);

// Why the module is only parsed, verified and printed; empty when it is run.
absl::string_view TextOnlyReason(absl::string_view name);

}  // namespace hilo::tests
