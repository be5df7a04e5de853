// Compares values to the bit, all NaN being alike.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

#include "hlo/ir/literal.h"

namespace hilo::passes {

// What DifferenceOf gives for equal values.
inline constexpr absl::string_view kNoDifference;

// Where and how two values differ first; empty when they do not. Layouts do
// not count.
std::string DifferenceOf(const hlo::Literal& a, const hlo::Literal& b);

}  // namespace hilo::passes
