// The logarithm and what is made of it.
#include <cstdint>

#include "backends/codegen/lane_math.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/math_pieces.h"

namespace hilo::backends {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;

uint64_t SqrtHalfBits(const Lanes& x) {
  return x.IsDouble() ? 0x3FE6A09E667F3BCDULL : 0x3F3504F3ULL;
}
uint64_t OneBits(const Lanes& x) {
  return x.IsDouble() ? 0x3FF0000000000000ULL : 0x3F800000ULL;
}

// exponent * ln 2 + log(1 + fraction) + correction, for a small correction.
Lanes LogOf(const Decomposed& x, const Lanes& correction) {
  const Lanes& f = x.fraction;
  const Lanes high = ByFormat(f, 0x1.62e43p-1, kLn2);
  const Lanes low =
      Fma(x.exponent, ByFormat(f, -0x1.05c61p-29, 0x1.abc9e3b39803fp-56),
          correction);
  const Lanes half_square = f * f * 0.5;
  if (!f.IsDouble()) {
    const Lanes polynomial =
        Polynomial(f, {-0.0785960928, 0.128816321, -0.13128747, 0.141811937,
                       -0.16624555, 0.200022861, -0.250008106, 0.333333164});
    const Lanes small = Fma(polynomial * f, f * f, low) - half_square;
    return Fma(x.exponent, high, f + small);
  }
  // With s = f / (2 + f): log(1 + f) = 2 s + s R(s^2).
  const Lanes s = f / (f + 2);
  const Lanes square = s * s;
  const Lanes r =
      square * Polynomial(square, {0x1.2f0d8e947b4f2p-3, 0x1.39a0f5130ff64p-3,
                                   0x1.7466462b0f919p-3, 0x1.c71c51e80442cp-3,
                                   0x1.249249421787dp-2, 0x1.999999997fb34p-2,
                                   0x1.5555555555593p-1});
  const Lanes small = Fma(s, half_square + r, low) - half_square;
  return Fma(x.exponent, high, f + small);
}

}  // namespace

Decomposed Decompose(const Lanes& x) {
  const unsigned mantissa_bits = MantissaBits(x);
  const double to_normal = x.IsDouble() ? 0x1p+52 : 0x1p+23;
  const Lanes is_subnormal = x < ByFormat(x, 0x1p-126, 0x1p-1022);
  const Lanes normal = Select(is_subnormal, x * to_normal, x);
  // Adds so that the exponent goes up by one at sqrt(1/2).
  const Lanes moved = BitsOf(normal) + (OneBits(x) - SqrtHalfBits(x));
  const uint64_t mantissa_mask = (uint64_t{1} << mantissa_bits) - 1;
  const Lanes fraction =
      FloatOfBits((moved & mantissa_mask) + SqrtHalfBits(x)) - 1;
  // An integer in the low bits of 2^(mantissa bits) becomes a float.
  const Lanes biased =
      FloatOfBits((moved >> mantissa_bits) | BitsOf(x.Constant(to_normal)));
  const double bias = to_normal + ExponentBias(x);
  const Lanes exponent =
      biased - Select(is_subnormal, x.Constant(bias + mantissa_bits), bias);
  return {exponent, fraction};
}

Lanes Log(const Lanes& x) {
  const Lanes finite = LogOf(Decompose(x), x.Constant(0));
  const Lanes positive = Select(x < kInfinity, finite, x);
  return Select(x > 0, positive,
                Select(x == 0, x.Constant(-kInfinity), kNotANumber));
}

// The logarithm of u, 1 + x rounded, and of x against u's rounding error; from
// x itself when u needs no exponent.
Lanes Log1p(const Lanes& x) {
  const Lanes u = x + 1;
  const Decomposed decomposed = Decompose(u);
  const Lanes error = Select(x > 1, 1 - (u - x), x - (u - 1));
  const Lanes is_direct = decomposed.exponent == 0;
  const Lanes fraction = Select(is_direct, x, decomposed.fraction);
  const Lanes correction = Select(is_direct, 0, error / u);
  const Lanes finite = LogOf({decomposed.exponent, fraction}, correction);
  const Lanes above = Select((x == 0) | ~(x < kInfinity), x, finite);
  return Select(x > -1, above,
                Select(x == -1, x.Constant(-kInfinity), kNotANumber));
}

// log1p(x + x^2 / (1 + sqrt(1 + x^2))).
Lanes Asinh(const Lanes& x) {
  const Lanes magnitude = Abs(x);
  const Lanes square = magnitude * magnitude;
  const Lanes root = Sqrt(square + 1) + 1;
  const Lanes large_bound = ByFormat(x, 0x1p+30, 0x1p+60);
  const Lanes is_large = magnitude > large_bound;
  const Lanes argument = Select(is_large, magnitude, magnitude + square / root);
  const Lanes logarithm =
      Log1p(argument) + Select(is_large, kLn2, x.Constant(0));
  // What is so small that its square vanishes is its own result.
  const Lanes is_tiny = magnitude < ByFormat(x, 0x1p-14, 0x1p-28);
  return Select(is_tiny, x, CopySign(logarithm, x));
}

// With t = x - 1: log1p(t + sqrt(2 t + t^2)).
Lanes Acosh(const Lanes& x) {
  const Lanes t = x - 1;
  const Lanes root = Sqrt(Fma(t, t, t + t));
  const Lanes is_large = x > ByFormat(x, 0x1p+30, 0x1p+60);
  const Lanes argument = Select(is_large, x, t + root);
  const Lanes result = Log1p(argument) + Select(is_large, kLn2, x.Constant(0));
  return Select(x >= 1, result, kNotANumber);
}

// log1p(2 |x| / (1 - |x|)) / 2.
Lanes Atanh(const Lanes& x) {
  const Lanes magnitude = Abs(x);
  const Lanes result = Log1p((magnitude + magnitude) / (1 - magnitude)) * 0.5;
  const Lanes is_tiny = magnitude < ByFormat(x, 0x1p-14, 0x1p-28);
  return Select(is_tiny, x, CopySign(result, x));
}

}  // namespace hilo::backends
