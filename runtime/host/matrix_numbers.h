// Arithmetic of the numbers that matrices consist of.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/base/numeric_types.h"
#include "runtime/host/element_code.h"

namespace hilo::runtime {

// The type of the real part.
template <typename T>
using RealPart = NumericTraits<T>::Part;

template <typename T>
T Conjugate(T x) {
  return x;
}
template <typename T>
std::complex<T> Conjugate(std::complex<T> x) {
  return std::conj(x);
}

// The plain product, also of complex numbers: infinities are not recovered.
template <typename T>
T PlainProduct(T x, T y) {
  return x * y;
}
template <typename T>
std::complex<T> PlainProduct(std::complex<T> x, std::complex<T> y) {
  return {x.real() * y.real() - x.imag() * y.imag(),
          x.real() * y.imag() + x.imag() * y.real()};
}

template <typename T>
T NotANumber() {
  constexpr auto kNan = std::numeric_limits<RealPart<T>>::quiet_NaN();
  if constexpr (NumericTraits<T>::is_complex) {
    return {kNan, kNan};
  } else {
    return kNan;
  }
}

template <typename T>
bool AllFinite(const T* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(std::real(values[i]))) return false;
    if (!std::isfinite(std::imag(values[i]))) return false;
  }
  return true;
}

// Calls function(std::type_identity<T>{}) with the type of the array and that
// of the computation: f32 for narrow floats. Other types: nothing.
template <typename F>
void DispatchMatrixElement(ElementCode type, F&& function) {
  DispatchElementCode(type, [&](auto tag) {
    using Element = decltype(tag)::type;
    if constexpr (NumericTraits<Element>::is_complex ||
                  std::is_floating_point_v<Element>) {
      function(tag, tag);
    } else if constexpr (NumericTraits<Element>::is_float) {
      function(tag, std::type_identity<float>{});
    }
  });
}

// to[j][i] = from[i][j], in blocks that fit the cache.
template <typename T>
void TransposeMatrix(const T* from, int64_t rows, int64_t columns, T* to) {
  constexpr int64_t kBlock = 16;
  for (int64_t i = 0; i < rows; i += kBlock) {
    const int64_t i_end = i + kBlock < rows ? i + kBlock : rows;
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t k = i; k < i_end; ++k) {
        to[j * rows + k] = from[k * columns + j];
      }
    }
  }
}

}  // namespace hilo::runtime
