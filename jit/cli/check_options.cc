// Checks modules in processes of their own.
#include "jit/cli/check_options.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include "hlo/ir/module.h"
#include "jit/cli/option_kinds.h"
#include "jit/fuzzing/isolated_run.h"
#include "jit/fuzzing/module_check.h"

namespace hilo::cli {
namespace {

std::vector<fuzzing::CheckVariant> VariantsOf(const CheckOptions& options) {
  std::vector<std::string> levels = options.optimization_levels;
  if (levels.empty()) levels = {"0", "1", "2"};
  std::vector<std::string> target_cpus = options.target_cpus;
  if (target_cpus.empty()) target_cpus = {""};
  std::vector<fuzzing::CheckVariant> variants;
  for (const std::string& target_cpu : target_cpus) {
    for (const std::string& level : levels) {
      variants.push_back({.optimization_level = level[0] - '0',
                          .target_cpu = target_cpu,
                          .threads = options.threads});
    }
  }
  return variants;
}

// The first letter of what a child says.
char LetterOf(fuzzing::CheckOutcome outcome) {
  return static_cast<char>('0' + static_cast<int>(outcome));
}

FailureKind KindOf(char letter) {
  if (letter == LetterOf(fuzzing::CheckOutcome::kSame)) {
    return FailureKind::kNone;
  }
  if (letter == LetterOf(fuzzing::CheckOutcome::kUnsupported)) {
    return FailureKind::kUnsupported;
  }
  if (letter == LetterOf(fuzzing::CheckOutcome::kMismatch)) {
    return FailureKind::kMismatch;
  }
  return FailureKind::kError;
}

// Stands before the answer, behind whatever was printed.
constexpr char kMark[] = "\n\x1f";

}  // namespace

void AddCheckOptions(CLI::App& command, CheckOptions& options) {
  AddOption(command, {.name = "--seed",
                      .target = &options.seed,
                      .doc = "Seeds modules and inputs",
                      .value_name = "N",
                      .shows_default = true});
  AddOption(command, {.name = "--optimization-level,-O",
                      .target = &options.optimization_levels,
                      .doc = "Checks this level; may be given several times "
                             "[all]",
                      .choices = {"0", "1", "2"}});
  AddOption(command, {.name = "--target-cpu",
                      .target = &options.target_cpus,
                      .doc = "Checks code for this processor, by LLVM's name; "
                             "may be given several times [this machine's]",
                      .value_name = "NAME"});
  AddOption(command, {.name = "--threads",
                      .target = &options.threads,
                      .doc = "Threads; 0 is one per core",
                      .value_name = "N",
                      .shows_default = true});
  AddOption(command, {.name = "--timeout",
                      .target = &options.timeout_s,
                      .doc = "Seconds after which a module counts as hanging",
                      .value_name = "SECONDS",
                      .check = &CheckPositive,
                      .shows_default = true});
}

IsolatedCheck CheckIsolated(const hlo::Module& module,
                            const CheckOptions& options) {
  const std::vector<fuzzing::CheckVariant> variants = VariantsOf(options);
  const fuzzing::IsolatedResult result = fuzzing::RunIsolated(
      [&] {
        const fuzzing::CheckResult check =
            fuzzing::CheckModule(module, options.seed, variants);
        return absl::StrCat(kMark, std::string(1, LetterOf(check.outcome)),
                            check.message);
      },
      options.timeout_s);
  if (result.timed_out) {
    return {
        .kind = FailureKind::kHang,
        .message = absl::StrCat("no result after ", options.timeout_s, " s")};
  }
  const size_t mark = result.text.rfind(kMark);
  const size_t answer = mark + sizeof(kMark) - 1;
  if (result.signal != 0 || mark == std::string::npos ||
      answer >= result.text.size()) {
    return {.kind = FailureKind::kCrash,
            .message = absl::StrCat("crash (signal ", result.signal, ") ",
                                    result.text)};
  }
  return {.kind = KindOf(result.text[answer]),
          .message = result.text.substr(answer + 1)};
}

std::string HeaderOf(const IsolatedCheck& check, const CheckOptions& options) {
  std::string command = absl::StrCat("hilo reduce FILE --seed=", options.seed);
  for (const std::string& level : options.optimization_levels) {
    absl::StrAppend(&command, " -O", level);
  }
  for (const std::string& target_cpu : options.target_cpus) {
    absl::StrAppend(&command, " --target-cpu=", target_cpu);
  }
  if (options.threads > 0) {
    absl::StrAppend(&command, " --threads=", options.threads);
  }
  return absl::StrCat("// ",
                      absl::StrReplaceAll(check.message, {{"\n", "\n// "}}),
                      "\n// ", command, "\n");
}

}  // namespace hilo::cli
