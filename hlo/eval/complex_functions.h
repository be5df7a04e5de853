// Element-wise functions of complex numbers.
#pragma once

#include <cmath>
#include <complex>

namespace hilo::hlo::scalar {

// Math functions are written for c128 alone: c64 is computed in c128 and
// rounded. Principal branches, as in C99, but for what the comments say.
using Complex128 = std::complex<double>;

Complex128 Acos(Complex128 z);
Complex128 Acosh(Complex128 z);
Complex128 Asin(Complex128 z);
Complex128 Asinh(Complex128 z);
Complex128 Atanh(Complex128 z);
Complex128 Cosh(Complex128 z);
Complex128 Cosine(Complex128 z);
// NaN in both parts when the imaginary part is infinite.
Complex128 Exponential(Complex128 z);
Complex128 ExponentialMinusOne(Complex128 z);
Complex128 Log(Complex128 z);
Complex128 LogPlusOne(Complex128 z);
Complex128 Logistic(Complex128 z);
Complex128 Rsqrt(Complex128 z);
Complex128 Sine(Complex128 z);
Complex128 Sinh(Complex128 z);
// The sign of a zero imaginary part is ignored.
Complex128 Sqrt(Complex128 z);
Complex128 Tan(Complex128 z);
Complex128 Tanh(Complex128 z);
// -i log((x + iy) / sqrt(x^2 + y^2)).
Complex128 Atan2(Complex128 y, Complex128 x);
// 0^0 = 1; 0^w = 0 for Re w > 0.
Complex128 Power(Complex128 z, Complex128 w);

template <typename T>
std::complex<T> Add(std::complex<T> x, std::complex<T> y) {
  return x + y;
}
template <typename T>
std::complex<T> Subtract(std::complex<T> x, std::complex<T> y) {
  return x - y;
}
// The plain four products: infinities are not recovered.
template <typename T>
std::complex<T> Multiply(std::complex<T> x, std::complex<T> y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}
// With the infinities of C99, annex G. Nothing overflows or vanishes on the
// way.
std::complex<float> Divide(std::complex<float> x, std::complex<float> y);
Complex128 Divide(Complex128 x, Complex128 y);

template <typename T>
bool IsNan(std::complex<T> z) {
  return z.real() != z.real() || z.imag() != z.imag();
}
// Lexicographic: real parts first.
template <typename T>
bool IsLess(std::complex<T> x, std::complex<T> y) {
  if (x.real() != y.real()) return x.real() < y.real();
  return x.imag() < y.imag();
}
template <typename T>
std::complex<T> Maximum(std::complex<T> x, std::complex<T> y) {
  if (IsNan(x)) return x;
  return IsNan(y) || IsLess(x, y) ? y : x;
}
template <typename T>
std::complex<T> Minimum(std::complex<T> x, std::complex<T> y) {
  if (IsNan(x)) return x;
  return IsNan(y) || IsLess(y, x) ? y : x;
}

template <typename T>
T Abs(std::complex<T> z) {
  return std::hypot(z.real(), z.imag());
}
template <typename T>
std::complex<T> Negate(std::complex<T> z) {
  return {-z.real(), -z.imag()};
}
template <typename T>
T Real(std::complex<T> z) {
  return z.real();
}
template <typename T>
T Imag(std::complex<T> z) {
  return z.imag();
}
// z / abs(z), scaled first so that abs does not overflow; 0 for 0.
template <typename T>
std::complex<T> Sign(std::complex<T> z) {
  if (z == std::complex<T>()) return {};
  const T scale = std::fmax(std::abs(z.real()), std::abs(z.imag()));
  const std::complex<T> scaled(z.real() / scale, z.imag() / scale);
  const T modulus = Abs(scaled);
  return {scaled.real() / modulus, scaled.imag() / modulus};
}

}  // namespace hilo::hlo::scalar
