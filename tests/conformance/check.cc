// Packs cases into modules; takes those apart that fail.
#include "tests/conformance/check.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "jit/fuzzing/module_check.h"
#include "tests/backends/codegen/element_samples.h"
#include "tests/conformance/case.h"
#include "tests/conformance/rows.h"

namespace hilo::tests {
namespace {

using backends::ElementTolerance;
using hlo::ElementType;
using hlo::Literal;

// Math functions may err by their row's bound, and so may the C library.
ElementTolerance ResultTolerance(hlo::Opcode opcode, ElementType type) {
  if (!hlo::IsElementwiseUnary(opcode) && !hlo::IsElementwiseBinary(opcode)) {
    return {};
  }
  const int ulps = hlo::InfoOf(opcode).max_ulps;
  const bool is_wide = hlo::ComponentType(type) == ElementType::kF64;
  // Products of complex numbers cancel.
  const double error = is_wide ? 1e-13 : 1e-5;
  if (ulps == 0) return {.ulps = hlo::IsComplex(type) ? 1 : 0, .error = error};
  const bool is_native = is_wide || type == ElementType::kF32;
  return {.ulps = is_native ? ulps + 2 : 1, .error = error};
}

// How results are compared. e^(w log z) errs relatively as much as w log z
// does absolutely: that depends on the operands, so the oracle knows it.
Tolerance KindOfTolerance(const Case& test) {
  const bool is_complex_power =
      test.row->opcode == hlo::Opcode::kPower && hlo::IsComplex(test.type);
  return is_complex_power ? Tolerance::kRoundings : test.row->tolerance;
}

// What differs between results and the evaluator's, one case after the other.
std::string CompareExactly(absl::Span<const Case> cases, const Literal& want,
                           const std::vector<Literal>& got) {
  size_t at = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const ElementTolerance tolerance =
        ResultTolerance(cases[i].row->opcode, cases[i].type);
    for (const Literal* leaf : want.element(static_cast<int64_t>(i)).Leaves()) {
      if (!leaf->shape().IsArray()) continue;
      if (at >= got.size()) return "results are missing";
      const Literal& value = got[at++];
      if (!Compatible(value.shape(), leaf->shape())) {
        return absl::StrCat("shape ", ToString(value.shape()), " instead of ",
                            ToString(leaf->shape()));
      }
      const std::string difference =
          backends::FindDifference(value, *leaf, tolerance);
      if (!difference.empty()) return difference;
    }
  }
  return "";
}

// What differs; empty if nothing.
std::string CheckModuleOf(const CaseModule& made, absl::Span<const Case> cases,
                          const fuzzing::CheckVariant& variant) {
  if (KindOfTolerance(cases.front()) == Tolerance::kRoundings) {
    const fuzzing::CheckResult result =
        fuzzing::CheckModule(*made.module, made.arguments, {variant});
    if (result.outcome == fuzzing::CheckOutcome::kSame) return "";
    return absl::StrCat(result.message, " ");
  }
  const absl::StatusOr<Literal> want =
      hlo::Evaluate(*made.module, made.arguments);
  if (!want.ok()) return absl::StrCat("evaluator: ", want.status().message());
  const absl::StatusOr<std::vector<Literal>> got =
      fuzzing::RunVariant(*made.module, made.arguments, variant);
  if (!got.ok()) return absl::StrCat("backend: ", got.status().message());
  return CompareExactly(cases, *want, *got);
}

void CheckBatch(absl::Span<const Case> cases,
                const fuzzing::CheckVariant& variant,
                std::vector<std::string>& failures) {
  const absl::StatusOr<CaseModule> made = MakeModule(cases);
  const std::string difference = made.ok()
                                     ? CheckModuleOf(*made, cases, variant)
                                     : std::string(made.status().message());
  if (difference.empty()) return;
  const size_t failure_count = failures.size();
  if (cases.size() > 1) {
    const size_t half = cases.size() / 2;
    CheckBatch(cases.first(half), variant, failures);
    CheckBatch(cases.subspan(half), variant, failures);
  }
  // Otherwise it takes both halves.
  if (failures.size() > failure_count) return;
  failures.push_back(absl::StrCat(NameOf(cases.front()), ", ",
                                  fuzzing::NameOf(variant), ": ", difference,
                                  "\n", made.ok() ? made->text : ""));
}

// Cases of one type, tolerance and choice of layouts, for one module each.
std::vector<std::vector<Case>> MakeBatches(absl::Span<const Case> cases) {
  using Key = std::tuple<ElementType, Tolerance, int>;
  constexpr size_t kMostCases = 100;
  std::map<Key, std::vector<std::vector<Case>>> groups;
  for (const Case& test : cases) {
    std::vector<std::vector<Case>>& batches =
        groups[{test.type, KindOfTolerance(test), test.layouts}];
    if (batches.empty() || batches.back().size() == kMostCases) {
      batches.emplace_back();
    }
    batches.back().push_back(test);
  }
  std::vector<std::vector<Case>> all;
  for (const auto& [key, batches] : groups) {
    all.insert(all.end(), batches.begin(), batches.end());
  }
  return all;
}

}  // namespace

std::vector<std::string> CheckCases(absl::Span<const Case> cases,
                                    const fuzzing::CheckVariant& variant) {
  const std::vector<std::vector<Case>> batches = MakeBatches(cases);
  std::vector<std::vector<std::string>> failures(batches.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < batches.size(); i = next++) {
      CheckBatch(batches[i], variant, failures[i]);
    }
  };
  // Most of the time goes into compiling one kernel after the other.
  std::thread other(work);
  work();
  other.join();
  std::vector<std::string> all;
  for (const std::vector<std::string>& part : failures) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace hilo::tests
