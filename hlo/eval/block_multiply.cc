// Multiplies packed blocks of matrices: the inner loops of dot and convolution.
#include "hlo/eval/block_multiply.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo {
namespace {

template <typename T>
inline constexpr bool kIsComplex = NumericTraits<T>::is_complex;

// An element as a summand; floats become wrapped integers by way of s64.
template <typename T, typename Element>
T ToCompute(Element value) {
  if constexpr (std::is_integral_v<T> && NumericTraits<Element>::is_float) {
    return static_cast<T>(ConvertElement<int64_t>(value));
  } else {
    return ConvertElement<T>(value);
  }
}

// The plain four products, as opposed to std::complex's operator.
template <typename T>
T MultiplyAdd(T x, T y, T sum) {
  if constexpr (kIsComplex<T>) {
    return {sum.real() + (x.real() * y.real() - x.imag() * y.imag()),
            sum.imag() + (x.real() * y.imag() + x.imag() * y.real())};
  } else {
    return sum + x * y;
  }
}

bool AreConsecutive(absl::Span<const int64_t> offsets) {
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] != offsets[i - 1] + 1) return false;
  }
  return true;
}

// All panels of lanes that are neighbours: runs along them, which the other
// order would read in pieces that lie far apart.
template <typename T, typename Element>
void PackByDepth(const Element* elements, const BlockOffsets& offsets,
                 int64_t panel_lanes, T* panels) {
  const auto lane_count = static_cast<int64_t>(offsets.lanes.size());
  const auto depth = static_cast<int64_t>(offsets.depths.size());
  for (int64_t k = 0; k < depth; ++k) {
    const Element* source = elements + offsets.depths[k] + offsets.lanes[0];
    for (int64_t first = 0; first < lane_count; first += panel_lanes) {
      T* destination = panels + first * depth + k * panel_lanes;
      const int64_t limit =
          first + panel_lanes < lane_count ? panel_lanes : lane_count - first;
      for (int64_t lane = 0; lane < limit; ++lane) {
        destination[lane] = ToCompute<T>(source[first + lane]);
      }
      for (int64_t lane = limit; lane < panel_lanes; ++lane) {
        destination[lane] = T{};
      }
    }
  }
}

// One panel, lane by lane.
template <typename T, typename Element>
void PackByLane(const Element* elements, absl::Span<const int64_t> lanes,
                absl::Span<const int64_t> depths, bool depths_are_consecutive,
                int64_t panel_lanes, T* panel) {
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    const Element* source = elements + lanes[lane];
    T* destination = panel + lane;
    if (depths_are_consecutive) {
      source += depths[0];
      for (size_t k = 0; k < depths.size(); ++k) {
        destination[k * panel_lanes] = ToCompute<T>(source[k]);
      }
      continue;
    }
    for (size_t k = 0; k < depths.size(); ++k) {
      destination[k * panel_lanes] = ToCompute<T>(source[depths[k]]);
    }
  }
}

// Panels of depth 1 lie end to end: the lanes in order.
template <typename T, typename Element>
void PackSingleDepth(const Element* elements, absl::Span<const int64_t> lanes,
                     int64_t panel_lanes, T* panels) {
  const auto lane_count = static_cast<int64_t>(lanes.size());
  for (int64_t i = 0; i < lane_count; ++i) {
    panels[i] = ToCompute<T>(elements[lanes[i]]);
  }
  const int64_t limit = RoundUp(lane_count, panel_lanes);
  for (int64_t i = lane_count; i < limit; ++i) panels[i] = T{};
}

// Whether DispatchComputeType gives T for Element.
template <typename T, typename Element>
constexpr bool IsComputedIn() {
  using Traits = NumericTraits<Element>;
  if constexpr (Traits::is_complex) {
    return std::is_same_v<T, Element>;
  } else if constexpr (Traits::is_float) {
    return std::is_same_v<
        T, std::conditional_t<std::is_same_v<Element, double>, double, float>>;
  } else if constexpr (Traits::is_integer && Traits::kBits <= 32) {
    return std::is_same_v<T, uint32_t>;
  } else {
    return std::is_same_v<T, uint64_t>;
  }
}

// Operands of another type than their products are rare: one plain loop keeps
// the code of their many pairs small.
template <typename T, typename Element>
void PackOtherType(const Element* elements, const BlockOffsets& offsets,
                   int64_t panel_lanes, T* panels) {
  const auto lane_count = static_cast<int64_t>(offsets.lanes.size());
  const auto depth = static_cast<int64_t>(offsets.depths.size());
  for (int64_t first = 0; first < lane_count; first += panel_lanes) {
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t lane = first; lane < first + panel_lanes; ++lane) {
        *panels++ = lane < lane_count
                        ? ToCompute<T>(
                              elements[offsets.lanes[lane] + offsets.depths[k]])
                        : T{};
      }
    }
  }
}

template <typename T, typename Element>
void PackOwnType(const Element* elements, const BlockOffsets& offsets,
                 int64_t panel_lanes, T* panels) {
  const auto depth = static_cast<int64_t>(offsets.depths.size());
  if (depth == 1) {
    PackSingleDepth(elements + offsets.depths[0], offsets.lanes, panel_lanes,
                    panels);
    return;
  }
  const bool depths_are_consecutive = AreConsecutive(offsets.depths);
  const auto lane_count = static_cast<int64_t>(offsets.lanes.size());
  if (!depths_are_consecutive && AreConsecutive(offsets.lanes)) {
    PackByDepth(elements, offsets, panel_lanes, panels);
    return;
  }
  for (int64_t first = 0; first < lane_count; first += panel_lanes) {
    const absl::Span<const int64_t> lanes =
        offsets.lanes.subspan(first, panel_lanes);
    T* panel = panels + first * depth;
    if (std::cmp_less(lanes.size(), panel_lanes)) {
      for (int64_t i = 0; i < depth * panel_lanes; ++i) panel[i] = T{};
    }
    PackByLane(elements, lanes, offsets.depths, depths_are_consecutive,
               panel_lanes, panel);
  }
}

