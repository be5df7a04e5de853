// Modules from text that must be right.
#pragma once

#include <memory>

#include "absl/strings/string_view.h"

#include "hlo/ir/module.h"

namespace hilo::tests {

// The module of HLO text; the test ends when it has errors.
std::unique_ptr<hlo::Module> ParseText(absl::string_view text);

}  // namespace hilo::tests
