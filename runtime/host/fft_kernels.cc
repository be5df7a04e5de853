// The loops of a transform, compiled for each kind of CPU.
#include "runtime/host/fft_kernels.h"

#include <cstdint>

#include "runtime/host/fft_steps.h"
#include "runtime/host/fft_tables.h"
#include "runtime/host/fft_vectors.h"
#include "runtime/host/vector_clones.h"

namespace hilo::runtime {
namespace {

// Elements of the transform of half the length from that of the pairs of
// neighbours, which is in place of the first half. Roots are those of twice
// the `half` elements.
template <typename T>
HILO_INLINE void Join(const ComplexTable<T>& roots, int64_t half,
                      const LaneArrays<T>& data) {
  using Complex = ComplexVector<LaneVector<T>>;
  const LaneVector<T> re = data.re[0];
  const LaneVector<T> im = data.im[0];
  data.re[0] = re + im;
  data.re[half] = re - im;
  data.im[0] = data.im[half] = LaneVector<T>{};
  for (int64_t k = 1; k <= half - k; ++k) {
    const Complex a{data.re[k], data.im[k]};
    const Complex b{data.re[half - k], -data.im[half - k]};
    const Complex even = a + b;
    const Complex odd = Times((a - b).Turned(), roots.re[k], roots.im[k]);
    const T kHalf = 0.5;
    data.re[k] = (even.re + odd.re) * kHalf;
    data.im[k] = (even.im + odd.im) * kHalf;
    data.re[half - k] = (even.re - odd.re) * kHalf;
    data.im[half - k] = (odd.im - even.im) * kHalf;
  }
}

// The inverse, times two. Imaginary parts of what must be real are ignored.
template <typename T>
HILO_INLINE void Split(const ComplexTable<T>& roots, int64_t half,
                       const LaneArrays<T>& data) {
  using Complex = ComplexVector<LaneVector<T>>;
  const LaneVector<T> first = data.re[0];
  const LaneVector<T> last = data.re[half];
  data.re[0] = first + last;
  data.im[0] = first - last;
  for (int64_t k = 1; k <= half - k; ++k) {
    const Complex a{data.re[k], data.im[k]};
    const Complex b{data.re[half - k], -data.im[half - k]};
    const Complex even = a + b;
    const Complex odd = Times(a - b, roots.re[k], -roots.im[k]);
    data.re[k] = even.re - odd.im;
    data.im[k] = even.im + odd.re;
    data.re[half - k] = even.re + odd.im;
    data.im[half - k] = odd.re - even.im;
  }
}

template <typename T>
HILO_INLINE void MultiplyAll(const ComplexTable<T>& factors, int64_t count,
                             const LaneArrays<T>& data) {
  for (int64_t j = 0; j < count; ++j) {
    SetElement<T>(Times(Element(data, j), factors.re[j], factors.im[j]), j,
                  data);
  }
}

}  // namespace

#define HILO_FFT_KERNELS(T)                                                    \
  template <>                                                                  \
  HILO_VECTOR_CLONES void FftKernels<T>::Load(                                 \
      const LaneSource<T>& source, int64_t count, const LaneArrays<T>& to) {   \
    LoadLanes(source, count, to);                                              \
  }                                                                            \
  template <>                                                                  \
  HILO_VECTOR_CLONES void FftKernels<T>::Store(                                \
      const LaneArrays<T>& from, int64_t count, const LaneTarget<T>& target) { \
    StoreLanes(from, count, target);                                           \
  }                                                                            \
  template <>                                                                  \
  HILO_VECTOR_CLONES void FftKernels<T>::RunStep(                              \
      const FftStep& step, const SmoothFft<T>& fft,                            \
      const StepArrays<T>& arrays) {                                           \
    RunFftStep(step, fft, arrays);                                             \
  }                                                                            \
  template <>                                                                  \
  HILO_VECTOR_CLONES void FftKernels<T>::Multiply(                             \
      const ComplexTable<T>& factors, int64_t count,                           \
      const LaneArrays<T>& data) {                                             \
    MultiplyAll(factors, count, data);                                         \
  }                                                                            \
  template <>                                                                  \
  HILO_VECTOR_CLONES void FftKernels<T>::MultiplyByLane(                       \
      const T* factor_re, const T* factor_im, int64_t stride, int64_t count,   \
      const LaneArrays<T>& data) {                                             \
    for (int64_t k = 0; k < count; ++k) {                                      \
      SetElement<T>(                                                           \
          Times(Element(data, k), LoadVector(factor_re + k * stride),          \
                LoadVector(factor_im + k * stride)),                           \
          k, data);                                                            \
    }                                                                          \
  }                                                                            \
  template <>                                                                  \
  HILO_VECTOR_CLONES void FftKernels<T>::Scale(T factor, int64_t count,        \
                                               const LaneArrays<T>& data) {    \
    for (int64_t k = 0; k < count; ++k) {                                      \
      data.re[k] *= factor;                                                    \
      data.im[k] *= factor;                                                    \
    }                                                                          \
  }                                                                            \
  template <>                                                                  \
  HILO_VECTOR_CLONES void FftKernels<T>::JoinHalves(                           \
      const ComplexTable<T>& roots, int64_t half, const LaneArrays<T>& data) { \
    Join(roots, half, data);                                                   \
  }                                                                            \
  template <>                                                                  \
  HILO_VECTOR_CLONES void FftKernels<T>::SplitHalves(                          \
      const ComplexTable<T>& roots, int64_t half, const LaneArrays<T>& data) { \
    Split(roots, half, data);                                                  \
  }
HILO_FFT_KERNELS(float)
HILO_FFT_KERNELS(double)
#undef HILO_FFT_KERNELS

}  // namespace hilo::runtime
