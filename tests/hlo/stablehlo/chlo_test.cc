// Tests of CHLO. Expected values of special functions come from mpmath.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "tests/hlo/stablehlo/run_program.h"

namespace hilo::tests {
namespace {

TEST_CASE("chlo: operands are broadcast before they are combined") {
  const std::string begin =
      "%x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : "
      "tensor<2x3xi32>\n"
      "%row = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n"
      "%two = stablehlo.constant dense<[10, 20]> : tensor<2xi32>\n"
      "%column = stablehlo.constant dense<[[10], [20]]> : tensor<2x1xi32>\n"
      "%five = stablehlo.constant dense<5> : tensor<i32>\n";
  struct Row {
    std::string body;
    std::string expected;
  };
  for (const Row& row : {
           Row{"chlo.broadcast_add %x, %row : (tensor<2x3xi32>, tensor<3xi32>) "
               "-> tensor<2x3xi32>",
               "[[2, 4, 6], [5, 7, 9]]"},
           Row{"chlo.broadcast_multiply %two, %x {broadcast_dimensions = "
               "array<i64: 0>} : (tensor<2xi32>, tensor<2x3xi32>) -> "
               "tensor<2x3xi32>",
               "[[10, 20, 30], [80, 100, 120]]"},
           Row{"chlo.broadcast_subtract %column, %row : (tensor<2x1xi32>, "
               "tensor<3xi32>) -> tensor<2x3xi32>",
               "[[9, 8, 7], [19, 18, 17]]"},
           Row{"chlo.broadcast_maximum %x, %x : (tensor<2x3xi32>, "
               "tensor<2x3xi32>) -> tensor<2x3xi32>",
               "[[1, 2, 3], [4, 5, 6]]"},
           Row{"chlo.broadcast_and %five, %x : (tensor<i32>, tensor<2x3xi32>) "
               "-> tensor<2x3xi32>",
               "[[1, 0, 1], [4, 5, 4]]"},
       }) {
    CAPTURE(row.body);
    CHECK(CheckStableHloBody(absl::StrCat(begin, "%0 = ", row.body,
                                          "\ncheck.expect_eq_const %0, dense<",
                                          row.expected, "> : tensor<2x3xi32>"))
              .empty());
  }
  CHECK(CheckStableHloBody(
            begin +
            "%0 = chlo.broadcast_compare %x, %five {comparison_direction = "
            "#chlo<comparison_direction LT>} : (tensor<2x3xi32>, tensor<i32>) "
            "-> tensor<2x3xi1>\n"
            "%1 = chlo.broadcast_select %0, %x, %five : (tensor<2x3xi1>, "
            "tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>\n"
            "check.expect_eq_const %1, dense<[[1, 2, 3], [4, 5, 5]]> : "
            "tensor<2x3xi32>")
            .empty());
  CHECK(absl::StrContains(
      CheckStableHloBody(begin +
                         "%0 = chlo.broadcast_ad %x, %x : (tensor<2x3xi32>, "
                         "tensor<2x3xi32>) -> tensor<2x3xi32>\n"),
      "test.mlir:7:1: error: 'stablehlo.ad' is not supported yet"));
}

TEST_CASE("chlo: infinities, conjugates, squares and constants") {
  const std::string begin =
      "%x = stablehlo.constant dense<[0x7C00, 0xFC00, 1.0]> : tensor<3xf16>\n"
      "%z = stablehlo.constant dense<[(3.0, 4.0), (1.0e30, 1.0e30)]> : "
      "tensor<2xcomplex<f32>>\n"
      "%i = stablehlo.constant dense<[2000000000, -2000000000]> : "
      "tensor<2xi32>\n";
  struct Row {
    std::string operation;
    std::string expected;
  };
  for (const Row& row : {
           Row{"chlo.is_inf %x : tensor<3xf16> -> tensor<3xi1>",
               "dense<[true, true, false]> : tensor<3xi1>"},
           Row{"chlo.is_pos_inf %x : tensor<3xf16> -> tensor<3xi1>",
               "dense<[true, false, false]> : tensor<3xi1>"},
           Row{"chlo.is_neg_inf %x : tensor<3xf16> -> tensor<3xi1>",
               "dense<[false, true, false]> : tensor<3xi1>"},
           Row{"chlo.conj %z : tensor<2xcomplex<f32>> -> "
               "tensor<2xcomplex<f32>>",
               "dense<[(3.0, -4.0), (1.0e30, -1.0e30)]> : "
               "tensor<2xcomplex<f32>>"},
           Row{"chlo.square %z : tensor<2xcomplex<f32>> -> "
               "tensor<2xcomplex<f32>>",
               "dense<[(-7.0, 24.0), (0.0, 0x7F800000)]> : "
               "tensor<2xcomplex<f32>>"},
           Row{"chlo.square %i : tensor<2xi32> -> tensor<2xi32>",
               "dense<-1651507200> : tensor<2xi32>"},
           Row{"\"chlo.constant_like\"(%x) {value = 2.5 : f16} : "
               "(tensor<3xf16>) -> tensor<3xf16>",
               "dense<2.5> : tensor<3xf16>"},
           Row{"\"chlo.constant_like\"(%i) {value = 7 : i32} : "
               "(tensor<2xi32>) -> tensor<2xi32>",
               "dense<7> : tensor<2xi32>"},
           Row{"chlo.mulhi %i, %i : tensor<2xi32>, tensor<2xi32> -> "
               "tensor<2xi32>",
               "dense<931322574> : tensor<2xi32>"},
       }) {
    CAPTURE(row.operation);
    CHECK(CheckStableHloBody(absl::StrCat(begin, "%0 = ", row.operation,
                                          "\ncheck.expect_eq_const %0, ",
                                          row.expected))
              .empty());
  }
}

struct FunctionRow {
  std::string function;
  std::string operands;
  std::string expected;
  int f64_ulps;
  int f32_ulps;
};

// Expects the function's values in a float type.
std::string CheckFunction(const FunctionRow& row, const std::string& type,
                          int ulps) {
  const std::string tensor = absl::StrCat("tensor<8x", type, ">");
  return CheckStableHloBody(absl::StrCat(
      "%a = stablehlo.constant dense<", row.operands,
      "> : tensor<2x8xf64>\n"
      "%b = stablehlo.convert %a : (tensor<2x8xf64>) -> tensor<2x8x",
      type,
      ">\n"
      "%c = stablehlo.slice %b [0:1, 0:8] : (tensor<2x8x",
      type, ">) -> tensor<1x8x", type,
      ">\n"
      "%d = stablehlo.slice %b [1:2, 0:8] : (tensor<2x8x",
      type, ">) -> tensor<1x8x", type,
      ">\n"
      "%x = stablehlo.reshape %c : (tensor<1x8x",
      type, ">) -> ", tensor, "\n%y = stablehlo.reshape %d : (tensor<1x8x",
      type, ">) -> ", tensor, "\n%r = ", row.function, " %x, %y : ", tensor,
      ", ", tensor, " -> ", tensor, "\n%w = stablehlo.constant dense<",
      row.expected, "> : tensor<8xf64>\n",
      "%e = stablehlo.convert %w : (tensor<8xf64>) -> ", tensor,
      "\ncheck.expect_close %r, %e, max_ulp_difference = ", ulps, " : ", tensor,
      ", ", tensor));
}

TEST_CASE("chlo: zeta and polygamma") {
  for (const FunctionRow& row : {
           FunctionRow{"chlo.zeta",
                       "[[2.0, 3.5, 1.25, 10.0, 30.0, 2.0, 4.0, 20.0], "
                       "[1.0, 0.25, 7.0, 3.0, 0.5, 100.0, -0.5, 2.0]]",
                       "[1.6449340668482264365, 128.54695896428434578, "
                       "2.5043697826659218948, 1.8012627818085337e-05, "
                       "1073741824.0000052151, 0.010050166663333571395, "
                       "32.234848505667072873, 9.5396203387279611315e-07]",
                       8, 8},
           // Poles, and where there is no value.
           FunctionRow{"chlo.zeta",
                       "[[1.0, 0.5, 4.0, 3.0, 2.5, 2.0, 1.0, 2.0], "
                       "[1.0, 1.0, 0.0, -2.0, -1.5, -3.0, -1.0, "
                       "0x7FF8000000000000]]",
                       "[0x7FF0000000000000, 0x7FF8000000000000, "
                       "0x7FF0000000000000, 0x7FF8000000000000, "
                       "0x7FF8000000000000, 0x7FF0000000000000, "
                       "0x7FF0000000000000, 0x7FF8000000000000]",
                       0, 0},
           FunctionRow{"chlo.polygamma",
                       "[[0.0, 1.0, 2.0, 3.0, 5.0, 1.0, 10.0, 4.0], "
                       "[2.5, 1.0, 0.5, 10.0, 1.5, -0.5, 2.0, 3.25]]",
                       "[0.70315664064524318723, 1.6449340668482264365, "
                       "-16.828796644234319996, 0.0023199013042898683856, "
                       "11.113548602435496242, 8.9348022005446793094, "
                       "-1793.3116066287129906, -0.094871919953750832017]",
                       64, 64},
           FunctionRow{"chlo.polygamma",
                       "[[-1.0, 0.5, 1.0, 0.0, 2.0, 1.0, 1.0, 0.0], "
                       "[1.0, 1.0, -1.0, -1.0, 0.0, 0.0, -2.0, 0.0]]",
                       "[0x7FF8000000000000, 0x7FF8000000000000, "
                       "0x7FF0000000000000, 0x7FF8000000000000, "
                       "0x7FF8000000000000, 0x7FF0000000000000, "
                       "0x7FF0000000000000, 0x7FF8000000000000]",
                       0, 0},
       }) {
    CAPTURE(row.function, row.operands);
    CHECK(CheckFunction(row, "f64", row.f64_ulps).empty());
    CHECK(CheckFunction(row, "f32", row.f32_ulps).empty());
    CHECK(CheckFunction(row, "bf16", 1).empty());
  }
}

TEST_CASE("chlo: products of groups of rows") {
  CHECK(CheckStableHloBody(R"(
%lhs = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
%rhs = stablehlo.constant dense<[[[1.0], [1.0]], [[1.0], [0.0]]]> : tensor<2x2x1xf32>
%sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
%0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<3x2xf32>, tensor<2x2x1xf32>, tensor<2xi64>) -> tensor<3x1xf32>
check.expect_eq_const %0, dense<[[3.0], [3.0], [5.0]]> : tensor<3x1xf32>)")
            .empty());
}

}  // namespace
}  // namespace hilo::tests
