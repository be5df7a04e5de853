// Tests of sort and topk.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "tests/hlo/eval/reference.h"

namespace hilo::hlo {
namespace {

// Compares the first of two operands, both of `type`.
std::string Comparator(const std::string& name, const std::string& type,
                       const std::string& attributes) {
  return absl::StrCat(name, " {\n a = ", type, "[] parameter(0)\n b = ", type,
                      "[] parameter(1)\n ROOT r = pred[] compare(a, b), ",
                      attributes, "\n}\n");
}

// By the first operand without its lowest bit, in a way that is not plain.
const char kPairs[] = R"(
general {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  one = s32[] constant(1)
  p = s32[] shift-right-arithmetic(a, one)
  q = s32[] shift-right-arithmetic(b, one)
  ROOT r = pred[] compare(p, q), direction=LT
}
plain {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] compare(b, a), direction=LT
}
never {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] constant(false)
}
always {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] constant(true)
}
muddled {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  m = s32[] xor(a, b)
  n = s32[] multiply(m, c)
  zero = s32[] constant(0)
  ROOT r = pred[] compare(n, zero), direction=LT
})";

Literal Numbers(const std::vector<int64_t>& dimensions, int64_t limit,
                int64_t seed) {
  Literal literal(Shape::Array(ElementType::kS32, dimensions));
  absl::Span<int32_t> data = literal.mutable_data<int32_t>();
  const std::vector<int64_t> numbers =
      SomeNumbers(static_cast<int64_t>(data.size()), limit, seed);
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<int32_t>(numbers[i]);
  }
  return literal;
}

// Sorts (key, value) along dimension 1 of [outer, size, inner] by std.
template <typename Less>
Literal Reference(const Literal& keys, const Literal& values, Less less) {
  const absl::Span<const int64_t> dims = keys.shape().dimensions();
  Literal sorted_keys(keys.shape());
  Literal sorted_values(values.shape());
  for (int64_t outer = 0; outer < dims[0]; ++outer) {
    for (int64_t inner = 0; inner < dims[2]; ++inner) {
      const auto position = [&](int64_t i) {
        return (outer * dims[1] + i) * dims[2] + inner;
      };
      std::vector<int64_t> order(dims[1]);
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
        return less(keys.data<int32_t>()[position(a)],
                    keys.data<int32_t>()[position(b)]);
      });
      for (int64_t i = 0; i < dims[1]; ++i) {
        sorted_keys.mutable_data<int32_t>()[position(i)] =
            keys.data<int32_t>()[position(order[i])];
        sorted_values.mutable_data<int32_t>()[position(i)] =
            values.data<int32_t>()[position(order[i])];
      }
    }
  }
  return Literal::Tuple({sorted_keys, sorted_values});
}

Literal SortPairs(const Literal& keys, const Literal& values,
                  const std::string& comparator) {
  const std::string shape = ToString(keys.shape());
  return RunInstruction(
      kPairs,
      absl::StrCat("(", shape, ", ", shape,
                   ") sort(x, y), dimensions={1}, is_stable=true, to_apply=",
                   comparator),
      {keys, values});
}

TEST_CASE("sort is stable along any dimension") {
  const std::vector<std::vector<int64_t>> shapes = {
      {1, 1, 1},    {3, 2, 5},     {2, 17, 1},   {1, 1000, 1}, {7, 129, 3},
      {1, 5000, 1}, {1, 70000, 1}, {3000, 7, 1}, {0, 5, 2},    {2, 0, 3}};
  for (const std::vector<int64_t>& dimensions : shapes) {
    CAPTURE(dimensions);
    const Literal keys = Numbers(dimensions, 300, 7);
    const Literal values = Numbers(dimensions, 1000000, 8);
    CHECK(SortPairs(keys, values, "general") ==
          Reference(keys, values,
                    [](int32_t a, int32_t b) { return (a >> 1) < (b >> 1); }));
    CHECK(SortPairs(keys, values, "plain") ==
          Reference(keys, values, [](int32_t a, int32_t b) { return a > b; }));
    CHECK(SortPairs(keys, values, "never") == Literal::Tuple({keys, values}));
  }
}

TEST_CASE("sort permutes whatever the comparator says") {
  for (const std::string comparator : {"always", "muddled"}) {
    for (const int64_t size : {2, 3, 100, 777, 20000}) {
      CAPTURE(comparator, size);
      const Literal keys = Numbers({1, size, 1}, 1 << 30, 9);
      const Literal sorted = SortPairs(keys, keys, comparator);
      CHECK(sorted.element(0) == sorted.element(1));
      std::vector<int32_t> before(keys.data<int32_t>().begin(),
                                  keys.data<int32_t>().end());
      std::vector<int32_t> after(sorted.element(0).data<int32_t>().begin(),
                                 sorted.element(0).data<int32_t>().end());
      std::ranges::sort(before);
      std::ranges::sort(after);
      CHECK(before == after);
    }
  }
}

