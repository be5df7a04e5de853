// HLO modules written as StableHLO and read back compute the same bits.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "hlo/analysis/cost.h"
#include "hlo/eval/evaluator.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/print_stablehlo.h"
#include "hlo/stablehlo/stablehlo.h"
#include "hlo/text/parser.h"
#include "hlo/verify/verify.h"
#include "jit/fuzzing/module_generator.h"
#include "jit/generated_inputs.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

namespace hilo::tests {
namespace {

using hlo::Literal;
using hlo::Shape;

// What a module becomes on the way to StableHLO and back.
enum class Outcome : uint8_t {
  // Equal results.
  kSame,
  // Read back, but not run: too much work, or nothing for one device.
  kNotRun,
  // StableHLO, or what reads it, cannot say it.
  kRefused,
  kDifferent,
};

struct RoundTrip {
  Outcome outcome = Outcome::kSame;
  std::string reason;
};

// A value of any shape; arrays are numbered by `leaf`.
Literal MakeArgument(const Shape& shape, int64_t* leaf) {
  if (shape.IsArray()) return MixedInput(shape, (*leaf)++, /*seed=*/7);
  if (!shape.IsTuple()) return Literal(shape);
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements()) {
    elements.push_back(MakeArgument(element, leaf));
  }
  return Literal::Tuple(std::move(elements));
}

bool SameBits(const Literal& a, const Literal& b) {
  const std::vector<const Literal*> a_leaves = a.Leaves();
  const std::vector<const Literal*> b_leaves = b.Leaves();
  if (a_leaves.size() != b_leaves.size()) return false;
  for (size_t i = 0; i < a_leaves.size(); ++i) {
    if (!hlo::Compatible(a_leaves[i]->shape(), b_leaves[i]->shape())) {
      return false;
    }
    if (!a_leaves[i]->shape().IsArray()) continue;
    const auto size = static_cast<size_t>(a_leaves[i]->size_bytes());
    if (size != 0 && std::memcmp(a_leaves[i]->untyped_data(),
                                 b_leaves[i]->untyped_data(), size) != 0) {
      return false;
    }
  }
  return true;
}

// Whether instructions draw numbers in an order of their own.
bool DrawsNumbers(const hlo::Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (hlo::InfoOf(instruction->opcode()).Has(hlo::kNotPure)) return true;
    }
  }
  return false;
}

// Whether evaluating takes more than a moment, as far as can be known.
bool IsLarge(const hlo::Module& module) {
  constexpr double kMostOperations = 3e5;
  constexpr int64_t kMostBytes = 1 << 20;
  int64_t bytes = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      bytes += instruction->shape().ByteSize();
      if (bytes > kMostBytes) return true;
    }
  }
  const auto unknown = [](const hlo::Instruction&) {
    return std::optional<int64_t>();
  };
  return hlo::CostOf(module, unknown).operations > kMostOperations;
}

RoundTrip GoAndComeBack(const hlo::Module& module) {
  const absl::StatusOr<std::string> text = PrintStableHlo(module);
  if (!text.ok()) {
    return {Outcome::kRefused, std::string(text.status().message())};
  }
  const absl::StatusOr<std::unique_ptr<hlo::Module>> back =
      ParseStableHlo(*text, "printed.mlir");
  if (!back.ok()) {
    return {Outcome::kRefused, std::string(back.status().message())};
  }
  if (DrawsNumbers(module)) return {Outcome::kNotRun, "random numbers"};
  if (IsLarge(module)) return {Outcome::kNotRun, "large"};
  std::vector<Literal> arguments;
  std::vector<Literal> flat_arguments;
  int64_t leaf = 0;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    arguments.push_back(MakeArgument(parameter->shape(), &leaf));
    for (const Literal* part : arguments.back().Leaves()) {
      flat_arguments.push_back(*part);
    }
  }
  const hlo::EvaluatorOptions options = {.step_limit = 10000};
  const auto expected = hlo::Evaluate(module, std::move(arguments), options);
  if (!expected.ok()) {
    return {Outcome::kNotRun, std::string(expected.status().message())};
  }
  const auto got =
      hlo::Evaluate(**back, std::move(flat_arguments), {.step_limit = 0});
  if (!got.ok()) {
    return {Outcome::kDifferent, std::string(got.status().message())};
  }
  if (SameBits(*expected, *got)) return {};
  return {Outcome::kDifferent, *text};
}

