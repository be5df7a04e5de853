// Transforms of one dimension, several side by side in the lanes of vectors.
#include "runtime/host/fft_lanes.h"

#include <cstdint>
#include <utility>

#include "runtime/host/fft_kernels.h"
#include "runtime/host/fft_tables.h"
#include "runtime/host/fft_vectors.h"

namespace hilo::runtime {
namespace {

// Transforms `data`, with `spare` for the steps' results in turn; the result
// is then in `data`, which may have become the other arrays.
template <typename T>
void RunSmooth(const SmoothFft<T>& fft, LaneArrays<T>& data,
               LaneArrays<T>& spare) {
  for (const FftStep& step : fft.steps) {
    FftKernels<T>::RunStep(step, fft, {data, spare});
    std::swap(data, spare);
  }
}

// The same for any length.
template <typename T>
void RunAny(const AnyFft<T>& fft, LaneArrays<T>& data, LaneArrays<T>& spare) {
  if (!fft.is_convolution()) return RunSmooth(fft.transform, data, spare);
  FftKernels<T>::Multiply(fft.chirp, fft.length, data);
  for (int64_t j = fft.length; j < fft.transform.length; ++j) {
    data.re[j] = data.im[j] = LaneVector<T>{};
  }
  RunSmooth(fft.transform, data, spare);
  FftKernels<T>::Multiply(fft.chirp_transform, fft.transform.length, data);
  // With parts swapped, the transform is the inverse one.
  LaneArrays<T> swapped = data.Swapped();
  LaneArrays<T> swapped_spare = spare.Swapped();
  RunSmooth(fft.transform, swapped, swapped_spare);
  data = swapped.Swapped();
  spare = swapped_spare.Swapped();
  FftKernels<T>::Multiply(fft.chirp, fft.length, data);
}

// Real numbers that are not pairs: `stride` is theirs.
template <typename T>
void LoadReals(const LaneSource<T>& source, int64_t count,
               const LaneArrays<T>& to) {
  for (int64_t j = 0; j < count; ++j) {
    LaneVector<T> re = {};
    for (int64_t lane = 0; lane < source.lanes; ++lane) {
      re[lane] = source.array[source.offsets[lane] + j];
    }
    to.re[j] = re;
    to.im[j] = LaneVector<T>{};
  }
}

template <typename T>
void StoreReals(const LaneArrays<T>& from, int64_t count,
                const LaneTarget<T>& target) {
  for (int64_t j = 0; j < count; ++j) {
    for (int64_t lane = 0; lane < target.lanes; ++lane) {
      target.array[target.offsets[lane] + j] = from.re[j][lane];
    }
  }
}

// Sets the second half of a Hermitian array of odd length.
template <typename T>
void CompleteHalf(int64_t length, const LaneArrays<T>& data) {
  data.im[0] = LaneVector<T>{};
  for (int64_t k = 1; k <= length / 2; ++k) {
    data.re[length - k] = data.re[k];
    data.im[length - k] = -data.im[k];
  }
}

// Reads what is transformed.
template <typename T>
void LoadGroup(const LaneFft<T>& fft, const LaneSource<T>& source,
               const LaneArrays<T>& data) {
  const int64_t half = fft.length / 2;
  switch (fft.numbers) {
    case FftNumbers::kComplex:
      return FftKernels<T>::Load(source, fft.length, data);
    case FftNumbers::kRealToHalf:
      if (!fft.is_halved()) return LoadReals(source, fft.length, data);
      return FftKernels<T>::Load(source, half, data);
    case FftNumbers::kHalfToReal:
      FftKernels<T>::Load(source, half + 1, data);
      if (!fft.is_halved()) return CompleteHalf(fft.length, data);
      return FftKernels<T>::SplitHalves(fft.half_roots, half, data);
  }
}

// Writes the result, scaled and multiplied as the group says.
template <typename T>
void StoreGroup(const LaneFft<T>& fft, const LaneGroup<T>& group,
                const LaneArrays<T>& data) {
  const int64_t half = fft.length / 2;
  int64_t count = fft.transform.length;
  if (fft.numbers == FftNumbers::kRealToHalf) {
    if (fft.is_halved()) {
      FftKernels<T>::JoinHalves(fft.half_roots, half, data);
    }
    count = half + 1;
  }
  if (group.scale != 1) FftKernels<T>::Scale(group.scale, count, data);
  if (group.factor_re != nullptr) {
    FftKernels<T>::MultiplyByLane(group.factor_re, group.factor_im,
                                  group.factor_stride, count, data);
  }
  if (fft.numbers == FftNumbers::kHalfToReal && !fft.is_halved()) {
    StoreReals(data, fft.length, group.target);
  } else {
    FftKernels<T>::Store(data, count, group.target);
  }
}

int64_t TransformLength(int64_t length, FftNumbers numbers) {
  const bool is_halved = numbers != FftNumbers::kComplex && length % 2 == 0;
  return is_halved ? length / 2 : length;
}

}  // namespace

template <typename T>
LaneFft<T>::LaneFft(int64_t length, FftNumbers numbers, bool is_inverse)
    : length(length),
      numbers(numbers),
      is_inverse(is_inverse),
      transform(TransformLength(length, numbers)) {
  if (!is_halved()) return;
  for (int64_t k = 0; k <= length / 2; ++k) {
    const UnitRoot root(k, length);
    half_roots.Append(root.re, root.im);
  }
}

template <typename T>
int64_t LaneFft<T>::WorkSize() const {
  return 4 * kLanes<T> * (transform.transform.length + 1);
}

template <typename T>
void LaneFft<T>::Run(const LaneGroup<T>& group, T* work) const {
  auto* vectors = reinterpret_cast<LaneVector<T>*>(work);
  const int64_t size = transform.transform.length + 1;
  LaneArrays<T> data{vectors, vectors + size};
  LaneArrays<T> spare{vectors + 2 * size, vectors + 3 * size};
  LoadGroup(*this, group.source, data);
  // With parts swapped, the transform is the inverse one.
  if (is_inverse) {
    std::swap(data.re, data.im);
    std::swap(spare.re, spare.im);
  }
  RunAny(transform, data, spare);
  if (is_inverse) std::swap(data.re, data.im);
  StoreGroup(*this, group, data);
}

template struct LaneFft<float>;
template struct LaneFft<double>;

}  // namespace hilo::runtime
