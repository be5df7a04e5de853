// hilo fuzz: random modules on every optimisation level against the evaluator.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "hlo/ir/module.h"
#include "hlo/text/printer.h"
#include "jit/cli/check_options.h"
#include "jit/cli/commands.h"
#include "jit/cli/console.h"
#include "jit/cli/exit_status.h"
#include "jit/cli/option_kinds.h"
#include "jit/cli/timing.h"
#include "jit/files.h"
#include "jit/fuzzing/module_check.h"
#include "jit/fuzzing/module_generator.h"

namespace hilo::cli {
namespace {

struct FuzzOptions {
  CheckOptions check;
  int64_t count = 1000;
  double time_limit_s = 0;
  std::string output = ".";
  bool prints_module = false;
};

class Fuzz {
 public:
  Fuzz(const FuzzOptions& options, Console& console)
      : options_(options), console_(console) {}

  int Run() {
    const auto start = std::chrono::steady_clock::now();
    const absl::Status status = fuzzing::WarmUp();
    if (!status.ok()) return console_.Fail(status);
    for (int64_t i = 0; i < options_.count; ++i) {
      if (options_.time_limit_s > 0 &&
          SecondsSince(start) > options_.time_limit_s) {
        break;
      }
      Check(options_.check.seed + static_cast<uint64_t>(i));
    }
    Summarize(SecondsSince(start));
    return failure_count_ == 0 ? kSuccess : kMismatch;
  }

 private:
  void Check(uint64_t seed) {
    ++module_count_;
    const absl::StatusOr<std::unique_ptr<hlo::Module>> module =
        fuzzing::GenerateModule(seed);
    if (!module.ok()) {
      ++failure_count_;
      console_.PrintError(absl::StrCat(
          "seed ", seed, ": the generator: ", module.status().message()));
      return;
    }
    CheckOptions options = options_.check;
    options.seed = seed;
    const IsolatedCheck check = CheckIsolated(**module, options);
    if (check.kind == FailureKind::kUnsupported) {
      ++unsupported_count_;
      ++unsupported_[FirstLine(check.message)];
    }
    if (!check.IsFailure()) return;
    ++failure_count_;
    const std::string path =
        absl::StrCat(options_.output, "/fuzz_", seed, ".hlo");
    const std::string text =
        absl::StrCat(HeaderOf(check, options), hlo::Print(**module));
    const absl::Status status = WriteFile(path, text);
    if (!status.ok()) console_.PrintError(status.message());
    console_.Print(absl::StrCat(path, ": ", FirstLine(check.message), "\n"));
    console_.Finish(kSuccess);
  }

  static std::string FirstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
  }

  void Summarize(double seconds) {
    for (const auto& [message, count] : unsupported_) {
      console_.Print(
          absl::StrFormat("not supported, %d times: %s\n", count, message));
    }
    console_.Print(absl::StrFormat(
        "%d modules in %.1f s: %d failed, %d not supported\n", module_count_,
        seconds, failure_count_, unsupported_count_));
  }

  const FuzzOptions& options_;
  Console& console_;
  int64_t module_count_ = 0;
  int64_t failure_count_ = 0;
  int64_t unsupported_count_ = 0;
  std::map<std::string, int64_t> unsupported_;
};

int PrintModule(uint64_t seed, Console& console) {
  const absl::StatusOr<std::unique_ptr<hlo::Module>> module =
      fuzzing::GenerateModule(seed);
  if (!module.ok()) return console.Fail(module.status());
  console.Print(hlo::Print(**module));
  return kSuccess;
}

}  // namespace

CommandAction DeclareFuzz(CLI::App& command) {
  // Shared by the parser, which fills it, and the action.
  auto options = std::make_shared<FuzzOptions>();
  AddOption(command, {.name = "--count",
                      .target = &options->count,
                      .doc = "How many modules, with seeds that count up",
                      .value_name = "N",
                      .check = &CheckPositive,
                      .shows_default = true});
  AddOption(command, {.name = "--time-limit",
                      .target = &options->time_limit_s,
                      .doc = "Ends after so many seconds; 0: never",
                      .value_name = "SECONDS",
                      .check = &CheckNotNegative,
                      .shows_default = true});
  AddOption(command, {.name = "--output,-o",
                      .target = &options->output,
                      .doc = "Where modules that fail are written",
                      .value_name = "DIRECTORY",
                      .shows_default = true});
  AddOption(command, {.name = "--print-module",
                      .target = &options->prints_module,
                      .doc = "Prints the module of --seed, and runs nothing"});
  AddCheckOptions(command, options->check);
  return [options](Console& console) {
    if (options->prints_module) {
      return PrintModule(options->check.seed, console);
    }
    std::error_code error;
    std::filesystem::create_directories(options->output, error);
    if (error) {
      return console.FailUsage(
          absl::StrCat("cannot make ", options->output, ": ", error.message()));
    }
    return Fuzz(*options, console).Run();
  };
}

}  // namespace hilo::cli
