// Tests that expansions mean what the evaluator says, mostly to the bit.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "catch2/catch.hpp"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/text/printer.h"
#include "jit/generated_inputs.h"
#include "passes/pass_context.h"
#include "passes/runner.h"
#include "tests/passes/compare_literals.h"
#include "tests/support/parse_text.h"

namespace hilo::passes {
namespace {

hlo::Literal Run(const hlo::Module& module, bool edges) {
  std::vector<hlo::Literal> inputs;
  int64_t leaf = 0;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    inputs.push_back(edges ? EdgeInput(parameter->shape())
                           : GenerateInput(parameter->shape(), leaf, 1, {}));
    ++leaf;
  }
  absl::StatusOr<hlo::Literal> value = hlo::Evaluate(module, inputs);
  INFO(value.status());
  REQUIRE(value.ok());
  return *std::move(value);
}

absl::Status LegalizeModule(hlo::Module& module) {
  return RunPasses(module, PassContext{},
                   {.passes = {"call-inlining", "legalize"}, .verify = true});
}

struct LegalizeRow {
  std::string name;
  std::string text;
  // What is gone afterwards.
  std::string lacks;
};

void CheckLegalized(const LegalizeRow& row) {
  CAPTURE(row.name);
  const std::unique_ptr<hlo::Module> before = tests::ParseText(row.text);
  const std::unique_ptr<hlo::Module> after = before->Clone();
  const absl::Status status = LegalizeModule(*after);
  INFO(status);
  REQUIRE(status.ok());
  const std::string printed =
      hlo::Print(*after, hlo::PrintOptions::Canonical());
  CAPTURE(printed);
  CHECK_FALSE(absl::StrContains(printed, absl::StrCat(" ", row.lacks, "(")));
  for (const bool edges : {false, true}) {
    CHECK(DifferenceOf(Run(*before, edges), Run(*after, edges)) ==
          kNoDifference);
  }
}

std::string Generator(const std::string& algorithm, const std::string& state,
                      const std::string& bits) {
  return absl::StrCat("ENTRY e { s = ", state, " parameter(0)\nROOT r = (",
                      state, ", ", bits,
                      ") rng-bit-generator(s), algorithm=", algorithm, " }");
}

TEST_CASE("random bits are those of the evaluator") {
  for (const char* algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
    for (const char* bits :
         {"u32[]", "u32[5]", "u32[3,2]", "u32[3,5,7]", "u32[2,3,5]", "u64[]",
          "u64[5]", "u64[3,4]", "u8[7]", "u16[3,3]", "s32[4]", "u4[9]"}) {
      CheckLegalized({absl::StrCat(algorithm, " ", bits),
                      Generator(algorithm, "u64[2]", bits),
                      "rng-bit-generator"});
    }
  }
  for (const char* bits : {"u32[]", "u32[6]", "u64[3]"}) {
    CheckLegalized(
        {bits, Generator("rng_philox", "u64[3]", bits), "rng-bit-generator"});
  }
}

TEST_CASE("structure, selections and bodies are expanded") {
  for (const LegalizeRow& row : {
           LegalizeRow{
               "map",
               "f { a = f32[] parameter(0)\nb = f32[] parameter(1)\n"
               "c = f32[] constant(2)\nd = f32[] multiply(a, c)\n"
               "p = pred[] compare(d, b), direction=GT\n"
               "ROOT r = f32[] select(p, d, b) }\n"
               "ENTRY e { x = f32[3,5] parameter(0)\ny = f32[3,5] "
               "parameter(1)\nROOT r = f32[3,5] map(x, y), dimensions={0,1}, "
               "to_apply=f }",
               "map"},
           LegalizeRow{
               "scan",
               "f { x = f32[3] parameter(0)\nc = f32[3] parameter(1)\n"
               "s = f32[3] add(x, c)\nROOT t = (f32[3], f32[3]) tuple(s, s) }\n"
               "ENTRY e { x = f32[3,5] parameter(0)\nc = f32[3] parameter(1)\n"
               "ROOT r = (f32[3,5], f32[3]) scan(x, c), dimensions={1}, "
               "num_carries=1, is_reverse=true, is_associative=false, "
               "to_apply=f }",
               "scan"},
           LegalizeRow{"bitcast",
                       "ENTRY e { x = f32[3,4]{0,1} parameter(0)\n"
                       "ROOT r = s32[6,2]{1,0} bitcast(x) }",
                       "bitcast"},
           LegalizeRow{
               "stochastic-convert",
               "ENTRY e { x = f32[40] parameter(0)\nr = u32[40] parameter(1)\n"
               "ROOT s = s8[40] stochastic-convert(x, r) }",
               "stochastic-convert"},
           LegalizeRow{
               "async",
               "f { x = f32[3] parameter(0)\nROOT y = f32[3] negate(x) }\n"
               "ENTRY e { x = f32[3] parameter(0)\n"
               "s = ((f32[3]), f32[3], s32[]) async-start(x), calls=f\n"
               "ROOT d = f32[3] async-done(s) }",
               "async-start"},
           LegalizeRow{
               "collectives of one",
               "add { a = f32[] parameter(0)\nb = f32[] parameter(1)\n"
               "ROOT c = f32[] add(a, b) }\n"
               "ENTRY e { x = f32[3] parameter(0)\n"
               "y = f32[3] all-reduce(x), replica_groups={{0}}, to_apply=add\n"
               "ROOT z = f32[3] collective-permute(y), "
               "source_target_pairs={{0,0}} }",
               "all-reduce"},
           LegalizeRow{
               "annotations",
               "ENTRY e { x = f32[3] parameter(0)\ny = f32[3] custom-call(x), "
               "custom_call_target=\"Sharding\"\nn = s32[] "
               "get-dimension-size(y), dimensions={0}\n"
               "ROOT t = (f32[3], s32[]) tuple(y, n) }",
               "custom-call"},
           LegalizeRow{
               "batch groups",
               "ENTRY e { x = f32[4,5,5,3] parameter(0)\n"
               "k = f32[2,2,3,6] parameter(1)\n"
               "ROOT c = f32[2,4,4,6] convolution(x, k), window={size=2x2}, "
               "dim_labels=b01f_01io->b01f, batch_group_count=2 }",
               "batch-group"},
       }) {
    CheckLegalized(row);
  }
}

// The largest difference of f32 arrays, relative to 1 + their size.
double LargestError(const hlo::Literal& a, const hlo::Literal& b) {
  if (a.IsTuple()) {
    double largest = 0;
    for (size_t i = 0; i < a.elements().size(); ++i) {
      largest =
          std::max(largest, LargestError(a.elements()[i], b.elements()[i]));
    }
    return largest;
  }
  double largest = 0;
  for (int64_t i = 0; i < a.element_count(); ++i) {
    const double x = a.data<float>()[i];
    const double y = b.data<float>()[i];
    largest = std::max(largest, std::abs(x - y) / (1 + std::abs(x)));
  }
  return largest;
}

TEST_CASE("batch normalisations are expanded") {
  for (const char* body :
       {"ROOT r = f32[4,5,3] batch-norm-inference(x, s, o, m, v), "
        "epsilon=0.01, feature_index=2",
        "ROOT r = (f32[4,5,3], f32[3], f32[3]) batch-norm-training(x, s, o), "
        "epsilon=0.01, feature_index=2",
        "ROOT r = (f32[4,5,3], f32[3], f32[3]) batch-norm-grad(x, s, m, v, g), "
        "epsilon=0.01, feature_index=2"}) {
    CAPTURE(body);
    const std::unique_ptr<hlo::Module> before = tests::ParseText(absl::StrCat(
        "ENTRY e { x = f32[4,5,3] parameter(0)\ns = f32[3] parameter(1)\n"
        "o = f32[3] parameter(2)\nm = f32[3] parameter(3)\n"
        "w = f32[3] parameter(4)\nv = f32[3] abs(w)\n"
        "g = f32[4,5,3] parameter(5)\n",
        body, " }"));
    const std::unique_ptr<hlo::Module> after = before->Clone();
    REQUIRE(LegalizeModule(*after).ok());
    CHECK(LargestError(Run(*before, false), Run(*after, false)) < 1e-5);
  }
}

TEST_CASE("random numbers have their distribution") {
  struct Moments {
    std::string rng;
    double mean;
    double deviation;
  };
  for (const Moments& row : {
           Moments{"rng_uniform", 0.5, 2.5 / std::sqrt(12)},
           Moments{"rng_normal", -0.75, 1.75},
       }) {
    CAPTURE(row.rng);
    const std::unique_ptr<hlo::Module> module = tests::ParseText(absl::StrCat(
        "ENTRY e { a = f32[] constant(-0.75)\nb = f32[] constant(1.75)\n"
        "ROOT r = f32[20000] rng(a, b), distribution=",
        row.rng, " }"));
    REQUIRE(LegalizeModule(*module).ok());
    const hlo::Literal values = Run(*module, false);
    double sum = 0;
    double squares = 0;
    for (const float x : values.data<float>()) {
      sum += x;
      squares += double{x} * x;
    }
    const double mean = sum / 20000;
    CHECK(std::abs(mean - row.mean) < 0.05);
    CHECK(std::abs(std::sqrt(squares / 20000 - mean * mean) - row.deviation) <
          0.05);
  }
}

TEST_CASE("what has no meaning on one device is refused by name") {
  for (const char* body :
       {"s = s32[] parameter(1)\nROOT y = f32[<=3] set-dimension-size(x, s), "
        "dimensions={0}",
        "ROOT y = f32[6] all-gather(x), replica_groups={{0,1}}, "
        "dimensions={0}"}) {
    const std::unique_ptr<hlo::Module> module = tests::ParseText(
        absl::StrCat("ENTRY e { x = f32[3] parameter(0)\n", body, " }"));
    const absl::Status status = LegalizeModule(*module);
    CHECK(status.code() == absl::StatusCode::kUnimplemented);
    CHECK(absl::StartsWith(status.message(), "y: "));
  }
}

}  // namespace
}  // namespace hilo::passes
