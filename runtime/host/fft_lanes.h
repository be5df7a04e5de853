// Transforms of one dimension, several side by side in the lanes of vectors.
#pragma once

#include <cstdint>

#include "runtime/host/fft_tables.h"
#include "runtime/host/fft_vectors.h"

namespace hilo::runtime {

enum class FftNumbers : uint8_t {
  kComplex,
  // Real numbers to the first half of a Hermitian transform.
  kRealToHalf,
  // The other way round.
  kHalfToReal,
};

// Elements of T that a row of numbers takes before and after its transform.
struct FftRowSizes {
  FftRowSizes(int64_t length, FftNumbers numbers)
      : from(2 * length), to(2 * length) {
    const int64_t half_size = 2 * (length / 2 + 1);
    switch (numbers) {
      case FftNumbers::kComplex:
        return;
      case FftNumbers::kRealToHalf:
        from = length;
        to = half_size;
        return;
      case FftNumbers::kHalfToReal:
        from = half_size;
        to = length;
        return;
    }
  }

  int64_t from;
  int64_t to;
};

// Transforms in as many lanes as there are in `source`, which may be `target`.
template <typename T>
struct LaneGroup {
  LaneSource<T> source = {};
  LaneTarget<T> target = {};
  // Multiplies all results.
  T scale = 1;
  // Factors of the results, if not null: number k of lane l has those at
  // [k * factor_stride + l].
  const T* factor_re = nullptr;
  const T* factor_im = nullptr;
  int64_t factor_stride = 0;
};

// Transforms of `length` elements. Those of real numbers of even length are
// complex ones of half the length, and some additions.
template <typename T>
struct LaneFft {
  LaneFft(int64_t length, FftNumbers numbers, bool is_inverse);

  // `work` has room for WorkSize() elements, aligned to 64 bytes.
  void Run(const LaneGroup<T>& group, T* work) const;
  int64_t WorkSize() const;

  // Whether pairs of neighbours become complex numbers.
  bool is_halved() const { return transform.length != length; }

  int64_t length;
  FftNumbers numbers;
  bool is_inverse;
  AnyFft<T> transform;
  // The roots of `length`, for real numbers of even length.
  ComplexTable<T> half_roots;
};

}  // namespace hilo::runtime
