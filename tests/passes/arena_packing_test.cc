// Tests that packed items neither overlap nor waste much.
#include "passes/buffer_assignment/arena_packing.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "catch2/catch.hpp"

#include "passes/buffer_assignment/timeline.h"

namespace hilo::passes {
namespace {

void CheckDisjoint(const std::vector<ArenaItem>& items,
                   const ArenaLayout& layout) {
  bool is_valid = true;
  for (size_t i = 0; i < items.size(); ++i) {
    is_valid &= layout.offsets[i] % kArenaAlignment == 0 &&
                layout.offsets[i] + items[i].bytes <= layout.peak_bytes;
    for (size_t j = 0; j < i; ++j) {
      const bool in_time =
          items[i].start <= items[j].end && items[j].start <= items[i].end;
      const bool in_space =
          layout.offsets[i] < layout.offsets[j] + items[j].bytes &&
          layout.offsets[j] < layout.offsets[i] + items[i].bytes;
      is_valid &= !(in_time && in_space);
    }
  }
  CHECK(is_valid);
}

TEST_CASE("nothing takes no memory") {
  const ArenaLayout layout = PackArena({});
  CHECK(layout.peak_bytes == 0);
  CHECK(layout.lower_bound_bytes == 0);
  CHECK(PackArena({{{0, 5, 0}}}).peak_bytes == 0);
}

TEST_CASE("items that are not in use together share memory") {
  const std::vector<ArenaItem> items = {{0, 1, 100}, {2, 3, 70}, {3, 4, 10}};
  const ArenaLayout layout = PackArena(items);
  CHECK(layout.lower_bound_bytes == 192);
  CHECK(layout.peak_bytes == 192);
  CheckDisjoint(items, layout);
}

TEST_CASE("random items are packed without overlap") {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<ArenaItem> items;
    for (int i = 0; i < 200; ++i) {
      const auto start = static_cast<Time>(random() % 500);
      items.push_back({.start = start,
                       .end = start + static_cast<Time>(random() % 40),
                       .bytes = static_cast<int64_t>(random() % 3000)});
    }
    const ArenaLayout layout = PackArena(items);
    CheckDisjoint(items, layout);
    CHECK(layout.peak_bytes >= layout.lower_bound_bytes);
    CHECK(static_cast<double>(layout.peak_bytes) <=
          1.2 * static_cast<double>(layout.lower_bound_bytes));
  }
}

}  // namespace
}  // namespace hilo::passes
