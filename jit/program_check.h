// The checks that test programs make of their own results.
#pragma once

#include <optional>
#include <string>

#include "hlo/ir/literal.h"
#include "hlo/stablehlo/stablehlo.h"

namespace hilo {

// What is wrong with the first element that a check does not accept, and how
// many there are: "{1,2} is 3, expected 4, ...". None when all are right. The
// arrays have one shape.
std::optional<std::string> FindFault(const StableHloCheck& check,
                                     const hlo::Literal& got,
                                     const hlo::Literal& want);

}  // namespace hilo
