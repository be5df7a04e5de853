// How StableHLO names the algorithms of products.
#pragma once

#include <string>

#include "hlo/ir/enums.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {

// "lhs_precision_type = tf32, rhs_precision_type = tf32, ..."; empty for
// kUnset. Any type of eight bits is written as one of them.
std::string DotAlgorithmText(hlo::DotAlgorithm algorithm);

// What the operation's attribute "algorithm" says; kUnset without one. An error
// at the operation when HLO has no such algorithm.
hlo::DotAlgorithm ReadDotAlgorithm(const Operation& operation,
                                   AttributeReader* reader);

}  // namespace hilo::stablehlo
