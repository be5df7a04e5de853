// Tests that attributes of StableHLO reach the instructions of HLO.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "hlo/ir/module.h"
#include "hlo/stablehlo/stablehlo.h"
#include "hlo/text/printer.h"

namespace hilo::tests {
namespace {

struct AttributeRow {
  std::string operation;
  // A part of the module's text.
  std::string expected;
};

std::string DotOf(const std::string& algorithm) {
  return absl::StrCat(
      "%0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0], "
      "precision = [DEFAULT, DEFAULT], algorithm = <",
      algorithm, "> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>");
}

TEST_CASE("stablehlo: attributes are kept") {
  const std::string both =
      "lhs_precision_type = bf16, rhs_precision_type = "
      "bf16, accumulation_type = f32, lhs_component_count "
      "= 1, rhs_component_count = 1, ";
  for (const AttributeRow& row : {
           AttributeRow{DotOf(both + "num_primitive_operations = 1, "
                                     "allow_imprecise_accumulation = false"),
                        "algorithm=dot_bf16_bf16_f32"},
           AttributeRow{DotOf(both + "num_primitive_operations = 6, "
                                     "allow_imprecise_accumulation = false"),
                        "algorithm=dot_bf16_bf16_f32_x6"},
           AttributeRow{
               DotOf("lhs_precision_type = tf32, rhs_precision_type = tf32, "
                     "accumulation_type = f32"),
               "algorithm=dot_tf32_tf32_f32"},
           AttributeRow{"%0 = \"stablehlo.exponential\"(%x) {result_accuracy = "
                        "#stablehlo.result_accuracy<mode = "
                        "#stablehlo.result_accuracy_mode<HIGHEST>>} : "
                        "(tensor<2x2xf32>) -> tensor<2x2xf32>",
                        "result_accuracy={mode=highest}"},
           AttributeRow{"%0 = stablehlo.tanh %x {result_accuracy = "
                        "#stablehlo.result_accuracy<atol = 1.000000e-05, rtol "
                        "= 0.000000e+00, ulps = 2, mode = "
                        "#stablehlo.result_accuracy_mode<TOLERANCE>>} : "
                        "tensor<2x2xf32>",
                        "result_accuracy={tolerance={atol=1e-05,rtol=0,ulps=2}"
                        "}"},
           AttributeRow{"%0 = stablehlo.custom_call @f(%x) "
                        "{called_computations = [@g]} : (tensor<2x2xf32>) -> "
                        "tensor<2x2xf32>",
                        "called_computations={%g}"},
           AttributeRow{"%0 = stablehlo.composite \"my.op\" %x "
                        "{composite_attributes = {a = 1 : i64}, decomposition "
                        "= @g, version = 2 : i32} : (tensor<2x2xf32>) -> "
                        "tensor<2x2xf32>",
                        "to_apply=%g, is_composite=true, frontend_attributes={"
                        "composite.attributes={a = 1 : i64},composite.name="
                        "\"my.op\",composite.version=\"2\"}"},
           // What HLO has needs no decomposition.
           AttributeRow{"%0 = stablehlo.composite \"chlo.acosh\" %x "
                        "{decomposition = @g} : (tensor<2x2xf32>) -> "
                        "tensor<2x2xf32>",
                        "acosh(%x)"},
           AttributeRow{"%0:2 = stablehlo.composite \"chlo.top_k\" %x "
                        "{composite_attributes = {k = 1 : i64}, decomposition "
                        "= @g} : (tensor<2x2xf32>) -> (tensor<2x1xf32>, "
                        "tensor<2x1xi32>)",
                        "topk(%x), k=1"},
       }) {
    const std::string text =
        absl::StrCat("func.func @main(%x: tensor<2x2xf32>) {\n", row.operation,
                     "\nreturn\n}\nfunc.func private @g(%a: tensor<2x2xf32>) "
                     "-> tensor<2x2xf32> {\nreturn %a : tensor<2x2xf32>\n}\n");
    CAPTURE(text);
    const auto module = ParseStableHlo(text, "test.mlir");
    CAPTURE(module.status().message());
    REQUIRE(module.ok());
    const std::string printed = hlo::Print(**module);
    CAPTURE(printed);
    CHECK(absl::StrContains(printed, row.expected));
  }
}

TEST_CASE("stablehlo: algorithms without a name are errors") {
  const auto module = ParseStableHlo(
      absl::StrCat("func.func @main(%x: tensor<2x2xf32>) {\n",
                   DotOf("lhs_precision_type = f16, rhs_precision_type = f16, "
                         "accumulation_type = f32, num_primitive_operations = "
                         "5"),
                   "\nreturn\n}\n"),
      "test.mlir");
  CHECK(absl::StrContains(module.status().message(),
                          "test.mlir:2:1: error: stablehlo.dot_general: "
                          "'algorithm' is none of those that HLO has"));
}

TEST_CASE("stablehlo: the number of devices is kept") {
  const auto module = ParseStableHlo(
      "module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas "
      "= 2 : i32} {\nfunc.func @main() {\nreturn\n}\n}\n");
  REQUIRE(module.ok());
  CHECK((*module)->header().num_partitions == 4);
  CHECK((*module)->header().replica_count == 2);
}

}  // namespace
}  // namespace hilo::tests
