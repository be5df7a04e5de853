// Copies between strided arrays, by element size rather than by type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace hilo::hlo {

// One loop of a walk over two arrays at once; strides may be negative or 0.
struct StridedDimension {
  int64_t size = 1;
  int64_t source_stride = 0;
  int64_t destination_stride = 0;
};
using StridedDimensions = absl::InlinedVector<StridedDimension, 6>;

// Drops loops of size 1 and joins neighbours that walk like one loop. The
// order of elements stays. Never empty; has a size 0 if there is nothing to do.
StridedDimensions SimplifyLoops(absl::Span<const StridedDimension> dimensions);

// Calls f(source offset, destination offset) for each position of the loops
// but the last, in row-major order.
template <typename F>
void ForEachRun(absl::Span<const StridedDimension> dimensions, F&& f) {
  const size_t outer = dimensions.size() - 1;
  for (const StridedDimension& dimension : dimensions) {
    if (dimension.size == 0) return;
  }
  absl::InlinedVector<int64_t, 6> position(outer, 0);
  int64_t source = 0;
  int64_t destination = 0;
  while (true) {
    f(source, destination);
    size_t i = outer;
    while (i > 0) {
      const StridedDimension& dimension = dimensions[i - 1];
      source += dimension.source_stride;
      destination += dimension.destination_stride;
      if (++position[i - 1] < dimension.size) break;
      source -= dimension.size * dimension.source_stride;
      destination -= dimension.size * dimension.destination_stride;
      position[i - 1] = 0;
      --i;
    }
    if (i == 0) return;
  }
}

// A copy that can be run at many places. The arrays do not overlap, and no
// destination element is written twice.
class CopyPlan {
 public:
  // Strides in elements of `element_bytes` (1, 2, 4, 8 or 16).
  CopyPlan(absl::Span<const StridedDimension> dimensions, int element_bytes);

  void Run(std::byte* destination, const std::byte* source) const;

 private:
  using Kernel = void (*)(std::byte* destination, const std::byte* source,
                          const StridedDimension& outer,
                          const StridedDimension& inner);

  void ChooseLoopOrder();

  // In bytes; at least two.
  StridedDimensions dimensions_;
  Kernel kernel_ = nullptr;
};

// Writes `count` copies of one element.
void FillElements(std::byte* destination, int64_t count, const std::byte* value,
                  int element_bytes);

// destination[i] = source[i * source_stride], strides in elements.
void GatherElements(void* destination, const void* source,
                    int64_t source_stride, int64_t count, int element_bytes);

// destination[i * destination_stride] = source[i], strides in elements.
void ScatterElements(void* destination, int64_t destination_stride,
                     const void* source, int64_t count, int element_bytes);

// destination[row][column] = source[row_offsets[row] + column_offsets[column]],
// offsets in elements; reads column by column.
void GatherMatrix(void* destination, const void* source,
                  absl::Span<const int64_t> row_offsets,
                  absl::Span<const int64_t> column_offsets, int element_bytes);

// destination[i] = source[order[i]].
void GatherPermuted(void* destination, const void* source,
                    absl::Span<const int64_t> order, int element_bytes);

// destination[order[i]] = source[i].
void ScatterElementsAt(void* destination, absl::Span<const int64_t> order,
                       const void* source, int element_bytes);

// destination[i * destination_stride] = source[order[i]], stride in elements.
void ScatterPermuted(void* destination, int64_t destination_stride,
                     const void* source, absl::Span<const int64_t> order,
                     int element_bytes);

}  // namespace hilo::hlo
