// StableHLO bytecode: what it computes, and what is said of damaged files.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "hlo/eval/evaluator.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/stablehlo/stablehlo.h"
#include "hlo/text/parser.h"
#include "hlo/text/printer.h"
#include "jit/generated_inputs.h"
#include "tests/support/paths.h"

namespace hilo::tests {
namespace {

std::filesystem::path ExportDirectory() {
  return SourceDirectory() / "tests" / "corpus" / "stablehlo";
}

// What a module computes of generated inputs; the error's text for none.
std::string EvaluateGenerated(const hlo::Module& module,
                              const InputSettingsByLeaf& settings) {
  std::vector<hlo::Literal> inputs;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    const auto leaf = static_cast<int64_t>(inputs.size());
    const auto own = settings.find(leaf);
    inputs.push_back(
        GenerateInput(parameter->shape(), leaf, /*seed=*/0,
                      own == settings.end() ? InputSettings() : own->second));
  }
  const absl::StatusOr<hlo::Literal> result = hlo::Evaluate(module, inputs, {});
  return result.ok() ? hlo::Print(*result)
                     : std::string(result.status().message());
}

TEST_CASE("stablehlo bytecode: exports compute what their HLO computes") {
  int count = 0;
  for (const auto& path : FilesUnder(ExportDirectory(), {".mlir", ".mlirbc"})) {
    const std::string stem = path.stem().stem().string();
    const auto original =
        SourceDirectory() / "tests" / "corpus" / "jax" / (stem + ".hlo");
    if (!std::filesystem::exists(original)) continue;
    CAPTURE(path.string());
    const std::string text = ReadFile(original);
    const auto module = hlo::Parse(text, original.string());
    REQUIRE(module.ok());
    const auto exported = ParseStableHlo(ReadFile(path), path.string());
    REQUIRE(exported.status().message().empty());
    const auto settings = ReadInputSettings(text);
    REQUIRE(settings.ok());
    const bool is_same = EvaluateGenerated(**module, *settings) ==
                         EvaluateGenerated(**exported, *settings);
    CHECK(is_same);
    ++count;
  }
  CHECK(count >= 57);
}

// The same program, written for versions from 0.9 on.
TEST_CASE("stablehlo bytecode: versions of VHLO mean the same") {
  const auto text =
      ParseStableHlo(ReadFile(ExportDirectory() / "versions.mlir"));
  REQUIRE(text.status().message().empty());
  const std::string expected = EvaluateGenerated(**text, {});
  for (const char* version :
       {"0.9.0", "0.12.0", "0.14.0", "0.15.0", "1.0.0", "1.10.0", "1.20.0"}) {
    CAPTURE(version);
    const auto module = ParseStableHlo(ReadFile(
        ExportDirectory() / absl::StrCat("versions_", version, ".mlirbc")));
    REQUIRE(module.status().message().empty());
    const bool is_same = EvaluateGenerated(**module, {}) == expected;
    CHECK(is_same);
  }
}

TEST_CASE("stablehlo bytecode: instructions say where they come from") {
  const auto module =
      ParseStableHlo(ReadFile(ExportDirectory() / "complex_matmul.mlirbc"));
  REQUIRE(module.ok());
  const hlo::Instruction* root = (*module)->entry()->root();
  CHECK(root->metadata().source_line > 0);
  CHECK(root->source_offset() == -1);
}

struct DamageRow {
  std::string from;
  std::string to;
  std::string message;
};

TEST_CASE("stablehlo bytecode: damaged files are refused") {
  const std::string bytes =
      ReadFile(ExportDirectory() / "versions_1.10.0.mlirbc");
  using std::string_literals::operator""s;
  for (const DamageRow& row : {
           DamageRow{"negate_v1", "negate_v9",
                     "'vhlo.negate_v9' is none of VHLO 0.9 to 1.20"},
           DamageRow{"negate_v1", "nebula_v1",
                     "'vhlo.nebula_v1' is none of VHLO 0.9 to 1.20"},
           DamageRow{"ML\xEFR\x0D", "ML\xEFR\x0F",
                     "bytecode of version 7 is not supported"},
           DamageRow{"call_v1\0"s, "call_v1\1"s, "does not end"},
       }) {
    CAPTURE(row.from, row.to);
    REQUIRE(absl::StrContains(bytes, row.from));
    const auto module =
        ParseStableHlo(absl::StrReplaceAll(bytes, {{row.from, row.to}}), "x");
    REQUIRE_FALSE(module.ok());
    CAPTURE(module.status().message());
    CHECK(absl::StrContains(module.status().message(), row.message));
    CHECK(absl::StartsWith(module.status().message(), "x: error: byte "));
  }
}

// Found by fuzzing.
TEST_CASE("stablehlo bytecode: a token cannot be converted") {
  const auto module =
      ParseStableHlo(ReadFile(ExportDirectory() / "token_converted.mlirbc"));
  REQUIRE_FALSE(module.ok());
  CHECK(absl::StrContains(module.status().message(),
                          "convert: operand 0 is token[], expected an array"));
}

TEST_CASE("stablehlo bytecode: files that end early are refused") {
  for (const char* name : {"versions_0.9.0.mlirbc", "versions_1.20.0.mlirbc",
                           "scan_rnn.plain.mlirbc"}) {
    const std::string bytes = ReadFile(ExportDirectory() / name);
    for (size_t size = 4; size < bytes.size(); ++size) {
      CAPTURE(name, size);
      REQUIRE_FALSE(ParseStableHlo(bytes.substr(0, size)).ok());
    }
  }
}

// Whatever a byte becomes: a module or an error.
TEST_CASE("stablehlo bytecode: no byte makes the reader fail") {
  for (const char* name : {"versions_0.9.0.mlirbc", "versions_1.20.0.mlirbc",
                           "cholesky_solve.plain.mlirbc"}) {
    const std::string bytes = ReadFile(ExportDirectory() / name);
    int refused = 0;
    for (size_t i = 4; i < bytes.size(); ++i) {
      for (const int change : {1, 0x80, 0xFF}) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ change);
        if (!ParseStableHlo(changed).ok()) ++refused;
      }
    }
    CHECK(refused > 0);
  }
}

