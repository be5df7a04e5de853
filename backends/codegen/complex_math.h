// Arithmetic and math functions of complex numbers.
#pragma once

#include "backends/codegen/lanes.h"

namespace hilo::backends {

// A complex number a lane; both parts have one type.
struct ComplexLanes {
  Lanes real;
  Lanes imag;
};

ComplexLanes operator+(const ComplexLanes& a, const ComplexLanes& b);
ComplexLanes operator-(const ComplexLanes& a, const ComplexLanes& b);
ComplexLanes operator-(const ComplexLanes& z);
ComplexLanes Select(const Lanes& condition, const ComplexLanes& a,
                    const ComplexLanes& b);
// The plain four products: infinities are not recovered.
ComplexLanes Multiply(const ComplexLanes& a, const ComplexLanes& b);
// Scaled, and with the infinities of C99, annex G.
ComplexLanes Divide(const ComplexLanes& a, const ComplexLanes& b);
// By real parts, then by imaginary ones; false if a part is NaN.
Lanes IsLess(const ComplexLanes& a, const ComplexLanes& b);
Lanes IsNan(const ComplexLanes& z);
// Does not overflow before its result does; infinite if a part is.
Lanes Modulus(const ComplexLanes& z);
// z / |z|; 0 for 0.
ComplexLanes Direction(const ComplexLanes& z);

// Math functions, for parts of type double. Principal branches, as in C99; the
// sign of a zero imaginary part is ignored by ComplexSqrt. Errors are small
// against the modulus of the result, not always against each part.
ComplexLanes ComplexExp(const ComplexLanes& z);
ComplexLanes ComplexExpm1(const ComplexLanes& z);
ComplexLanes ComplexLog(const ComplexLanes& z);
ComplexLanes ComplexLog1p(const ComplexLanes& z);
ComplexLanes ComplexLogistic(const ComplexLanes& z);
ComplexLanes ComplexSqrt(const ComplexLanes& z);
ComplexLanes ComplexRsqrt(const ComplexLanes& z);
ComplexLanes ComplexSin(const ComplexLanes& z);
ComplexLanes ComplexCos(const ComplexLanes& z);
ComplexLanes ComplexTan(const ComplexLanes& z);
ComplexLanes ComplexSinh(const ComplexLanes& z);
ComplexLanes ComplexCosh(const ComplexLanes& z);
ComplexLanes ComplexTanh(const ComplexLanes& z);
ComplexLanes ComplexAsin(const ComplexLanes& z);
ComplexLanes ComplexAcos(const ComplexLanes& z);
ComplexLanes ComplexAsinh(const ComplexLanes& z);
ComplexLanes ComplexAcosh(const ComplexLanes& z);
ComplexLanes ComplexAtanh(const ComplexLanes& z);
// -i log((x + iy) / sqrt(x^2 + y^2)).
ComplexLanes ComplexAtan2(const ComplexLanes& y, const ComplexLanes& x);
// 0^0 = 1; 0^w = 0 for Re w > 0.
ComplexLanes ComplexPow(const ComplexLanes& z, const ComplexLanes& w);

}  // namespace hilo::backends
