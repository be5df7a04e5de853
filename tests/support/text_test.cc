// Runs text tests: executes their commands and compares what comes out.
#include "tests/support/text_test.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include "tests/support/compare_arrays.h"
#include "tests/support/constants_as_parameters.h"
#include "tests/support/corpus.h"
#include "tests/support/paths.h"
#include "tests/support/subprocess.h"
#include "tests/support/text_test_file.h"

namespace hilo::tests {
namespace {

namespace fs = std::filesystem;

// A text test while it runs.
class TextTest {
 public:
  TextTest(fs::path path, fs::path root, TextTestOptions options)
      : path_(std::move(path)),
        root_(std::move(root)),
        options_(std::move(options)),
        text_(ReadFile(path_)),
        file_(ParseTextTest(text_)) {}

  std::vector<std::string> Run() {
    if (!file_.problems.empty()) return file_.problems;
    if (options_.constants_as_parameters) return RunParameterized();
    AddImpliedComparison();
    if (!options_.backend.empty()) return RunOnBackend();
    if (file_.commands.empty() && file_.comparisons.empty()) {
      return {"no RUN or COMPARE line, and no expected arrays beside it"};
    }
    // Golden blocks are replaced from the last on: they move those behind them.
    if (options_.update) std::ranges::reverse(file_.commands);
    for (const TextTestCommand& command : file_.commands) RunCommand(command);
    for (const ArrayComparison& comparison : file_.comparisons) {
      RunComparison(comparison);
    }
    return std::move(failures_);
  }

 private:
  std::vector<std::string> RunParameterized() {
    const absl::StatusOr<ParameterizedModule> module =
        TurnConstantsIntoParameters(text_);
    if (!module.ok()) return {std::string(module.status().message())};
    const fs::path rewritten = scratch_.path() / path_.filename();
    std::ofstream(rewritten, std::ios::binary) << module->text;
    for (const TextTestCommand& command : file_.commands) {
      if (!absl::StartsWith(command.arguments, "run")) continue;
      std::vector<std::string> words = CommandWords(command, rewritten);
      words.insert(words.end(), module->inputs.begin(), module->inputs.end());
      if (!options_.backend.empty()) {
        CompareBackends(words);
        continue;
      }
      CheckResult(command, RunHilo(words));
    }
    return std::move(failures_);
  }

  std::vector<std::string> RunOnBackend() {
    for (const TextTestCommand& command : file_.commands) {
      // Errors of reading and of usage are the same on all backends.
      if (!absl::StartsWith(command.arguments, "run") ||
          command.exit_status.value_or(0) != 0) {
        continue;
      }
      CompareBackends(CommandWords(command, RelativePath()));
    }
    for (const ArrayComparison& comparison : file_.comparisons) {
      RunComparison(comparison);
    }
    return std::move(failures_);
  }

  // Compares the backend's results with the evaluator's for the inputs of the
  // command `run`.
  void CompareBackends(const std::vector<std::string>& run) {
    std::vector<std::string> words = {
        "compare", absl::StrCat("--backend=", options_.backend)};
    AppendBackendOptions(words);
    for (size_t i = 1; i < run.size(); ++i) {
      const bool is_option = absl::StartsWith(run[i], "-");
      if (!is_option || absl::StartsWith(run[i], "--input") ||
          absl::StartsWith(run[i], "--seed") ||
          absl::StartsWith(run[i], "--elided-constants")) {
        words.push_back(run[i]);
      }
    }
    const ProcessResult result = RunHilo(words);
    if (result.timed_out) {
      failures_.push_back(
          absl::StrCat("timed out after ", options_.timeout_s, " s"));
    } else if (result.exit_status != 0) {
      failures_.push_back(absl::StrCat("hilo compare: exit status ",
                                       result.exit_status, "\n", result.output,
                                       result.error));
    }
  }

  void AppendBackendOptions(std::vector<std::string>& words) const {
    words.insert(words.end(), options_.backend_options.begin(),
                 options_.backend_options.end());
  }

