// Stable sorts of dense arrays of keys, with or without what belongs to them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace hilo::runtime {

// A key and the number of its element.
struct WideSortEntry {
  uint64_t key;
  uint64_t index;

  friend bool operator<(const WideSortEntry& lhs, const WideSortEntry& rhs) {
    return lhs.key < rhs.key;
  }
};

// What is sorted: bare keys of any width.
template <typename T>
struct SortItem {
  using Key = T;
  using Item = T;
  static Key KeyOf(Item item) { return item; }
};

// Keys with the numbers of their elements; numbers are below 2^32.
template <typename K>
struct SortEntry {
  using Key = K;
  using Item = std::conditional_t<sizeof(K) == 8, WideSortEntry, uint64_t>;

  static Item Make(Key key, uint64_t index) {
    if constexpr (sizeof(K) == 8) {
      return {key, index};
    } else {
      return uint64_t{key} << 32 | index;
    }
  }
  static Key KeyOf(const Item& item) {
    if constexpr (sizeof(K) == 8) {
      return item.key;
    } else {
      return static_cast<Key>(item >> 32);
    }
  }
  static uint32_t IndexOf(const Item& item) {
    if constexpr (sizeof(K) == 8) {
      return static_cast<uint32_t>(item.index);
    } else {
      return static_cast<uint32_t>(item);
    }
  }
};

template <typename Item>
void InsertionSort(Item* items, int64_t size) {
  for (int64_t i = 1; i < size; ++i) {
    const Item item = items[i];
    int64_t place = i;
    for (; place > 0 && item < items[place - 1]; --place) {
      items[place] = items[place - 1];
    }
    items[place] = item;
  }
}

// Merges sorted items [0, middle) and [middle, size) without branches that
// depend on them.
template <typename Item>
void MergeRuns(const Item* items, int64_t middle, int64_t size, Item* output) {
  const Item* left = items;
  const Item* const left_end = items + middle;
  const Item* right = left_end;
  const Item* const right_end = items + size;
  while (left < left_end && right < right_end) {
    const bool takes_right = *right < *left;
    *output++ = takes_right ? *right : *left;
    right += takes_right ? 1 : 0;
    left += takes_right ? 0 : 1;
  }
  output = std::copy(left, left_end, output);
  std::copy(right, right_end, output);
}

// Returns which of the two arrays holds the result.
template <typename Item>
Item* MergeSort(Item* items, Item* spare, int64_t size) {
  constexpr int64_t kRun = 12;
  for (int64_t i = 0; i < size; i += kRun) {
    InsertionSort(items + i, std::min(kRun, size - i));
  }
  for (int64_t run = kRun; run < size; run *= 2) {
    for (int64_t i = 0; i < size; i += 2 * run) {
      const int64_t part = std::min(2 * run, size - i);
      MergeRuns(items + i, std::min(run, part), part, spare + i);
    }
    std::swap(items, spare);
  }
  return items;
}

// Sorts by the least significant `digit_bits` of the key, then by the next
// ones, and so on. Returns which of the two arrays holds the result.
template <int digit_bits, typename Kind>
Kind::Item* RadixSort(typename Kind::Item* items, typename Kind::Item* spare,
                      int64_t size) {
  constexpr int kKeyBits = 8 * sizeof(typename Kind::Key);
  constexpr int kPasses = (kKeyBits + digit_bits - 1) / digit_bits;
  constexpr uint32_t kDigits = 1U << digit_bits;
  const auto digit_of = [](const Kind::Item& item, int pass) {
    return static_cast<uint32_t>(Kind::KeyOf(item) >> (pass * digit_bits)) &
           (kDigits - 1);
  };
  std::array<std::array<uint32_t, kDigits>, kPasses> counts = {};
  for (int64_t i = 0; i < size; ++i) {
    for (int pass = 0; pass < kPasses; ++pass) {
      ++counts[pass][digit_of(items[i], pass)];
    }
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    std::array<uint32_t, kDigits>& places = counts[pass];
    // All elements have the same digit.
    if (places[digit_of(items[0], pass)] == size) continue;
    uint32_t next = 0;
    for (uint32_t& place : places) next += std::exchange(place, next);
    for (int64_t i = 0; i < size; ++i) {
      const typename Kind::Item item = items[i];
      spare[places[digit_of(item, pass)]++] = item;
    }
    std::swap(items, spare);
  }
  return items;
}

// Sorts in the way that suits the size. Returns which of the two arrays holds
// the result; size < 2^32.
template <typename Kind>
Kind::Item* SortItems(typename Kind::Item* items, typename Kind::Item* spare,
                      int64_t size) {
  constexpr int64_t kSmall = 160;
  constexpr int64_t kLarge = 4096;
  if (size <= kSmall * static_cast<int64_t>(sizeof(typename Kind::Key)) / 4) {
    return MergeSort(items, spare, size);
  }
  if (size < kLarge) return RadixSort<8, Kind>(items, spare, size);
  return RadixSort<11, Kind>(items, spare, size);
}

}  // namespace hilo::runtime
