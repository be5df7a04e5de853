// Tests of reduce, map and scan.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "tests/hlo/eval/evaluate_text.h"
#include "tests/hlo/eval/reference.h"

namespace hilo::hlo {
namespace {

using Index = absl::Span<const int64_t>;

// acc * 3 - element: the order of elements is visible.
const char kOrdered[] = R"(
ordered {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  three = s32[] constant(3)
  c = s32[] multiply(a, three)
  ROOT r = s32[] subtract(c, b)
})";

// Keeps the greater value, NaN above all, and the smaller of equal indices.
const char kArgMax[] = R"(
argmax {
  av = f32[] parameter(0)
  ai = s32[] parameter(1)
  bv = f32[] parameter(2)
  bi = s32[] parameter(3)
  gt = pred[] compare(av, bv), direction=GT
  an = pred[] compare(av, av), direction=NE
  keep = pred[] or(gt, an)
  eq = pred[] compare(av, bv), direction=EQ
  first = pred[] compare(ai, bi), direction=LT
  tie = pred[] and(eq, first)
  keep_index = pred[] or(keep, tie)
  v = f32[] select(keep, av, bv)
  i = s32[] select(keep_index, ai, bi)
  ROOT r = (f32[], s32[]) tuple(v, i)
})";

TEST_CASE("reduce folds from the initial value") {
  const std::string computations = absl::StrCat(
      Reducer("sum", "f32", "add"), Reducer("max", "f32", "maximum"),
      Reducer("min", "f16", "minimum"), Reducer("both", "pred", "and"),
      Reducer("bsum", "bf16", "add"));
  CheckRows(computations,
            {
                {"f32[2] reduce(x, y), dimensions={0}, to_apply=sum",
                 {"f32[0,2] {}", "f32[] 7"},
                 "{7, 7}"},
                {"f32[2] reduce(x, y), dimensions={}, to_apply=sum",
                 {"f32[2] {1, 2}", "f32[] 7"},
                 "{8, 9}"},
                {"f32[] reduce(x, y), dimensions={}, to_apply=sum",
                 {"f32[] 1", "f32[] 7"},
                 "8"},
                {"f32[0] reduce(x, y), dimensions={1}, to_apply=sum",
                 {"f32[0,3] {}", "f32[] 7"},
                 "{}"},
                {"f32[] reduce(x, y), dimensions={0}, to_apply=max",
                 {"f32[3] {-0.0, -0.0, -0.0}", "f32[] -inf"},
                 "-0.0"},
                {"f32[] reduce(x, y), dimensions={0}, to_apply=max",
                 {"f32[2] {nan, 1}", "f32[] -inf"},
                 "nan"},
                {"f32[] reduce(x, y), dimensions={0}, to_apply=max",
                 {"f32[3] {1, nan, 2}", "f32[] -inf"},
                 "nan"},
                {"f16[2] reduce(x, y), dimensions={1,2}, to_apply=min",
                 {"f16[2,2,1] {{{1}, {2}}, {{3}, {1}}}", "f16[] inf"},
                 "{1, 1}"},
                {"pred[2] reduce(x, y), dimensions={1}, to_apply=both",
                 {"pred[2,2] {{true, true}, {true, false}}", "pred[] true"},
                 "{1, 0}"},
                {"bf16[] reduce(x, y), dimensions={0}, to_apply=bsum",
                 {"bf16[3] {256, 1, 1}", "bf16[] 0"},
                 "256"},
            });
}

TEST_CASE("reduce splits nothing: initial values count once") {
  const std::string sum = Reducer("sum", "f32", "add");
  for (const int64_t n : {1, 31, 32, 33, 100, 1023, 1025, 16385}) {
    CAPTURE(n);
    const Literal ones = Literal::Array<float>({n}, std::vector<float>(n, 1));
    CHECK(RunInstruction(sum,
                         "f32[] reduce(x, y), dimensions={0}, to_apply=sum",
                         {ones, Literal::Scalar(7.0F)}) ==
          Literal::Scalar(static_cast<float>(n) + 7));
  }
}

