// Copies between strided arrays, by element size rather than by type.
#include "hlo/eval/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "absl/types/span.h"

namespace hilo::hlo {
namespace {

// Side of the square blocks in which a transposing copy proceeds.
constexpr int64_t kCopyTileElements = 32;
// Shorter contiguous runs are copied element by element.
constexpr int64_t kShortRunBytes = 64;

template <int bytes>
struct Element {
  static void Copy(void* destination, const void* source) {
    std::memcpy(destination, source, bytes);
  }
};

// Calls f(Element<element_bytes>{}).
template <typename F>
decltype(auto) DispatchElementBytes(int element_bytes, F&& f) {
  switch (element_bytes) {
    case 1:
      return f(Element<1>{});
    case 2:
      return f(Element<2>{});
    case 4:
      return f(Element<4>{});
    case 8:
      return f(Element<8>{});
    default:
      return f(Element<16>{});
  }
}

template <int bytes>
void CopyRun(std::byte* destination, const std::byte* source,
             const StridedDimension& run) {
  const bool writes_densely = run.destination_stride == bytes;
  if (writes_densely && run.source_stride == bytes &&
      run.size * bytes >= kShortRunBytes) {
    std::memcpy(destination, source, run.size * bytes);
    return;
  }
  if (writes_densely && run.source_stride == 0) {
    FillElements(destination, run.size, source, bytes);
    return;
  }
  for (int64_t i = 0; i < run.size; ++i) {
    Element<bytes>::Copy(destination, source);
    destination += run.destination_stride;
    source += run.source_stride;
  }
}

template <int bytes>
void CopyRuns(std::byte* destination, const std::byte* source,
              const StridedDimension& outer, const StridedDimension& inner) {
  for (int64_t i = 0; i < outer.size; ++i) {
    CopyRun<bytes>(destination, source, inner);
    destination += outer.destination_stride;
    source += outer.source_stride;
  }
}

template <int bytes>
void CopyTile(std::byte* destination, const std::byte* source,
              const StridedDimension& outer, const StridedDimension& inner) {
  for (int64_t i = 0; i < outer.size; ++i) {
    std::byte* to = destination + i * outer.destination_stride;
    const std::byte* from = source + i * outer.source_stride;
    for (int64_t j = 0; j < inner.size; ++j) {
      Element<bytes>::Copy(to, from);
      to += inner.destination_stride;
      from += inner.source_stride;
    }
  }
}

template <int bytes>
void CopyTiles(std::byte* destination, const std::byte* source,
               const StridedDimension& outer, const StridedDimension& inner) {
  StridedDimension tile_outer = outer;
  StridedDimension tile_inner = inner;
  for (int64_t i = 0; i < outer.size; i += kCopyTileElements) {
    tile_outer.size = std::min(kCopyTileElements, outer.size - i);
    for (int64_t j = 0; j < inner.size; j += kCopyTileElements) {
      tile_inner.size = std::min(kCopyTileElements, inner.size - j);
      CopyTile<bytes>(
          destination + i * outer.destination_stride +
              j * inner.destination_stride,
          source + i * outer.source_stride + j * inner.source_stride,
          tile_outer, tile_inner);
    }
  }
}

// The loop around a single element.
constexpr StridedDimension kSingle = {
    .size = 1, .source_stride = 0, .destination_stride = 0};

// Makes one wide element of a short dense run. Returns the element's bytes.
int WidenElements(StridedDimensions& dimensions, int element_bytes) {
  const StridedDimension& inner = dimensions.back();
  if (inner.source_stride != element_bytes) return element_bytes;
  if (inner.destination_stride != element_bytes) return element_bytes;
  constexpr int kMaxBytes = 16;
  if (inner.size < 2 || inner.size > kMaxBytes) return element_bytes;
  const int64_t run_bytes = inner.size * element_bytes;
  if (run_bytes != 2 && run_bytes != 4 && run_bytes != 8 && run_bytes != 16) {
    return element_bytes;
  }
  dimensions.pop_back();
  if (dimensions.empty()) dimensions.push_back(kSingle);
  return static_cast<int>(run_bytes);
}

// Writes one value densely.
template <int bytes>
void FillRun(std::byte* destination, int64_t count, const std::byte* value) {
  std::array<std::byte, bytes> element;
  Element<bytes>::Copy(element.data(), value);
  for (int64_t i = 0; i < count; ++i) {
    Element<bytes>::Copy(destination + i * bytes, element.data());
  }
}

}  // namespace

StridedDimensions SimplifyLoops(absl::Span<const StridedDimension> dimensions) {
  StridedDimensions result;
  for (const StridedDimension& next : dimensions) {
    if (next.size == 0) {
      return {{.size = 0, .source_stride = 0, .destination_stride = 0}};
    }
    if (next.size == 1) continue;
    if (!result.empty()) {
      StridedDimension& last = result.back();
      if (last.source_stride == next.size * next.source_stride &&
          last.destination_stride == next.size * next.destination_stride) {
        last = {.size = last.size * next.size,
                .source_stride = next.source_stride,
                .destination_stride = next.destination_stride};
        continue;
      }
    }
    result.push_back(next);
  }
  if (result.empty()) result.push_back(kSingle);
  return result;
}

CopyPlan::CopyPlan(absl::Span<const StridedDimension> dimensions,
                   int element_bytes)
    : dimensions_(SimplifyLoops(dimensions)) {
  for (StridedDimension& dimension : dimensions_) {
    dimension.source_stride *= element_bytes;
    dimension.destination_stride *= element_bytes;
  }
  element_bytes = WidenElements(dimensions_, element_bytes);
  if (dimensions_.size() < 2) dimensions_.insert(dimensions_.begin(), kSingle);
  ChooseLoopOrder();
  const StridedDimension& outer = dimensions_[dimensions_.size() - 2];
  const bool transposes = outer.size > 1 && outer.source_stride != 0 &&
                          std::abs(outer.source_stride) <
                              std::abs(dimensions_.back().source_stride);
  kernel_ = DispatchElementBytes(element_bytes, [&](auto element) -> Kernel {
    return [&]<int bytes>(Element<bytes>) -> Kernel {
      return transposes ? &CopyTiles<bytes> : &CopyRuns<bytes>;
    }(element);
  });
}

// Puts the loop that reads most densely next to the innermost one, which
// writes most densely.
void CopyPlan::ChooseLoopOrder() {
  size_t best = dimensions_.size() - 1;
  if (dimensions_[best].source_stride == 0) return;
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    const int64_t stride = std::abs(dimensions_[i].source_stride);
    if (dimensions_[i].size < 2 || stride == 0) continue;
    if (stride < std::abs(dimensions_[best].source_stride)) best = i;
  }
  if (best + 2 >= dimensions_.size()) return;
  auto* const first = dimensions_.begin() + static_cast<int64_t>(best);
  std::rotate(first, first + 1, dimensions_.end() - 1);
}

