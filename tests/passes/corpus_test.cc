// Runs the pipeline over the corpus: results stay the same, to the bit.
#include "tests/support/corpus.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "catch2/catch.hpp"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "jit/generated_inputs.h"
#include "passes/pass_context.h"
#include "passes/runner.h"
#include "tests/passes/compare_literals.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

namespace hilo::passes {
namespace {

namespace fs = std::filesystem;

hlo::Literal MakeInput(const hlo::Shape& shape, int64_t* leaf,
                       const InputSettingsByLeaf& settings) {
  if (shape.IsTuple()) {
    std::vector<hlo::Literal> elements;
    for (const hlo::Shape& element : shape.elements()) {
      elements.push_back(MakeInput(element, leaf, settings));
    }
    return hlo::Literal::Tuple(std::move(elements));
  }
  const int64_t number = (*leaf)++;
  const auto found = settings.find(number);
  return GenerateInput(
      shape, number, 0,
      found == settings.end() ? InputSettings{} : found->second);
}

std::vector<hlo::Literal> MakeInputs(const hlo::Module& module,
                                     const std::string& text) {
  absl::StatusOr<InputSettingsByLeaf> settings = ReadInputSettings(text);
  REQUIRE(settings.ok());
  std::vector<hlo::Literal> inputs;
  int64_t leaf = 0;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    inputs.push_back(MakeInput(parameter->shape(), &leaf, *settings));
  }
  return inputs;
}

// Opcodes whose expansion rounds differently than the evaluator.
bool RoundsDifferently(const hlo::Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      switch (instruction->opcode()) {
        case hlo::Opcode::kBatchNormGrad:
        case hlo::Opcode::kBatchNormInference:
        case hlo::Opcode::kBatchNormTraining:
        case hlo::Opcode::kRng:
        case hlo::Opcode::kPower:
          return true;
        default:  // NOLINT: all others are exact
          break;
      }
    }
  }
  return false;
}

void CheckModule(const fs::path& path) {
  const std::string name = path.stem().string();
  if (!tests::SlowReason(name).empty() ||
      !tests::TextOnlyReason(name).empty()) {
    return;
  }
  INFO(path.string());
  const std::string text = tests::ReadFile(path);
  absl::StatusOr<std::unique_ptr<hlo::Module>> module =
      hlo::Parse(text, path.string());
  REQUIRE(module.ok());
  const std::unique_ptr<hlo::Module> original = (*module)->Clone();
  PassContext context;
  std::map<std::string, int64_t> rule_counts;
  context.rule_counts = &rule_counts;
  const absl::Status status = RunPasses(**module, context, {.verify = true});
  INFO(status);
  REQUIRE(status.ok());
  // Rules that undo each other would go on until the budget ends.
  for (const auto& [rule, count] : rule_counts) {
    CAPTURE(rule, count);
    CHECK(count <= 4 * original->instruction_count() + 64);
  }
  if (RoundsDifferently(*original)) return;
  const std::vector<hlo::Literal> inputs = MakeInputs(*original, text);
  // Some loops end for other inputs only.
  hlo::EvaluatorOptions options;
  options.step_limit = 1 << 20;
  const absl::StatusOr<hlo::Literal> before =
      hlo::Evaluate(*original, inputs, options);
  if (!before.ok()) return;
  const absl::StatusOr<hlo::Literal> after =
      hlo::Evaluate(**module, inputs, options);
  INFO(after.status());
  REQUIRE(after.ok());
  CHECK(DifferenceOf(*before, *after) == kNoDifference);
}

TEST_CASE("the pipeline keeps what JAX modules compute") {
  for (const fs::path& path : tests::FilesUnder(
           tests::SourceDirectory() / "tests" / "corpus" / "jax", {".hlo"})) {
    CheckModule(path);
  }
}

TEST_CASE("the pipeline keeps what test cases compute") {
  for (const char* directory : {"cases", "hlo/eval"}) {
    for (const fs::path& path : tests::FilesUnder(
             tests::SourceDirectory() / "tests" / directory, {".hlo"})) {
      if (tests::ReadFile(path).find("// ERROR") == std::string::npos) {
        CheckModule(path);
      }
    }
  }
}

TEST_CASE("the pipeline keeps what corpus modules compute", "[.][slow]") {
  const std::optional<fs::path> corpus = tests::CorpusDirectory();
  if (!corpus.has_value()) {
    tests::Skip("there is no corpus");
    return;
  }
  for (const char* directory : {"survey", "xla_cpu_benchmarks"}) {
    for (const fs::path& path :
         tests::FilesUnder(*corpus / directory, {".hlo"})) {
      CheckModule(path);
    }
  }
}

}  // namespace
}  // namespace hilo::passes
