// Tests of products that name dimensions by letters, and of index selections.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "tests/hlo/stablehlo/run_program.h"

namespace hilo::tests {
namespace {

struct EinsumRow {
  std::string operation;
  std::string expected;
};

const char kEinsumArrays[] =
    "%x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : "
    "tensor<2x3xf32>\n"
    "%y = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : "
    "tensor<3x2xf32>\n"
    "%s = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : "
    "tensor<2x2xf32>\n"
    "%i = stablehlo.constant dense<[1, 0]> : tensor<2xi32>\n"
    "%j = stablehlo.constant dense<[[1, 0], [2, 2]]> : tensor<2x2xi32>\n";

TEST_CASE("stablehlo: einsum and torch_index_select") {
  for (const EinsumRow& row : {
           EinsumRow{"stablehlo.einsum %x, %y, config = \"ab,bc->ca\" : "
                     "(tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>",
                     "dense<[[4.0, 10.0], [5.0, 11.0]]> : tensor<2x2xf32>"},
           // Batches, and a letter that only one operand has.
           EinsumRow{"stablehlo.einsum %x, %s, config = \"ab,ac->a\" : "
                     "(tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2xf32>",
                     "dense<[18.0, 105.0]> : tensor<2xf32>"},
           EinsumRow{"stablehlo.einsum %x, %s, config = \"ab,cd->ad\" : "
                     "(tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>",
                     "dense<[[24.0, 36.0], [60.0, 90.0]]> : tensor<2x2xf32>"},
           // Diagonals.
           EinsumRow{"stablehlo.einsum %s, %x, config = \"ii,ib->bi\" : "
                     "(tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>",
                     "dense<[[1.0, 16.0], [2.0, 20.0], [3.0, 24.0]]> : "
                     "tensor<3x2xf32>"},
           EinsumRow{"stablehlo.unary_einsum %s, config = \"ii->i\" : "
                     "(tensor<2x2xf32>) -> tensor<2xf32>",
                     "dense<[1.0, 4.0]> : tensor<2xf32>"},
           EinsumRow{"stablehlo.unary_einsum %s, config = \"ii->\" : "
                     "(tensor<2x2xf32>) -> tensor<f32>",
                     "dense<5.0> : tensor<f32>"},
           EinsumRow{"stablehlo.unary_einsum %x, config = \"ab->b\" : "
                     "(tensor<2x3xf32>) -> tensor<3xf32>",
                     "dense<[5.0, 7.0, 9.0]> : tensor<3xf32>"},
           EinsumRow{"\"stablehlo.torch_index_select\"(%x, %i) {dim = 1 : i64, "
                     "batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<2xi32>) "
                     "-> tensor<2x2xf32>",
                     "dense<[[2.0, 1.0], [5.0, 4.0]]> : tensor<2x2xf32>"},
           EinsumRow{"\"stablehlo.torch_index_select\"(%x, %j) {dim = 1 : i64, "
                     "batch_dims = 1 : i64} : (tensor<2x3xf32>, "
                     "tensor<2x2xi32>) -> tensor<2x2xf32>",
                     "dense<[[2.0, 1.0], [6.0, 6.0]]> : tensor<2x2xf32>"},
           EinsumRow{"\"stablehlo.torch_index_select\"(%y, %j) {dim = 0 : i64, "
                     "batch_dims = 0 : i64} : (tensor<3x2xf32>, "
                     "tensor<2x2xi32>) -> tensor<2x2x2xf32>",
                     "dense<[[[0.0, 1.0], [1.0, 0.0]], [[1.0, 1.0], [1.0, "
                     "1.0]]]> : tensor<2x2x2xf32>"},
       }) {
    CAPTURE(row.operation);
    CHECK(CheckStableHloBody(absl::StrCat(kEinsumArrays, "%0 = ", row.operation,
                                          "\ncheck.expect_eq_const %0, ",
                                          row.expected))
              .empty());
  }
}

TEST_CASE("stablehlo: mistakes of einsum and torch_index_select") {
  for (const EinsumRow& row : {
           EinsumRow{"stablehlo.einsum %x, %y, config = \"ab,bc\" : "
                     "(tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>",
                     "stablehlo.einsum: 'ab,bc' does not fit the arrays"},
           EinsumRow{"stablehlo.unary_einsum %x, config = \"ab->aab\" : "
                     "(tensor<2x3xf32>) -> tensor<2x2x3xf32>",
                     "'ab->aab' does not fit the arrays"},
           EinsumRow{"stablehlo.unary_einsum %x, config = \"...->...\" : "
                     "(tensor<2x3xf32>) -> tensor<2x3xf32>",
                     "'...->...' does not fit the arrays"},
           EinsumRow{"stablehlo.unary_einsum %x, config = \"aa->a\" : "
                     "(tensor<2x3xf32>) -> tensor<2xf32>",
                     "'a' names sizes 2 and 3"},
           EinsumRow{"\"stablehlo.torch_index_select\"(%x, %i) {dim = 2 : i64, "
                     "batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<2xi32>) "
                     "-> tensor<2x2xf32>",
                     "f32[2,3] has no dimension 2 after 0 of batches"},
       }) {
    CAPTURE(row.operation);
    CHECK(absl::StrContains(
        CheckStableHloBody(absl::StrCat(kEinsumArrays, "%0 = ", row.operation)),
        row.expected));
  }
}

}  // namespace
}  // namespace hilo::tests
