// Transforms of single long rows, whose parts fill the lanes of vectors.
#include "runtime/host/fft_long.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/host/fft_lanes.h"
#include "runtime/host/fft_tables.h"
#include "runtime/host/fft_vectors.h"
#include "runtime/host/item_loop.h"

namespace hilo::runtime {
namespace {

// The divisor next to the square root, from below.
int64_t MiddleDivisor(int64_t length) {
  int64_t best = 1;
  for (int64_t divisor = 2; divisor * divisor <= length; ++divisor) {
    if (length % divisor == 0) best = divisor;
  }
  return best;
}

int64_t RoundUp(int64_t count, int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

int64_t TransformLength(int64_t length, FftNumbers numbers) {
  const bool is_halved = numbers != FftNumbers::kComplex && length % 2 == 0;
  return is_halved ? length / 2 : length;
}

// The length that is transformed where `length` has large prime factors.
int64_t SuitableLength(int64_t length) {
  return IsSmooth(length) ? length : PaddedLength(length);
}

template <typename T>
void MultiplyRow(const ComplexTable<T>& factors, int64_t count, bool conjugate,
                 T* row) {
  for (int64_t i = 0; i < count; ++i) {
    const T re = row[2 * i];
    const T im = row[2 * i + 1];
    const T factor_re = factors.re[i];
    const T factor_im = conjugate ? -factors.im[i] : factors.im[i];
    row[2 * i] = re * factor_re - im * factor_im;
    row[2 * i + 1] = re * factor_im + im * factor_re;
  }
}

template <typename T>
std::complex<T> Root(const ComplexTable<T>& roots, int64_t i) {
  return {roots.re[i], roots.im[i]};
}

template <typename T>
std::complex<T> Product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(),
          a.real() * b.imag() + a.imag() * b.real()};
}

// See FftKernels::JoinHalves.
template <typename T>
void JoinRow(const ComplexTable<T>& roots, int64_t half, T scale,
             const std::complex<T>* from, std::complex<T>* to) {
  const std::complex<T> first = from[0];
  to[0] = (first.real() + first.imag()) * scale;
  to[half] = (first.real() - first.imag()) * scale;
  const T half_scale = scale / 2;
  for (int64_t k = 1; k <= half - k; ++k) {
    const std::complex<T> a = from[k];
    const std::complex<T> b = std::conj(from[half - k]);
    const std::complex<T> even = a + b;
    const std::complex<T> difference = a - b;
    const std::complex<T> odd =
        Product({difference.imag(), -difference.real()}, Root(roots, k));
    to[k] = (even + odd) * half_scale;
    to[half - k] = std::conj(even - odd) * half_scale;
  }
}

// See FftKernels::SplitHalves.
template <typename T>
void SplitRow(const ComplexTable<T>& roots, int64_t half,
              const std::complex<T>* from, std::complex<T>* to) {
  const T first = from[0].real();
  const T last = from[half].real();
  to[0] = {first + last, first - last};
  for (int64_t k = 1; k <= half - k; ++k) {
    const std::complex<T> a = from[k];
    const std::complex<T> b = std::conj(from[half - k]);
    const std::complex<T> even = a + b;
    const std::complex<T> odd = Product(a - b, std::conj(Root(roots, k)));
    to[k] = {even.real() - odd.imag(), even.imag() + odd.real()};
    to[half - k] = {even.real() + odd.imag(), odd.real() - even.imag()};
  }
}

}  // namespace

template <typename T>
bool SplitFft<T>::Suits(int64_t length) {
  constexpr int64_t kShortest = 64;
  constexpr int64_t kLeastDivisor = 4;
  return length >= kShortest && IsSmooth(length) &&
         MiddleDivisor(length) >= kLeastDivisor;
}

template <typename T>
SplitFft<T>::SplitFft(int64_t length, bool is_inverse)
    : rows_(MiddleDivisor(length)),
      columns_(length / rows_),
      column_transform_(rows_, FftNumbers::kComplex, is_inverse),
      row_transform_(columns_, FftNumbers::kComplex, is_inverse),
      factor_stride_(RoundUp(columns_, kLanes<T>)) {
  for (int64_t row = 0; row < rows_; ++row) {
    for (int64_t column = 0; column < factor_stride_; ++column) {
      const UnitRoot root(row * column % length, length);
      factors_.Append(root.re, is_inverse ? -root.im : root.im);
    }
  }
}

template <typename T>
int64_t SplitFft<T>::WorkSize(int64_t slots) const {
  const int64_t matrix = RoundUp(2 * rows_ * columns_, kLanes<T>);
  return matrix + slots * std::max(column_transform_.WorkSize(),
                                   row_transform_.WorkSize());
}

