// Tests of gather and scatter.
#include <algorithm>
#include <cstdint>
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

using Index = absl::Span<const int64_t>;

const char kOverwrite[] = R"(
overwrite {
  a = s32[] parameter(0)
  ROOT b = s32[] parameter(1)
})";

TEST_CASE("gather clamps, reading indices by value (27, 37)") {
  const std::string take =
      ", offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=1, slice_sizes={1}";
  const std::string x = "s32[5] {10, 11, 12, 13, 14}";
  CheckRows(
      "", {
              {"s32[4] gather(x, y)" + take,
               {x, "s32[4,1] {{-5}, {0}, {4}, {99}}"},
               "{10, 10, 14, 14}"},
              {"s32[4] gather(x, y)" + take,
               {x, "s32[4] {-5, 3, 4, 99}"},
               "{10, 13, 14, 14}"},
              {"s32[2] gather(x, y)" + take, {x, "u8[2] {2, 200}"}, "{12, 14}"},
              {"s32[2] gather(x, y)" + take,
               {x, "u64[2] {1, 9223372036854775809}"},
               "{11, 14}"},
              {"s32[0] gather(x, y)" + take, {x, "s32[0] {}"}, "{}"},
          });
}

TEST_CASE("gather with offset dimensions before and between batches") {
  const Literal x = SomeBytes(Shape::Array(ElementType::kU16, {5, 7, 3}), 1);
  const std::vector<int64_t> numbers = SomeNumbers(12, 9, 2);
  Literal starts(Shape::Array(ElementType::kS32, {2, 2, 3}));
  for (int64_t i = 0; i < 12; ++i) {
    starts.mutable_data<int32_t>()[i] = static_cast<int32_t>(numbers[i]) - 2;
  }
  // The index vector is dimension 1: {dimension 2, dimension 0} of x.
  const Literal result = RunInstruction(
      "",
      "u16[4,2,2,3] gather(x, y), offset_dims={0,2}, collapsed_slice_dims={0}, "
      "start_index_map={2,0}, index_vector_dim=1, slice_sizes={1,4,2}",
      {x, starts});
  const auto start = [&](int64_t b0, int64_t k, int64_t b1, int64_t limit) {
    const int64_t value = starts.data<int32_t>()[(b0 * 2 + k) * 3 + b1];
    return std::max<int64_t>(0, std::min(value, limit));
  };
  const Literal expected = MoveElements(result.shape(), x, x, [&](Index i) {
    return PositionOf({5, 7, 3}, {start(i[1], 1, i[3], 4), i[0],
                                  start(i[1], 0, i[3], 1) + i[2]});
  });
  CHECK(result == expected);
}

TEST_CASE("gather with batching dimensions") {
  CheckRows(
      "",
      {
          {"s32[2,2] gather(x, y), offset_dims={}, collapsed_slice_dims={1}, "
           "start_index_map={1}, operand_batching_dims={0}, "
           "start_indices_batching_dims={1}, index_vector_dim=2, "
           "slice_sizes={1,1}",
           {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}",
            "s32[2,2,1] {{{0}, {1}}, {{2}, {9}}}"},
           "{ {1, 5}, {3, 6} }"},
          {"s32[2] gather(x, y), offset_dims={}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=1, slice_sizes={0}",
           {"s32[0] {}", "s32[2,1] {{0}, {1}}"},
           "{0, 0}"},
      });
}

TEST_CASE("scatter skips windows that do not fit (29, 31, 32, 35, 36)") {
  const std::string computations =
      absl::StrCat(kOverwrite, "\n", Reducer("sum", "s32", "add"));
  const std::string element =
      ", update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=";
  const std::string pair =
      ", update_window_dims={1}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=";
  const std::string zeros = "s32[4] {0, 0, 0, 0}";
  CheckRows(computations,
            {
                {"s32[4] scatter(x, y, z)" + element + "sum",
                 {zeros, "s32[3] {-1, 1, 4}", "s32[3] {5, 6, 7}"},
                 "{0, 6, 0, 0}"},
                {"s32[4] scatter(x, y, z)" + element + "sum",
                 {zeros, "u64[2] {9223372036854775808, 3}", "s32[2] {5, 6}"},
                 "{0, 0, 0, 6}"},
                {"s32[4] scatter(x, y, z)" + element + "sum",
                 {zeros, "u4[2] {15, 3}", "s32[2] {5, 6}"},
                 "{0, 0, 0, 6}"},
                {"s32[4] scatter(x, y, z)" + element + "sum",
                 {zeros, "s32[2,1] {{0}, {0}}", "s32[2] {3, 4}"},
                 "{7, 0, 0, 0}"},
                {"s32[4] scatter(x, y, z)" + element + "overwrite",
                 {"s32[4] {9, 9, 9, 9}", "s32[4] {0, 1, 2, 3}",
                  "s32[4] {1, 2, 0, 0}"},
                 "{1, 2, 0, 0}"},
                {"s32[4] scatter(x, y, z)" + element + "overwrite",
                 {zeros, "s32[3] {2, 2, 2}", "s32[3] {1, 2, 3}"},
                 "{0, 0, 3, 0}"},
                {"s32[4] scatter(x, y, z)" + pair + "overwrite",
                 {zeros, "s32[2,1] {{3}, {1}}", "s32[2,2] {{1, 2}, {3, 4}}"},
                 "{0, 3, 4, 0}"},
                {"s32[4] scatter(x, y, z)" + element + "overwrite",
                 {zeros, "s32[0] {}", "s32[0] {}"},
                 "{0, 0, 0, 0}"},
                {"s32[0] scatter(x, y, z)" + element + "overwrite",
                 {"s32[0] {}", "s32[1] {0}", "s32[1] {1}"},
                 "{}"},
            });
}

