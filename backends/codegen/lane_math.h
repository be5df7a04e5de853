// The math functions of math_functions.h, on lanes.
#pragma once

#include "backends/codegen/lanes.h"

namespace hilo::backends {

// See math_functions.h. None of them changes the insertion block: what needs
// loops or branches is a function of its own in the module.
Lanes Exp(const Lanes& x);
Lanes Expm1(const Lanes& x);
Lanes Log(const Lanes& x);
Lanes Log1p(const Lanes& x);
Lanes Sin(const Lanes& x);
Lanes Cos(const Lanes& x);
Lanes Tan(const Lanes& x);
Lanes Tanh(const Lanes& x);
Lanes Sinh(const Lanes& x);
Lanes Cosh(const Lanes& x);
Lanes Asin(const Lanes& x);
Lanes Acos(const Lanes& x);
Lanes Asinh(const Lanes& x);
Lanes Acosh(const Lanes& x);
Lanes Atanh(const Lanes& x);
Lanes Atan2(const Lanes& y, const Lanes& x);
Lanes Pow(const Lanes& x, const Lanes& y);
Lanes Erf(const Lanes& x);
Lanes Cbrt(const Lanes& x);
Lanes Rsqrt(const Lanes& x);
Lanes Logistic(const Lanes& x);
Lanes Remainder(const Lanes& x, const Lanes& y);

// x * 2^n for an integer-valued n (in the type of x) between -2200 and 2200:
// one rounding, subnormals and overflow included.
Lanes ScaleByPower(const Lanes& x, const Lanes& n);

}  // namespace hilo::backends
