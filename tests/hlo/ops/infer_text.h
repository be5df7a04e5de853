// Runs shape rules on instructions given as text.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hilo::hlo {

// The shape that InferShape gives for the root of a module in HLO text,
// without layouts, or "error: " and its message.
std::string InferText(absl::string_view text);

// A text, and a part of what InferText gives for it.
struct InferenceRow {
  std::string text;
  std::string expected;
};

// Checks that InferText gives what each row expects.
void CheckInference(const std::vector<InferenceRow>& rows);

}  // namespace hilo::hlo
