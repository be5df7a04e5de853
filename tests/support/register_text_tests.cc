// Registers every text test and corpus module as a Catch2 test case.
#include "tests/support/register_text_tests.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "tests/support/constants_as_parameters.h"
#include "tests/support/corpus.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/subprocess.h"
#include "tests/support/text_test.h"
#include "tests/support/text_test_queue.h"

namespace hilo::tests {
namespace {

namespace fs = std::filesystem;

constexpr double kSlowTimeoutSeconds = 3600;
constexpr double kCorpusTimeoutSeconds = 300;

// A test case made of a function.
class FunctionInvoker : public Catch::ITestInvoker {
 public:
  explicit FunctionInvoker(std::function<void()> function)
      : function_(std::move(function)) {}

  void invoke() const override { function_(); }

 private:
  std::function<void()> function_;
};

void RegisterCase(const std::string& name, const std::string& tags,
                  std::function<void()> function) {
  Catch::getMutableRegistryHub().registerTest(
      Catch::makeTestCase(new FunctionInvoker(std::move(function)), "",
                          {name, tags}, CATCH_INTERNAL_LINEINFO));
}

void Register(const std::string& name, const std::string& tags,
              TextTestJob::Function function, TextTestQueue& queue) {
  const std::shared_ptr<TextTestJob> job = queue.Add(name, std::move(function));
  RegisterCase(name, tags, [job] {
    for (const std::string& failure : job->Failures()) FAIL_CHECK(failure);
    if (job->Failures().empty()) SUCCEED();
  });
}

// Checks that the module parses, verifies and survives printing.
std::vector<std::string> CheckText(const fs::path& path) {
  std::vector<std::string> failures;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"check"},
        std::vector<std::string>{"opt", "--verify-roundtrip"}}) {
    std::vector<std::string> command = {HiloBinary().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.push_back(path.string());
    const ProcessResult result =
        RunProcess(command, {.working_directory = path.parent_path(),
                             .timeout_s = kSlowTimeoutSeconds});
    if (result.exit_status == 0) continue;
    failures.push_back(absl::StrCat("hilo ", arguments[0], ": exit status ",
                                    result.exit_status, "\n", result.error));
  }
  return failures;
}

// Runs a module on the compiler: as users do, and, as slow tests, without
// optimisation and for older processors.
void RegisterCompiledRuns(const fs::path& path, const fs::path& root,
                          const std::string& name, TextTestOptions options,
                          TextTestQueue& queue) {
  struct Row {
    std::string suffix;
    std::vector<std::string> backend_options;
  };
  const bool is_slow = !SlowReason(path.stem().string()).empty();
  options.backend = "cpu";
  for (const Row& row :
       {Row{"cpu", {"-O2"}}, Row{"cpu -O0", {"-O0"}},
        Row{"cpu x86-64", {"-O2", "--target-cpu=x86-64"}},
        Row{"cpu x86-64-v3", {"-O2", "--target-cpu=x86-64-v3"}}}) {
    options.backend_options = row.backend_options;
    const bool row_is_slow = is_slow || row.suffix != "cpu";
    // Without optimisation jax.b380442861 sums a million numbers a million
    // times: eight minutes.
    if (row_is_slow) options.timeout_s = kSlowTimeoutSeconds;
    Register(
        absl::StrCat(name, ", ", row.suffix), row_is_slow ? "[.slow]" : "",
        [path, root, options] { return RunTextTest(path, root, options); },
        queue);
  }
}

// Checks that code is made for another kind of machine.
std::vector<std::string> CompileForArm(const fs::path& path) {
  const ProcessResult result = RunProcess(
      {HiloBinary().string(), "compile", "--target=aarch64-linux-gnu",
       path.string(), "--output=/dev/null"},
      {.working_directory = path.parent_path(),
       .timeout_s = kSlowTimeoutSeconds});
  if (result.exit_status == 0) return {};
  return {absl::StrCat("exit status ", result.exit_status, "\n", result.error)};
}

