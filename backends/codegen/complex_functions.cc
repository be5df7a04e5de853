// Complex exponential, logarithm, powers and trigonometric functions.
#include <cstdint>

#include "backends/codegen/complex_math.h"
#include "backends/codegen/lane_math.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/math_pieces.h"
#include "backends/codegen/math_trigonometric.h"

namespace hilo::backends {
namespace {

constexpr double kLargeExponent = 700;

ComplexLanes Real(const Lanes& x) { return {x, x.Constant(0)}; }

Lanes IsZero(const ComplexLanes& z) { return (z.real == 0) & (z.imag == 0); }

// i z and -i z.
ComplexLanes TimesI(const ComplexLanes& z) { return {-z.imag, z.real}; }
ComplexLanes TimesMinusI(const ComplexLanes& z) { return {z.imag, -z.real}; }

// cosh and sinh of x, divided by `factor`, a power of e that is 1 unless they
// come near to overflow.
struct HyperbolicParts {
  Lanes cosh;
  Lanes sinh;
  Lanes factor;
};
HyperbolicParts Hyperbolic(const Lanes& x) {
  const Lanes magnitude = Abs(x);
  const Lanes bounded = SmallerOrSecond(x.Constant(kLargeExponent), magnitude);
  return {Cosh(bounded), CopySign(Sinh(bounded), x),
          Exp(LargerOrSecond(magnitude - bounded, x.Constant(0)))};
}

// log |z|^2 / 2 where |z| is near 1: |z|^2 - 1 without cancellation.
Lanes LogModulusNearOne(const Lanes& larger, const Lanes& smaller) {
  const DoubledLanes first = ExactProduct(larger, larger);
  const DoubledLanes second = ExactProduct(smaller, smaller);
  const DoubledLanes excess =
      ExactSumOfAny(first.high, first.high.Constant(-1));
  const DoubledLanes sum = ExactSumOfAny(excess.high, second.high);
  const Lanes rest = sum.low + (excess.low + (first.low + second.low));
  return Log1p(sum.high + rest) * 0.5;
}

Lanes LogModulus(const ComplexLanes& z) {
  const Lanes x = Abs(z.real);
  const Lanes y = Abs(z.imag);
  const Lanes larger = Select(x > y, x, y);
  const Lanes smaller = Select(x > y, y, x);
  const Lanes ratio = smaller / larger;
  const Lanes far = Log(larger) + Log1p(ratio * ratio) * 0.5;
  const Lanes is_near = (larger > 0.5) & (larger < 1.5);
  const Lanes finite = Select(is_near, LogModulusNearOne(larger, smaller), far);
  const Lanes is_infinite = (x == kInfinity) | (y == kInfinity);
  return Select(is_infinite, kInfinity, Select(IsZero(z), -kInfinity, finite));
}

// The square roots of z, in the right half-plane. z is taken apart into a power
// of 4 and a number near 1.
ComplexLanes SqrtOf(const ComplexLanes& z) {
  constexpr uint64_t kBias = uint64_t{1023} << 52;
  const Lanes x = Abs(z.real);
  const Lanes y = Abs(z.imag);
  const Lanes larger = LargerOrSecond(x, y);
  const Lanes above = LargerOrSecond(larger, larger.Constant(0x1p-800));
  const Lanes bounded = SmallerOrSecond(above, larger.Constant(0x1p+800));
  const Lanes exponent =
      (BitsOf(bounded) & (uint64_t{0x7FF} << 52)) | (uint64_t{1} << 52);
  const Lanes inverse = FloatOfBits(2 * kBias - exponent);
  const Lanes root_factor = FloatOfBits((exponent + kBias) >> 1);
  const Lanes a = x * inverse;
  const Lanes b = y * inverse;
  const Lanes modulus = Sqrt(Fma(a, a, b * b));
  const Lanes root = Sqrt((a + modulus) * 0.5);
  const Lanes other = b / (root + root);
  const Lanes main_part = root * root_factor;
  const Lanes other_part = other * root_factor;
  const Lanes is_left = z.real < 0;
  const ComplexLanes result = {
      Select(is_left, other_part, main_part),
      CopySign(Select(is_left, main_part, other_part), z.imag)};
  return Select(IsZero(z), {x.Constant(0), z.imag}, result);
}

// sqrt with C99's infinities.
ComplexLanes SqrtWithInfinities(const ComplexLanes& z) {
  const Lanes infinity = z.real.Constant(kInfinity);
  const Lanes zero = z.real.Constant(0);
  // 0, or NaN if the imaginary part is NaN.
  const Lanes vanishing = z.imag * zero;
  ComplexLanes result = SqrtOf(z);
  result = Select(z.real == kInfinity, {infinity, vanishing}, result);
  result = Select(z.real == -kInfinity,
                  {Abs(vanishing), CopySign(infinity, z.imag)}, result);
  return Select(Abs(z.imag) == kInfinity, {infinity, z.imag}, result);
}

// Kahan's products of square roots in the arc functions.
// Source: W. Kahan, Branch cuts for complex elementary functions, 1987.
struct RootPair {
  ComplexLanes minus;  // sqrt(1 - z)
  ComplexLanes plus;   // sqrt(1 + z)
};
RootPair RootsOf(const ComplexLanes& z) {
  return {SqrtWithInfinities({1 - z.real, -z.imag}),
          SqrtWithInfinities({1 + z.real, z.imag})};
}

// Re(a b) and Im(conj(a) b).
Lanes RealOfProduct(const ComplexLanes& a, const ComplexLanes& b) {
  return a.real * b.real - a.imag * b.imag;
}
Lanes ImagOfConjugateProduct(const ComplexLanes& a, const ComplexLanes& b) {
  return a.real * b.imag - a.imag * b.real;
}

// Far out the products of roots are 2 |z|, which may overflow; arc functions
// have its logarithm there.
constexpr double kFar = 0x1p29;
Lanes IsFar(const ComplexLanes& z) {
  return (Abs(z.real) > kFar) | (Abs(z.imag) > kFar);
}
Lanes LogTwiceModulus(const ComplexLanes& z) {
  constexpr double kLogTwo = 0.693147180559945309417;
  return LogModulus(z) + kLogTwo;
}

}  // namespace

ComplexLanes ComplexExp(const ComplexLanes& z) {
  // In two factors, as e^x may overflow where e^x cos(y) does not.
  const Lanes root = Exp(z.real * 0.5);
  const SineAndCosine angle = SinCos(z.imag);
  const Lanes real = root * angle.cosine * root;
  const Lanes imag = root * angle.sine * root;
  const Lanes vanishes = (z.real == -kInfinity) & IsNan(z.imag);
  const Lanes zero = real.Constant(0);
  return Select(vanishes, {zero, zero},
                {real, Select(z.imag == 0, z.imag, imag)});
}

// e^x cos y - 1 = (e^x - 1) cos y - 2 sin(y/2)^2.
ComplexLanes ComplexExpm1(const ComplexLanes& z) {
  const Lanes expm1 = Expm1(z.real);
  const Lanes half_sine = Sin(z.imag * 0.5);
  const Lanes real = expm1 * Cos(z.imag) - 2 * half_sine * half_sine;
  const Lanes is_real = z.imag == 0;
  return {Select(is_real, expm1, real),
          Select(is_real, z.imag, ComplexExp(z).imag)};
}

ComplexLanes ComplexLog(const ComplexLanes& z) {
  return {LogModulus(z), Atan2(z.imag, z.real)};
}

ComplexLanes ComplexLog1p(const ComplexLanes& z) {
  const Lanes& x = z.real;
  const Lanes& y = z.imag;
  const ComplexLanes far = ComplexLog({x + 1, y});
  // |1 + z|^2 - 1 = x (2 + x) + y^2.
  const DoubledLanes factor = ExactSum(x.Constant(2), x);
  const DoubledLanes first = ExactProduct(x, factor.high);
  const DoubledLanes second = ExactProduct(y, y);
  const DoubledLanes sum = ExactSumOfAny(first.high, second.high);
  const Lanes rest = sum.low + Fma(x, factor.low, first.low + second.low);
  const Lanes near = Log1p(sum.high + rest) * 0.5;
  const Lanes is_near = (Abs(x) < 0.5) & (Abs(y) < 0.5);
  return {Select(is_near, near, far.real), far.imag};
}

ComplexLanes ComplexLogistic(const ComplexLanes& z) {
  const Lanes is_left = z.real < 0;
  const ComplexLanes e = ComplexExp(
      {Select(is_left, z.real, -z.real), Select(is_left, z.imag, -z.imag)});
  const ComplexLanes one = Real(z.real.Constant(1));
  return Divide(Select(is_left, e, one), one + e);
}

ComplexLanes ComplexSqrt(const ComplexLanes& z) {
  return SqrtWithInfinities({z.real, Select(z.imag == 0, 0.0, z.imag)});
}

ComplexLanes ComplexRsqrt(const ComplexLanes& z) {
  return Divide(Real(z.real.Constant(1)), ComplexSqrt(z));
}

ComplexLanes ComplexSin(const ComplexLanes& z) {
  return TimesMinusI(ComplexSinh(TimesI(z)));
}

ComplexLanes ComplexCos(const ComplexLanes& z) {
  return ComplexCosh(TimesI(z));
}

ComplexLanes ComplexTan(const ComplexLanes& z) {
  return TimesMinusI(ComplexTanh(TimesI(z)));
}

ComplexLanes ComplexSinh(const ComplexLanes& z) {
  const HyperbolicParts parts = Hyperbolic(z.real);
  const SineAndCosine angle = SinCos(z.imag);
  const Lanes imag = parts.cosh * angle.sine * parts.factor;
  return {parts.sinh * angle.cosine * parts.factor,
          Select(z.imag == 0, z.imag, imag)};
}

ComplexLanes ComplexCosh(const ComplexLanes& z) {
  const HyperbolicParts parts = Hyperbolic(z.real);
  const SineAndCosine angle = SinCos(z.imag);
  const Lanes imag = parts.sinh * angle.sine * parts.factor;
  const Lanes signed_zero = z.imag * CopySign(z.real.Constant(1), z.real);
  return {parts.cosh * angle.cosine * parts.factor,
          Select(z.imag == 0, signed_zero, imag)};
}

// With t = tan y and s = sinh x, the quotient of (1 + t^2) s sqrt(1 + s^2) + i
// t and 1 + (1 + t^2) s^2. Source: W. Kahan, Branch cuts for complex elementary
// functions, 1987.
ComplexLanes ComplexTanh(const ComplexLanes& z) {
  const SineAndCosine angle = SinCos(z.imag);
  const Lanes tangent = angle.sine / angle.cosine;
  const Lanes magnitude = Abs(z.real);
  const Lanes bounded = SmallerOrSecond(z.real.Constant(22), magnitude);
  const Lanes sinh = CopySign(Sinh(bounded), z.real);
  const Lanes square = Fma(tangent, tangent, 1.0);
  const Lanes cosh = Sqrt(Fma(sinh, sinh, 1.0));
  const Lanes divisor = Fma(square * sinh, sinh, 1.0);
  const ComplexLanes near = {square * cosh * sinh / divisor, tangent / divisor};
  const Lanes decay = Exp(magnitude * -2.0);
  const ComplexLanes far = {CopySign(z.real.Constant(1), z.real),
                            angle.sine * angle.cosine * 4 * decay};
  const ComplexLanes result = Select(magnitude > 22, far, near);
  // The angle says nothing at an infinity, even where it is none.
  const Lanes is_lost = (magnitude == kInfinity) & IsNan(result.imag);
  const Lanes imag =
      Select(is_lost, CopySign(z.imag.Constant(0), z.imag), result.imag);
  return {Select(z.real == 0, z.real, result.real),
          Select(z.imag == 0, z.imag, imag)};
}

namespace {

Lanes IsInfinite(const ComplexLanes& z) {
  return (Abs(z.real) == kInfinity) | (Abs(z.imag) == kInfinity);
}

}  // namespace

ComplexLanes ComplexAsin(const ComplexLanes& z) {
  const RootPair roots = RootsOf(z);
  const Lanes is_far = IsFar(z);
  const Lanes adjacent =
      Select(is_far, Abs(z.imag), RealOfProduct(roots.minus, roots.plus));
  return {Atan2(z.real, adjacent),
          Select(is_far, CopySign(LogTwiceModulus(z), z.imag),
                 Asinh(ImagOfConjugateProduct(roots.minus, roots.plus)))};
}

ComplexLanes ComplexAcos(const ComplexLanes& z) {
  const RootPair roots = RootsOf(z);
  // At infinities, the angle that is seen from there.
  const Lanes angle = Select(IsInfinite(z), Atan2(Abs(z.imag), z.real),
                             Atan2(roots.minus.real, roots.plus.real) * 2);
  return {angle,
          Select(IsFar(z), CopySign(LogTwiceModulus(z), -z.imag),
                 Asinh(ImagOfConjugateProduct(roots.plus, roots.minus)))};
}

ComplexLanes ComplexAsinh(const ComplexLanes& z) {
  return TimesI(ComplexAsin(TimesMinusI(z)));
}

ComplexLanes ComplexAcosh(const ComplexLanes& z) {
  const ComplexLanes minus = SqrtWithInfinities({z.real - 1, z.imag});
  const ComplexLanes plus = SqrtWithInfinities({z.real + 1, z.imag});
  // Re(conj(minus) plus).
  const Lanes product = minus.real * plus.real + minus.imag * plus.imag;
  return {Select(IsFar(z), LogTwiceModulus(z), Asinh(product)),
          Select(IsInfinite(z), Atan2(z.imag, z.real),
                 Atan2(minus.imag, plus.real) * 2)};
}

// Far out atanh z is 1/z, but for terms of its third power, plus or minus i
// pi/2. Just
// above and below 1 the square of the distance vanishes.
ComplexLanes ComplexAtanh(const ComplexLanes& z) {
  constexpr double kClose = 0x1p-30;
  constexpr double kLogTwo = 0.693147180559945309417;
  constexpr double kHalfPi = 1.57079632679489661923;
  const Lanes x = Abs(z.real);
  const Lanes& y = z.imag;
  const Lanes below = 1 - x;
  const Lanes distance = Fma(below, below, y * y);
  const Lanes is_close = (below == 0) & (Abs(y) < kClose);
  const Lanes real = Select(is_close, (kLogTwo - Log(Abs(y))) * 0.5,
                            Log1p(x * 4 / distance) * 0.25);
  const Lanes imag = Atan2(y + y, Fma(-y, y, below * (1 + x))) * 0.5;
  const Lanes height = Abs(y);
  const Lanes largest = Select(x > height, x, height);
  const Lanes across = x / largest;
  const Lanes up = height / largest;
  const Lanes square = Fma(across, across, up * up);
  const Lanes is_infinite = (x == kInfinity) | (height == kInfinity);
  const Lanes far_real = Select(is_infinite, 0.0, across / square / largest);
  const Lanes missing = Select(is_infinite, 0.0, up / square / largest);
  const Lanes far_imag = Select(IsNan(y), y, CopySign(kHalfPi - missing, y));
  return Select(IsFar(z), {CopySign(far_real, z.real), far_imag},
                {CopySign(real, z.real), imag});
}

ComplexLanes ComplexAtan2(const ComplexLanes& y, const ComplexLanes& x) {
  const Lanes is_real = (y.imag == 0) & (x.imag == 0);
  const Lanes real = Atan2(y.real, x.real);
  const ComplexLanes point = x + TimesI(y);
  const ComplexLanes modulus = ComplexSqrt(Multiply(x, x) + Multiply(y, y));
  const ComplexLanes logarithm = ComplexLog(Divide(point, modulus));
  return Select(is_real, Real(real), TimesMinusI(logarithm));
}

ComplexLanes ComplexPow(const ComplexLanes& z, const ComplexLanes& w) {
  const Lanes zero = z.real.Constant(0);
  const ComplexLanes one = Real(z.real.Constant(1));
  ComplexLanes result = ComplexExp(Multiply(w, ComplexLog(z)));
  const Lanes is_real = (z.imag == 0) & (w.imag == 0) & (z.real > 0);
  result = Select(is_real, Real(Pow(z.real, w.real)), result);
  const Lanes is_one = (w.real == 1) & (w.imag == 0);
  result = Select(is_one, z, result);
  const ComplexLanes pole = {zero.Constant(kInfinity),
                             zero.Constant(kNotANumber)};
  const ComplexLanes of_zero = Select(w.real > 0, {zero, zero}, pole);
  result = Select(IsZero(z), of_zero, result);
  return Select(IsZero(w), one, result);
}

}  // namespace hilo::backends
