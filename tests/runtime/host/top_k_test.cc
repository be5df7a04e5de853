// Tests the selection of the first elements of rows.
#include "runtime/host/top_k.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/runtime/host/aligned_scratch.h"

namespace hilo::runtime {
namespace {

// The total order of floats, as integers.
int64_t OrderOf(float value) {
  int32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits < 0 ? -1 - int64_t{bits & 0x7fffffff} : bits;
}
int64_t OrderOf(int64_t value) { return value; }
int64_t OrderOf(uint8_t value) { return value; }

template <typename T>
std::vector<T> MakeRow(int64_t size, bool ascending) {
  std::mt19937 random(static_cast<uint32_t>(size));
  std::vector<T> row(size);
  for (int64_t i = 0; i < size; ++i) {
    row[i] = static_cast<T>(ascending ? i : random() % 500);
    if constexpr (std::is_same_v<T, float>) {
      if (random() % 50 == 0) row[i] = NAN;
      if (random() % 50 == 0) row[i] = -NAN;
      if (random() % 50 == 0) row[i] = -0.0F;
    }
  }
  return row;
}

template <typename T>
void Check(int64_t size, int64_t k, bool largest, bool ascending) {
  CAPTURE(size, k, largest, ascending, sizeof(T));
  constexpr int64_t kRows = 3;
  const std::vector<T> operand = MakeRow<T>(kRows * size, ascending);
  const TopKRows rows{.type = kElementCode<T>,
                      .largest = largest ? 1 : 0,
                      .rows = kRows,
                      .row_size = size,
                      .k = k,
                      .slots = 2};
  std::vector<T> values(kRows * k);
  std::vector<int32_t> indices(kRows * k);
  AlignedScratch scratch(ScratchBytes(rows));
  hilo_top_k(nullptr, &rows, operand.data(), values.data(), indices.data(),
             scratch.data());
  int64_t wrong = 0;
  for (int64_t row = 0; row < kRows; ++row) {
    const T* from = operand.data() + row * size;
    std::vector<int32_t> order(size);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int32_t a, int32_t b) {
      const int64_t left = OrderOf(from[a]);
      const int64_t right = OrderOf(from[b]);
      return largest ? left > right : left < right;
    });
    for (int64_t i = 0; i < k; ++i) {
      wrong += indices[row * k + i] != order[i] ? 1 : 0;
      wrong += OrderOf(values[row * k + i]) != OrderOf(from[order[i]]) ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("the first elements of rows are selected in order") {
  for (const int64_t size : {1, 2, 3, 7, 17, 255, 256, 257, 1000, 5000}) {
    for (const int64_t k : {0, 1, 2, 5, 64, 300, 5000}) {
      if (k > size) continue;
      for (const bool largest : {false, true}) {
        for (const bool ascending : {false, true}) {
          Check<float>(size, k, largest, ascending);
          Check<int64_t>(size, k, largest, ascending);
          Check<uint8_t>(size, k, largest, ascending);
        }
      }
    }
  }
}

}  // namespace
}  // namespace hilo::runtime