// Modules of one file that are well formed.
std::vector<std::unique_ptr<hlo::Module>> ModulesOf(
    const std::filesystem::path& path) {
  std::vector<std::unique_ptr<hlo::Module>> modules;
  for (const std::string& piece : hlo::SplitModules(ReadFile(path))) {
    auto module = hlo::Parse(piece, path.filename().string());
    if (!module.ok() || !hlo::Verify(**module).ok()) continue;
    modules.push_back(std::move(*module));
  }
  return modules;
}

// What StableHLO cannot say, by the name of the file.
std::string RefusalOf(const std::string& file) {
  static const auto* const kRefusals = new std::map<std::string, std::string>({
      {"case_101_huge_mesh_takes_no_memory.hlo", "groups by axes of a mesh"},
      {"constants_are_stored_as_panels.hlo", "its elements are left out"},
      {"convert_names_what_stablehlo_lacks.hlo", "it has no such type"},
      {"narrow_bitcasts.hlo", "of less than a byte"},
      {"ragged_all_to_all_of_one_device.hlo", "no such operation"},
      {"ragged_and_scaled_dots.hlo", "scaled-dot"},
      {"run_elided_constants.hlo", "its elements are left out"},
  });
  const auto known = kRefusals->find(file);
  return known == kRefusals->end() ? "" : known->second;
}

// Takes all modules of a directory there and back; returns how many gave the
// same results.
int CheckDirectory(const std::filesystem::path& directory) {
  int same = 0;
  for (const auto& path : FilesUnder(directory, {".hlo"})) {
    const std::string refusal = RefusalOf(path.filename().string());
    for (const auto& module : ModulesOf(path)) {
      const RoundTrip result = GoAndComeBack(*module);
      CAPTURE(path.string(), module->name(), result.reason);
      CHECK(result.outcome != Outcome::kDifferent);
      const bool is_refused = result.outcome == Outcome::kRefused;
      CHECK(is_refused == !refusal.empty());
      CHECK((!is_refused || absl::StrContains(result.reason, refusal)));
      if (result.outcome == Outcome::kSame) ++same;
    }
  }
  return same;
}

TEST_CASE("stablehlo: modules of the tests go there and come back") {
  CHECK(CheckDirectory(SourceDirectory() / "tests") >= 220);
}

TEST_CASE("stablehlo: modules of the corpora go there and come back") {
  const auto corpus = CorpusDirectory();
  if (!corpus || !std::filesystem::exists(*corpus / "survey")) {
    return Skip("HILO_CORPUS has no directory survey");
  }
  CHECK(CheckDirectory(*corpus / "jax") >= 1);
  CHECK(CheckDirectory(*corpus / "survey") >= 1);
}

TEST_CASE("stablehlo: random modules go there and come back") {
  int same = 0;
  constexpr uint64_t kSeeds = 1000;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto module = fuzzing::GenerateModule(seed);
    REQUIRE(module.ok());
    const RoundTrip result = GoAndComeBack(**module);
    CAPTURE(seed, result.reason);
    CHECK(result.outcome != Outcome::kDifferent);
    const bool is_known =
        absl::StrContains(result.reason, "it has no such type");
    CHECK((result.outcome != Outcome::kRefused || is_known));
    if (result.outcome == Outcome::kSame) ++same;
  }
  CHECK(same >= 800);
}

}  // namespace
}  // namespace hilo::tests