// Folds s32 elements by acc * 3 - element in row-major order.
Literal OrderedFold(const Literal& x, const std::vector<bool>& is_reduced,
                    const Shape& shape) {
  Literal result(shape);
  absl::Span<int32_t> sums = result.mutable_data<int32_t>();
  for (int32_t& sum : sums) sum = 5;
  size_t next = 0;
  ForEachIndex(x.shape().dimensions(), [&](Index index) {
    std::vector<int64_t> kept;
    for (size_t i = 0; i < index.size(); ++i) {
      if (!is_reduced[i]) kept.push_back(index[i]);
    }
    int32_t& sum = sums[PositionOf(shape.dimensions(), kept)];
    sum =
        static_cast<int32_t>(static_cast<uint32_t>(sum) * 3U -
                             static_cast<uint32_t>(x.data<int32_t>()[next++]));
  });
  return result;
}

TEST_CASE("reduce folds each output in row-major order") {
  const std::vector<std::vector<int64_t>> shapes = {
      {3, 5, 7}, {2, 3, 40}, {17, 1, 19}, {600, 2, 3}, {2, 2, 700}};
  for (const std::vector<int64_t>& dimensions : shapes) {
    const Literal x = SomeBytes(Shape::Array(ElementType::kS32, dimensions), 3);
    for (int mask = 0; mask < 8; ++mask) {
      std::vector<bool> is_reduced;
      std::vector<int64_t> reduced;
      std::vector<int64_t> kept;
      for (int i = 0; i < 3; ++i) {
        is_reduced.push_back(((mask >> i) & 1) != 0);
        if (is_reduced[i]) reduced.push_back(i);
        if (!is_reduced[i]) kept.push_back(dimensions[i]);
      }
      const Shape shape = Shape::Array(ElementType::kS32, kept);
      CAPTURE(dimensions, mask);
      CHECK(
          RunInstruction(
              kOrdered,
              absl::StrCat(ToString(shape), " reduce(x, y), dimensions={",
                           absl::StrJoin(reduced, ","), "}, to_apply=ordered"),
              {x, Literal::Scalar<int32_t>(5)}) ==
          OrderedFold(x, is_reduced, shape));
    }
  }
}

TEST_CASE("typed loops and programs fold alike") {
  // x + y as y + x + 0 has no typed loop.
  for (const std::string type : {"f32", "s16", "f16", "bf16", "f64", "u8"}) {
    const std::string computations = absl::StrCat(
        Reducer("typed", type, "add"), "general {\n a = ", type,
        "[] parameter(0)\n b = ", type, "[] parameter(1)\n n = ", type,
        "[] negate(b)\n ROOT r = ", type, "[] subtract(a, n)\n}\n");
    const Literal numbers =
        RunInstruction("", "s32[3,50] iota(), iota_dimension=1", {});
    const Literal x = RunInstruction("", type + "[3,50] convert(x)", {numbers});
    const Literal one = ParseTyped(type + "[] 1");
    for (const auto& [dims, shape] :
         {std::pair{"0", "[50]"}, std::pair{"1", "[3]"},
          std::pair{"0,1", "[]"}}) {
      const auto reduce = [&](const std::string& body) {
        return RunInstruction(
            computations,
            absl::StrCat(type, shape, " reduce(x, y), dimensions={", dims,
                         "}, to_apply=", body),
            {x, one});
      };
      CAPTURE(type, dims);
      CHECK(reduce("typed") == reduce("general"));
    }
  }
}

TEST_CASE("argmax by a reduce of two operands (61)") {
  const std::string instruction =
      "(f32[], s32[]) reduce(x, y, z, u), dimensions={0}, to_apply=argmax";
  CheckRows(kArgMax,
            {
                {instruction,
                 {"f32[3] {4, 5.5, nan}", "s32[3] {0, 1, 2}", "f32[] -inf",
                  "s32[] 0"},
                 "( nan, 2 )"},
                {instruction,
                 {"f32[3] {nan, nan, 7}", "s32[3] {0, 1, 2}", "f32[] -inf",
                  "s32[] 0"},
                 "( nan, 0 )"},
                {instruction,
                 {"f32[4] {1, 3, 3, 2}", "s32[4] {0, 1, 2, 3}", "f32[] -inf",
                  "s32[] 0"},
                 "( 3, 1 )"},
                {"(f32[2], s32[2]) reduce(x, y, z, u), dimensions={0}, "
                 "to_apply=argmax",
                 {"f32[2,2] {{1, 4}, {3, 2}}", "s32[2,2] {{0, 0}, {1, 1}}",
                  "f32[] -inf", "s32[] 0"},
                 "( {3, 4}, {1, 0} )"},
            });
}

