// The steps of a transform, on vectors of lanes.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/host/fft_kernels.h"
#include "runtime/host/fft_tables.h"
#include "runtime/host/fft_vectors.h"

namespace hilo::runtime {

template <typename V>
struct ComplexVector {
  V re;
  V im;

  HILO_INLINE friend ComplexVector operator+(const ComplexVector& a,
                                             const ComplexVector& b) {
    return {a.re + b.re, a.im + b.im};
  }
  HILO_INLINE friend ComplexVector operator-(const ComplexVector& a,
                                             const ComplexVector& b) {
    return {a.re - b.re, a.im - b.im};
  }
  // Times -i.
  HILO_INLINE ComplexVector Turned() const { return {im, -re}; }
  HILO_INLINE ComplexVector Conjugate() const { return {re, -im}; }
};

template <typename V, typename S>
HILO_INLINE ComplexVector<V> Times(const ComplexVector<V>& a, const S& re,
                                   const S& im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}

template <typename T>
HILO_INLINE ComplexVector<LaneVector<T>> Element(const LaneArrays<T>& arrays,
                                                 int64_t i) {
  return {arrays.re[i], arrays.im[i]};
}
template <typename T>
HILO_INLINE void SetElement(const ComplexVector<LaneVector<T>>& value,
                            int64_t i, const LaneArrays<T>& arrays) {
  arrays.re[i] = value.re;
  arrays.im[i] = value.im;
}

// The last step's roots are all one.
template <typename T, bool is_last>
HILO_INLINE void FftStepBy2(const FftStep& step, const ComplexTable<T>& roots,
                            const StepArrays<T>& arrays) {
  const T* re = roots.re.data() + step.roots;
  const T* im = roots.im.data() + step.roots;
  const int64_t distance = step.stride * step.columns;
  for (int64_t column = 0; column < step.columns; ++column) {
    for (int64_t i = 0; i < step.stride; ++i) {
      const int64_t from = column * step.stride + i;
      const int64_t to = 2 * column * step.stride + i;
      const auto a = Element(arrays.from, from);
      const auto b = Element(arrays.from, from + distance);
      SetElement<T>(a + b, to, arrays.to);
      const auto difference = a - b;
      SetElement<T>(
          is_last ? difference : Times(difference, re[column], im[column]),
          to + step.stride, arrays.to);
    }
  }
}

template <typename T, bool is_last>
HILO_INLINE void FftStepBy4(const FftStep& step, const ComplexTable<T>& roots,
                            const StepArrays<T>& arrays) {
  const int64_t distance = step.stride * step.columns;
  for (int64_t column = 0; column < step.columns; ++column) {
    const T* re = roots.re.data() + step.roots + 3 * column;
    const T* im = roots.im.data() + step.roots + 3 * column;
    for (int64_t i = 0; i < step.stride; ++i) {
      const int64_t from = column * step.stride + i;
      const int64_t to = 4 * column * step.stride + i;
      const auto a = Element(arrays.from, from);
      const auto b = Element(arrays.from, from + distance);
      const auto c = Element(arrays.from, from + 2 * distance);
      const auto d = Element(arrays.from, from + 3 * distance);
      const auto even_sum = a + c;
      const auto even = a - c;
      const auto odd_sum = b + d;
      const auto odd = (b - d).Turned();
      SetElement<T>(even_sum + odd_sum, to, arrays.to);
      const auto first = even + odd;
      const auto second = even_sum - odd_sum;
      const auto third = even - odd;
      SetElement<T>(is_last ? first : Times(first, re[0], im[0]),
                    to + step.stride, arrays.to);
      SetElement<T>(is_last ? second : Times(second, re[1], im[1]),
                    to + 2 * step.stride, arrays.to);
      SetElement<T>(is_last ? third : Times(third, re[2], im[2]),
                    to + 3 * step.stride, arrays.to);
    }
  }
}

// One butterfly of an odd radix: sums and differences of elements that lie
// opposite have real factors. radix_re, radix_im: the roots of the radix.
template <typename T, int max_radix>
HILO_INLINE void OddButterfly(int64_t radix, const T* radix_re,
                              const T* radix_im,
                              ComplexVector<LaneVector<T>>* values) {
  using Complex = ComplexVector<LaneVector<T>>;
  const int64_t half = radix / 2;
  std::array<Complex, max_radix / 2 + 1> sums;
  std::array<Complex, max_radix / 2 + 1> differences;
  Complex total = values[0];
  for (int64_t j = 1; j <= half; ++j) {
    sums[j] = values[j] + values[radix - j];
    differences[j] = values[j] - values[radix - j];
    total = total + sums[j];
  }
  for (int64_t k = 1; k <= half; ++k) {
    Complex even = values[0];
    Complex odd = {};
    for (int64_t j = 1; j <= half; ++j) {
      const T cosine = radix_re[j * k % radix];
      const T sine = radix_im[j * k % radix];
      even.re += sums[j].re * cosine;
      even.im += sums[j].im * cosine;
      // i * sine * difference
      odd.re -= differences[j].im * sine;
      odd.im += differences[j].re * sine;
    }
    values[k] = even + odd;
    values[radix - k] = even - odd;
  }
  values[0] = total;
}

// radix 0: as the step says, up to kLargestRadix.
template <typename T, int constant_radix>
HILO_INLINE void FftStepByOdd(const FftStep& step, const SmoothFft<T>& fft,
                              const StepArrays<T>& arrays) {
  constexpr int kMaxRadix =
      constant_radix > 0 ? constant_radix : static_cast<int>(kLargestRadix);
  const int64_t radix = constant_radix > 0 ? constant_radix : step.radix;
  const int64_t distance = step.stride * step.columns;
  const T* radix_re = fft.radix_roots.re.data() + step.radix_roots;
  const T* radix_im = fft.radix_roots.im.data() + step.radix_roots;
  std::array<ComplexVector<LaneVector<T>>, kMaxRadix> values;
  for (int64_t column = 0; column < step.columns; ++column) {
    const int64_t roots = step.roots + (radix - 1) * column - 1;
    const T* re = fft.roots.re.data() + roots;
    const T* im = fft.roots.im.data() + roots;
    for (int64_t i = 0; i < step.stride; ++i) {
      const int64_t from = column * step.stride + i;
      const int64_t to = radix * column * step.stride + i;
      for (int64_t j = 0; j < radix; ++j) {
        values[j] = Element(arrays.from, from + j * distance);
      }
      OddButterfly<T, kMaxRadix>(radix, radix_re, radix_im, values.data());
      SetElement<T>(values[0], to, arrays.to);
      for (int64_t k = 1; k < radix; ++k) {
        SetElement<T>(Times(values[k], re[k], im[k]), to + k * step.stride,
                      arrays.to);
      }
    }
  }
}

template <typename T>
HILO_INLINE void RunFftStep(const FftStep& step, const SmoothFft<T>& fft,
                            const StepArrays<T>& arrays) {
  const bool is_last = step.columns == 1;
  switch (step.radix) {
    case 2:
      return is_last ? FftStepBy2<T, true>(step, fft.roots, arrays)
                     : FftStepBy2<T, false>(step, fft.roots, arrays);
    case 3:
      return FftStepByOdd<T, 3>(step, fft, arrays);
    case 4:
      return is_last ? FftStepBy4<T, true>(step, fft.roots, arrays)
                     : FftStepBy4<T, false>(step, fft.roots, arrays);
    case 5:
      return FftStepByOdd<T, 5>(step, fft, arrays);
    case 7:
      return FftStepByOdd<T, 7>(step, fft, arrays);
    default:
      return FftStepByOdd<T, 0>(step, fft, arrays);
  }
}

}  // namespace hilo::runtime
