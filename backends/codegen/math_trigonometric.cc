// Sine, cosine and tangent.
#include "backends/codegen/math_trigonometric.h"

#include <array>
#include <vector>

#include "absl/types/span.h"

#include "backends/codegen/lane_math.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/math_pieces.h"

namespace hilo::backends {
namespace {

constexpr double kQuarterTurn = 0x1.921fb54442d18p+0;

// An angle of a float: in double, with the quadrant as an integer of 32 bits.
struct FloatAngle {
  Lanes quadrant;
  Lanes rest;
};

// Magnitudes in turns are sums of exact products with pieces of 1 / (2 pi) of
// 29 bits, of which whole turns are dropped one by one: float's 24 bits make
// this right up to its largest number.
FloatAngle ReduceAnyFloat(const Lanes& wide) {
  constexpr std::array kPieces = {0x1.45f306dp-3, 0x1.9391054p-32,
                                  0x1.4fe13abp-61, 0x1.d1f534dp-90,
                                  0x1.b81b6c5p-119};
  constexpr double kLastPiece = 0x1.5993c439041fep-150;
  Lanes turns = wide * kLastPiece;
  for (int i = 4; i >= 0; --i) {
    const Lanes product = wide * kPieces[i];
    turns = turns + (product - RoundToEven(product));
  }
  const Lanes quarters = (turns - RoundToEven(turns)) * 4;
  const Lanes quadrant = RoundToEven(quarters);
  return {FloatToSigned(quadrant, 32), (quarters - quadrant) * kQuarterTurn};
}

// Below it, the number of quarters has 20 bits.
constexpr double kManyQuarters = 0x1p+20;

// Subtracts multiples of pi/2 in pieces of 33 bits, with which the number of
// quarters has exact products.
// Source: W. J. Cody and W. Waite, Software Manual for the Elementary
// Functions, 1980.
FloatAngle ReduceModerateFloat(const Lanes& wide) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr std::array kPieces = {0x1.921fb544p+0, 0x1.0b4611a6p-34,
                                  0x1.3198a2ep-69};
  const Lanes quadrant = RoundToEven(wide * kTwoOverPi);
  Lanes rest = wide;
  for (const double piece : kPieces) rest = rest - quadrant * piece;
  return {FloatToSigned(quadrant, 32), rest};
}

// For angles of 0 and more, as quadrant and rest.
std::vector<Lanes> EmitFloatReduction(const Lanes& wide) {
  const FloatAngle moderate = ReduceModerateFloat(wide);
  return WithSlowPath(wide >= kManyQuarters, {moderate.quadrant, moderate.rest},
                      [&] {
                        const FloatAngle angle = ReduceAnyFloat(wide);
                        return std::vector<Lanes>{angle.quadrant, angle.rest};
                      });
}

FloatAngle ReduceFloatAngle(const Lanes& x) {
  const Lanes wide = ToDouble(Abs(x));
  const std::vector<Lanes> reduced = CallOutlined(
      "reduce_float_angle", {&wide, 1}, [](absl::Span<const Lanes> arguments) {
        return EmitFloatReduction(arguments[0]);
      });
  return {reduced[0], reduced[1]};
}

// sin(high + low) and cos(high + low) for |high| <= pi/4, as sums of what is
// nearly all and a rest.
DoubledLanes SineParts(const Lanes& high, const Lanes& low) {
  const Lanes square = high * high;
  const Lanes polynomial = Polynomial(
      square, {.single = {-0.000195166562, 0.00833217334, -0.166666552},
               .full = {0x1.5d915dd27eb9fp-33, -0x1.ae5e60c39154dp-26,
                        0x1.71de3570fbe31p-19, -0x1.a01a019c0a269p-13,
                        0x1.111111110f841p-7, -0x1.5555555555549p-3}});
  const Lanes small =
      Fma(low, Fma(square, -0.5, 1.0), polynomial * square * high);
  return {high, small};
}

DoubledLanes CosineParts(const Lanes& high, const Lanes& low) {
  const Lanes square = high * high;
  const Lanes polynomial = Polynomial(
      square, {.single = {2.44377316e-05, -0.00138873619, 0.0416666456},
               .full = {-0x1.8facd192f74a5p-37, 0x1.1ee9e8912f084p-29,
                        -0x1.27e4f805346dbp-22, 0x1.a01a019cab752p-16,
                        -0x1.6c16c16c15140p-10, 0x1.555555555554cp-5}});
  const Lanes half = square * 0.5;
  const Lanes main = 1 - half;
  const Lanes small =
      Fma(polynomial, square * square, Fma(-high, low, (1 - main) - half));
  return {main, small};
}

Lanes SineOfRest(const ReducedAngle& angle) {
  const DoubledLanes parts = SineParts(angle.high, angle.low);
  return parts.high + parts.low;
}

Lanes CosineOfRest(const ReducedAngle& angle) {
  const DoubledLanes parts = CosineParts(angle.high, angle.low);
  return parts.high + parts.low;
}

// Flips the sign where bit 1 of `quadrant` is set.
Lanes FlipSign(const Lanes& x, const Lanes& quadrant) {
  return FloatOfBits(BitsOf(x) ^ ((quadrant >> 1) << (x.bits() - 1)));
}

ReducedAngle ReduceAny(const Lanes& x) {
  if (x.IsDouble()) return ReduceAngle(x);
  const FloatAngle angle = ReduceFloatAngle(x);
  return {angle.quadrant, ToFloat(angle.rest), x.Constant(0)};
}

Lanes SineOf(const ReducedAngle& angle, const Lanes& sine, const Lanes& cosine,
             const Lanes& x) {
  const Lanes is_odd = (angle.quadrant & 1) != 0;
  const Lanes magnitude =
      FlipSign(Select(is_odd, cosine, sine), angle.quadrant);
  const Lanes sign = BitsOf(x) & BitsOf(x.Constant(-0.0));
  return FloatOfBits(BitsOf(magnitude) ^ sign);
}

Lanes CosineOf(const ReducedAngle& angle, const Lanes& sine,
               const Lanes& cosine) {
  const Lanes is_odd = (angle.quadrant & 1) != 0;
  return FlipSign(Select(is_odd, sine, cosine), angle.quadrant + 1);
}

// The quotient in double rounds once.
Lanes TanOfFloat(const Lanes& x) {
  const FloatAngle angle = ReduceFloatAngle(x);
  const Lanes& r = angle.rest;
  const Lanes square = r * r;
  const Lanes sine =
      Fma(Polynomial(square, {0x1.6cd5ec3ea426bp-19, -0x1.a00f93996dca9p-13,
                              0x1.11110889f80dcp-7, -0x1.5555554ca934ep-3}) *
              square,
          r, r);
  const Lanes cosine =
      Fma(Polynomial(square, {-0x1.2429092baab11p-22, 0x1.a011178d4cab0p-16,
                              -0x1.6c16b88bf403dp-10, 0x1.5555554f42917p-5}),
          square * square, Fma(square, -0.5, 1.0));
  const Lanes is_odd = (angle.quadrant & 1) != 0;
  const Lanes quotient =
      Select(is_odd, -cosine, sine) / Select(is_odd, sine, cosine);
  const Lanes magnitude = ToFloat(quotient);
  const Lanes sign = BitsOf(x) & BitsOf(x.Constant(-0.0));
  return FloatOfBits(BitsOf(magnitude) ^ sign);
}

}  // namespace

