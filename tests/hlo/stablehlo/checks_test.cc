// Tests of the checks that test programs make.
#include <string>

#include "absl/strings/match.h"
#include <catch2/catch.hpp>

#include "tests/hlo/stablehlo/run_program.h"

namespace hilo::tests {
namespace {

struct CheckTestRow {
  std::string check;
  // Empty when the check holds.
  std::string fault;
};

// %b is one unit in the last place above %a in its second element.
TEST_CASE("stablehlo: checks accept what they say") {
  const std::string begin =
      "%a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
      "%b = stablehlo.constant dense<[1.0, 2.0000002]> : tensor<2xf32>\n"
      "%i = stablehlo.constant dense<[3, 4]> : tensor<2xi32>\n"
      "%n = stablehlo.constant dense<0x7FC00000> : tensor<f32>\n"
      "%z = stablehlo.constant dense<[(1.0, 2.0)]> : "
      "tensor<1xcomplex<f32>>\n";
  const std::string apart =
      "{1} is 2, expected 2.0000002, 1 ulps apart; 1 of 2 elements differ";
  for (const CheckTestRow& row : {
           CheckTestRow{"check.expect_eq %a, %a : tensor<2xf32>", ""},
           CheckTestRow{"check.expect_eq %a, %b : tensor<2xf32>", apart},
           CheckTestRow{"check.expect_eq %n, %n : tensor<f32>", ""},
           CheckTestRow{"check.expect_eq_const %i, dense<[3, 4]> : "
                        "tensor<2xi32>",
                        ""},
           CheckTestRow{"check.expect_eq_const %i, dense<[3, 5]> : "
                        "tensor<2xi32>",
                        "{1} is 4, expected 5; 1 of 2 elements differ"},
           CheckTestRow{"\"check.expect_eq_const\"(%i) {value = dense<3> : "
                        "tensor<2xi32>} : (tensor<2xi32>) -> ()",
                        "{1} is 4, expected 3; 1 of 2 elements differ"},
           CheckTestRow{"check.expect_close %a, %b : tensor<2xf32>, "
                        "tensor<2xf32>",
                        ""},
           CheckTestRow{"check.expect_close %a, %b, max_ulp_difference = 0 : "
                        "tensor<2xf32>, tensor<2xf32>",
                        apart},
           CheckTestRow{"check.expect_close %a, %b, max_ulp_difference = 3, "
                        "min_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>",
                        "elements are at most 1 ulps apart, expected at least "
                        "2"},
           CheckTestRow{"%d = stablehlo.constant dense<1.0> : tensor<f32>\n"
                        "check.expect_close %n, %d, max_ulp_difference = "
                        "18446744073709551615 : tensor<f32>, tensor<f32>",
                        ""},
           CheckTestRow{"check.expect_almost_eq %a, %b : tensor<2xf32>", ""},
           CheckTestRow{"check.expect_almost_eq_const %a, dense<[1.0, 2.0005]> "
                        ": tensor<2xf32>",
                        "{1} is 2, expected 2.0005, 2097 ulps apart; 1 of 2 "
                        "elements differ"},
           CheckTestRow{"check.expect_almost_eq_const %a, dense<[1.0, 2.0005]> "
                        ": tensor<2xf32>, tolerance = 1.0e-3",
                        ""},
           CheckTestRow{"check.expect_almost_eq_const %z, dense<[(1.0, "
                        "2.00001)]> : tensor<1xcomplex<f32>>",
                        ""},
           CheckTestRow{"stablehlo.custom_call @check.expect_close(%a, %b) : "
                        "(tensor<2xf32>, tensor<2xf32>) -> ()",
                        ""},
           CheckTestRow{"%r = stablehlo.custom_call @check.eq(%a, %b) : "
                        "(tensor<2xf32>, tensor<2xf32>) -> tensor<i1>\n"
                        "check.expect_eq_const %r, dense<true> : tensor<i1>",
                        ""},
           CheckTestRow{"check.expect_serialized_eq %a, probe_id = \"p\", "
                        "iteration = 1 : tensor<2xf32>",
                        "test.mlir:7:1: error: check.expect_serialized_eq "
                        "compares with a file that no program of Hilo writes"},
           CheckTestRow{"stablehlo.custom_call @check.expect_more(%a, %b) : "
                        "(tensor<2xf32>, tensor<2xf32>) -> ()",
                        "'check.expect_more' is not supported"},
           CheckTestRow{"check.expect_eq_const %i, dense<[3, 4]> : "
                        "tensor<2xi64>",
                        "the value is s64[2], the result s32[2]"},
           CheckTestRow{"check.expect_eq %a, %n : tensor<2xf32>",
                        "'%n' is f32[], not f32[2]"},
       }) {
    CAPTURE(row.check);
    const std::string fault = CheckStableHloBody(begin + row.check);
    CAPTURE(fault);
    CHECK(fault.empty() == row.fault.empty());
    CHECK(absl::StrContains(fault, row.fault));
  }
}

TEST_CASE("stablehlo: probes pass values on") {
  CHECK(CheckStableHloBody(
            "%a = stablehlo.constant dense<7> : tensor<i32>\n"
            "interpreter.print %a : tensor<i32>\n"
            "%b = interpreter.probe %a, probe_id = \"p\" : tensor<i32>\n"
            "check.expect_eq_const %b, dense<7> : tensor<i32>")
            .empty());
}

}  // namespace
}  // namespace hilo::tests