template <typename T>
void SplitFft<T>::Run(const FftThreads& threads, const T* from, T* to, T scale,
                      T* work) const {
  T* const matrix = work;
  T* const lane_work = work + RoundUp(2 * rows_ * columns_, kLanes<T>);
  const int64_t slot_size =
      std::max(column_transform_.WorkSize(), row_transform_.WorkSize());
  const auto for_each_group = [&](int64_t count, const auto& run) {
    const int64_t groups = (count + kLanes<T> - 1) / kLanes<T>;
    ForEachBlock(threads.pool, groups, 1, threads.slots,
                 [&](int64_t slot, int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     run(i * kLanes<T>,
                         std::min(kLanes<T>, count - i * kLanes<T>),
                         lane_work + slot * slot_size);
                   }
                 });
  };
  for_each_group(columns_, [&](int64_t column, int64_t lanes, T* slot_work) {
    LaneGroup<T> group{.factor_re = factors_.re.data() + column,
                       .factor_im = factors_.im.data() + column,
                       .factor_stride = factor_stride_};
    group.source = {.array = from, .stride = 2 * columns_, .lanes = lanes};
    group.target = {.array = matrix, .stride = 2 * columns_, .lanes = lanes};
    for (int64_t lane = 0; lane < lanes; ++lane) {
      group.source.offsets[lane] = group.target.offsets[lane] =
          2 * (column + lane);
    }
    column_transform_.Run(group, slot_work);
  });
  for_each_group(rows_, [&](int64_t row, int64_t lanes, T* slot_work) {
    LaneGroup<T> group{.scale = scale};
    group.source = {.array = matrix, .stride = 2, .lanes = lanes};
    group.target = {.array = to, .stride = 2 * rows_, .lanes = lanes};
    for (int64_t lane = 0; lane < lanes; ++lane) {
      group.source.offsets[lane] = 2 * (row + lane) * columns_;
      group.target.offsets[lane] = 2 * (row + lane);
    }
    row_transform_.Run(group, slot_work);
  });
}

template <typename T>
bool LongFft<T>::Suits(int64_t length, FftNumbers numbers) {
  return SplitFft<T>::Suits(SuitableLength(TransformLength(length, numbers)));
}

template <typename T>
LongFft<T>::LongFft(int64_t length, FftNumbers numbers, bool is_inverse)
    : length_(length),
      numbers_(numbers),
      is_inverse_(is_inverse),
      transform_length_(TransformLength(length, numbers)),
      // A convolution turns the inverse transform round itself.
      transform_(SuitableLength(transform_length_),
                 is_inverse && IsSmooth(transform_length_)) {
  if (transform_length_ != length) {
    for (int64_t k = 0; k <= length / 2; ++k) {
      const UnitRoot root(k, length);
      half_roots_.Append(root.re, root.im);
    }
  }
  const int64_t padded = SuitableLength(transform_length_);
  if (padded == transform_length_) return;
  inverse_ = std::make_unique<SplitFft<T>>(padded, /*is_inverse=*/true);
  AnyFft<T> tables(transform_length_);
  chirp_ = std::move(tables.chirp);
  chirp_transform_ = std::move(tables.chirp_transform);
}

template <typename T>
int64_t LongFft<T>::RowSize() const {
  return RoundUp(2 * (SuitableLength(transform_length_) + 1), kLanes<T>);
}

template <typename T>
int64_t LongFft<T>::WorkSize(int64_t slots) const {
  return RowSize() + transform_.WorkSize(slots);
}

template <typename T>
void LongFft<T>::RunComplex(const FftThreads& threads, T scale, T* row,
                            T* work) const {
  if (inverse_ == nullptr) {
    transform_.Run(threads, row, row, scale, work);
    return;
  }
  const int64_t padded = SuitableLength(transform_length_);
  MultiplyRow(chirp_, transform_length_, is_inverse_, row);
  std::fill(row + 2 * transform_length_, row + 2 * padded, T{0});
  const SplitFft<T>& there = is_inverse_ ? *inverse_ : transform_;
  const SplitFft<T>& back = is_inverse_ ? transform_ : *inverse_;
  there.Run(threads, row, row, 1, work);
  MultiplyRow(chirp_transform_, padded, is_inverse_, row);
  back.Run(threads, row, row, scale, work);
  MultiplyRow(chirp_, transform_length_, is_inverse_, row);
}

template <typename T>
void LongFft<T>::Run(const FftThreads& threads, const T* from, T* to, T scale,
                     T* work) const {
  T* const row = work;
  T* const rest = work + RowSize();
  auto* const complex_row = reinterpret_cast<std::complex<T>*>(row);
  const auto* const complex_from =
      reinterpret_cast<const std::complex<T>*>(from);
  auto* const complex_to = reinterpret_cast<std::complex<T>*>(to);
  const bool is_halved = transform_length_ != length_;
  switch (numbers_) {
    case FftNumbers::kComplex:
      if (inverse_ == nullptr) {
        transform_.Run(threads, from, to, scale, rest);
        return;
      }
      std::copy_n(from, 2 * length_, row);
      RunComplex(threads, scale, row, rest);
      std::copy_n(row, 2 * length_, to);
      return;
    case FftNumbers::kRealToHalf:
      if (is_halved) {
        std::copy_n(from, length_, row);
        RunComplex(threads, 1, row, rest);
        JoinRow(half_roots_, length_ / 2, scale, complex_row, complex_to);
        return;
      }
      std::copy_n(from, length_, complex_row);
      RunComplex(threads, scale, row, rest);
      std::copy_n(complex_row, length_ / 2 + 1, complex_to);
      return;
    case FftNumbers::kHalfToReal:
      if (is_halved) {
        SplitRow(half_roots_, length_ / 2, complex_from, complex_row);
        RunComplex(threads, scale, row, rest);
        std::copy_n(row, length_, to);
        return;
      }
      complex_row[0] = complex_from[0].real();
      for (int64_t k = 1; k <= length_ / 2; ++k) {
        complex_row[k] = complex_from[k];
        complex_row[length_ - k] = std::conj(complex_from[k]);
      }
      RunComplex(threads, scale, row, rest);
      for (int64_t i = 0; i < length_; ++i) to[i] = complex_row[i].real();
      return;
  }
}

template class SplitFft<float>;
template class SplitFft<double>;
template class LongFft<float>;
template class LongFft<double>;

}  // namespace hilo::runtime