  void AddImpliedComparison() {
    const fs::path arrays = fs::path(path_).replace_extension(".npz");
    if (!file_.commands.empty() || !file_.comparisons.empty()) return;
    if (!fs::exists(arrays)) return;
    file_.comparisons.push_back({.line = 0,
                                 .arrays_file = arrays.filename().string(),
                                 .tolerance = std::nullopt});
  }

  std::string RelativePath() const {
    return fs::relative(path_, root_).generic_string();
  }

  ProcessResult RunHilo(std::vector<std::string> command) const {
    command.insert(command.begin(), HiloBinary().string());
    return RunProcess(
        command, {.working_directory = root_, .timeout_s = options_.timeout_s});
  }

  // The words of the command on the module in `file`.
  std::vector<std::string> CommandWords(const TextTestCommand& command,
                                        const std::string& file) const {
    std::vector<std::string> words = SplitCommandLine(command.arguments);
    if (!absl::StrContains(command.arguments, "%s")) words.emplace_back("%s");
    // Other backends have their own tests: see RunOnBackend().
    const bool runs = words[0] == "run" || words[0] == "bench";
    if (runs && !absl::StrContains(command.arguments, "--backend")) {
      words.emplace_back("--backend=interpreter");
    }
    for (std::string& word : words) {
      word = absl::StrReplaceAll(
          word, {{"%s", file}, {"%t", scratch_.path().string()}});
    }
    return words;
  }

  void RunCommand(const TextTestCommand& command) {
    const ProcessResult result = RunHilo(CommandWords(command, RelativePath()));
    if (options_.update && UpdateGolden(command, result)) return;
    CheckResult(command, result);
  }

  void CheckResult(const TextTestCommand& command,
                   const ProcessResult& result) {
    std::vector<std::string> mismatches = FindMismatches(command, result);
    if (mismatches.empty()) return;
    for (std::string& mismatch : mismatches) {
      failures_.push_back(std::move(mismatch));
    }
    failures_.push_back(absl::StrCat("hilo ", command.arguments,
                                     "\n--- output\n", result.output,
                                     "--- error\n", result.error));
  }

  // True when nothing but the golden block differed and it was rewritten.
  bool UpdateGolden(TextTestCommand command, const ProcessResult& result) {
    if (!command.golden.has_value()) return false;
    const std::string updated =
        ReplaceGoldenBlock(text_, command, result.output);
    if (updated != text_) {
      std::ofstream(path_, std::ios::binary) << updated;
      text_ = updated;
    }
    command.golden.reset();
    return FindMismatches(command, result).empty();
  }

  void RunComparison(const ArrayComparison& comparison) {
    const fs::path arrays = path_.parent_path() / comparison.arrays_file;
    const fs::path results = scratch_.path() / "results.npz";
    std::vector<std::string> words = {
        "run",
        RelativePath(),
        absl::StrCat("--backend=", options_.backend.empty() ? "interpreter"
                                                            : options_.backend),
        "--inputs=generated",
        "--seed=0",
        absl::StrCat("--output=", results.string())};
    AppendBackendOptions(words);
    const ProcessResult result = RunHilo(std::move(words));
    if (result.timed_out) {
      failures_.push_back(
          absl::StrCat("timed out after ", options_.timeout_s, " s"));
      return;
    }
    if (result.exit_status != 0) {
      failures_.push_back(absl::StrCat("hilo run: exit status ",
                                       result.exit_status, "\n", result.error));
      return;
    }
    ArrayTolerance tolerance = ToleranceOf(path_.stem().string());
    if (comparison.tolerance.has_value())
      tolerance.error = comparison.tolerance;
    tolerance.has_bf16 = absl::StrContains(text_, "bf16[");
    for (std::string& difference :
         CompareArrayFiles(results, arrays, tolerance)) {
      failures_.push_back(std::move(difference));
    }
  }

  fs::path path_;
  fs::path root_;
  TextTestOptions options_;
  std::string text_;
  TextTestFile file_;
  TemporaryDirectory scratch_;
  std::vector<std::string> failures_;
};

}  // namespace

std::vector<std::string> RunTextTest(const fs::path& path, const fs::path& root,
                                     const TextTestOptions& options) {
  return TextTest(path, root, options).Run();
}

}  // namespace hilo::tests
