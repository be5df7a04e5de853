// Angles reduced to an eighth of a turn.
#pragma once

#include "backends/codegen/lanes.h"

namespace hilo::backends {

// |x| = quadrant * pi/2 + high + low for finite x, |high| about pi/4 at most;
// `quadrant` is an integer of the width of x, of which only the low two bits
// count. NaN for infinities and NaN. In the precision of the format, relative
// to `high`, for all arguments.
struct ReducedAngle {
  Lanes quadrant;
  Lanes high;
  Lanes low;
};

// For double. A function of its own in the module, with a slow path for huge
// arguments.
ReducedAngle ReduceAngle(const Lanes& x);

// Both functions of one argument, for little more than the price of one.
struct SineAndCosine {
  Lanes sine;
  Lanes cosine;
};
SineAndCosine SinCos(const Lanes& x);

}  // namespace hilo::backends