TEST_CASE("reduce with a body that is not a scalar program") {
  const std::string computations = R"(
body {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  v = s32[1] reshape(b)
  w = s32[] reshape(v)
  ROOT r = s32[] subtract(w, a)
})";
  CheckRows(computations,
            {
                {"s32[2] reduce(x, y), dimensions={0}, to_apply=body",
                 {"s32[3,2] {{1, 2}, {3, 4}, {5, 6}}", "s32[] 10"},
                 "{-7, -6}"},
            });
}

TEST_CASE("map applies to each element") {
  const std::string computations = R"(
twice {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
})";
  CheckRows(computations,
            {
                {"pred[3] map(x, y), dimensions={0}, to_apply=twice",
                 {"f32[3] {1, 2, nan}", "f32[3] {2, 1, 1}"},
                 "{1, 0, 0}"},
                {"pred[0,2] map(x, y), dimensions={0,1}, to_apply=twice",
                 {"f32[0,2] {}", "f32[0,2] {}"},
                 "{}"},
                {"pred[] map(x, y), dimensions={}, to_apply=twice",
                 {"f32[] 1", "f32[] 2"},
                 "true"},
            });
  const Literal x = SomeBytes(Shape::Array(ElementType::kS32, {1500}), 4);
  const Literal sums =
      RunInstruction(Reducer("sum", "s32", "add"),
                     "s32[1500] map(x, x), dimensions={0}, to_apply=sum", {x});
  CHECK(sums == RunInstruction("", "s32[1500] add(x, x)", {x}));
}

TEST_CASE("scan carries values along") {
  const std::string computations = R"(
step {
  x = s32[] parameter(0)
  carry = s32[] parameter(1)
  next = s32[] subtract(x, carry)
  ROOT r = (s32[], s32[]) tuple(next, next)
}
rows {
  x = s32[2] parameter(0)
  carry = s32[2] parameter(1)
  next = s32[2] add(x, carry)
  ROOT r = (s32[2], s32[2]) tuple(next, next)
}
swap {
  x = s32[] parameter(0)
  a = s32[] parameter(1)
  b = s32[] parameter(2)
  ROOT r = (s32[], s32[], s32[]) tuple(a, b, x)
})";
  CheckRows(
      computations,
      {
          {"(s32[3], s32[]) scan(x, y), dimensions={0}, num_carries=1, "
           "to_apply=step",
           {"s32[3] {1, 2, 3}", "s32[] 10"},
           "( {-9, 11, -8}, -8 )"},
          {"(s32[3], s32[]) scan(x, y), dimensions={0}, num_carries=1, "
           "is_reverse=true, to_apply=step",
           {"s32[3] {1, 2, 3}", "s32[] 10"},
           "( {-8, 9, -7}, -8 )"},
          {"(s32[0], s32[]) scan(x, y), dimensions={0}, num_carries=1, "
           "to_apply=step",
           {"s32[0] {}", "s32[] 10"},
           "( {}, 10 )"},
          {"(s32[2,3], s32[2]) scan(x, y), dimensions={1}, num_carries=1, "
           "to_apply=rows",
           {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[2] {10, 20}"},
           "( { {11, 13, 16}, {24, 29, 35} }, {16, 35} )"},
          {"(s32[3], s32[], s32[]) scan(x, y, z), dimensions={0}, "
           "num_carries=2, "
           "to_apply=swap",
           {"s32[3] {1, 2, 3}", "s32[] 10", "s32[] 20"},
           "( {10, 20, 1}, 2, 3 )"},
      });
}

}  // namespace
}  // namespace hilo::hlo