TEST_CASE("scatter applies a general combiner in order") {
  const std::string combine = R"(
combine {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  three = s32[] constant(3)
  c = s32[] multiply(a, three)
  ROOT r = s32[] add(c, b)
}
both {
  a = s32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = f32[] parameter(3)
  s = s32[] subtract(c, a)
  m = f32[] maximum(b, d)
  ROOT r = (s32[], f32[]) tuple(s, m)
})";
  const std::string rest =
      ", update_window_dims={1}, inserted_window_dims={}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=";
  CheckRows(combine,
            {
                {"s32[3] scatter(x, y, z)" + rest + "combine",
                 {"s32[3] {1, 2, 3}", "s32[3,1] {{0}, {1}, {0}}",
                  "s32[3,2] {{10, 20}, {30, 40}, {50, 60}}"},
                 // 1, 2, 3 -> 13, 26, 3 -> 13, 108, 49 -> 89, 384, 49
                 "{89, 384, 49}"},
                {"(s32[3], f32[3]) scatter(x, y, z, u, v)" + rest + "both",
                 {"s32[3] {1, 2, 3}", "f32[3] {1, 2, 3}", "s32[1,1] {{1}}",
                  "s32[1,2] {{10, 20}}", "f32[1,2] {{nan, 2}}"},
                 "( {1, 8, 17}, {1, nan, 3} )"},
            });
}

TEST_CASE("scatter of single elements combines duplicates in order") {
  const std::string combine = R"(
combine {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  three = s32[] constant(3)
  c = s32[] multiply(a, three)
  ROOT r = s32[] add(c, b)
})";
  for (const int64_t range : {1, 7, 1000, 100000}) {
    CAPTURE(range);
    const int64_t count = 3000;
    const std::vector<int64_t> places = SomeNumbers(count, range, 10);
    Literal indices(Shape::Array(ElementType::kS32, {count}));
    for (int64_t i = 0; i < count; ++i) {
      indices.mutable_data<int32_t>()[i] = static_cast<int32_t>(places[i]);
    }
    const Literal updates =
        SomeBytes(Shape::Array(ElementType::kS32, {count}), 11);
    const Literal x = SomeBytes(Shape::Array(ElementType::kS32, {50000}), 12);
    Literal expected = x;
    for (int64_t i = 0; i < count; ++i) {
      if (places[i] >= 50000) continue;
      int32_t& element = expected.mutable_data<int32_t>()[places[i]];
      element = static_cast<int32_t>(
          static_cast<uint32_t>(element) * 3 +
          static_cast<uint32_t>(updates.data<int32_t>()[i]));
    }
    CHECK(RunInstruction(combine,
                         "s32[50000] scatter(x, y, z), update_window_dims={}, "
                         "inserted_window_dims={0}, "
                         "scatter_dims_to_operand_dims={0}, "
                         "index_vector_dim=1, to_apply=combine",
                         {x, indices, updates}) == expected);
  }
}

TEST_CASE("scatter with batching dimensions and strided windows") {
  const std::string computations = Reducer("sum", "s32", "add");
  CheckRows(computations,
            {
                {"s32[2,3] scatter(x, y, z), update_window_dims={}, "
                 "inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
                 "input_batching_dims={0}, scatter_indices_batching_dims={0}, "
                 "index_vector_dim=1, to_apply=sum",
                 {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[2,1] {{2}, {0}}",
                  "s32[2] {10, 20}"},
                 "{ {1, 2, 13}, {24, 5, 6} }"},
                {"s32[2,3] scatter(x, y, z), update_window_dims={0}, "
                 "inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
                 "index_vector_dim=1, to_apply=sum",
                 {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[2,1] {{2}, {2}}",
                  "s32[2,2] {{10, 20}, {30, 40}}"},
                 "{ {1, 2, 33}, {4, 5, 76} }"},
            });
}

TEST_CASE("scatter of bf16 rounds each addition") {
  CheckRows(Reducer("sum", "bf16", "add"),
            {
                {"bf16[1] scatter(x, y, z), update_window_dims={}, "
                 "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                 "index_vector_dim=1, to_apply=sum",
                 {"bf16[1] {256}", "s32[2] {0, 0}", "bf16[2] {1, 1}"},
                 "{256}"},
            });
}

}  // namespace
}  // namespace hilo::hlo