SineAndCosine SinCos(const Lanes& x) {
  const ReducedAngle angle = ReduceAny(x);
  const Lanes sine = SineOfRest(angle);
  const Lanes cosine = CosineOfRest(angle);
  return {SineOf(angle, sine, cosine, x), CosineOf(angle, sine, cosine)};
}

Lanes Sin(const Lanes& x) {
  const ReducedAngle angle = ReduceAny(x);
  return SineOf(angle, SineOfRest(angle), CosineOfRest(angle), x);
}

Lanes Cos(const Lanes& x) {
  const ReducedAngle angle = ReduceAny(x);
  return CosineOf(angle, SineOfRest(angle), CosineOfRest(angle));
}

Lanes Tan(const Lanes& x) {
  if (!x.IsDouble()) return TanOfFloat(x);
  const ReducedAngle angle = ReduceAngle(x);
  const DoubledLanes sine_parts = SineParts(angle.high, angle.low);
  const DoubledLanes cosine_parts = CosineParts(angle.high, angle.low);
  const DoubledLanes sine = ExactSum(sine_parts.high, sine_parts.low);
  const DoubledLanes cosine = ExactSum(cosine_parts.high, cosine_parts.low);
  const Lanes is_odd = (angle.quadrant & 1) != 0;
  const Lanes top = Select(is_odd, -cosine.high, sine.high);
  const Lanes top_low = Select(is_odd, -cosine.low, sine.low);
  const Lanes bottom = Select(is_odd, sine.high, cosine.high);
  const Lanes bottom_low = Select(is_odd, sine.low, cosine.low);
  // The quotient of the leading parts, and what it misses.
  const Lanes inverse = 1 / bottom;
  const Lanes first = top * inverse;
  const Lanes rest =
      Fma(-first, bottom, top) + Fma(-first, bottom_low, top_low);
  const Lanes quotient = Fma(rest, inverse, first);
  const Lanes sign = BitsOf(x) & BitsOf(x.Constant(-0.0));
  return FloatOfBits(BitsOf(quotient) ^ sign);
}

}  // namespace hilo::backends
