// Rows of elements put into another order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hilo::runtime {

// A row of elements of 1, 2, 4, 8 or 16 bytes, `stride` elements apart, and
// where its permutation goes. `from` and `to` are either the same row, and
// then `copy` has room for a dense one, or do not overlap.
struct RowPermutation {
  int64_t bytes = 0;
  int64_t stride = 1;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::byte* copy = nullptr;
};

// Sets element i of the result to element order[i], for i < size.
void Permute(const RowPermutation& row, const uint32_t* order, int64_t size);

}  // namespace hilo::runtime
