// Assigns buffers to every module of the corpora and replays them.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "catch2/catch.hpp"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/text/parser.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "passes/buffer_assignment/buffer_options.h"
#include "tests/passes/buffer_fixture.h"
#include "tests/passes/compare_literals.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

namespace hilo::passes {
namespace {

// What the arena may take beyond what lives at once.
constexpr double kMostWaste = 1.05;

// Returns whether the module has buffers: not so with asynchronous calls.
bool CheckFile(const std::filesystem::path& path,
               const BufferOptions& options) {
  CAPTURE(path.string());
  absl::StatusOr<std::unique_ptr<hlo::Module>> module =
      hlo::Parse(tests::ReadFile(path), path.string());
  if (!module.ok()) return false;
  const absl::StatusOr<AssignedModule> assigned =
      AssignChecked(*std::move(module), options);
  if (assigned.status().code() == absl::StatusCode::kUnimplemented) {
    return false;
  }
  CAPTURE(assigned.status());
  CHECK(assigned.ok());
  if (!assigned.ok()) return false;
  const auto peak = static_cast<double>(assigned->buffers.peak_bytes());
  const auto bound = static_cast<double>(assigned->buffers.lower_bound_bytes());
  CHECK(peak <= kMostWaste * bound);
  return true;
}

void CheckDirectory(const std::filesystem::path& directory) {
  int64_t count = 0;
  for (const auto& path : tests::FilesUnder(directory, {".hlo", ".txt"})) {
    count += CheckFile(path, ElementwiseSharing()) ? 1 : 0;
    CheckFile(path, BufferOptions{});
  }
  CHECK(count > 0);
}

// Whether copies and layouts change what the module computes; modules that the
// evaluator cannot run in short time are left out.
void CheckResults(const std::filesystem::path& path) {
  CAPTURE(path.string());
  constexpr int64_t kStepLimit = 20'000;
  const hlo::EvaluatorOptions options = {.step_limit = kStepLimit};
  absl::StatusOr<std::unique_ptr<hlo::Module>> module =
      hlo::Parse(tests::ReadFile(path), path.string());
  if (!module.ok()) return;
  const std::vector<hlo::Literal> arguments = CountingArguments(**module);
  const absl::StatusOr<hlo::Literal> before =
      hlo::Evaluate(**module, arguments, options);
  if (!before.ok()) return;
  const absl::StatusOr<AssignedModule> assigned =
      AssignChecked(*std::move(module), ElementwiseSharing());
  if (!assigned.ok()) return;
  const absl::StatusOr<hlo::Literal> after =
      hlo::Evaluate(*assigned->module, arguments);
  CAPTURE(after.status());
  CHECK(after.ok());
  if (after.ok()) CHECK(DifferenceOf(*before, *after) == kNoDifference);
}

TEST_CASE("copies and layouts keep what JAX modules compute", "[.][slow]") {
  for (const auto& path : tests::FilesUnder(
           tests::SourceDirectory() / "tests" / "corpus" / "jax", {".hlo"})) {
    CheckResults(path);
  }
}

TEST_CASE("copies and layouts keep what case modules compute", "[.][slow]") {
  for (const auto& path : tests::FilesUnder(
           tests::SourceDirectory() / "tests" / "cases", {".hlo"})) {
    CheckResults(path);
  }
}

TEST_CASE("buffers of JAX modules are safe and tight") {
  CheckDirectory(tests::SourceDirectory() / "tests" / "corpus" / "jax");
}

TEST_CASE("buffers of case modules are safe and tight") {
  CheckDirectory(tests::SourceDirectory() / "tests" / "cases");
}

TEST_CASE("buffers of corpus modules are safe and tight") {
  const std::optional<std::filesystem::path> corpus = tests::CorpusDirectory();
  if (!corpus.has_value()) {
    tests::Skip("there is no corpus");
    return;
  }
  for (const char* directory : {"jax", "survey", "xla_cpu_benchmarks"}) {
    CheckDirectory(*corpus / directory);
  }
}

}  // namespace
}  // namespace hilo::passes