// A type that holds the one before twice, and so on.
TEST_CASE("stablehlo text: types that double are refused") {
  std::string text = "!t0 = tensor<f32>\n";
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&text, "!t", i, " = tuple<!t", i - 1, ", !t", i - 1, ">\n");
  }
  absl::StrAppend(&text, "func.func @main(%a: !t39) { return }\n");
  const auto module = ParseStableHlo(text);
  REQUIRE_FALSE(module.ok());
  CHECK(absl::StrContains(module.status().message(), "aliases"));
}

TEST_CASE("stablehlo text: resources at the end of the file are constants") {
  const std::string text = R"(
func.func @main() -> tensor<3xi32> {
  %0 = stablehlo.constant dense_resource<big.one> : tensor<3xi32>
  return %0 : tensor<3xi32>
}
{-#
  dialect_resources: {
    builtin: {
      other: "0x04000000AABB",
      big.one: "0x04000000010000000200000003000000"
    }
  },
  external_resources: { mlir_reproducer: { verify_each: true } }
#-}
)";
  const auto module = ParseStableHlo(text);
  REQUIRE(module.status().message().empty());
  CHECK(EvaluateGenerated(**module, {}) == "{1, 2, 3}");
  const auto missing =
      ParseStableHlo(absl::StrReplaceAll(text, {{"<big.one>", "<big.two>"}}));
  CHECK(absl::StrContains(missing.status().message(),
                          "there is no resource 'big.two'"));
  const auto short_one =
      ParseStableHlo(absl::StrReplaceAll(text, {{"<big.one>", "<other>"}}));
  CHECK(absl::StrContains(short_one.status().message(),
                          "resource 'other' is not the elements of s32[3]"));
}

