// Multiplies packed blocks of matrices: the inner loops of dot and convolution.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"

namespace hilo::hlo {

// Products are summed in one of six compute types: float, double, uint32_t and
// uint64_t (integers wrap; pred counts its trues), std::complex of both floats.

// Calls f(TypeTag<T>{}) with the compute type for results of type `result`.
template <typename F>
decltype(auto) DispatchComputeType(ElementType result, F&& f) {
  if (IsComplex(result)) {
    if (result == ElementType::kC64) {
      return std::forward<F>(f)(TypeTag<std::complex<float>>{});
    }
    return std::forward<F>(f)(TypeTag<std::complex<double>>{});
  }
  if (result == ElementType::kF64) return std::forward<F>(f)(TypeTag<double>{});
  if (IsFloat(result)) return std::forward<F>(f)(TypeTag<float>{});
  if (IsInteger(result) && InfoOf(result).bits <= 32) {
    return std::forward<F>(f)(TypeTag<uint32_t>{});
  }
  return std::forward<F>(f)(TypeTag<uint64_t>{});
}

// A tile of the result is kTileRows x kTileColumns sums.
inline constexpr int64_t kTileRows = 4;
inline constexpr int64_t kTileColumns = 8;

// `count` rounded up to a multiple of `multiple`.
constexpr int64_t RoundUp(int64_t count, int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

// Offsets, in elements, of the elements of a block: lane i at depth k lies at
// lanes[i] + depths[k]. Lanes are rows of lhs or columns of rhs.
struct BlockOffsets {
  absl::Span<const int64_t> lanes;
  absl::Span<const int64_t> depths;
};

// Converts a block to the compute type and packs it into panels of
// `panel_lanes` lanes, each [depth][panel_lanes]; missing lanes are zeros.
// `panels` has space for RoundUp(lanes, panel_lanes) * depths elements.
template <typename T>
using PackFunction = void (*)(const std::byte* elements,
                              const BlockOffsets& offsets, int64_t panel_lanes,
                              T* panels);
template <typename T>
PackFunction<T> PackFunctionOf(ElementType type);

// Rounds sums to the element type: elements[offsets[i]] = sums[i].
template <typename T>
using StoreFunction = void (*)(const T* sums, absl::Span<const int64_t> offsets,
                               std::byte* elements);
template <typename T>
StoreFunction<T> StoreFunctionOf(ElementType type);

// Adds lhs * rhs to sums, term by term in ascending depth. lhs: panels of
// kTileRows lanes; rhs: panels of kTileColumns lanes. rows[i] points to
// RoundUp(columns, kTileColumns) sums of row i; there are
// RoundUp(row_count, kTileRows) of them, of which the last may be scratch.
template <typename T>
void AccumulateBlock(const T* lhs, absl::Span<T* const> rows, const T* rhs,
                     int64_t columns, int64_t depth);

// The same for few columns and little depth, where tiles would stay empty. The
// panels are of one lane each; rows has no padding.
template <typename T>
void AccumulateNarrowBlock(const T* lhs, absl::Span<T* const> rows,
                           const T* rhs, int64_t columns, int64_t depth);

// sums[i] += lhs[i] * rhs[i].
template <typename T>
void AccumulateProducts(const T* lhs, const T* rhs, int64_t count, T* sums);

}  // namespace hilo::hlo
