// Tests stable sorts of rows against the standard library's.
#include "runtime/host/sort.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "runtime/base/numeric_traits.h"
#include "runtime/host/element_code.h"
#include "runtime/thread_pool.h"
#include "tests/runtime/host/aligned_scratch.h"

namespace hilo::runtime {
namespace {

double NumberOf(auto value) { return ConvertElement<double>(value); }

// Sign and magnitude as a number, for floats.
template <typename T>
__int128 TotalOrderNumber(T value) {
  if constexpr (!NumericTraits<T>::is_float) {
    return static_cast<__int128>(
        ConvertElement<std::conditional_t<NumericTraits<T>::is_signed_integer,
                                          int64_t, uint64_t>>(value));
  } else {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    const int width = NumericTraits<T>::kBits;
    const uint64_t sign = uint64_t{1} << (width - 1);
    if constexpr (!std::is_floating_point_v<T>) {
      if (!T::kHasSign) return bits;
    }
    const auto magnitude = static_cast<__int128>(bits & (sign - 1));
    return (bits & sign) != 0 ? -1 - magnitude : magnitude;
  }
}

template <typename T>
bool IsBefore(const SortKey& key, T lhs, T rhs) {
  const bool is_descending = key.is_descending != 0;
  if (!NumericTraits<T>::is_float || key.order == SortOrder::kTotal) {
    const __int128 left = TotalOrderNumber(lhs);
    const __int128 right = TotalOrderNumber(rhs);
    return is_descending ? left > right : left < right;
  }
  const double left = NumberOf(lhs);
  const double right = NumberOf(rhs);
  if (std::isnan(left) || std::isnan(right)) {
    if (std::isnan(left) == std::isnan(right)) return false;
    return std::isnan(left) == (key.order == SortOrder::kNanFirst);
  }
  return is_descending ? left > right : left < right;
}

template <typename T>
T RandomElement(std::mt19937_64& random) {
  const uint64_t bits = random();
  if constexpr (std::is_same_v<T, bool>) {
    return (bits & 1) != 0;
  } else if constexpr (requires { T::FromBits(0); }) {
    return T::FromBits(static_cast<decltype(T{}.bits())>(
        bits & ((uint64_t{1} << T::kBits) - 1)));
  } else {
    // Some zeros, NaNs and equal elements.
    const std::vector<double> special = {0.0, -0.0, NAN, -NAN, 1, -1, INFINITY};
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    if (bits % 4 == 0 && std::is_floating_point_v<T>) {
      return static_cast<T>(special[bits / 4 % special.size()]);
    }
    return value;
  }
}

// Elements of one type, and their order.
struct Keys {
  absl::string_view type_name;
  int64_t element_bytes = 0;
  std::vector<std::byte> bytes;
  std::function<bool(const SortKey& key, int64_t a, int64_t b)> is_before;
};

template <typename T>
Keys RandomKeys(int64_t count, uint64_t seed) {
  Keys keys{.type_name = kNumericName<T>,
            .element_bytes = sizeof(T),
            .bytes = std::vector<std::byte>(count * sizeof(T)),
            .is_before = {}};
  std::mt19937_64 random(seed);
  auto* elements = reinterpret_cast<T*>(keys.bytes.data());
  for (int64_t i = 0; i < count; ++i) elements[i] = RandomElement<T>(random);
  // The bytes stay where they are when the keys are moved.
  keys.is_before = [elements](const SortKey& key, int64_t a, int64_t b) {
    return IsBefore(key, elements[a], elements[b]);
  };
  return keys;
}

// How the rows of an array lie, and what they are sorted with.
struct SortCase {
  int64_t size = 0;
  int64_t outer = 1;
  int64_t inner = 1;
  bool has_payload = false;
  void* pool = nullptr;