TEST_CASE("stablehlo text: names that HLO has not are changed") {
  const auto module = ParseStableHlo(R"(module @"my module" {
func.func private @"f!"() -> tensor<f32> {
  %0 = stablehlo.constant dense<1.5> : tensor<f32>
  return %0 : tensor<f32>
}
func.func @main() -> tensor<f32> {
  %0 = call @"f!"() : () -> tensor<f32>
  return %0 : tensor<f32>
} })");
  REQUIRE(module.status().message().empty());
  const auto again = hlo::Parse(hlo::Print(**module), "printed");
  REQUIRE(again.status().message().empty());
  CHECK((*again)->name() == "my_module");
  CHECK(EvaluateGenerated(**again, {}) == "1.5");
}

TEST_CASE("stablehlo text: frontend attributes are kept") {
  const auto module = ParseStableHlo(R"(
func.func @main(%a: tensor<2xf32> {mhlo.frontend_attributes = {p = "1"}}) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a {mhlo.frontend_attributes = {z = "2", b = "3"}} : tensor<2xf32>
  %1 = stablehlo.convert %0 {mhlo.frontend_attributes = {c = "4"}} : tensor<2xf32>
  return %1 : tensor<2xf32>
})");
  REQUIRE(module.status().message().empty());
  const hlo::Instruction* root = (*module)->entry()->root();
  // The conversion to the same type is nothing in HLO.
  REQUIRE(root->operand_count() == 2);
  CHECK(root->frontend_attributes() ==
        hlo::FrontendAttributes{{"b", "3"}, {"z", "2"}});
  CHECK(root->operand(0)->frontend_attributes() ==
        hlo::FrontendAttributes{{"p", "1"}});
}

// Found by fuzzing: HLO text could not say it.
TEST_CASE("stablehlo text: names of frontend attributes are those of HLO") {
  const auto module = ParseStableHlo(R"(
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @f(%a) {mhlo.frontend_attributes = {"a^b" = "1"}} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})");
  CHECK(absl::StrContains(module.status().message(),
                          "HLO has no frontend attribute named 'a^b'"));
}

TEST_CASE("stablehlo text: every function's mistakes are told") {
  const auto module = ParseStableHlo(R"(module {
  func.func @main(%a: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.negate %a : tensor<f64>
    %1 = stablehlo.abs %b : tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @other(%a: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.negate %a ; tensor<f32>
    return %0 : tensor<f32>
  }
})",
                                     "x");
  const std::string message(module.status().message());
  CAPTURE(message);
  CHECK(absl::StrContains(message, "x:3:27: error: '%a' is f32[], not f64[]"));
  CHECK(absl::StrContains(message, "x:4:24: error: '%b' is not defined"));
  CHECK(absl::StrContains(message, "x:8:30: error: expected ':', got"));
}

TEST_CASE("stablehlo text: locations become metadata") {
  const auto module = ParseStableHlo(R"(
#loc1 = loc("model.py":7:3 to :9)
func.func @main(%a: tensor<f32> loc("x")) -> tensor<f32> {
  %0 = stablehlo.negate %a : tensor<f32> loc(#loc2)
  %1 = stablehlo.abs %0 : tensor<f32> loc(fused<"m">["Abs:"("layer/abs"), callsite("f" at unknown)])
  return %1 : tensor<f32> loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("jit(f)/neg"("inner"(#loc1)))
)");
  REQUIRE(module.status().message().empty());
  const hlo::Instruction* root = (*module)->entry()->root();
  CHECK(root->metadata().op_name == "layer/abs;f");
  CHECK(root->metadata().op_type == "Abs");
  const hlo::Metadata negate = root->operand(0)->metadata();
  CHECK(negate.op_name == "jit(f)/neg");
  CHECK(negate.source_file == "model.py");
  CHECK(negate.source_line == 7);
  CHECK(negate.source_column == 3);
  CHECK(negate.source_end_line == 7);
  CHECK(negate.source_end_column == 9);
}

}  // namespace
}  // namespace hilo::tests