void RegisterModule(const fs::path& path, const fs::path& root,
                    const std::string& name, bool update,
                    TextTestQueue& queue) {
  const std::string stem = path.stem().string();
  const bool is_slow = !SlowReason(stem).empty();
  TextTestOptions options{.update = update};
  if (is_slow) {
    options.timeout_s = kSlowTimeoutSeconds;
  } else if (absl::StrContains(path.string(), "/corpus/")) {
    options.timeout_s = kCorpusTimeoutSeconds;
  }
  Register(
      name, is_slow ? "[.slow]" : "",
      [path, root, options] { return RunTextTest(path, root, options); },
      queue);
  // Only tests that run something have a second form; those of the command are
  // about something else.
  if (absl::StartsWith(name, "jit/")) return;
  const bool has_arrays = fs::exists(fs::path(path).replace_extension(".npz"));
  if (!has_arrays && !absl::StrContains(ReadFile(path), "RUN: run")) return;
  RegisterCompiledRuns(path, root, name, options, queue);
  if (absl::StrContains(path.string(), "/corpus/")) {
    Register(
        absl::StrCat(name, ", aarch64"), "[.slow]",
        [path] { return CompileForArm(path); }, queue);
  }
}

// The programs of bug reports run a second time with the constants of the entry
// computation as parameters: nothing can be folded then.
void RegisterParameterizedCase(const fs::path& path, const fs::path& root,
                               TextTestQueue& queue) {
  const absl::StatusOr<ParameterizedModule> module =
      TurnConstantsIntoParameters(ReadFile(path));
  // What cannot be parsed fails under the file's own name.
  if (!module.ok() || module->inputs.empty()) return;
  TextTestOptions options{.constants_as_parameters = true};
  const std::string name =
      absl::StrCat(fs::relative(path, root).generic_string(), ", parameters");
  Register(
      name, "",
      [path, root, options] { return RunTextTest(path, root, options); },
      queue);
  RegisterCompiledRuns(path, root, name, options, queue);
}

void RegisterCorpusModule(const fs::path& path, const fs::path& root,
                          TextTestQueue& queue) {
  const std::string name = fs::relative(path, root).generic_string();
  const bool has_arrays = fs::exists(fs::path(path).replace_extension(".npz"));
  if (has_arrays && TextOnlyReason(path.stem().string()).empty()) {
    RegisterModule(path, root, name, false, queue);
    return;
  }
  Register(name, "", [path] { return CheckText(path); }, queue);
}

void RegisterOutsideCorpora(TextTestQueue& queue) {
  const std::optional<fs::path> corpus = CorpusDirectory();
  if (!corpus.has_value()) {
    RegisterCase("outside corpora", "", [] {
      Skip("no survey and xla_cpu_benchmarks: set HILO_CORPUS");
      SUCCEED();
    });
    return;
  }
  for (const char* folder : {"survey", "xla_cpu_benchmarks"}) {
    for (const fs::path& path : FilesUnder(*corpus / folder, {".hlo"})) {
      RegisterCorpusModule(path, *corpus, queue);
    }
  }
}

}  // namespace

void RegisterTextTests(bool update, TextTestQueue& queue) {
  const fs::path tests = SourceDirectory() / "tests";
  for (const fs::path& path : FilesUnder(tests, {".hlo"})) {
    RegisterModule(path, tests, fs::relative(path, tests).generic_string(),
                   update, queue);
    if (path.parent_path() == tests / "cases") {
      RegisterParameterizedCase(path, tests, queue);
    }
  }
  const fs::path root = SourceDirectory();
  for (const fs::path& path : FilesUnder(root / "examples", {".hlo"})) {
    RegisterModule(path, root, fs::relative(path, root).generic_string(),
                   update, queue);
  }
  RegisterOutsideCorpora(queue);
}

}  // namespace hilo::tests
