// Compares compiled cases with the evaluator.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"

#include "jit/fuzzing/module_check.h"
#include "tests/conformance/case.h"

namespace hilo::tests {

// Compiles and runs `cases`, which are legal, as few modules, and returns what
// differs, each with a module that shows it.
std::vector<std::string> CheckCases(absl::Span<const Case> cases,
                                    const fuzzing::CheckVariant& variant);

}  // namespace hilo::tests
