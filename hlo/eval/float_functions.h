// Element-wise functions of float and double.
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

namespace hilo::hlo::scalar {

template <typename T>
concept Float = std::floating_point<T>;

template <Float T>
T Add(T x, T y) {
  return x + y;
}
template <Float T>
T Subtract(T x, T y) {
  return x - y;
}
template <Float T>
T Multiply(T x, T y) {
  return x * y;
}
template <Float T>
T Divide(T x, T y) {
  return x / y;
}
template <Float T>
T Remainder(T x, T y) {
  return std::fmod(x, y);
}
template <Float T>
T Power(T x, T y) {
  return std::pow(x, y);
}
template <Float T>
T Atan2(T y, T x) {
  return std::atan2(y, x);
}

// NaN if either is; -0 < +0.
template <Float T>
T Maximum(T x, T y) {
  if (std::isnan(x)) return x;
  if (std::isnan(y)) return y;
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
template <Float T>
T Minimum(T x, T y) {
  if (std::isnan(x)) return x;
  if (std::isnan(y)) return y;
  if (x == y) return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

template <Float T>
T Abs(T x) {
  return std::abs(x);
}
template <Float T>
T Negate(T x) {
  return -x;
}
template <Float T>
T Real(T x) {
  return x;
}
template <Float T>
T Imag(T /*x*/) {
  return 0;
}
// Zeros and NaN are kept.
template <Float T>
T Sign(T x) {
  if (x > 0) return 1;
  if (x < 0) return -1;
  return x;
}

template <Float T>
T Acos(T x) {
  return std::acos(x);
}
template <Float T>
T Acosh(T x) {
  return std::acosh(x);
}
template <Float T>
T Asin(T x) {
  return std::asin(x);
}
template <Float T>
T Asinh(T x) {
  return std::asinh(x);
}
template <Float T>
T Atanh(T x) {
  return std::atanh(x);
}
// One bit type wider than T: libm's own cbrt is off by up to 4 ulp.
template <Float T>
T Cbrt(T x) {
  // NOLINTNEXTLINE(google-runtime-float): nothing else is wider than double.
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  return static_cast<T>(std::cbrt(static_cast<Wide>(x)));
}
template <Float T>
T Cosh(T x) {
  return std::cosh(x);
}
template <Float T>
T Cosine(T x) {
  return std::cos(x);
}
template <Float T>
T Exponential(T x) {
  return std::exp(x);
}
template <Float T>
T ExponentialMinusOne(T x) {
  return std::expm1(x);
}
template <Float T>
T Log(T x) {
  return std::log(x);
}
template <Float T>
T LogPlusOne(T x) {
  return std::log1p(x);
}
// The exponential never overflows, so that large magnitudes give 0 and 1.
template <Float T>
T Logistic(T x) {
  const double e = std::exp(-std::abs(static_cast<double>(x)));
  return static_cast<T>((x < 0 ? e : 1) / (1 + e));
}
template <Float T>
T Rsqrt(T x) {
  return static_cast<T>(1 / std::sqrt(static_cast<double>(x)));
}
template <Float T>
T Sine(T x) {
  return std::sin(x);
}
template <Float T>
T Sinh(T x) {
  return std::sinh(x);
}
template <Float T>
T Sqrt(T x) {
  return std::sqrt(x);
}
template <Float T>
T Tan(T x) {
  return std::tan(x);
}
// In double: libm's own tanhf is off by up to 2.2 ulp.
template <Float T>
T Tanh(T x) {
  return static_cast<T>(std::tanh(static_cast<double>(x)));
}

}  // namespace hilo::hlo::scalar
