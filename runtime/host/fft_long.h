// Transforms of single long rows, whose parts fill the lanes of vectors.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/host/fft_lanes.h"
#include "runtime/host/fft_tables.h"

namespace hilo::runtime {

// What a call runs on: a LoopWorkers or null, and the threads that may work at
// once.
struct FftThreads {
  void* pool = nullptr;
  int64_t slots = 1;
};

// Transforms of a row of length n1 * n2, seen as a matrix: its columns,
// factors, then its rows (Bailey, "FFTs in external or hierarchical memory",
// 1990).
template <typename T>
class SplitFft {
 public:
  // Whether a row of this length is worth it.
  static bool Suits(int64_t length);

  // `length` must suit.
  SplitFft(int64_t length, bool is_inverse);

  // Elements of T for the work of `slots` threads, aligned to 64 bytes.
  int64_t WorkSize(int64_t slots) const;
  // `from` and `to` are complex and may be the same.
  void Run(const FftThreads& threads, const T* from, T* to, T scale,
           T* work) const;

 private:
  int64_t rows_;
  int64_t columns_;
  LaneFft<T> column_transform_;
  LaneFft<T> row_transform_;
  // The factor of [row, column]; rows are padded to whole vectors.
  int64_t factor_stride_;
  ComplexTable<T> factors_;
};

// The same for complex numbers of any length that is large, and for real ones.
template <typename T>
class LongFft {
 public:
  // Whether rows of this length are worth it.
  static bool Suits(int64_t length, FftNumbers numbers);

  LongFft(int64_t length, FftNumbers numbers, bool is_inverse);

  FftRowSizes row_sizes() const { return {length_, numbers_}; }
  int64_t WorkSize(int64_t slots) const;
  // `from` and `to` are the same or do not overlap.
  void Run(const FftThreads& threads, const T* from, T* to, T scale,
           T* work) const;

 private:
  // Elements of T that the row itself takes while it is complex.
  int64_t RowSize() const;
  // Complex transform of `transform_length_`, in place.
  void RunComplex(const FftThreads& threads, T scale, T* row, T* work) const;

  int64_t length_;
  FftNumbers numbers_;
  bool is_inverse_;
  int64_t transform_length_;
  SplitFft<T> transform_;
  ComplexTable<T> half_roots_;
  // For lengths with large prime factors: see AnyFft.
  std::unique_ptr<SplitFft<T>> inverse_;
  ComplexTable<T> chirp_;
  ComplexTable<T> chirp_transform_;
};

}  // namespace hilo::runtime
