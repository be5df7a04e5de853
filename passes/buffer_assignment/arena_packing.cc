// Best-fit packing in several orders.
#include "passes/buffer_assignment/arena_packing.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "passes/buffer_assignment/timeline.h"

namespace hilo::passes {
namespace {

// Items by the times at which they are in use.
class LifetimeIndex {
 public:
  explicit LifetimeIndex(Time time_count) {
    while (std::cmp_less(leaf_count_, time_count)) leaf_count_ *= 2;
    lists_.resize(2 * leaf_count_);
  }

  void Add(int32_t item, Time start, Time end) {
    starts_.insert({start, item});
    size_t low = leaf_count_ + static_cast<size_t>(start);
    size_t high = leaf_count_ + static_cast<size_t>(end) + 1;
    for (; low < high; low /= 2, high /= 2) {
      if (low % 2 == 1) lists_[low++].push_back(item);
      if (high % 2 == 1) lists_[--high].push_back(item);
    }
  }

  // Calls f(item) for each item in use at some time from `start` to `end`:
  // those in use at `start`, and those that start later.
  template <typename F>
  void ForEachOverlap(Time start, Time end, F&& f) const {
    for (size_t at = leaf_count_ + static_cast<size_t>(start); at > 0;
         at /= 2) {
      for (const int32_t item : lists_[at]) f(item);
    }
    for (auto at = starts_.upper_bound({start, kLargestItem});
         at != starts_.end() && at->first <= end; ++at) {
      f(at->second);
    }
  }

 private:
  static constexpr int32_t kLargestItem = std::numeric_limits<int32_t>::max();

  size_t leaf_count_ = 1;
  // A segment tree: node n covers the times of nodes 2n and 2n + 1.
  std::vector<std::vector<int32_t>> lists_;
  std::set<std::pair<Time, int32_t>> starts_;
};

int64_t RoundUp(int64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

// A stretch of the arena that is taken.
using Chunk = std::pair<int64_t, int64_t>;

// The start of the smallest gap between the chunks, which are sorted, that
// holds `bytes`; else their end.
int64_t BestGap(const std::vector<Chunk>& chunks, int64_t bytes) {
  int64_t best = -1;
  int64_t best_size = 0;
  int64_t free_from = 0;
  for (const auto& [begin, end] : chunks) {
    const int64_t size = begin - free_from;
    if (size >= bytes && (best < 0 || size < best_size)) {
      best = free_from;
      best_size = size;
    }
    free_from = std::max(free_from, end);
  }
  return best < 0 ? free_from : best;
}

ArenaLayout PackInOrder(absl::Span<const ArenaItem> items,
                        const std::vector<int32_t>& order, Time time_count) {
  ArenaLayout layout;
  layout.offsets.resize(items.size(), 0);
  LifetimeIndex placed(time_count);
  std::vector<Chunk> chunks;
  for (const int32_t i : order) {
    const ArenaItem& item = items[i];
    chunks.clear();
    placed.ForEachOverlap(item.start, item.end, [&](int32_t other) {
      chunks.emplace_back(layout.offsets[other],
                          layout.offsets[other] + RoundUp(items[other].bytes));
    });
    std::ranges::sort(chunks);
    const int64_t bytes = RoundUp(item.bytes);
    layout.offsets[i] = BestGap(chunks, bytes);
    layout.peak_bytes = std::max(layout.peak_bytes, layout.offsets[i] + bytes);
    placed.Add(i, item.start, item.end);
  }
  return layout;
}

int64_t LowerBound(absl::Span<const ArenaItem> items, Time time_count) {
  std::vector<int64_t> changes(time_count + 1, 0);
  for (const ArenaItem& item : items) {
    changes[item.start] += RoundUp(item.bytes);
    changes[item.end + 1] -= RoundUp(item.bytes);
  }
  int64_t bytes = 0;
  int64_t most = 0;
  for (const int64_t change : changes) {
    bytes += change;
    most = std::max(most, bytes);
  }
  return most;
}

// The items that have bytes, by ascending key.
template <typename KeyOf>
std::vector<int32_t> SortedBy(absl::Span<const ArenaItem> items,
                              KeyOf&& key_of) {
  std::vector<int32_t> order;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].bytes > 0) order.push_back(static_cast<int32_t>(i));
  }
  std::ranges::stable_sort(order, [&](int32_t a, int32_t b) {
    return key_of(items[a]) < key_of(items[b]);
  });
  return order;
}

// The orders that are tried: by size, by lifetime, by start.
std::vector<std::vector<int32_t>> OrdersOf(absl::Span<const ArenaItem> items) {
  const auto duration = [](const ArenaItem& item) {
    return item.end - item.start;
  };
  return {SortedBy(items,
                   [&](const ArenaItem& item) {
                     return std::pair(-item.bytes, -duration(item));
                   }),
          SortedBy(items,
                   [&](const ArenaItem& item) {
                     return std::pair(-duration(item), -item.bytes);
                   }),
          SortedBy(items, [&](const ArenaItem& item) {
            return std::tuple(item.start, -duration(item), -item.bytes);
          })};
}

void Keep(ArenaLayout layout, ArenaLayout& best) {
  if (best.offsets.empty() || layout.peak_bytes < best.peak_bytes) {
    best = std::move(layout);
  }
}

// Whether a better layout is not worth looking for.
bool IsGood(const ArenaLayout& layout, int64_t lower_bound) {
  constexpr int64_t kTolerance = 100;
  return !layout.offsets.empty() &&
         layout.peak_bytes <= lower_bound + lower_bound / kTolerance;
}

// Packs again and again, each time with those items earlier that ended above
// the lower bound before ("squeaky wheel" optimisation).
void Improve(absl::Span<const ArenaItem> items, std::vector<int32_t> order,
             Time time_count, int64_t lower_bound, ArenaLayout& best) {
  constexpr size_t kMostRounds = 100;
  constexpr size_t kMostPlacements = 100'000;
  const size_t rounds = std::min(
      kMostRounds, kMostPlacements / std::max<size_t>(1, order.size()));
  for (size_t round = 0; round < rounds; ++round) {
    ArenaLayout layout = PackInOrder(items, order, time_count);
    std::vector<std::pair<size_t, int32_t>> ranked;
    for (size_t i = 0; i < order.size(); ++i) {
      const int32_t item = order[i];
      const bool is_high =
          layout.offsets[item] + items[item].bytes > lower_bound;
      // Half way to the front, before who is there.
      ranked.emplace_back(is_high ? i : 2 * i + 1, item);
    }
    std::ranges::stable_sort(
        ranked, [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < order.size(); ++i) order[i] = ranked[i].second;
    Keep(std::move(layout), best);
    if (IsGood(best, lower_bound)) return;
  }
}

}  // namespace

ArenaLayout PackArena(absl::Span<const ArenaItem> items) {
  Time time_count = 1;
  for (const ArenaItem& item : items) {
    time_count = std::max(time_count, item.end + 1);
  }
  const int64_t lower_bound = LowerBound(items, time_count);
  const std::vector<std::vector<int32_t>> orders = OrdersOf(items);
  ArenaLayout best;
  for (const std::vector<int32_t>& order : orders) {
    if (IsGood(best, lower_bound)) break;
    Keep(PackInOrder(items, order, time_count), best);
  }
  for (const std::vector<int32_t>& order : orders) {
    if (IsGood(best, lower_bound)) break;
    Improve(items, order, time_count, lower_bound, best);
  }
  best.offsets.resize(items.size(), 0);
  best.lower_bound_bytes = lower_bound;
  return best;
}

}  // namespace hilo::passes
