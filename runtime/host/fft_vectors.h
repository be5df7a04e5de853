// Vectors that hold one element of each of several transforms, and how arrays
// are read into them and written from them.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

// Kernels are compiled for several kinds of CPU: what they call must become
// part of them.
#define HILO_INLINE [[gnu::always_inline]] inline

namespace hilo::runtime {

// CPUs without such vectors emulate them; for longer ones that costs several
// times as much as it gains on the others.
inline constexpr int64_t kVectorBytes = 32;

// Transforms that are computed side by side.
template <typename T>
inline constexpr int64_t kLanes =
    kVectorBytes / static_cast<int64_t>(sizeof(T));

template <typename T>
struct LaneVectorOf;
template <>
struct LaneVectorOf<float> {
  using Type [[gnu::vector_size(32)]] = float;
  using Unaligned [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] =
      float;
};
template <>
struct LaneVectorOf<double> {
  using Type [[gnu::vector_size(32)]] = double;
  using Unaligned [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] =
      double;
};

// One element of each lane's transform.
template <typename T>
using LaneVector = LaneVectorOf<T>::Type;

template <typename T>
HILO_INLINE LaneVector<T> LoadVector(const T* address) {
  return *reinterpret_cast<const LaneVectorOf<T>::Unaligned*>(address);
}
template <typename T>
HILO_INLINE void StoreVector(const LaneVector<T>& vector, T* address) {
  *reinterpret_cast<LaneVectorOf<T>::Unaligned*>(address) = vector;
}

namespace internal {

// Exchanges the off-diagonal blocks of `distance` elements of two rows.
template <int distance, typename V, int... k>
HILO_INLINE void ExchangeBlocks(V& upper, V& lower,
                                std::integer_sequence<int, k...> /*places*/) {
  constexpr int kCount = sizeof...(k);
  const V a = upper;
  const V b = lower;
  upper = __builtin_shufflevector(
      a, b, ((k & distance) != 0 ? kCount + k - distance : k)...);
  lower = __builtin_shufflevector(
      a, b, ((k & distance) != 0 ? kCount + k : k + distance)...);
}

template <int distance, typename V, int count>
HILO_INLINE void TransposeStep(std::array<V, count>& rows) {
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) {
    if ((i & distance) != 0) continue;
    ExchangeBlocks<distance>(rows[i], rows[i + distance],
                             std::make_integer_sequence<int, count>());
  }
}

template <typename V, int... k>
HILO_INLINE void SplitPairs(const V& a, const V& b, V& even, V& odd,
                            std::integer_sequence<int, k...> /*places*/) {
  even = __builtin_shufflevector(a, b, (2 * k)...);
  odd = __builtin_shufflevector(a, b, (2 * k + 1)...);
}
template <typename V, int... k>
HILO_INLINE void JoinPairs(const V& even, const V& odd, V& a, V& b,
                           std::integer_sequence<int, k...> /*places*/) {
  constexpr int kCount = sizeof...(k);
  a = __builtin_shufflevector(even, odd, (k / 2 + k % 2 * kCount)...);
  b = __builtin_shufflevector(even, odd,
                              (k / 2 + kCount / 2 + k % 2 * kCount)...);
}

}  // namespace internal

template <typename T>
using VectorBlock = std::array<LaneVector<T>, kLanes<T>>;

// Transposes a square of elements.
template <typename T>
HILO_INLINE void TransposeBlock(VectorBlock<T>& rows) {
  using V = LaneVector<T>;
  constexpr int kCount = kLanes<T>;
  internal::TransposeStep<1, V, kCount>(rows);
  internal::TransposeStep<2, V, kCount>(rows);
  if constexpr (kCount > 4) internal::TransposeStep<4, V, kCount>(rows);
}

// Lanes' elements in an array of complex or real numbers. Offsets and strides
// count real numbers.
template <typename T, typename Pointer>
struct LaneAccess {
  Pointer array = nullptr;
  std::array<int64_t, kLanes<T>> offsets = {};
  int64_t stride = 2;
  int64_t lanes = kLanes<T>;

