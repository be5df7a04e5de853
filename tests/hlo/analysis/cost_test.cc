// Tests how operations and bytes are counted.
#include "hlo/analysis/cost.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/text/parser.h"

namespace hilo::hlo {
namespace {

Cost CostOfText(absl::string_view text, std::optional<int64_t> trip_count) {
  absl::StatusOr<std::unique_ptr<Module>> module = Parse(text);
  INFO(module.status());
  REQUIRE(module.ok());
  return CostOf(**module,
                [trip_count](const Instruction&) { return trip_count; });
}

constexpr absl::string_view kComputations = R"(
HloModule costs
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
body {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[8] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[8] multiply(x, x)
  ROOT r = (s32[], f32[8]) tuple(j, y)
}
condition {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(10)
  ROOT r = pred[] compare(i, n), direction=LT
}
)";

struct CostRow {
  absl::string_view parameters;
  absl::string_view root;
  double operations;
  double transcendentals;
};

TEST_CASE("operations are counted by what an instruction computes") {
  constexpr absl::string_view kTwo =
      "x = f32[3,5] parameter(0) y = f32[5,7] parameter(1)";
  constexpr absl::string_view kImages =
      "x = f32[2,5,4] parameter(0) y = f32[3,4,6] parameter(1)";
  const auto rows = std::to_array<CostRow>({
      {"x = f32[3,5] parameter(0)", "f32[3,5] add(x, x)", 15, 0},
      {"x = f32[3,5] parameter(0)", "f32[3,5] exponential(x)", 15, 15},
      {"x = c64[3] parameter(0)", "c64[3] multiply(x, x)", 18, 0},
      {"x = f32[3,5] parameter(0)", "f32[5,3] transpose(x), dimensions={1,0}",
       0, 0},
      {kTwo,
       "f32[3,7] dot(x, y), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       2 * 3 * 7 * 5, 0},
      // Of 5 x 3 pairs two lie in the padding.
      {kImages,
       "f32[2,5,6] convolution(x, y), window={size=3 pad=1_1}, "
       "dim_labels=b0f_0io->b0f",
       2 * (2 * 6 * 4) * 13, 0},
      // Every second place of the dilated image is a hole: 2 + 3 + 2 pairs
      // lie on elements for window positions -1, 0 and 1.
      {"x = f32[1,3,1] parameter(0) y = f32[3,1,1] parameter(1)",
       "f32[1,5,1] convolution(x, y), window={size=3 pad=1_1 lhs_dilate=2}, "
       "dim_labels=b0f_0io->b0f",
       2 * 7, 0},
      {"x = f32[3,5] parameter(0) z = f32[] parameter(1)",
       "f32[3] reduce(x, z), dimensions={1}, to_apply=add", 15, 0},
      {"p = (s32[], f32[8]) parameter(0)",
       "(s32[], f32[8]) while(p), condition=condition, body=body",
       10 * (1 + 8 + 1), 0},
  });
  for (const CostRow& row : rows) {
    CAPTURE(row.root);
    const Cost cost =
        CostOfText(absl::StrCat(kComputations, "ENTRY main { ", row.parameters,
                                " ROOT r = ", row.root, " }"),
                   10);
    CHECK(cost.operations == row.operations);
    CHECK(cost.transcendentals == row.transcendentals);
    CHECK_FALSE(cost.is_lower_bound);
  }
}

TEST_CASE("a loop that nobody can count is counted once, and says so") {
  const Cost cost = CostOfText(
      absl::StrCat(
          kComputations,
          "ENTRY main { p = (s32[], f32[8]) parameter(0) ROOT r = "
          "(s32[], f32[8]) while(p), condition=condition, body=body }"),
      std::nullopt);
  CHECK(cost.operations == 10);
  CHECK(cost.bytes == 2 * (4 + 32));
  CHECK(cost.is_lower_bound);
}

TEST_CASE("the costliest branch counts, branches of nothing included") {
  const Cost cost = CostOfText(R"(
HloModule branches
one { t = () parameter(0) ROOT c = f32[4] constant({1, 2, 3, 4}) }
two { x = f32[4] parameter(0) ROOT y = f32[4] add(x, x) }
ENTRY main {
  p = s32[] parameter(0)
  x = f32[4] parameter(1)
  none = () tuple()
  ROOT r = f32[4] conditional(p, none, x), branch_computations={one, two}
})",
                               std::nullopt);
  CHECK(cost.operations == 4);
}

}  // namespace
}  // namespace hilo::hlo