void CopyPlan::Run(std::byte* destination, const std::byte* source) const {
  const size_t count = dimensions_.size();
  const StridedDimension& inner = dimensions_[count - 1];
  const StridedDimension& outer = dimensions_[count - 2];
  if (count == 2) {
    kernel_(destination, source, outer, inner);
    return;
  }
  ForEachRun(absl::MakeConstSpan(dimensions_).first(count - 1),
             [&](int64_t source_offset, int64_t destination_offset) {
               kernel_(destination + destination_offset, source + source_offset,
                       outer, inner);
             });
}

void FillElements(std::byte* destination, int64_t count, const std::byte* value,
                  int element_bytes) {
  if (count == 0) return;
  if (element_bytes == 1) {
    std::memset(destination, static_cast<int>(*value), count);
    return;
  }
  DispatchElementBytes(element_bytes, [&]<int bytes>(Element<bytes>) {
    FillRun<bytes>(destination, count, value);
  });
}

void GatherElements(void* destination, const void* source,
                    int64_t source_stride, int64_t count, int element_bytes) {
  DispatchElementBytes(element_bytes, [&]<int bytes>(Element<bytes>) {
    CopyRun<bytes>(static_cast<std::byte*>(destination),
                   static_cast<const std::byte*>(source),
                   {count, source_stride * bytes, bytes});
  });
}

void ScatterElements(void* destination, int64_t destination_stride,
                     const void* source, int64_t count, int element_bytes) {
  DispatchElementBytes(element_bytes, [&]<int bytes>(Element<bytes>) {
    CopyRun<bytes>(static_cast<std::byte*>(destination),
                   static_cast<const std::byte*>(source),
                   {count, bytes, destination_stride * bytes});
  });
}

void GatherMatrix(void* destination, const void* source,
                  absl::Span<const int64_t> row_offsets,
                  absl::Span<const int64_t> column_offsets, int element_bytes) {
  DispatchElementBytes(element_bytes, [&]<int bytes>(Element<bytes>) {
    const int64_t row_bytes =
        static_cast<int64_t>(column_offsets.size()) * bytes;
    auto* to = static_cast<std::byte*>(destination);
    for (const int64_t column_offset : column_offsets) {
      const std::byte* from =
          static_cast<const std::byte*>(source) + column_offset * bytes;
      std::byte* cell = to;
      for (const int64_t row_offset : row_offsets) {
        Element<bytes>::Copy(cell, from + row_offset * bytes);
        cell += row_bytes;
      }
      to += bytes;
    }
  });
}

void GatherPermuted(void* destination, const void* source,
                    absl::Span<const int64_t> order, int element_bytes) {
  ScatterPermuted(destination, 1, source, order, element_bytes);
}

void ScatterElementsAt(void* destination, absl::Span<const int64_t> order,
                       const void* source, int element_bytes) {
  DispatchElementBytes(element_bytes, [&]<int bytes>(Element<bytes>) {
    auto* to = static_cast<std::byte*>(destination);
    const auto* from = static_cast<const std::byte*>(source);
    for (const int64_t number : order) {
      Element<bytes>::Copy(to + number * bytes, from);
      from += bytes;
    }
  });
}

void ScatterPermuted(void* destination, int64_t destination_stride,
                     const void* source, absl::Span<const int64_t> order,
                     int element_bytes) {
  DispatchElementBytes(element_bytes, [&]<int bytes>(Element<bytes>) {
    auto* to = static_cast<std::byte*>(destination);
    const auto* from = static_cast<const std::byte*>(source);
    for (const int64_t number : order) {
      Element<bytes>::Copy(to, from + number * bytes);
      to += destination_stride * bytes;
    }
  });
}

}  // namespace hilo::hlo