  HILO_INLINE bool IsRows() const { return stride == 2; }
  // Whether lanes lie side by side.
  HILO_INLINE bool IsColumns() const {
    return lanes == kLanes<T> &&
           offsets[kLanes<T> - 1] == offsets[0] + 2 * (kLanes<T> - 1) &&
           offsets[kLanes<T> / 2] == offsets[0] + kLanes<T>;
  }
};

template <typename T>
using LaneSource = LaneAccess<T, const T*>;
template <typename T>
using LaneTarget = LaneAccess<T, T*>;

// The real and imaginary parts of `count` elements, one vector for each.
template <typename T>
struct LaneArrays {
  LaneVector<T>* re = nullptr;
  LaneVector<T>* im = nullptr;

  LaneArrays Swapped() const { return {im, re}; }
};

// Elements [begin, end), one by one.
template <typename T>
HILO_INLINE void LoadSingly(const LaneSource<T>& source, int64_t begin,
                            int64_t end, const LaneArrays<T>& to) {
  for (int64_t j = begin; j < end; ++j) {
    LaneVector<T> re = {};
    LaneVector<T> im = {};
    for (int64_t lane = 0; lane < source.lanes; ++lane) {
      const T* element =
          source.array + source.offsets[lane] + j * source.stride;
      re[lane] = element[0];
      im[lane] = element[1];
    }
    to.re[j] = re;
    to.im[j] = im;
  }
}

template <typename T>
HILO_INLINE void StoreSingly(const LaneArrays<T>& from, int64_t begin,
                             int64_t end, const LaneTarget<T>& target) {
  for (int64_t j = begin; j < end; ++j) {
    for (int64_t lane = 0; lane < target.lanes; ++lane) {
      T* element = target.array + target.offsets[lane] + j * target.stride;
      element[0] = from.re[j][lane];
      element[1] = from.im[j][lane];
    }
  }
}

// Reads `count` complex elements of each lane; lanes that are not there are
// zero.
template <typename T>
HILO_INLINE void LoadLanes(const LaneSource<T>& source, int64_t count,
                           const LaneArrays<T>& to) {
  constexpr int64_t kStep = kLanes<T> / 2;
  int64_t j = 0;
  if (source.IsRows()) {
    for (; j + kStep <= count; j += kStep) {
      VectorBlock<T> block = {};
      for (int64_t lane = 0; lane < source.lanes; ++lane) {
        block[lane] = LoadVector(source.array + source.offsets[lane] + 2 * j);
      }
      TransposeBlock<T>(block);
      for (int64_t i = 0; i < kStep; ++i) {
        to.re[j + i] = block[2 * i];
        to.im[j + i] = block[2 * i + 1];
      }
    }
  } else if (source.IsColumns()) {
    for (; j < count; ++j) {
      const T* first = source.array + source.offsets[0] + j * source.stride;
      internal::SplitPairs(LoadVector(first), LoadVector(first + kLanes<T>),
                           to.re[j], to.im[j],
                           std::make_integer_sequence<int, kLanes<T>>());
    }
  }
  LoadSingly(source, j, count, to);
}

template <typename T>
HILO_INLINE void StoreLanes(const LaneArrays<T>& from, int64_t count,
                            const LaneTarget<T>& target) {
  constexpr int64_t kStep = kLanes<T> / 2;
  int64_t j = 0;
  if (target.IsRows()) {
    for (; j + kStep <= count; j += kStep) {
      VectorBlock<T> block;
      for (int64_t i = 0; i < kStep; ++i) {
        block[2 * i] = from.re[j + i];
        block[2 * i + 1] = from.im[j + i];
      }
      TransposeBlock<T>(block);
      for (int64_t lane = 0; lane < target.lanes; ++lane) {
        StoreVector<T>(block[lane],
                       target.array + target.offsets[lane] + 2 * j);
      }
    }
  } else if (target.IsColumns()) {
    for (; j < count; ++j) {
      T* first = target.array + target.offsets[0] + j * target.stride;
      LaneVector<T> a;
      LaneVector<T> b;
      internal::JoinPairs(from.re[j], from.im[j], a, b,
                          std::make_integer_sequence<int, kLanes<T>>());
      StoreVector<T>(a, first);
      StoreVector<T>(b, first + kLanes<T>);
    }
  }
  StoreSingly(from, j, count, target);
}

}  // namespace hilo::runtime
