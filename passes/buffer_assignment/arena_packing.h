// Packs arrays with known lifetimes into little memory.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

#include "passes/buffer_assignment/timeline.h"

namespace hilo::passes {

// Bytes that are in use from `start` to `end`, both included.
struct ArenaItem {
  Time start = 0;
  Time end = 0;
  int64_t bytes = 0;
};

// Where each item lies.
struct ArenaLayout {
  // Multiples of kArenaAlignment.
  std::vector<int64_t> offsets;
  // The end of the last item.
  int64_t peak_bytes = 0;
  // The most bytes in use at one time, sizes rounded up to the alignment.
  int64_t lower_bound_bytes = 0;
};

inline constexpr int64_t kArenaAlignment = 64;

// Gives items that are in use at one time different places.
//
// Places them one after the other, each in the smallest gap that it fits in:
// large items first, or long-lived ones, or in order of start; keeps the best.
// When that wastes more than 1 %, tries again, a bounded number of times, with
// those first that lay too high. O(n log n) plus the number of pairs in use at
// one time.
// Source: Sekiyama et al., Profile-guided memory optimization for deep neural
// networks, arXiv 1804.10001, section 3 (best fit by decreasing size).
ArenaLayout PackArena(absl::Span<const ArenaItem> items);

}  // namespace hilo::passes
