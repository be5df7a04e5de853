// The exponential and what is made of it.
#include "backends/codegen/lane_math.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/math_pieces.h"

namespace hilo::backends {
namespace {

constexpr double kLog2OfE = 0x1.71547652b82fep+0;

// x = count * ln 2 + rest, |rest| <= ln(2) / 2; `count` is integer-valued.
struct ReducedExponent {
  Lanes count;
  Lanes rest;
};

ReducedExponent Reduce(const Lanes& x) {
  const double rounding = RoundingNumber(x);
  const Lanes count = Fma(x, kLog2OfE, rounding) - rounding;
  const Lanes high = ByFormat(x, -0x1.62e43p-1, -0x1.62e42fefa39efp-1);
  const Lanes low = ByFormat(x, 0x1.05c61p-29, -0x1.abc9e3b39803fp-56);
  return {count, Fma(count, low, Fma(count, high, x))};
}

// (e^f - 1 - f) / f^2 for |f| <= ln(2) / 2.
Lanes ExpPolynomial(const Lanes& f) {
  return Polynomial(
      f, {.single = {0.00138143252, 0.00836885162, 0.0416684002, 0.166665196,
                     0.49999994},
          .full = {0x1.1e3c75096efe1p-29, 0x1.af6ce87d1f3fep-26,
                   0x1.27e5b5b7405f2p-22, 0x1.71ddef901c563p-19,
                   0x1.a01a013555e44p-16, 0x1.a01a01b3b7075p-13,
                   0x1.6c16c16c30adap-10, 0x1.111111110ebcep-7,
                   0x1.5555555555501p-5, 0x1.555555555555bp-3, 0.5}});
}

// The same, with a small error relative to e^f - 1.
Lanes Expm1Polynomial(const Lanes& f) {
  return Polynomial(
      f, {.single = {0.000199144502, 0.00139412074, 0.0083332723, 0.0416663513,
                     0.166666672, 0.5},
          .full = {0x1.1f95f0a274eabp-29, 0x1.af5fb33867993p-26,
                   0x1.27e4c547f731bp-22, 0x1.71ddf7d2adb8fp-19,
                   0x1.a01a01b0df227p-16, 0x1.a01a01b013821p-13,
                   0x1.6c16c16c143d5p-10, 0x1.111111110f647p-7,
                   0x1.555555555555ap-5, 0x1.5555555555559p-3, 0.5}});
}

// e^f for |f| <= ln(2) / 2.
Lanes ExpOfRest(const Lanes& f) {
  return Fma(ExpPolynomial(f), f * f, f) + 1.0;
}

// x where e^x is neither zero nor infinite, else a number near; keeps NaN.
Lanes BoundedExponent(const Lanes& x) {
  const Lanes above = LargerOrSecond(ByFormat(x, -104, -746), x);
  return SmallerOrSecond(ByFormat(x, 89, 710), above);
}

}  // namespace

Lanes ModerateExp(const Lanes& x) {
  const ReducedExponent reduced = Reduce(x);
  return ExpOfRest(reduced.rest) * PowerOfTwo(reduced.count);
}

Lanes ScaleByPower(const Lanes& x, const Lanes& n) {
  // In two steps, as 2^n itself need not be a number.
  const double rounding = RoundingNumber(n) + ExponentBias(n);
  const Lanes half = Fma(n, 0.5, rounding);
  const Lanes other = n - (half - rounding);
  const Lanes factor = FloatOfBits(BitsOf(half) << MantissaBits(n));
  return x * factor * PowerOfTwo(other);
}

Lanes Exp(const Lanes& x) {
  const ReducedExponent reduced = Reduce(BoundedExponent(x));
  return ScaleByPower(ExpOfRest(reduced.rest), reduced.count);
}

Lanes ExpOfSum(const Lanes& x, const Lanes& correction) {
  const ReducedExponent reduced = Reduce(BoundedExponent(x));
  return ScaleByPower(ExpOfRest(reduced.rest + correction), reduced.count);
}

Lanes HalfOfExp(const Lanes& x) {
  const Lanes bounded = SmallerOrSecond(ByFormat(x, 90, 711), x);
  const ReducedExponent reduced = Reduce(bounded);
  return ScaleByPower(ExpOfRest(reduced.rest), reduced.count - 1);
}

// e^x - 1 = 2 (2^(n-1) (e^f - 1) + (2^(n-1) - 1/2)).
Lanes Expm1(const Lanes& x) {
  const Lanes above = LargerOrSecond(ByFormat(x, -30, -60), x);
  const Lanes bounded = SmallerOrSecond(ByFormat(x, 89, 710), above);
  const ReducedExponent reduced = Reduce(bounded);
  const Lanes f = reduced.rest;
  const Lanes rest = Expm1Polynomial(f) * (f * f);
  const DoubledLanes sum = ExactSum(f, rest);
  const Lanes half_power = PowerOfTwo(reduced.count - 1);
  const Lanes main = Fma(half_power, sum.high, half_power - 0.5);
  const Lanes result = Fma(half_power, sum.low, main) * 2;
  const Lanes tiny = ByFormat(x, 0x1p-25, 0x1p-54);
  return Select(Abs(x) < tiny, x, result);
}

Lanes Logistic(const Lanes& x) {
  const Lanes magnitude = -Abs(x);
  const Lanes e = Exp(magnitude);
  return Select(x < 0, e, 1) / (e + 1);
}

// Near 0 an odd polynomial, else 1 - 2 / (e^2|x| + 1).
Lanes Tanh(const Lanes& x) {
  const Lanes magnitude = Abs(x);
  const Lanes square = x * x;
  const Lanes polynomial = Polynomial(
      square, {.single = {-0.0057170433, 0.0206505861, -0.0537434965,
                          0.133314908, -0.333332837},
               .full = {0x1.e434cf9183aaap-18, -0x1.111430e88e7a3p-15,
                        0x1.88cb6e0a23dbdp-14, -0x1.f346fb3621e0fp-13,
                        0x1.3538ce9af09d9p-11, -0x1.7da0fefe36885p-10,
                        0x1.d6d3b0b7360c2p-9, -0x1.226e34cdf7578p-7,
                        0x1.664f487f85254p-6, -0x1.ba1ba1ba10c10p-5,
                        0x1.111111111107ep-3, -0x1.5555555555555p-2}});
  const Lanes near_zero = Fma(polynomial * square, x, x);
  const Lanes bounded = SmallerOrSecond(ByFormat(x, 10, 20), magnitude);
  const Lanes e = ModerateExp(bounded + bounded);
  const Lanes far = 1 - 2 / (e + 1);
  const Lanes is_near = magnitude < ByFormat(x, 0.625, 0.5625);
  // near_zero of -0 is +0.
  return CopySign(Select(is_near, near_zero, far), x);
}

Lanes Sinh(const Lanes& x) {
  const Lanes square = x * x;
  const Lanes polynomial = Polynomial(
      square,
      {.single = {2.81743951e-06, 0.000198360663, 0.00833335053, 0.166666672},
       .full = {0x1.b4cf7940c6424p-41, 0x1.611a3a1e3111dp-33,
                0x1.ae646766904fap-26, 0x1.71de3a45f71b0p-19,
                0x1.a01a01a0291fcp-13, 0x1.11111111110a1p-7,
                0x1.5555555555556p-3}});
  const Lanes near_zero = Fma(polynomial * square, x, x);
  const Lanes half = HalfOfExp(Abs(x));
  const Lanes far = half - 0.25 / half;
  return Select(Abs(x) < 1, near_zero, CopySign(far, x));
}

Lanes Cosh(const Lanes& x) {
  const Lanes half = HalfOfExp(Abs(x));
  return half + 0.25 / half;
}

}  // namespace hilo::backends
