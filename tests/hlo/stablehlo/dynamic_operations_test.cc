// Tests of operations whose sizes are operands.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "tests/hlo/stablehlo/run_program.h"

namespace hilo::tests {
namespace {

struct DynamicRow {
  std::string body;
  std::string expected;
};

const char kDynamicValues[] =
    "%x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : "
    "tensor<2x3xf32>\n"
    "%n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> "
    "tensor<i32>\n"
    "%v = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
    "%six = stablehlo.add %v, %v : tensor<1xi32>\n"
    "%zeros = stablehlo.constant dense<0> : tensor<2xi64>\n"
    "%ones = stablehlo.constant dense<1> : tensor<2xi64>\n"
    "%twos = stablehlo.constant dense<2> : tensor<2xi64>\n"
    "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n";

TEST_CASE("stablehlo: sizes that are computed of constants are known") {
  for (const DynamicRow& row : {
           DynamicRow{"%0 = stablehlo.convert %n : (tensor<i32>) -> "
                      "tensor<f32>",
                      "dense<3.0> : tensor<f32>"},
           DynamicRow{"%0 = stablehlo.set_dimension_size %x, %n, dim = 1 : "
                      "(tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>",
                      "dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : "
                      "tensor<2x3xf32>"},
           DynamicRow{"%0 = stablehlo.dynamic_reshape %x, %six : "
                      "(tensor<2x3xf32>, tensor<1xi32>) -> tensor<6xf32>",
                      "dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>"},
           // What follows has the sizes, too.
           DynamicRow{"%a = stablehlo.dynamic_reshape %x, %six : "
                      "(tensor<2x3xf32>, tensor<1xi32>) -> tensor<?xf32>\n"
                      "%b = stablehlo.dynamic_iota %six, dim = 0 : "
                      "(tensor<1xi32>) -> tensor<?xf32>\n"
                      "%c = stablehlo.multiply %a, %b : tensor<?xf32>\n"
                      "%0 = stablehlo.dynamic_reshape %c, %six : "
                      "(tensor<?xf32>, tensor<1xi32>) -> tensor<6xf32>",
                      "dense<[0.0, 2.0, 6.0, 12.0, 20.0, 30.0]> : "
                      "tensor<6xf32>"},
           DynamicRow{"%a = stablehlo.concatenate %v, %v, dim = 0 : "
                      "(tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
                      "%0 = stablehlo.dynamic_broadcast_in_dim %zero, %a, dims "
                      "= [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x3xf32>",
                      "dense<0.0> : tensor<3x3xf32>"},
           DynamicRow{"%0 = stablehlo.dynamic_pad %x, %zero, %zeros, %ones, "
                      "%zeros : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, "
                      "tensor<2xi64>, tensor<2xi64>) -> tensor<3x4xf32>",
                      "dense<[[1.0, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 0.0], "
                      "[0.0, 0.0, 0.0, 0.0]]> : tensor<3x4xf32>"},
           DynamicRow{"%0 = stablehlo.real_dynamic_slice %x, %ones, %twos, "
                      "%ones : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, "
                      "tensor<2xi64>) -> tensor<1x1xf32>",
                      "dense<5.0> : tensor<1x1xf32>"},
           DynamicRow{"%a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>\n"
                      "%0 = \"stablehlo.dynamic_gather\"(%x, %ones, %a) "
                      "{dimension_numbers = #stablehlo.gather<offset_dims = "
                      "[1], collapsed_slice_dims = [0], start_index_map = [0], "
                      "index_vector_dim = 1>} : (tensor<2x3xf32>, "
                      "tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf32>",
                      "dense<[[4.0, 5.0], [4.0, 5.0]]> : tensor<2x2xf32>"},
           DynamicRow{
               "%a = stablehlo.reshape %x : (tensor<2x3xf32>) -> "
               "tensor<1x6x1xf32>\n"
               "%k = stablehlo.constant dense<1.0> : tensor<2x1x1xf32>\n"
               "%p = stablehlo.constant dense<[[0, 1]]> : tensor<1x2xi64>\n"
               "%0 = \"stablehlo.dynamic_conv\"(%a, %k, %p) {batch_group_count "
               "= 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, "
               "i, o]->[b, 0, f]>, feature_group_count = 1 : i64, "
               "window_strides = array<i64: 2>} : (tensor<1x6x1xf32>, "
               "tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x3x1xf32>",
               "dense<[[[3.0], [7.0], [11.0]]]> : tensor<1x3x1xf32>"},
       }) {
    CAPTURE(row.body);
    CHECK(CheckStableHloBody(absl::StrCat(kDynamicValues, row.body,
                                          "\ncheck.expect_eq_const %0, ",
                                          row.expected))
              .empty());
  }
}

// Starts may be unknown where the sizes are not.
TEST_CASE("stablehlo: real_dynamic_slice at a place of the run time") {
  CHECK(CheckStableHlo(R"(
func.func private @start(%i: tensor<i64>) -> tensor<1xi64> {
  %0 = stablehlo.reshape %i : (tensor<i64>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %i = stablehlo.constant dense<1> : tensor<i64>
  %ones = stablehlo.constant dense<1> : tensor<1xi64>
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %a = call @start(%i) : (tensor<i64>) -> tensor<1xi64>
  %b = stablehlo.add %a, %two : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %x, %a, %b, %ones : (tensor<4xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<[2, 3]> : tensor<2xi32>
  return
}
)")
            .empty());
}

// Each call of a function that leaves sizes open has a computation of its own.
TEST_CASE("stablehlo: calls say the sizes that functions leave open") {
  const std::string functions = R"(
func.func private @sums(%a: tensor<?x?xf32>) -> tensor<?xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.convert %a : (tensor<?x?xf32>) -> tensor<?x?xf64>
  %c = stablehlo.convert %b : (tensor<?x?xf64>) -> tensor<?x?xf32>
  %r = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @odd(%n: tensor<i32>) -> tensor<?xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %ok = stablehlo.compare GT, %n, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%ok, %n) {api_version = 2 : i32, error_message = "n is positive", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %i = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %t = chlo.broadcast_add %i, %one : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  %r = stablehlo.add %i, %t : tensor<?xf32>
  return %r : tensor<?xf32>
}
)";
  CHECK(CheckStableHlo(functions + R"(
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = call @sums(%x) : (tensor<2x3xf32>) -> tensor<2xf32>
  check.expect_eq_const %0, dense<[6.0, 15.0]> : tensor<2xf32>
  %y = stablehlo.constant dense<1.0> : tensor<4x2xf32>
  %1 = call @sums(%y) : (tensor<4x2xf32>) -> tensor<4xf32>
  check.expect_eq_const %1, dense<2.0> : tensor<4xf32>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %2 = call @odd(%n) : (tensor<i32>) -> tensor<3xf32>
  check.expect_eq_const %2, dense<[1.0, 3.0, 5.0]> : tensor<3xf32>
  return
})")
            .empty());
  CHECK(absl::StrContains(CheckStableHlo(functions + R"(
func.func @main() {
  %n = stablehlo.constant dense<3> : tensor<i32>
  %2 = call @odd(%n) : (tensor<i32>) -> tensor<4xf32>
  check.expect_eq_const %2, dense<0.0> : tensor<4xf32>
  return
})"),
                          "the result is declared f32[4], but the operands "
                          "give f32[3]"));
  CHECK(absl::StrContains(CheckStableHlo(functions + R"(
func.func @main(%n: tensor<i32>) {
  %2 = call @odd(%n) : (tensor<i32>) -> tensor<4xf32>
  return
})"),
                          "shape_assertion: the condition is no constant"));
}

TEST_CASE("stablehlo: sizes that have bounds") {
  CHECK(EvaluateStableHlo(R"(
func.func @main() -> tensor<?xi32, #stablehlo.bounds<2>> {
  %a = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<2xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<2>>
  return %0 : tensor<?xi32, #stablehlo.bounds<2>>
}
)") == "{3, 4}");
}

TEST_CASE("stablehlo: sizes that are not known are errors") {
  const std::string begin = "func.func @main(%a: tensor<2xi32>) {\n";
  for (const DynamicRow& row : {
           DynamicRow{"%0 = stablehlo.dynamic_iota %a, dim = 0 : "
                      "(tensor<2xi32>) -> tensor<?x?xf32>\nreturn\n}",
                      "test.mlir:2:29: error: stablehlo.dynamic_iota gives "
                      "f32[?,?], and its sizes are no constants"},
           DynamicRow{"%s = stablehlo.constant dense<[3]> : tensor<1xi32>\n"
                      "%0 = stablehlo.dynamic_reshape %a, %s : "
                      "(tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
                      "return\n}",
                      "stablehlo.dynamic_reshape gives s32[3], not s32[2]"},
           DynamicRow{"%s = stablehlo.constant dense<-1> : tensor<1xi32>\n"
                      "%0 = stablehlo.dynamic_reshape %a, %s : "
                      "(tensor<2xi32>, tensor<1xi32>) -> tensor<?xi32>\n"
                      "return\n}",
                      "{-1} are no sizes of an array"},
           DynamicRow{"%z = stablehlo.constant dense<0> : tensor<i32>\n"
                      "%0 = stablehlo.dynamic_pad %a, %z, %a, %a, %a : "
                      "(tensor<2xi32>, tensor<i32>, tensor<2xi32>, "
                      "tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>\n"
                      "return\n}",
                      "stablehlo.dynamic_pad: 'edge_padding_low' is no "
                      "constant"},
           DynamicRow{"%z = stablehlo.constant dense<1> : tensor<i32>\n"
                      "%0 = stablehlo.set_dimension_size %a, %z, dim = 0 : "
                      "(tensor<2xi32>, tensor<i32>) -> tensor<2xi32>\n"
                      "return\n}",
                      "set_dimension_size gives a size of the run time, not "
                      "s32[2]"},
           DynamicRow{"%0 = stablehlo.add %a, %a : (tensor<2xi32>, "
                      "tensor<2xi32>) -> tensor<2xi32, #stablehlo.bounds<2, "
                      "?>>\nreturn\n}",
                      "2 bounds are given for s32[2]"},
           DynamicRow{"%0 = stablehlo.add %a, %a : (tensor<2xi32>, "
                      "tensor<2xi32>) -> tensor<?xi32, #stablehlo.bounds<x>>\n"
                      "return\n}",
                      "'x' are no bounds of sizes"},
           DynamicRow{"%f = stablehlo.constant dense<false> : tensor<i1>\n"
                      "stablehlo.custom_call @shape_assertion(%f) "
                      "{error_message = \"too small\"} : (tensor<i1>) -> ()\n"
                      "return\n}",
                      "test.mlir:3:1: error: shape_assertion: too small"},
           DynamicRow{"%0 = stablehlo.get_dimension_size %a, dim = 1 : "
                      "(tensor<2xi32>) -> tensor<i32>\nreturn\n}",
                      "get_dimension_size: s32[2] has no dimension 1"},
           DynamicRow{"%0 = stablehlo.reshape %a : (tensor<2xi32>) -> "
                      "tensor<?x1xi32>\nreturn\n}",
                      "sizes that are not known, as in s32[?,1]"},
           DynamicRow{"%0 = stablehlo.add %a, %a : (tensor<2xi32>, "
                      "tensor<2xi32>) -> tensor<?x1xi32>\nreturn\n}",
                      "stablehlo.add gives s32[2], not s32[?,1]"},
       }) {
    CAPTURE(row.body);
    const std::string message = CheckStableHlo(begin + row.body);
    CAPTURE(message);
    CHECK(absl::StrContains(message, row.expected));
  }
}

}  // namespace
}  // namespace hilo::tests
