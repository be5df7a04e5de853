// Numbers to test element-wise code with, and how near results are.
#pragma once

#include <string>
#include <vector>

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"

namespace hilo::backends {

// One array per operand, all of one size, a multiple of 16: all combinations
// of `type`'s edge values, then random ones; or random ones alone.
std::vector<hlo::Literal> SampleOperands(hlo::ElementType type, int operands,
                                         bool with_edges = true);

// How results of real types are compared: floats may differ by `ulps` units in
// the last place (any two NaN are equal); complex numbers by `error`, relative
// to the modulus.
struct ElementTolerance {
  int ulps = 0;
  double error = 0;
};

// The first index where the arrays differ, with both values; empty if none.
std::string FindDifference(const hlo::Literal& got, const hlo::Literal& want,
                           const ElementTolerance& tolerance);

}  // namespace hilo::backends
