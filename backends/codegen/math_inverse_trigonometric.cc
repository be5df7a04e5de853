// Arc functions.
#include "backends/codegen/lane_math.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/math_pieces.h"

namespace hilo::backends {
namespace {

constexpr double kPi = 0x1.921fb54442d18p+1;
constexpr double kPiLow = 0x1.1a62633145c07p-53;

// (asin(x) - x) / x for t = x^2 up to 1/4.
Lanes AsinPolynomial(const Lanes& t) {
  return t *
         Polynomial(t, {.single = {0.0422306024, 0.0241409577, 0.0454783477,
                                   0.0749523267, 0.166667536},
                        .full = {0x1.05fe727ec72a2p-5, -0x1.0b7f0723fa4efp-6,
                                 0x1.41088bfdc4099p-6, 0x1.aa371b124548cp-8,
                                 0x1.8ef2ccd19ac75p-7, 0x1.c6f66037182a5p-7,
                                 0x1.1c6c429ebfa89p-6, 0x1.6e89edbb1644cp-6,
                                 0x1.f1c72c7f87883p-6, 0x1.6db6db419c978p-5,
                                 0x1.333333336fdc5p-4, 0x1.5555555555384p-3}});
}

// Where |x| >= 1/2: asin(x) = pi/2 - 2 asin(root).
struct HalfAngle {
  Lanes is_small;
  Lanes root;
  Lanes square;
};
HalfAngle HalveAngle(const Lanes& x) {
  const Lanes magnitude = Abs(x);
  const Lanes is_small = magnitude < 0.5;
  const Lanes half = (1 - magnitude) * 0.5;
  const Lanes square = Select(is_small, x * x, half);
  return {is_small, Select(is_small, magnitude, Sqrt(half)), square};
}

// pi times a multiple of 1/4, as the format's nearest number and the rest.
Lanes PiHigh(const Lanes& x, double factor) {
  return ByFormat(x, factor * 0x1.921fb6p+1, factor * kPi);
}
Lanes PiLow(const Lanes& x, double factor) {
  return ByFormat(x, factor * -0x1.777a5cp-24, factor * kPiLow);
}

// atan for 0 <= z <= 1 in double, for a result in float.
Lanes AtanForFloat(const Lanes& z) {
  const Lanes t = z * z;
  const Lanes polynomial = Polynomial(
      t, {-0x1.defd05b9f11cdp-10, 0x1.6a8ea5d8cf222p-7, -0x1.01af211228268p-5,
          0x1.dd0e7af6b919dp-5, -0x1.58dc60af9ce5ap-4, 0x1.c0d281389cea0p-4,
          -0x1.2426f84ca74dbp-3, 0x1.9992766e90a53p-3, -0x1.55554037d6516p-2});
  return Fma(polynomial * t, z, z);
}

// atan for |z| <= 7/16: atan(z) - z.
Lanes AtanRest(const Lanes& z) {
  const Lanes t = z * z;
  const Lanes polynomial = Polynomial(
      t, {-0x1.0acf653293f16p-6, 0x1.2b41ec5e420e2p-5, -0x1.97b396f5a28a0p-5,
          0x1.dde288ea01554p-5, -0x1.10d663a0ecf86p-4, 0x1.3b0f2a43b29dfp-4,
          -0x1.745cdc480084fp-4, 0x1.c71c6fe19e6e9p-4, -0x1.2492492006478p-3,
          0x1.999999998eb52p-3, -0x1.555555555550dp-2});
  return polynomial * t * z;
}

// atan(smaller / larger), for 0 <= smaller <= larger, larger > 0, as a sum. The
// ratio is taken relative to 0, 1/2 or 1.
DoubledLanes AtanOfRatio(const Lanes& smaller, const Lanes& larger) {
  const Lanes above_first = smaller > larger * 0.4375;
  const Lanes above_second = smaller > larger * 0.6875;
  const Lanes doubled = smaller + smaller;
  const Lanes numerator =
      Select(above_second, smaller - larger,
             Select(above_first, doubled - larger, smaller));
  const Lanes denominator =
      Select(above_second, smaller + larger,
             Select(above_first, larger + larger + smaller, larger));
  const Lanes zero = smaller.Constant(0);
  const Lanes base = Select(above_second, 0x1.921fb54442d18p-1,
                            Select(above_first, 0x1.dac670561bb4fp-2, zero));
  const Lanes base_low =
      Select(above_second, 0x1.1a62633145c07p-55,
             Select(above_first, 0x1.a2b7f222f65e2p-56, zero));
  const Lanes z = numerator / denominator;
  const DoubledLanes sum = ExactSum(base, z);
  return {sum.high, sum.low + (AtanRest(z) + base_low)};
}

// Powers of two that keep sums of the two in range.
Lanes Rescaled(const Lanes& x, const Lanes& larger) {
  const Lanes down = Select(larger > 0x1p+1000, x * 0x1p-60, x);
  return Select(larger < 0x1p-900, x * 0x1p+100, down);
}

Lanes Atan2OfDouble(const Lanes& y, const Lanes& x, const Lanes& smaller,
                    const Lanes& larger) {
  const Lanes is_point = (larger == 0) | ~(smaller < kInfinity);
  // Both zero: 0 / 1. Both infinite: 1 / 1.
  const Lanes top = Select(is_point, Select(larger == 0, 0, larger.Constant(1)),
                           Rescaled(smaller, larger));
  const Lanes bottom = Select(is_point, 1, Rescaled(larger, larger));
  const DoubledLanes angle = AtanOfRatio(top, bottom);
  const Lanes is_steep = Abs(y) > Abs(x);
  const Lanes is_left = BitsOf(x) < 0;
  const Lanes zero = x.Constant(0);
  // pi/2 - angle, then pi - angle: base + sign * angle.
  const Lanes base = Select(is_steep, kPi / 2, Select(is_left, kPi, zero));
  const Lanes base_low =
      Select(is_steep, kPiLow / 2, Select(is_left, kPiLow, zero));
  const Lanes is_negated = is_steep ^ is_left;
  const Lanes high = Select(is_negated, -angle.high, angle.high);
  const Lanes low = Select(is_negated, -angle.low, angle.low);
  const DoubledLanes sum = ExactSum(base, high);
  return sum.high + (sum.low + (base_low + low));
}

Lanes Atan2OfFloat(const Lanes& y, const Lanes& x, const Lanes& smaller,
                   const Lanes& larger) {
  const Lanes ratio = ToDouble(smaller) / ToDouble(larger);
  const Lanes point = Select(larger == 0, 0.0, ratio.Constant(1));
  const Lanes is_point = (larger == 0) | ~(smaller < kInfinity);
  Lanes angle = AtanForFloat(Select(is_point, point, ratio));
  angle = Select(Abs(y) > Abs(x), kPi / 2 - angle, angle);
  angle = Select(BitsOf(x) < 0, kPi - angle, angle);
  return ToFloat(angle);
}

}  // namespace

Lanes Asin(const Lanes& x) {
  const HalfAngle half = HalveAngle(x);
  const Lanes angle = Fma(AsinPolynomial(half.square), half.root, half.root);
  const Lanes large = PiHigh(x, 0.5) - ((angle + angle) - PiLow(x, 0.5));
  return CopySign(Select(half.is_small, angle, large), x);
}

Lanes Acos(const Lanes& x) {
  const HalfAngle half = HalveAngle(x);
  const Lanes rest = AsinPolynomial(half.square) * half.root;
  const Lanes signed_rest = CopySign(rest, x);
  const Lanes small = PiHigh(x, 0.5) - (x - (PiLow(x, 0.5) - signed_rest));
  const Lanes doubled = (half.root + rest) * 2;
  const Lanes large =
      Select(x < 0, PiHigh(x, 1) - (doubled - PiLow(x, 1)), doubled);
  return Select(half.is_small, small, large);
}

Lanes Atan2(const Lanes& y, const Lanes& x) {
  const Lanes is_steep = Abs(y) > Abs(x);
  const Lanes smaller = Select(is_steep, Abs(x), Abs(y));
  const Lanes larger = Select(is_steep, Abs(y), Abs(x));
  const Lanes angle = x.IsDouble() ? Atan2OfDouble(y, x, smaller, larger)
                                   : Atan2OfFloat(y, x, smaller, larger);
  const Lanes sum = x + y;
  const Lanes is_nan = IsNan(x) | IsNan(y);
  return Select(is_nan, sum, CopySign(angle, y));
}

}  // namespace hilo::backends
