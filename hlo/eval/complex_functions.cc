// Math functions of complex numbers, on top of the C library's.
#include "hlo/eval/complex_functions.h"

#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>

namespace hilo::hlo::scalar {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// log|1 + z| for |z| < 1/2: |1 + z|^2 - 1 without cancellation against the 1.
double LogModulusOfOnePlus(Complex128 z) {
  // NOLINTBEGIN(google-runtime-float): nothing else is wider than double.
  const long double x = z.real();
  const long double y = z.imag();
  // NOLINTEND(google-runtime-float)
  return static_cast<double>(std::log1p(x * (2 + x) + y * y) / 2);
}

}  // namespace

Complex128 Acos(Complex128 z) { return std::acos(z); }
Complex128 Acosh(Complex128 z) { return std::acosh(z); }
Complex128 Asin(Complex128 z) { return std::asin(z); }
Complex128 Asinh(Complex128 z) { return std::asinh(z); }
Complex128 Atanh(Complex128 z) { return std::atanh(z); }
Complex128 Cosh(Complex128 z) { return std::cosh(z); }
Complex128 Cosine(Complex128 z) { return std::cos(z); }

Complex128 Exponential(Complex128 z) {
  if (std::isinf(z.imag())) return {kNan, kNan};
  return std::exp(z);
}

Complex128 ExponentialMinusOne(Complex128 z) {
  const double x = z.real();
  const double y = z.imag();
  if (y == 0) return {std::expm1(x), y};
  // e^x cos y - 1 = (e^x - 1) cos y - 2 sin(y/2)^2.
  const double half_sine = std::sin(y / 2);
  const double real = std::expm1(x) * std::cos(y) - 2 * half_sine * half_sine;
  return {real, Exponential(z).imag()};
}

Complex128 Log(Complex128 z) { return std::log(z); }

Complex128 LogPlusOne(Complex128 z) {
  if (!(std::abs(z) < 0.5)) return std::log(Complex128(1 + z.real(), z.imag()));
  return {LogModulusOfOnePlus(z), std::atan2(z.imag(), 1 + z.real())};
}

Complex128 Logistic(Complex128 z) {
  if (z.real() < 0) {
    const Complex128 e = Exponential(z);
    return e / (1.0 + e);
  }
  return 1.0 / (1.0 + Exponential(Negate(z)));
}

std::complex<float> Divide(std::complex<float> x, std::complex<float> y) {
  return std::complex<float>(Complex128(x) / Complex128(y));
}

Complex128 Divide(Complex128 x, Complex128 y) {
  // NOLINTBEGIN(google-runtime-float): nothing else is wider than double.
  using Wide = std::complex<long double>;
  // NOLINTEND(google-runtime-float)
  return Complex128(Wide(x) / Wide(y));
}

Complex128 Rsqrt(Complex128 z) { return Complex128(1) / Sqrt(z); }
Complex128 Sine(Complex128 z) { return std::sin(z); }
Complex128 Sinh(Complex128 z) { return std::sinh(z); }

Complex128 Sqrt(Complex128 z) {
  if (z.imag() == 0) z.imag(0);
  return std::sqrt(z);
}

Complex128 Tan(Complex128 z) { return std::tan(z); }
Complex128 Tanh(Complex128 z) { return std::tanh(z); }

Complex128 Atan2(Complex128 y, Complex128 x) {
  if (y.imag() == 0 && x.imag() == 0) return std::atan2(y.real(), x.real());
  const Complex128 point(x.real() - y.imag(), x.imag() + y.real());
  const Complex128 modulus = Sqrt(Add(Multiply(x, x), Multiply(y, y)));
  const Complex128 logarithm = Log(Divide(point, modulus));
  return {logarithm.imag(), -logarithm.real()};
}

Complex128 Power(Complex128 z, Complex128 w) {
  if (w == Complex128()) return 1;
  if (z == Complex128()) {
    if (w.real() > 0) return 0;
    return Complex128(1) / Complex128(0);
  }
  if (w == Complex128(1)) return z;
  if (z.imag() == 0 && w.imag() == 0 && z.real() > 0) {
    return std::pow(z.real(), w.real());
  }
  return Exponential(Multiply(w, Log(z)));
}

}  // namespace hilo::hlo::scalar