TEST_CASE("sort orders elements of any type") {
  const std::string sort = " sort(x), dimensions={0}, to_apply=c";
  CheckRows(Comparator("c", "f32", "direction=LT"),
            {
                {"f32[5]" + sort,
                 {"f32[5] {3, -0.0, 0, -inf, 1}"},
                 "{-inf, -0.0, 0, 1, 3}"},
                {"f32[4]" + sort,
                 {"f32[4] {0, -0.0, 0, -0.0}"},
                 "{0, -0.0, 0, -0.0}"},
            });
  CheckRows(Comparator("c", "f32", "direction=LT, type=TOTALORDER"),
            {
                {"f32[6]" + sort,
                 {"f32[6] {nan, -0.0, 0, -0.0, inf, -inf}"},
                 "{-inf, -0.0, -0.0, 0, inf, nan}"},
                {"f32[3]" + sort, {"f32[3] {1, nan, -nan}"}, "{nan, 1, nan}"},
            });
  CheckRows(Comparator("c", "s4", "direction=GT"),
            {
                {"s4[4]" + sort, {"s4[4] {-8, 7, 0, -1}"}, "{7, 0, -1, -8}"},
            });
  CheckRows(Comparator("c", "u64", "direction=LT"),
            {
                {"u64[3]" + sort,
                 {"u64[3] {18446744073709551615, 0, 9223372036854775808}"},
                 "{0, 9223372036854775808, 18446744073709551615}"},
            });
  CheckRows(Comparator("c", "s64", "direction=LT"),
            {
                {"s64[3]" + sort,
                 {"s64[3] {1, -9223372036854775808, -1}"},
                 "{-9223372036854775808, -1, 1}"},
            });
  CheckRows(
      Comparator("c", "f8e5m2", "direction=LT"),
      {
          {"f8e5m2[3]" + sort, {"f8e5m2[3] {1, -2, 0.5}"}, "{-2, 0.5, 1}"},
      });
  CheckRows(Comparator("c", "f64", "direction=GT"),
            {
                {"f64[3]" + sort, {"f64[3] {1, -2, 0.5}"}, "{1, 0.5, -2}"},
            });
  CheckRows(
      Comparator("c", "pred", "direction=LT"),
      {
          {"pred[3]" + sort, {"pred[3] {true, false, true}"}, "{0, 1, 1}"},
      });
}

TEST_CASE("sort with NaN under a plain comparison keeps all elements") {
  const std::string result =
      ApplyWith(Comparator("c", "f32", "direction=LT"),
                "f32[5] sort(x), dimensions={0}, to_apply=c",
                {"f32[5] {3, nan, 1, nan, 2}"});
  CHECK(result.find("error") == std::string::npos);
  CHECK(std::ranges::count(result, 'a') == 2);
}

TEST_CASE("topk orders totally and prefers early elements") {
  CheckRows("", {
                    {"(f32[3], s32[3]) topk(x), k=3, largest=true",
                     {"f32[5] {1, nan, 3, 3, -inf}"},
                     "( {nan, 3, 3}, {1, 2, 3} )"},
                    {"(f32[3], s32[3]) topk(x), k=3, largest=false",
                     {"f32[5] {0, -0.0, 1, -nan, 0}"},
                     "( {nan, -0.0, 0}, {3, 1, 0} )"},
                    {"(s8[2,2], s32[2,2]) topk(x), k=2, largest=true",
                     {"s8[2,3] {{1, 1, 1}, {-128, 127, 0}}"},
                     "( { {1, 1}, {127, 0} }, { {0, 1}, {1, 2} } )"},
                    {"(u8[3], s32[3]) topk(x), k=3, largest=false",
                     {"u8[3] {200, 3, 100}"},
                     "( {3, 100, 200}, {1, 2, 0} )"},
                    {"(f32[0], s32[0]) topk(x), k=0, largest=true",
                     {"f32[2] {1, 2}"},
                     "( {}, {} )"},
                    {"(f32[0,1], s32[0,1]) topk(x), k=1, largest=true",
                     {"f32[0,2] {}"},
                     "( {}, {} )"},
                });
}

}  // namespace
}  // namespace hilo::hlo
