// Parses, verifies and evaluates StableHLO texts.
#include "tests/hlo/stablehlo/run_program.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/stablehlo/stablehlo.h"
#include "hlo/text/printer.h"
#include "hlo/verify/verify.h"
#include "jit/program_check.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"

namespace hilo::tests {

std::string EvaluateStableHlo(const std::string& text) {
  const absl::StatusOr<std::unique_ptr<hlo::Module>> module =
      ParseStableHlo(text, "test.mlir");
  if (!module.ok()) return std::string(module.status().message());
  const absl::StatusOr<hlo::Literal> result = hlo::Evaluate(**module, {}, {});
  return result.ok() ? hlo::Print(*result)
                     : std::string(result.status().message());
}

std::string RunChecks(const StableHloProgram& program) {
  const absl::StatusOr<hlo::Literal> result =
      hlo::Evaluate(*program.module, {}, {});
  if (!result.ok()) return std::string(result.status().message());
  const std::vector<const hlo::Literal*> leaves = result->Leaves();
  const size_t first = leaves.size() - 2 * program.checks.size();
  for (size_t i = 0; i < program.checks.size(); ++i) {
    const std::optional<std::string> fault = FindFault(
        program.checks[i], *leaves[first + 2 * i], *leaves[first + 2 * i + 1]);
    if (fault) return *fault;
  }
  return "";
}

std::string CheckStableHlo(const std::string& text) {
  const auto source = std::make_shared<const Source>("test.mlir", text);
  Diagnostics diagnostics;
  const StableHloProgram program =
      ParseStableHlo(source, {.has_checks = true}, &diagnostics);
  if (program.module != nullptr) hlo::Verify(*program.module, &diagnostics);
  if (diagnostics.has_errors()) return diagnostics.Render(*source);
  if (program.checks.empty()) return "there is no check";
  return RunChecks(program);
}

std::string CheckStableHloBody(const std::string& body) {
  return CheckStableHlo(
      absl::StrCat("func.func @main() {\n", body, "\nfunc.return\n}\n"));
}

}  // namespace hilo::tests
