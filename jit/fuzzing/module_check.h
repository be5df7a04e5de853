// Compares what backends make of a module with the evaluator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hilo::fuzzing {

// A way to compile and run a module.
struct CheckVariant {
  int optimization_level = 2;
  // By LLVM's name; empty: this machine's.
  std::string target_cpu = {};
  int64_t threads = 0;
};

std::string NameOf(const CheckVariant& variant);

// How a check ended.
enum class CheckOutcome : uint8_t {
  kSame,
  // Nothing can be said: an operation is not implemented, or too much work.
  kUnsupported,
  kMismatch,
  kError,
};

struct CheckResult {
  CheckOutcome outcome = CheckOutcome::kSame;
  // What was wrong, with the variant; empty for kSame.
  std::string message = {};
};

// Compiles a verified module, and runs it on one argument per parameter of the
// entry. Returns the arrays of its result.
absl::StatusOr<std::vector<hlo::Literal>> RunVariant(
    const hlo::Module& module, const std::vector<hlo::Literal>& arguments,
    const CheckVariant& variant);

// Compiles and runs a small module. Processes that are forked later need not do
// what is done once in a process. Leaves no threads.
absl::Status WarmUp();

// Runs a verified module on these arguments. Integers, predicates, and floats
// that depend on no rounded operation must be equal (any two NaNs are). Others
// must be as near to the evaluator's as the errors allow that operations may
// have: see perturbation.h. Where those change a result's kind (NaN, infinity,
// another branch), nothing is said about it.
CheckResult CheckModule(const hlo::Module& module,
                        const std::vector<hlo::Literal>& arguments,
                        const std::vector<CheckVariant>& variants);

// The same on MixedInput values.
CheckResult CheckModule(const hlo::Module& module, uint64_t seed,
                        const std::vector<CheckVariant>& variants);

}  // namespace hilo::fuzzing
