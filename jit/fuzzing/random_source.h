// Random choices that depend on a seed only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hilo::fuzzing {

// A stream of random numbers, the same on every machine.
// Source: Steele, Lea & Flood, OOPSLA 2014 (splitmix64).
class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : state_(seed) {}

  uint64_t Next();
  // 0 ... count - 1; `count` is at least 1.
  int64_t Below(int64_t count) {
    return static_cast<int64_t>(Next() % static_cast<uint64_t>(count));
  }
  // low ... high, both included.
  int64_t Between(int64_t low, int64_t high) {
    return low + Below(high - low + 1);
  }
  bool Chance(int percent) { return Below(100) < percent; }

  // One of a container's elements, of which there is at least one.
  template <typename Container>
  const auto& Pick(const Container& container) {
    return container[static_cast<size_t>(
        Below(static_cast<int64_t>(container.size())))];
  }

  template <typename T>
  void Shuffle(std::vector<T>& values) {
    for (size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1],
                values[static_cast<size_t>(Below(static_cast<int64_t>(i)))]);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace hilo::fuzzing
