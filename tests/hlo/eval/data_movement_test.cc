// Tests of the opcodes that place elements by rules.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "tests/hlo/eval/evaluate_text.h"
#include "tests/hlo/eval/reference.h"

namespace hilo::hlo {
namespace {

using Index = absl::Span<const int64_t>;

// One type of each storage size.
const std::vector<std::string>& TypesOfAllSizes() {
  static const std::vector<std::string> types = {"u8", "u16", "u32", "u64",
                                                 "c128"};
  return types;
}

// Runs `rest` ("[3,2] transpose(x), ...") for each storage size on an array of
// `operand_dimensions`, and compares with moving elements one by one.
void CheckMoves(const std::string& operand_dimensions, const std::string& rest,
                absl::FunctionRef<int64_t(Index, Index)> position) {
  for (const std::string& type : TypesOfAllSizes()) {
    CAPTURE(type, operand_dimensions, rest);
    const Shape operand = ParseShape(type + operand_dimensions).value();
    const Shape shape =
        ParseShape(type + rest.substr(0, rest.find(' '))).value();
    const Literal x = SomeBytes(operand, 1);
    const Literal y = SomeBytes(Shape::Scalar(operand.element_type()), 2);
    const Literal expected = MoveElements(shape, x, y, [&](Index index) {
      return position(operand.dimensions(), index);
    });
    CHECK(RunInstruction("", type + rest, {x, y}) == expected);
  }
}

TEST_CASE("broadcast gives operand dimensions a place in the result") {
  CheckRows("", {
                    {"s32[2,3] broadcast(x), dimensions={1}",
                     {"s32[3] {1, 2, 3}"},
                     "{ {1, 2, 3}, {1, 2, 3} }"},
                    {"s32[2,3] broadcast(x), dimensions={}",
                     {"s32[] 7"},
                     "{ {7, 7, 7}, {7, 7, 7} }"},
                    {"s32[3,2] broadcast(x), dimensions={1,0}",
                     {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}"},
                     "{ {1, 4}, {2, 5}, {3, 6} }"},
                    {"s32[2,0] broadcast(x), dimensions={0}",
                     {"s32[2] {1, 2}"},
                     "{ {}, {} }"},
                });
  CheckMoves("[7]", "[3,7,5] broadcast(x), dimensions={1}",
             [](Index dims, Index i) { return PositionOf(dims, {i[1]}); });
  CheckMoves(
      "[5,3]", "[3,2,5] broadcast(x), dimensions={2,0}",
      [](Index dims, Index i) { return PositionOf(dims, {i[2], i[0]}); });
}

TEST_CASE("transpose permutes dimensions") {
  CheckMoves(
      "[67,3,35]", "[35,67,3] transpose(x), dimensions={2,0,1}",
      [](Index dims, Index i) { return PositionOf(dims, {i[1], i[2], i[0]}); });
  CheckMoves(
      "[70,41]", "[41,70] transpose(x), dimensions={1,0}",
      [](Index dims, Index i) { return PositionOf(dims, {i[1], i[0]}); });
  CheckMoves("[3,1,5,2]", "[2,3,5,1] transpose(x), dimensions={3,0,2,1}",
             [](Index dims, Index i) {
               return PositionOf(dims, {i[1], i[3], i[2], i[0]});
             });
  CheckMoves("[0,3]", "[3,0] transpose(x), dimensions={1,0}",
             [](Index, Index) { return int64_t{0}; });
}

TEST_CASE("reverse flips dimensions") {
  CheckMoves("[5,3,7]", "[5,3,7] reverse(x), dimensions={0,2}",
             [](Index dims, Index i) {
               return PositionOf(dims, {4 - i[0], i[1], 6 - i[2]});
             });
  CheckMoves("[0]", "[0] reverse(x), dimensions={0}",
             [](Index, Index) { return int64_t{0}; });
}

TEST_CASE("slice takes every stride-th element") {
  CheckRows("",
            {
                {"s32[0] slice(x), slice={[0:0]}", {"s32[3] {1, 2, 3}"}, "{}"},
                {"s32[1] slice(x), slice={[2:3:9223372036854775807]}",
                 {"s32[3] {1, 2, 3}"},
                 "{3}"},
                {"s32[] slice(x), slice={}", {"s32[] 4"}, "4"},
            });
  CheckMoves("[9,11]", "[3,4] slice(x), slice={[1:8:3],[2:10:2]}",
             [](Index dims, Index i) {
               return PositionOf(dims, {1 + 3 * i[0], 2 + 2 * i[1]});
             });
}

TEST_CASE("pad adds, crops and spreads") {
  CheckMoves("[5,7]", "[12,3] pad(x, y), padding=2_-3_2x-1_-3",
             [](Index dims, Index i) {
               if (i[0] < 2 || (i[0] - 2) % 3 != 0) return int64_t{-1};
               return PositionOf(dims, {(i[0] - 2) / 3, i[1] + 1});
             });
  CheckMoves("[4]", "[8] pad(x, y), padding=-2_3_2", [](Index dims, Index i) {
    return (i[0] + 2) % 3 != 0 ? -1 : PositionOf(dims, {(i[0] + 2) / 3});
  });
  CheckMoves("[4]", "[2] pad(x, y), padding=-5_3",
             [](Index, Index) { return int64_t{-1}; });
  CheckRows("", {
                    {"s32[3] pad(x, y), padding=1_2_5",
                     {"s32[0] {}", "s32[] 9"},
                     "{9, 9, 9}"},
                    {"s32[2] pad(x, y), padding=1_0_5",
                     {"s32[1] {4}", "s32[] 9"},
                     "{9, 4}"},
                });
}

TEST_CASE("concatenate joins, also empty operands") {
  CheckRows("", {
                    {"s32[2,3] concatenate(x, y, z), dimensions={1}",
                     {"s32[2,1] {{1}, {2}}", "s32[2,0] {{}, {}}",
                      "s32[2,2] {{3, 4}, {5, 6}}"},
                     "{ {1, 3, 4}, {2, 5, 6} }"},
                    {"s32[3] concatenate(x, y), dimensions={0}",
                     {"s32[1] {1}", "s32[2] {2, 3}"},
                     "{1, 2, 3}"},
                    {"c128[2] concatenate(x, x), dimensions={0}",
                     {"c128[1] {(1, 2)}"},
                     "{(1, 2), (1, 2)}"},
                });
}

TEST_CASE("reshape keeps row-major order whatever the layouts") {
  CheckRows("", {
                    {"s32[3,2]{0,1} reshape(x)",
                     {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}"},
                     "{ {1, 2}, {3, 4}, {5, 6} }"},
                    {"s32[<=2,3] dynamic-reshape(x, y, z)",
                     {"s32[6] {1, 2, 3, 4, 5, 6}", "s32[] 2", "s32[] 3"},
                     "{ {1, 2, 3}, {4, 5, 6} }"},
                    {"s32[<=2,3] dynamic-reshape(x, y, z)",
                     {"s32[6] {1, 2, 3, 4, 5, 6}", "s32[] 1", "s32[] 3"},
                     "error: %result (dynamic-reshape): size 1 of dimension 0 "
                     "differs from "
                     "its bound 2; dynamic sizes are not supported"},
                });
}

TEST_CASE("dynamic-slice clamps its start by value") {
  const std::string x = "s32[10] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}";
  const std::string slice =
      "s32[4] dynamic-slice(x, y), dynamic_slice_sizes={4}";
  CheckRows(
      "",
      {
          {slice, {x, "s32[] -3"}, "{0, 1, 2, 3}"},
          {slice, {x, "s32[] 100"}, "{6, 7, 8, 9}"},
          {slice, {x, "u8[] 255"}, "{6, 7, 8, 9}"},
          {slice, {x, "s64[] -9223372036854775808"}, "{0, 1, 2, 3}"},
          {slice, {x, "u64[] 9223372036854775808"}, "{6, 7, 8, 9}"},
          {slice, {x, "u32[] 2147483653"}, "{6, 7, 8, 9}"},
          {slice, {x, "s4[] -8"}, "{0, 1, 2, 3}"},
          {slice, {x, "u4[] 15"}, "{6, 7, 8, 9}"},
          {"s32[0] dynamic-slice(x, y), dynamic_slice_sizes={0}",
           {x, "s32[] 3"},
           "{}"},
          {"s32[] dynamic-slice(x), dynamic_slice_sizes={}", {"s32[] 3"}, "3"},
          {"s32[1,2] dynamic-slice(x, y), dynamic_slice_sizes={1,2}",
           {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[2] {1, 7}"},
           "{ {5, 6} }"},
      });
}

TEST_CASE("dynamic-update-slice clamps and keeps the rest") {
  const std::string update = "s32[5] dynamic-update-slice(x, y, z)";
  const std::string x = "s32[5] {0, 1, 2, 3, 4}";
  CheckRows("",
            {
                {update, {x, "s32[2] {8, 9}", "s32[] 100"}, "{0, 1, 2, 8, 9}"},
                {update, {x, "s32[2] {8, 9}", "s32[] -1"}, "{8, 9, 2, 3, 4}"},
                {update, {x, "s32[0] {}", "s32[] 1"}, "{0, 1, 2, 3, 4}"},
                {"s32[2,3] dynamic-update-slice(x, y, z)",
                 {"s32[2,3] {{1, 2, 3}, {4, 5, 6}}", "s32[2,1] {{8}, {9}}",
                  "s32[2] {5, 1}"},
                 "{ {1, 8, 3}, {4, 9, 6} }"},
            });
}

// The cases of public bug reports, by number.
TEST_CASE("chained slices clamp one by one (1)") {
  const std::string module = R"(
HloModule m
ENTRY e {
  x = s32[10] iota(), iota_dimension=0
  i = s32[] parameter(0)
  j = s32[] parameter(1)
  a = s32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
  ROOT b = s32[1] dynamic-slice(a, j), dynamic_slice_sizes={1}
})";
  CHECK(EvaluateText(module, {"s32[] 9", "s32[] 0"}) == "{6}");
  CHECK(EvaluateText(module, {"s32[] 3", "s32[] 5"}) == "{6}");
  CHECK(EvaluateText(module, {"s32[] 6", "s32[] 0"}) == "{6}");
}

TEST_CASE("update of an update of a slice (4)") {
  const std::string module = R"(
HloModule m
ENTRY e {
  x = s32[10] iota(), iota_dimension=0
  i = s32[] parameter(0)
  k = s32[] parameter(1)
  c = s32[2] parameter(2)
  a = s32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
  b = s32[4] dynamic-update-slice(a, c, k)
  ROOT r = s32[10] dynamic-update-slice(x, b, i)
})";
  CHECK(EvaluateText(module, {"s32[] 9", "s32[] 0", "s32[2] {100, 101}"}) ==
        "{0, 1, 2, 3, 4, 5, 100, 101, 8, 9}");
  CHECK(EvaluateText(module, {"s32[] 3", "s32[] 5", "s32[2] {100, 101}"}) ==
        "{0, 1, 2, 3, 4, 100, 101, 7, 8, 9}");
}

TEST_CASE("updates never change values that are still used (5, 7, 13)") {
  CHECK(EvaluateText(R"(
HloModule m
ENTRY e {
  x = s32[4] iota(), iota_dimension=0
  one = s32[] constant(1)
  s = s32[3] slice(x), slice={[0:3]}
  u = s32[4] dynamic-update-slice(x, s, one)
  ROOT r = (s32[1,4], s32[4]) tuple(s32[1,4] reshape(u), x)
})") == "( { { 0, 0, 1, 2 } }, {0, 1, 2, 3} )");
  CHECK(EvaluateText(R"(
HloModule m
ENTRY e {
  zero = s32[] constant(0)
  three = s32[] constant(3)
  a = s32[5] broadcast(zero), dimensions={}
  u = s32[2] constant({1, 2})
  p = s32[5] dynamic-update-slice(a, u, zero)
  q = s32[5] dynamic-update-slice(a, u, three)
  ROOT r = (s32[5], s32[5]) tuple(p, q)
})") == "( {1, 2, 0, 0, 0}, {0, 0, 0, 1, 2} )");
}

}  // namespace
}  // namespace hilo::hlo
