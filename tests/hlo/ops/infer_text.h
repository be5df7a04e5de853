// Runs shape rules on instructions given as text.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace hilo::hlo {

// The shape that InferShape gives for the root of a module in HLO text,
// without layouts, or "error: " and its message.
std::string InferText(absl::string_view text);

}  // namespace hilo::hlo
