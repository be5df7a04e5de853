// A stable merge sort of the numbers of elements, by any comparator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace hilo::runtime {

// Sorts the first few by moving each to its place.
template <typename IsBefore>
void InsertInOrder(const IsBefore& is_before, uint32_t* order, int64_t size) {
  for (int64_t i = 1; i < size; ++i) {
    const uint32_t element = order[i];
    int64_t place = i;
    for (; place > 0 && is_before(element, order[place - 1]); --place) {
      order[place] = order[place - 1];
    }
    order[place] = element;
  }
}

template <typename IsBefore>
void MergeOrders(const IsBefore& is_before, const uint32_t* order,
                 int64_t middle, int64_t size, uint32_t* output) {
  // Runs that are in order already.
  if (middle == size || !is_before(order[middle], order[middle - 1])) {
    std::copy_n(order, size, output);
    return;
  }
  int64_t left = 0;
  int64_t right = middle;
  while (left < middle && right < size) {
    const bool takes_right = is_before(order[right], order[left]);
    *output++ = takes_right ? order[right++] : order[left++];
  }
  output = std::copy(order + left, order + middle, output);
  std::copy(order + right, order + size, output);
}

// Returns the numbers from 0 to `size` in order: one of the two arrays of that
// size. is_before(a, b): whether element a comes before element b.
template <typename IsBefore>
const uint32_t* MergeSortOrder(const IsBefore& is_before, uint32_t* order,
                               uint32_t* spare, int64_t size) {
  constexpr int64_t kRun = 8;
  std::iota(order, order + size, 0U);
  for (int64_t i = 0; i < size; i += kRun) {
    InsertInOrder(is_before, order + i, std::min(kRun, size - i));
  }
  for (int64_t run = kRun; run < size; run *= 2) {
    for (int64_t i = 0; i < size; i += 2 * run) {
      const int64_t part = std::min(2 * run, size - i);
      MergeOrders(is_before, order + i, std::min(run, part), part, spare + i);
    }
    std::swap(order, spare);
  }
  return order;
}

}  // namespace hilo::runtime