  int64_t count() const { return size * outer * inner; }
};

// Sorts rows of keys along a dimension, with numbers as payload, and checks
// them against std::stable_sort.
void CheckSort(const SortKey& key, const Keys& keys, const SortCase& rows_of) {
  const auto [size, outer, inner, has_payload, pool] = rows_of;
  CAPTURE(keys.type_name, static_cast<int>(key.order), key.is_descending, size,
          outer, inner, has_payload);
  std::vector<int16_t> numbers(rows_of.count());
  std::iota(numbers.begin(), numbers.end(), int16_t{0});
  const SortRows rows{.row_size = size,
                      .row_stride = inner,
                      .outer_count = outer,
                      .outer_stride = size * inner,
                      .inner_count = inner,
                      .inner_stride = 1,
                      .operand_count = has_payload ? 2 : 1,
                      .slots = 3};
  const std::array<int64_t, 2> element_bytes = {keys.element_bytes, 2};
  std::vector<std::byte> bytes = keys.bytes;
  std::vector<std::byte> sorted(bytes.size());
  std::vector<int16_t> order(numbers.size());
  std::array<const void*, 2> operands = {bytes.data(), numbers.data()};
  std::array<void*, 2> results = {sorted.data(), order.data()};
  AlignedScratch scratch(SortScratchBytes(
      rows, key,
      absl::MakeConstSpan(element_bytes.data(), rows.operand_count)));
  hilo_sort_by_key(pool, &rows, &key, element_bytes.data(), operands.data(),
                   results.data(), scratch.data());
  for (int64_t row = 0; row < outer * inner; ++row) {
    const int64_t offset = row / inner * size * inner + row % inner;
    std::vector<int64_t> expected(size);
    for (int64_t i = 0; i < size; ++i) expected[i] = offset + i * inner;
    std::ranges::stable_sort(expected, [&](int64_t a, int64_t b) {
      return keys.is_before(key, a, b);
    });
    int64_t wrong = 0;
    for (int64_t i = 0; i < size; ++i) {
      const int64_t to = offset + i * inner;
      wrong += std::memcmp(sorted.data() + to * keys.element_bytes,
                           bytes.data() + expected[i] * keys.element_bytes,
                           keys.element_bytes) != 0
                   ? 1
                   : 0;
      wrong += has_payload && order[to] != numbers[expected[i]] ? 1 : 0;
    }
    REQUIRE(wrong == 0);
  }
  results[0] = bytes.data();
  hilo_sort_by_key(pool, &rows, &key, element_bytes.data(), operands.data(),
                   results.data(), scratch.data());
  CHECK(bytes == sorted);
}

// Makes keys of one type.
using MakeKeys = Keys (*)(int64_t count, uint64_t seed);

std::vector<std::pair<ElementCode, MakeKeys>> KeysOfEveryType() {
  std::vector<std::pair<ElementCode, MakeKeys>> types;
  const auto add = [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (!NumericTraits<T>::is_complex) {
      types.emplace_back(kElementCode<T>, &RandomKeys<T>);
    }
  };
#define HILO_ADD_TYPE(type, text) add(std::type_identity<type>{});
  HILO_NUMERIC_TYPES(HILO_ADD_TYPE)
#undef HILO_ADD_TYPE
  return types;
}

TEST_CASE("rows sort by keys of every type, order and direction") {
  ThreadPool pool(3);
  pool.loop_workers().Arm();
  for (const auto& [type, make_keys] : KeysOfEveryType()) {
    for (const SortOrder order :
         {SortOrder::kTotal, SortOrder::kNanLast, SortOrder::kNanFirst}) {
      for (const int32_t is_descending : {0, 1}) {
        const SortKey key{
            .type = type, .order = order, .is_descending = is_descending};
        const auto check = [&, make = make_keys](const SortCase& rows) {
          CheckSort(key, make(rows.count(), rows.count() + rows.outer), rows);
        };
        for (const int64_t size : {0, 1, 2, 3, 17, 700}) {
          check({.size = size,
                 .outer = 3,
                 .has_payload = true,
                 .pool = &pool.loop_workers()});
          check({.size = size,
                 .outer = 2,
                 .inner = 3,
                 .has_payload = size % 2 == 0});
          check({.size = size, .outer = 3});
        }
      }
    }
  }
}

TEST_CASE("rows of all sizes sort by keys") {
  for (const int64_t size :
       {5,   7,   12,  13,  24,  25,  33,   63,   64,   65,
        127, 160, 161, 257, 320, 321, 1000, 4095, 4096, 9001}) {
    for (const int32_t is_descending : {0, 1}) {
      for (const bool has_payload : {false, true}) {
        const SortCase rows{.size = size, .has_payload = has_payload};
        const SortKey f32{.type = kElementCode<float>,
                          .order = SortOrder::kNanLast,
                          .is_descending = is_descending};
        CheckSort(f32, RandomKeys<float>(size, size), rows);
        const SortKey s64{.type = kElementCode<int64_t>,
                          .is_descending = is_descending};
        CheckSort(s64, RandomKeys<int64_t>(size, size), rows);
        const SortKey u16{.type = kElementCode<uint16_t>,
                          .is_descending = is_descending};
        CheckSort(u16, RandomKeys<uint16_t>(size, size), rows);
      }
    }
  }
}

TEST_CASE("payloads of all element sizes follow a key in the middle") {
  constexpr int64_t kSize = 77;
  std::mt19937_64 random(5);
  std::vector<std::byte> payload(kSize * 16);
  for (std::byte& byte : payload) byte = static_cast<std::byte>(random());
  std::vector<int32_t> keys(kSize);
  for (int32_t& key : keys) key = static_cast<int32_t>(random() % 20);
  const SortRows rows{.row_size = kSize, .operand_count = 6};
  const SortKey key{.operand = 2, .type = kElementCode<int32_t>};
  const std::array<int64_t, 6> element_bytes = {1, 2, 4, 4, 8, 16};
  std::array<const void*, 6> operands = {payload.data(), payload.data(),
                                         keys.data(),    payload.data(),
                                         payload.data(), payload.data()};
  std::vector<std::vector<std::byte>> sorted(
      6, std::vector<std::byte>(payload.size()));
  std::array<void*, 6> results = {};
  for (int i = 0; i < 6; ++i) results[i] = sorted[i].data();
  AlignedScratch scratch(SortScratchBytes(rows, key, element_bytes));
  hilo_sort_by_key(nullptr, &rows, &key, element_bytes.data(), operands.data(),
                   results.data(), scratch.data());
  std::vector<int64_t> order(kSize);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(
      order, [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
  for (int operand = 0; operand < 6; ++operand) {
    const int64_t bytes = element_bytes[operand];
    const auto* from = static_cast<const std::byte*>(operands[operand]);
    for (int64_t i = 0; i < kSize; ++i) {
      CHECK(std::memcmp(sorted[operand].data() + i * bytes,
                        from + order[i] * bytes, bytes) == 0);
    }
  }
}

// By the second operand, then by the first, descending.
bool ComparePairs(const void* const* elements) {
  const auto first = [&](int i) {
    return *static_cast<const float*>(elements[i]);
  };
  const auto second = [&](int i) {
    return *static_cast<const int8_t*>(elements[i]);
  };
  if (second(2) != second(3)) return second(2) < second(3);
  return first(0) > first(1);
}

TEST_CASE("rows sort by a comparator") {
  ThreadPool pool(2);
  for (const int64_t size : {0, 1, 2, 3, 5, 7, 8, 9, 17, 100, 1000}) {
    for (const int64_t inner : {1, 3}) {
      CAPTURE(size, inner);
      constexpr int64_t kOuter = 2;
      std::mt19937_64 random(size);
      const int64_t count = size * inner * kOuter;
      std::vector<float> floats(count);
      std::vector<int8_t> bytes(count);
      std::vector<int64_t> numbers(count);
      for (int64_t i = 0; i < count; ++i) {
        floats[i] = static_cast<float>(random() % 5);
        bytes[i] = static_cast<int8_t>(random() % 7);
        numbers[i] = i;
      }
      const SortRows rows{.row_size = size,
                          .row_stride = inner,
                          .outer_count = kOuter,
                          .outer_stride = size * inner,
                          .inner_count = inner,
                          .inner_stride = 1,
                          .operand_count = 3,
                          .slots = 2};
      const std::array<int64_t, 3> element_bytes = {4, 1, 8};
      std::array<const void*, 3> operands = {floats.data(), bytes.data(),
                                             numbers.data()};
      std::vector<float> sorted_floats(count);
      std::vector<int8_t> sorted_bytes(count);
      std::vector<int64_t> order = numbers;
      std::array<void*, 3> results = {sorted_floats.data(), sorted_bytes.data(),
                                      order.data()};
      AlignedScratch scratch(SortScratchBytes(rows, element_bytes));
      hilo_sort_by_comparator(&pool.loop_workers(), &rows, &ComparePairs,
                              element_bytes.data(), operands.data(),
                              results.data(), scratch.data());
      for (int64_t row = 0; row < inner * kOuter; ++row) {
        const int64_t offset = row / inner * size * inner + row % inner;
        std::vector<int64_t> expected(size);
        for (int64_t i = 0; i < size; ++i) expected[i] = offset + i * inner;
        std::ranges::stable_sort(expected, [&](int64_t a, int64_t b) {
          std::array<const void*, 4> elements = {&floats[a], &floats[b],
                                                 &bytes[a], &bytes[b]};
          return ComparePairs(elements.data());
        });
        int64_t wrong = 0;
        for (int64_t i = 0; i < size; ++i) {
          const int64_t place = offset + i * inner;
          wrong += order[place] != expected[i] ? 1 : 0;
          wrong += sorted_floats[place] != floats[expected[i]] ? 1 : 0;
          wrong += sorted_bytes[place] != bytes[expected[i]] ? 1 : 0;
        }
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("comparators that are no order give permutations") {
  constexpr int64_t kSize = 500;
  std::vector<int32_t> numbers(kSize);
  std::iota(numbers.begin(), numbers.end(), 0);
  const SortRows rows{.row_size = kSize};
  const std::array<int64_t, 1> element_bytes = {4};
  std::array<const void*, 1> operands = {numbers.data()};
  std::vector<int32_t> sorted(kSize);
  std::array<void*, 1> results = {sorted.data()};
  AlignedScratch scratch(SortScratchBytes(rows, element_bytes));
  for (const SortComparator comparator :
       {+[](const void* const*) { return true; },
        +[](const void* const* elements) {
          return (*static_cast<const int32_t*>(elements[0]) * 7) % 3 == 1;
        }}) {
    hilo_sort_by_comparator(nullptr, &rows, comparator, element_bytes.data(),
                            operands.data(), results.data(), scratch.data());
    std::ranges::sort(sorted);
    CHECK(sorted == numbers);
  }
}

}  // namespace
}  // namespace hilo::runtime
