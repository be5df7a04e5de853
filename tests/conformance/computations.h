// The computations that rows apply, by name.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace hilo::tests {

// The instructions of the computation `name`, in the language of Row::body with
// all names written out; a binary opcode's name, with '_' for '-', stands for
// that opcode of two scalars. Null for unknown names.
std::optional<std::string> ComputationBody(absl::string_view name);

}  // namespace hilo::tests
