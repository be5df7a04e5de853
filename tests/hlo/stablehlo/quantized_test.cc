// Tests of quantized values.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "tests/hlo/stablehlo/run_program.h"

namespace hilo::tests {
namespace {

struct QuantizedRow {
  std::string body;
  std::string expected;
};

// !q holds multiples of 1/2, !w those of 1/4 and 1/2 in its columns.
const char kQuantizedTypes[] =
    "!q = !quant.uniform<i8:f32, 0.5:10>\n"
    "!r = !quant.uniform<u8<0:9>:f32, 1.0>\n"
    "!w = !quant.uniform<i8<-127:127>:f32:1, {0.25:0, 0.5:1}>\n"
    "!v = !quant.uniform<i8<-127:127>:f32:0, {0.25:0, 0.5:1}>\n";

// The numbers of %a are 0, 1 and 5, those of %b 0.5, 58.5 and -69, and those of
// %w {0.25, 0.5} and {0.75, 1.5}.
const char kQuantizedValues[] =
    "%a = stablehlo.constant() <{value = dense<[10, 12, 20]> : tensor<3xi8>}> "
    ": () -> tensor<3x!q>\n"
    "%b = stablehlo.constant dense<[11, 127, -128]> : tensor<3x!q>\n"
    "%w = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2x!w>\n"
    "%x = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>\n"
    "%f = stablehlo.constant dense<[0.25, 0.75, 100.0]> : tensor<3xf32>\n";

std::string CheckQuantized(const std::string& body) {
  return CheckStableHlo(absl::StrCat(kQuantizedTypes, "func.func @main() {\n",
                                     kQuantizedValues, body, "\nreturn\n}\n"));
}

TEST_CASE("stablehlo: quantized values stand for numbers") {
  for (const QuantizedRow& row : {
           QuantizedRow{"%0 = stablehlo.uniform_dequantize %a : "
                        "(tensor<3x!q>) -> tensor<3xf32>",
                        "dense<[0.0, 1.0, 5.0]> : tensor<3xf32>"},
           QuantizedRow{"%0 = stablehlo.uniform_dequantize %w : "
                        "(tensor<2x2x!w>) -> tensor<2x2xf32>",
                        "dense<[[0.25, 0.5], [0.75, 1.5]]> : tensor<2x2xf32>"},
           // Halves go to even integers, and what is too large to the largest.
           QuantizedRow{"%0 = stablehlo.uniform_quantize %f : "
                        "(tensor<3xf32>) -> tensor<3x!q>",
                        "dense<[10, 12, 127]> : tensor<3x!q>"},
           QuantizedRow{"%0 = stablehlo.uniform_quantize %b : "
                        "(tensor<3x!q>) -> tensor<3x!r>",
                        "dense<[0, 9, 0]> : tensor<3x!r>"},
           QuantizedRow{"%0 = stablehlo.add %a, %b : tensor<3x!q>",
                        "dense<[11, 127, -118]> : tensor<3x!q>"},
           QuantizedRow{"%0 = stablehlo.multiply %a, %b : (tensor<3x!q>, "
                        "tensor<3x!q>) -> tensor<3x!r>",
                        "dense<[0, 9, 0]> : tensor<3x!r>"},
           QuantizedRow{"%0 = stablehlo.negate %a : tensor<3x!q>",
                        "dense<[10, 8, 0]> : tensor<3x!q>"},
           QuantizedRow{"%0 = stablehlo.compare LT, %a, %b : (tensor<3x!q>, "
                        "tensor<3x!q>) -> tensor<3xi1>",
                        "dense<[true, true, false]> : tensor<3xi1>"},
           QuantizedRow{"%0 = stablehlo.dot_general %x, %w, contracting_dims = "
                        "[1] x [0] : (tensor<1x2xf32>, tensor<2x2x!w>) -> "
                        "tensor<1x2xf32>",
                        "dense<[[1.75, 3.5]]> : tensor<1x2xf32>"},
           QuantizedRow{"%0 = stablehlo.dot_general %a, %a, contracting_dims = "
                        "[0] x [0] : (tensor<3x!q>, tensor<3x!q>) -> "
                        "tensor<!quant.uniform<i32:f32, 0.25>>",
                        "dense<104> : tensor<!quant.uniform<i32:f32, 0.25>>"},
       }) {
    CAPTURE(row.body);
    CHECK(CheckQuantized(absl::StrCat(row.body, "\ncheck.expect_eq_const %0, ",
                                      row.expected))
              .empty());
  }
}

TEST_CASE("stablehlo: quantized values are moved as integers") {
  for (const QuantizedRow& row : {
           QuantizedRow{"%0 = stablehlo.slice %b [1:3] : (tensor<3x!q>) -> "
                        "tensor<2x!q>",
                        "dense<[127, -128]> : tensor<2x!q>"},
           QuantizedRow{"%0 = stablehlo.concatenate %a, %b, dim = 0 : "
                        "(tensor<3x!q>, tensor<3x!q>) -> tensor<6x!q>",
                        "dense<[10, 12, 20, 11, 127, -128]> : tensor<6x!q>"},
           QuantizedRow{"%0 = stablehlo.transpose %w, dims = [1, 0] : "
                        "(tensor<2x2x!w>) -> tensor<2x2x!v>",
                        "dense<[[1, 3], [2, 4]]> : tensor<2x2x!v>"},
           // Of other scales: by the numbers.
           QuantizedRow{"%0 = stablehlo.reshape %w : (tensor<2x2x!w>) -> "
                        "tensor<4x!q>",
                        "dense<[10, 11, 12, 13]> : tensor<4x!q>"},
           QuantizedRow{"%i = stablehlo.constant dense<10> : tensor<!q>\n"
                        "%0 = stablehlo.reduce(%a init: %i) applies "
                        "stablehlo.add across dimensions = [0] : "
                        "(tensor<3x!q>, tensor<!q>) -> tensor<!q>",
                        "dense<22> : tensor<!q>"},
           QuantizedRow{"%0 = \"stablehlo.sort\"(%b) ({\n"
                        "^bb0(%c: tensor<!q>, %d: tensor<!q>):\n"
                        "%e = stablehlo.compare GT, %c, %d : (tensor<!q>, "
                        "tensor<!q>) -> tensor<i1>\n"
                        "stablehlo.return %e : tensor<i1>\n"
                        "}) : (tensor<3x!q>) -> tensor<3x!q>",
                        "dense<[127, 11, -128]> : tensor<3x!q>"},
       }) {
    CAPTURE(row.body);
    CHECK(CheckQuantized(absl::StrCat(row.body, "\ncheck.expect_eq_const %0, ",
                                      row.expected))
              .empty());
  }
}

TEST_CASE("stablehlo: functions take and return the integers") {
  CHECK(EvaluateStableHlo(R"(
!q = !quant.uniform<i8:f32, 0.5:10>
func.func private @twice(%x: tensor<2x!q>) -> tensor<2x!q> {
  %0 = stablehlo.add %x, %x : tensor<2x!q>
  return %0 : tensor<2x!q>
}
func.func @main() -> tensor<2x!q> {
  %0 = stablehlo.constant dense<[11, 9]> : tensor<2x!q>
  %1 = call @twice(%0) : (tensor<2x!q>) -> tensor<2x!q>
  return %1 : tensor<2x!q>
}
)") == "{12, 8}");
}

TEST_CASE("stablehlo: mistakes of quantized values") {
  for (const QuantizedRow& row : {
           QuantizedRow{"%0 = stablehlo.fft %a, type = FFT, length = [3] : "
                        "(tensor<3x!q>) -> tensor<3x!q>",
                        "test.mlir:11:1: error: 'stablehlo.fft' of quantized "
                        "values is not supported"},
           QuantizedRow{"%0 = stablehlo.and %a, %b : tensor<3x!q>",
                        "'stablehlo.and' of quantized values"},
           QuantizedRow{"%i = stablehlo.constant dense<1> : tensor<!r>\n"
                        "%0 = stablehlo.reduce(%a init: %i) applies "
                        "stablehlo.add across dimensions = [0] : "
                        "(tensor<3x!q>, tensor<!r>) -> tensor<!q>",
                        "'stablehlo.reduce' of values that are quantized in "
                        "different ways"},
           QuantizedRow{"%0 = stablehlo.add %a, %a : tensor<3x!r>",
                        "'%a' is s8[3] quantized to f32 -128:127 {0.5:10}, not "
                        "u8[3] quantized to f32 0:9 {1:0}"},
           QuantizedRow{"%0 = stablehlo.uniform_quantize %f : (tensor<3xf32>) "
                        "-> tensor<3x!quant.uniform<i8:f32, -1.0>>",
                        "a scale is positive and finite"},
           QuantizedRow{"%0 = stablehlo.uniform_quantize %f : (tensor<3xf32>) "
                        "-> tensor<3x!quant.uniform<i8:f32, 1.0:200>>",
                        "the zero point 200 is not within -128:127"},
           QuantizedRow{"%0 = stablehlo.uniform_quantize %f : (tensor<3xf32>) "
                        "-> tensor<3x!quant.uniform<i8<0:300>:f32, 1.0>>",
                        "the range is not within -128:127"},
           QuantizedRow{"%0 = stablehlo.uniform_quantize %f : (tensor<3xf32>) "
                        "-> tensor<3x!quant.uniform<f32:f32, 1.0>>",
                        "stored as i2 to i32 or u2 to u32, not 'f32'"},
           QuantizedRow{"%0 = stablehlo.uniform_quantize %f : (tensor<3xf32>) "
                        "-> tensor<3x!quant.uniform<i8:i32, 1.0>>",
                        "quantized values stand for floats, not s32[]"},
           QuantizedRow{"%0 = stablehlo.uniform_quantize %f : (tensor<3xf32>) "
                        "-> tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>",
                        "2 scales are given for dimension 0 of s8[3]"},
           QuantizedRow{"%0 = stablehlo.uniform_quantize %f : (tensor<3xf32>) "
                        "-> tensor<3x!quant.uniform<i8:f32:{0:1}, {1.0}>>",
                        "scales per block, of several dimensions, are not "
                        "supported"},
           QuantizedRow{"%0 = stablehlo.uniform_quantize %f : (tensor<3xf32>) "
                        "-> tensor<3xf32>",
                        "stablehlo.uniform_quantize of values that are not "
                        "quantized"},
       }) {
    CAPTURE(row.body);
    const std::string message = CheckQuantized(row.body);
    CAPTURE(message);
    CHECK(absl::StrContains(message, row.expected));
  }
}

}  // namespace
}  // namespace hilo::tests