template <typename T, typename Element>
void Pack(const std::byte* bytes, const BlockOffsets& offsets,
          int64_t panel_lanes, T* panels) {
  const auto* elements = reinterpret_cast<const Element*>(bytes);
  if (offsets.depths.empty()) return;
  if constexpr (IsComputedIn<T, Element>()) {
    PackOwnType(elements, offsets, panel_lanes, panels);
  } else {
    PackOtherType(elements, offsets, panel_lanes, panels);
  }
}

template <typename T, typename Element>
void Store(const T* sums, absl::Span<const int64_t> offsets, std::byte* bytes) {
  auto* elements = reinterpret_cast<Element*>(bytes);
  for (size_t i = 0; i < offsets.size(); ++i) {
    elements[offsets[i]] = ConvertElement<Element>(sums[i]);
  }
}

// Adds the products of one row of lhs.
template <typename T>
void MultiplyTileRow(const T* lhs, const T* rhs, int64_t depth, T* sums) {
  for (int64_t k = 0; k < depth; ++k) {
    const T factor = lhs[k * kTileRows];
    for (int64_t j = 0; j < kTileColumns; ++j) {
      sums[j] = MultiplyAdd(factor, rhs[k * kTileColumns + j], sums[j]);
    }
  }
}

// Sums of kTileRows x (as many columns as two SSE registers hold), kept in
// registers throughout.
template <typename T>
void MultiplyTile(const T* lhs, const T* rhs, int64_t depth, T* const* rows,
                  int64_t column) {
  if constexpr (kIsComplex<T>) {
    for (int64_t i = 0; i < kTileRows; ++i) {
      MultiplyTileRow(lhs + i, rhs, depth, rows[i] + column);
    }
  } else {
    using Vector [[gnu::vector_size(32)]] = T;
    constexpr int64_t kLanes = 32 / sizeof(T);
    for (int64_t j = 0; j < kTileColumns; j += kLanes) {
      // NOLINTNEXTLINE(modernize-avoid-c-arrays): arrays drop the attribute.
      Vector sums[kTileRows];
      for (int64_t i = 0; i < kTileRows; ++i) {
        std::memcpy(&sums[i], rows[i] + column + j, sizeof(Vector));
      }
      for (int64_t k = 0; k < depth; ++k) {
        Vector right;
        std::memcpy(&right, rhs + k * kTileColumns + j, sizeof(Vector));
        const T* left = lhs + k * kTileRows;
        for (int64_t i = 0; i < kTileRows; ++i) sums[i] += left[i] * right;
      }
      for (int64_t i = 0; i < kTileRows; ++i) {
        std::memcpy(rows[i] + column + j, &sums[i], sizeof(Vector));
      }
    }
  }
}

}  // namespace

template <typename T>
PackFunction<T> PackFunctionOf(ElementType type) {
  return DispatchElementType(type, [](auto tag) -> PackFunction<T> {
    return &Pack<T, typename decltype(tag)::type>;
  });
}

template <typename T>
StoreFunction<T> StoreFunctionOf(ElementType type) {
  return DispatchElementType(type, [](auto tag) -> StoreFunction<T> {
    using Element = decltype(tag)::type;
    if constexpr (IsComputedIn<T, Element>()) return &Store<T, Element>;
    return nullptr;
  });
}

template <typename T>
void AccumulateBlock(const T* lhs, absl::Span<T* const> rows, const T* rhs,
                     int64_t columns, int64_t depth) {
  const auto row_count = static_cast<int64_t>(rows.size());
  for (int64_t column = 0; column < columns; column += kTileColumns) {
    for (int64_t row = 0; row < row_count; row += kTileRows) {
      MultiplyTile(lhs + row * depth, rhs + column * depth, depth,
                   rows.data() + row, column);
    }
  }
}

template <typename T>
void AccumulateNarrowBlock(const T* lhs, absl::Span<T* const> rows,
                           const T* rhs, int64_t columns, int64_t depth) {
  for (T* const row : rows) {
    for (int64_t j = 0; j < columns; ++j) {
      T sum = row[j];
      for (int64_t k = 0; k < depth; ++k) {
        sum = MultiplyAdd(lhs[k], rhs[j * depth + k], sum);
      }
      row[j] = sum;
    }
    lhs += depth;
  }
}

template <typename T>
void AccumulateProducts(const T* lhs, const T* rhs, int64_t count, T* sums) {
  for (int64_t i = 0; i < count; ++i) {
    sums[i] = MultiplyAdd(lhs[i], rhs[i], sums[i]);
  }
}

#define HILO_INSTANTIATE(T)                                                  \
  template PackFunction<T> PackFunctionOf<T>(ElementType);                   \
  template StoreFunction<T> StoreFunctionOf<T>(ElementType);                 \
  template void AccumulateBlock<T>(const T*, absl::Span<T* const>, const T*, \
                                   int64_t, int64_t);                        \
  template void AccumulateNarrowBlock<T>(const T*, absl::Span<T* const>,     \
                                         const T*, int64_t, int64_t);        \
  template void AccumulateProducts<T>(const T*, const T*, int64_t, T*);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(uint32_t)
HILO_INSTANTIATE(uint64_t)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
#undef HILO_INSTANTIATE

}  // namespace hilo::hlo
