// Arithmetic of complex numbers.
#include <cstdint>

#include "backends/codegen/complex_math.h"
#include "backends/codegen/lanes.h"

namespace hilo::backends {
namespace {

// A power of two near the larger part, and its inverse.
struct Scale {
  Lanes factor;
  Lanes inverse;
};

Scale ScaleOf(const ComplexLanes& z) {
  const Lanes larger = LargerOrSecond(Abs(z.real), Abs(z.imag));
  const Lanes above = LargerOrSecond(larger, larger.Constant(0x1p-800));
  const Lanes bounded = SmallerOrSecond(above, larger.Constant(0x1p+800));
  const Lanes exponent = BitsOf(bounded) & (uint64_t{0x7FF} << 52);
  return {FloatOfBits(exponent),
          FloatOfBits((uint64_t{2046} << 52) - exponent)};
}

Lanes IsInfinite(const Lanes& x) { return Abs(x) == kInfinity; }
Lanes IsFinite(const Lanes& x) { return Abs(x) < kInfinity; }

// 1 or 0 with the sign of x, by whether x is infinite.
Lanes UnitIfInfinite(const Lanes& x) {
  return CopySign(Select(IsInfinite(x), 1.0, x.Constant(0)), x);
}

// a * b + c * d, without cancellation's error.
Lanes SumOfProducts(const Lanes& a, const Lanes& b, const Lanes& c,
                    const Lanes& d) {
  const Lanes second = c * d;
  const Lanes error = Fma(c, d, -second);
  return Fma(a, b, second) + error;
}

// The quotient where both of its parts came out as NaN.
ComplexLanes RecoverQuotient(const ComplexLanes& x, const ComplexLanes& y,
                             const ComplexLanes& quotient) {
  const Lanes& a = x.real;
  const Lanes& b = x.imag;
  const Lanes& c = y.real;
  const Lanes& d = y.imag;
  const Lanes infinity = c.Constant(kInfinity);
  const Lanes by_zero = (c == 0) & (d == 0) & ~(IsNan(a) & IsNan(b));
  const Lanes signed_infinity = CopySign(infinity, c);
  const Lanes is_large =
      (IsInfinite(a) | IsInfinite(b)) & IsFinite(c) & IsFinite(d);
  const Lanes unit_a = UnitIfInfinite(a);
  const Lanes unit_b = UnitIfInfinite(b);
  const Lanes is_small =
      (IsInfinite(c) | IsInfinite(d)) & IsFinite(a) & IsFinite(b);
  const Lanes unit_c = UnitIfInfinite(c);
  const Lanes unit_d = UnitIfInfinite(d);
  ComplexLanes result = quotient;
  result =
      Select(is_small,
             {(a * unit_c + b * unit_d) * 0.0, (b * unit_c - a * unit_d) * 0.0},
             result);
  result = Select(is_large,
                  {infinity * (unit_a * c + unit_b * d),
                   infinity * (unit_b * c - unit_a * d)},
                  result);
  result = Select(by_zero, {signed_infinity * a, signed_infinity * b}, result);
  const Lanes is_nan = IsNan(quotient.real) & IsNan(quotient.imag);
  return Select(is_nan, result, quotient);
}

// In double: parts of floats neither overflow nor vanish.
ComplexLanes DivideFloats(const ComplexLanes& x, const ComplexLanes& y) {
  const ComplexLanes a = {ToDouble(x.real), ToDouble(x.imag)};
  const ComplexLanes b = {ToDouble(y.real), ToDouble(y.imag)};
  const Lanes square = b.real * b.real + b.imag * b.imag;
  const Lanes real = (a.real * b.real + a.imag * b.imag) / square;
  const Lanes imag = (a.imag * b.real - a.real * b.imag) / square;
  return RecoverQuotient(x, y, {ToFloat(real), ToFloat(imag)});
}

ComplexLanes DivideDoubles(const ComplexLanes& x, const ComplexLanes& y) {
  const Scale x_scale = ScaleOf(x);
  const Scale y_scale = ScaleOf(y);
  const Lanes a = x.real * x_scale.inverse;
  const Lanes b = x.imag * x_scale.inverse;
  const Lanes c = y.real * y_scale.inverse;
  const Lanes d = y.imag * y_scale.inverse;
  const Lanes square = SumOfProducts(c, c, d, d);
  const Lanes real = SumOfProducts(a, c, b, d) / square;
  const Lanes imag = SumOfProducts(b, c, -a, d) / square;
  // The result is in range where one of the products may not be: large numbers
  // are made smaller first, small ones larger.
  const Lanes smaller = SmallerOrSecond(x_scale.factor, y_scale.inverse);
  const Lanes larger = LargerOrSecond(y_scale.inverse, x_scale.factor);
  const auto scale_back = [&](const Lanes& part) {
    const Lanes is_large = Abs(part) >= 1;
    return part * Select(is_large, smaller, larger) *
           Select(is_large, larger, smaller);
  };
  return RecoverQuotient(x, y, {scale_back(real), scale_back(imag)});
}

}  // namespace

ComplexLanes operator+(const ComplexLanes& a, const ComplexLanes& b) {
  return {a.real + b.real, a.imag + b.imag};
}
ComplexLanes operator-(const ComplexLanes& a, const ComplexLanes& b) {
  return {a.real - b.real, a.imag - b.imag};
}
ComplexLanes operator-(const ComplexLanes& z) { return {-z.real, -z.imag}; }

ComplexLanes Select(const Lanes& condition, const ComplexLanes& a,
                    const ComplexLanes& b) {
  return {Select(condition, a.real, b.real), Select(condition, a.imag, b.imag)};
}

ComplexLanes Multiply(const ComplexLanes& a, const ComplexLanes& b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}

ComplexLanes Divide(const ComplexLanes& a, const ComplexLanes& b) {
  return a.real.IsDouble() ? DivideDoubles(a, b) : DivideFloats(a, b);
}

Lanes IsNan(const ComplexLanes& z) { return IsNan(z.real) | IsNan(z.imag); }

Lanes IsLess(const ComplexLanes& a, const ComplexLanes& b) {
  const Lanes is_ordered = ~(IsNan(a) | IsNan(b));
  const Lanes by_imag = (a.real == b.real) & (a.imag < b.imag);
  return is_ordered & ((a.real < b.real) | by_imag);
}

Lanes Modulus(const ComplexLanes& z) {
  const Lanes is_infinite = IsInfinite(z.real) | IsInfinite(z.imag);
  if (!z.real.IsDouble()) {
    const Lanes x = ToDouble(z.real);
    const Lanes y = ToDouble(z.imag);
    const Lanes modulus = ToFloat(Sqrt(x * x + y * y));
    return Select(is_infinite, kInfinity, modulus);
  }
  const Scale scale = ScaleOf(z);
  const Lanes x = z.real * scale.inverse;
  const Lanes y = z.imag * scale.inverse;
  const Lanes modulus = Sqrt(SumOfProducts(x, x, y, y)) * scale.factor;
  return Select(is_infinite, kInfinity, modulus);
}

ComplexLanes Direction(const ComplexLanes& z) {
  const Lanes larger = LargerOrSecond(Abs(z.real), Abs(z.imag));
  const Lanes x = z.real / larger;
  const Lanes y = z.imag / larger;
  const Lanes modulus = Sqrt(x * x + y * y);
  const Lanes zero = x.Constant(0);
  return Select((z.real == 0) & (z.imag == 0), {zero, zero},
                {x / modulus, y / modulus});
}

}  // namespace hilo::backends
