// Compares values to the bit, all NaN being alike.
#pragma once

#include <string>

#include "hlo/ir/literal.h"

namespace hilo::passes {

// Where and how two values differ first; empty when they do not. Layouts do
// not count.
std::string DifferenceOf(const hlo::Literal& a, const hlo::Literal& b);

}  // namespace hilo::passes
