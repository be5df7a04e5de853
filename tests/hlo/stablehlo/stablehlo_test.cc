// StableHLO text: what it computes, and what is said of mistakes.
#include "hlo/stablehlo/stablehlo.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "hlo/ir/module.h"
#include "hlo/verify/verify.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"
#include "tests/hlo/stablehlo/run_program.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

namespace hilo::tests {
namespace {

struct ProgramRow {
  // Of a function without arguments.
  std::string results;
  std::string body;
  std::string expected;
};

TEST_CASE("stablehlo: programs compute what they say") {
  for (const ProgramRow& row : {
           ProgramRow{"tensor<2xf32>",
                      "%0 = stablehlo.constant dense<[1.5, 0x7F800000]> : "
                      "tensor<2xf32>\nreturn %0 : tensor<2xf32>",
                      "{1.5, inf}"},
           ProgramRow{"tensor<3xi1>",
                      "%0 = stablehlo.constant dense<\"0x05\"> : tensor<3xi1>\n"
                      "return %0 : tensor<3xi1>",
                      "{1, 0, 1}"},
           ProgramRow{"tensor<2xcomplex<f32>>",
                      "%0 = stablehlo.constant dense<[(1.0, -2.0), (0.0, 3.0)]>"
                      " : tensor<2xcomplex<f32>>\n"
                      "return %0 : tensor<2xcomplex<f32>>",
                      "{(1, -2), (0, 3)}"},
           ProgramRow{"tensor<2x3xi32>",
                      "%0 = stablehlo.constant dense<[[7], [8]]> : "
                      "tensor<2x1xi32>\n"
                      "%1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : "
                      "(tensor<2x1xi32>) -> tensor<2x3xi32>\n"
                      "return %1 : tensor<2x3xi32>",
                      "{ { 7, 7, 7 }, { 8, 8, 8 } }"},
           ProgramRow{"tensor<i1>",
                      "%0 = stablehlo.constant dense<true> : tensor<i1>\n"
                      "%1 = stablehlo.add %0, %0 : tensor<i1>\n"
                      "return %1 : tensor<i1>",
                      "true"},
           ProgramRow{"tensor<2xf32>",
                      "%0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], "
                      "[4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n"
                      "%i = stablehlo.constant dense<0.0> : tensor<f32>\n"
                      "%1 = stablehlo.reduce(%0 init: %i) applies stablehlo.add"
                      " across dimensions = [1] : (tensor<2x3xf32>, "
                      "tensor<f32>) -> tensor<2xf32>\n"
                      "return %1 : tensor<2xf32>",
                      "{6, 15}"},
           // The region's types are wider than the operands'.
           ProgramRow{"tensor<f32>",
                      "%0 = stablehlo.constant dense<[256.0, 1.0, 1.0]> : "
                      "tensor<3xbf16>\n"
                      "%i = stablehlo.constant dense<0.0> : tensor<bf16>\n"
                      "%1 = stablehlo.reduce(%0 init: %i) across dimensions = "
                      "[0] : (tensor<3xbf16>, tensor<bf16>) -> tensor<f32>\n"
                      "reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
                      "%c = stablehlo.add %a, %b : tensor<f32>\n"
                      "stablehlo.return %c : tensor<f32>\n}\n"
                      "return %1 : tensor<f32>",
                      "258"},
           ProgramRow{"tensor<i32>, tensor<i32>",
                      "%n = stablehlo.constant dense<5> : tensor<i32>\n"
                      "%one = stablehlo.constant dense<1> : tensor<i32>\n"
                      "%two = stablehlo.add %one, %one : tensor<i32>\n"
                      "%0:2 = stablehlo.while(%i = %one, %p = %one) : "
                      "tensor<i32>, tensor<i32>\n"
                      "cond {\n%c = stablehlo.compare LT, %i, %n : "
                      "(tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                      "stablehlo.return %c : tensor<i1>\n} do {\n"
                      "%j = stablehlo.add %i, %one : tensor<i32>\n"
                      "%q = stablehlo.multiply %p, %two : tensor<i32>\n"
                      "stablehlo.return %j, %q : tensor<i32>, tensor<i32>\n}\n"
                      "return %0#0, %0#1 : tensor<i32>, tensor<i32>",
                      "( 5, 16 )"},
           ProgramRow{"tensor<f32>",
                      "%p = stablehlo.constant dense<false> : tensor<i1>\n"
                      "%a = stablehlo.constant dense<2.0> : tensor<f32>\n"
                      "%b = stablehlo.multiply %a, %a : tensor<f32>\n"
                      "%0 = \"stablehlo.if\"(%p) ({\n"
                      "stablehlo.return %a : tensor<f32>\n}, {\n"
                      "%c = stablehlo.add %b, %b : tensor<f32>\n"
                      "stablehlo.return %c : tensor<f32>\n}) : (tensor<i1>) -> "
                      "tensor<f32>\nreturn %0 : tensor<f32>",
                      "8"},
           ProgramRow{"tensor<2x2xf32>",
                      "%0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]>"
                      " : tensor<2x2xf32>\n"
                      "%1 = stablehlo.dot_general %0, %0, contracting_dims = "
                      "[1] x [0], precision = [DEFAULT, HIGHEST] : "
                      "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
                      "return %1 : tensor<2x2xf32>",
                      "{ { 7, 10 }, { 15, 22 } }"},
           ProgramRow{
               "tensor<1x2x1xf32>",
               "%x = stablehlo.constant dense<[[[1.0], [2.0], [4.0]]]> :"
               " tensor<1x3x1xf32>\n"
               "%k = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : "
               "tensor<2x1x1xf32>\n"
               "%0 = stablehlo.convolution(%x, %k) dim_numbers = "
               "[b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], "
               "pad = [[0, 0]], reverse = [true]} {batch_group_count = 1 "
               ": i64, feature_group_count = 1 : i64} : "
               "(tensor<1x3x1xf32>, tensor<2x1x1xf32>) -> "
               "tensor<1x2x1xf32>\nreturn %0 : tensor<1x2x1xf32>",
               "{ { {12}, {24} } }"},
           ProgramRow{"tensor<2xi32>",
                      "%0 = stablehlo.constant dense<[3, 4, 5, 6]> : "
                      "tensor<4xi32>\n"
                      "%1 = stablehlo.slice %0 [1:4:2] : (tensor<4xi32>) -> "
                      "tensor<2xi32>\nreturn %1 : tensor<2xi32>",
                      "{4, 6}"},
           ProgramRow{"tensor<3xi32>, tensor<i32>",
                      "%0 = stablehlo.constant dense<[3, 4, 5]> : "
                      "tensor<3xi32>\n"
                      "%1 = stablehlo.constant dense<1> : tensor<i32>\n"
                      "%2:2 = chlo.scan(%0) inits (%1) dimension=0 attributes "
                      "{is_reverse = true} {\n"
                      "^bb0(%x: tensor<i32>, %c: tensor<i32>):\n"
                      "%s = stablehlo.add %x, %c : tensor<i32>\n"
                      "stablehlo.return %s, %s : tensor<i32>, tensor<i32>\n"
                      "} : (tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>, "
                      "tensor<i32>)\n"
                      "return %2#0, %2#1 : tensor<3xi32>, tensor<i32>",
                      "( {13, 10, 6}, 13 )"},
       }) {
    const std::string text =
        absl::StrCat("module @m {\nfunc.func public @main() -> (", row.results,
                     ") {\n", row.body, "\n}\n}\n");
    CAPTURE(text);
    CHECK(EvaluateStableHlo(text) == row.expected);
  }
}

TEST_CASE("stablehlo: functions are called, with several results") {
  CHECK(EvaluateStableHlo(R"(
#alias = loc("somewhere")
module {
  func.func private @both(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0 = stablehlo.negate %x : tensor<f32> loc(#alias)
    return %0, %x : tensor<f32>, tensor<f32>
  }
  func.func @main() -> tensor<f32> {
    %c = stablehlo.constant dense<3.0> : tensor<f32>
    %0:2 = call @both(%c) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %1:2 = func.call @both(%0#0) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
    %2 = stablehlo.subtract %1#0, %1#1 : tensor<f32>
    return %2 : tensor<f32>
  }
} loc(#alias)
)") == "6");
}

// As JAX writes them; potrf leaves the other triangle alone.
TEST_CASE("stablehlo: custom calls keep layouts, aliases and dictionaries") {
  CHECK(EvaluateStableHlo(R"(
func.func @main() -> (tensor<2x2xf32>, tensor<i32>) {
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {api_version = 4 : i32, backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<i32>
}
)") == "( { { 2, 2 }, { 1, 2 } }, 0 )");
}

TEST_CASE("stablehlo: donated arguments share the memory of results") {
  const auto module = ParseStableHlo(
      "func.func @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> "
      "tensor<2xf32> {\n%0 = stablehlo.add %a, %a : tensor<2xf32>\n"
      "return %0 : tensor<2xf32>\n}\n");
  REQUIRE(module.ok());
  REQUIRE((*module)->header().input_output_alias.size() == 1);
  CHECK((*module)->header().input_output_alias[0].parameter_number == 0);
}

struct MistakeRow {
  std::string text;
  std::string message;
};

TEST_CASE("stablehlo: mistakes are told with their places") {
  const std::string begin = "func.func @main(%a: tensor<2xf32>) {\n";
  for (const MistakeRow& row : {
           MistakeRow{begin + "  %0 = stablehlo.ad %a, %a : tensor<2xf32>\n"
                              "  return\n}",
                      "test.mlir:2:3: error: 'stablehlo.ad' is not supported"},
           MistakeRow{begin + "  %0 = stablehlo.ad %a, %a : tensor<2xf32>\n"
                              "  return\n}",
                      "did you mean 'stablehlo.add'"},
           MistakeRow{begin + "  %0 = stablehlo.add %a, %b : tensor<2xf32>\n}",
                      "test.mlir:2:26: error: '%b' is not defined"},
           MistakeRow{begin + "  %0 = stablehlo.add %a, %a : tensor<3xf32>\n}",
                      "test.mlir:2:22: error: '%a' is f32[2], not f32[3]"},
           MistakeRow{begin + "  %a = stablehlo.add %a, %a : tensor<2xf32>\n}",
                      "test.mlir:2:3: error: '%a' is defined again"},
           MistakeRow{begin + "  %0 = stablehlo.iota dim = 1 : tensor<2xf32>\n"
                              "  return\n}",
                      "test.mlir:2:3: error: iota"},
           MistakeRow{"func.func @main(%a: tensor<?xf32>) {\nreturn\n}",
                      "test.mlir:1:17: error: sizes that are not known"},
           MistakeRow{begin + "  %0 = stablehlo.constant dense<[1.0, 2.0]> : "
                              "tensor<3xf32>\n}",
                      "a list of 2 for dimension 0 of f32[3]"},
           MistakeRow{begin + "  %0 = stablehlo.constant dense<\"0x00\"> : "
                              "tensor<99999999999xi8>\n  return\n}",
                      ""},
           MistakeRow{
               begin + "  %0 = stablehlo.constant dense<\"0x0011\"> : "
                       "tensor<99999999999xi8>\n}",
               "2 bytes are neither all elements of s8[99999999999] nor one"},
           MistakeRow{begin + "  return %a : tensor<2xf32>\n}",
                      "test.mlir:2:3: error: '@main' returns other values"},
           MistakeRow{begin + "  stablehlo.custom_call @f(%a) "
                              "{called_computations = [@g]} : "
                              "(tensor<2xf32>) -> ()\n  return\n}",
                      "there is no function '@g'"},
           MistakeRow{begin, "expected an operation, got the end of the file"},
           MistakeRow{"func.func @f() {\ncall @f() : () -> ()\nreturn\n}",
                      "'@f' calls itself"},
           MistakeRow{"func.func @f() {return}\nfunc.func @g() {return}",
                      "2 public functions and none is named 'main'"},
           MistakeRow{begin + "  %0 = stablehlo.slice %a [0:1] : "
                              "(tensor<2xf32>) -> tensor<2xf32>\n  return\n}",
                      "test.mlir:2:3: error: slice"},
           MistakeRow{begin + "  %0:2 = stablehlo.convert %a : (tensor<2xf32>)"
                              " -> (tensor<2xf32>, tensor<2xf32>)\n}",
                      "test.mlir:2:3: error: stablehlo.convert has one "
                      "result, not 2"},
           MistakeRow{begin + "  %0 = stablehlo.transpose %a, dim = [0] : "
                              "(tensor<2xf32>) -> tensor<2xf32>\n}",
                      "'stablehlo.transpose' has no clause 'dim'"},
       }) {
    CAPTURE(row.text);
    const auto module = ParseStableHlo(row.text, "test.mlir");
    CHECK(module.ok() == row.message.empty());
    CAPTURE(module.status().message());
    CHECK(absl::StrContains(module.status().message(), row.message));
  }
}

TEST_CASE("stablehlo: deep nesting is an error") {
  for (const char* open : {"[", "{a = ", "(", "tuple<"}) {
    std::string text = "#a = ";
    for (int i = 0; i < 100000; ++i) text += open;
    CHECK_FALSE(ParseStableHlo(text).ok());
  }
}

// Files that their authors do not run differ in accuracy, and so does one whose
// value is further from the hyperbolic cosine than ours.
TEST_CASE("stablehlo: programs of the corpus pass their checks") {
  const auto corpus = CorpusDirectory();
  if (!corpus || !std::filesystem::exists(*corpus / "stablehlo")) {
    return Skip("HILO_CORPUS has no directory stablehlo");
  }
  int passed = 0;
  for (const auto& path : FilesUnder(*corpus / "stablehlo", {".mlir"})) {
    const std::string text = ReadFile(path);
    auto source = std::make_shared<const Source>(path.filename(), text);
    Diagnostics diagnostics;
    const StableHloProgram program =
        ParseStableHlo(source, {.has_checks = true}, &diagnostics);
    if (program.module != nullptr) {
      hlo::Verify(*program.module, &diagnostics);
    }
    const std::string errors = diagnostics.Render(*source);
    CAPTURE(path.filename().string(), errors);
    REQUIRE_FALSE(diagnostics.has_errors());
    const std::string fault = RunChecks(program);
    CAPTURE(fault);
    const bool is_run = !absl::StrContains(text, "RUN-DISABLED") &&
                        path.filename() != "cosh_float32_20_20_chlo.mlir";
    if (is_run) CHECK(fault.empty());
    if (fault.empty()) ++passed;
  }
  CHECK(passed >= 1809);
}

}  // namespace
}  // namespace hilo::tests
