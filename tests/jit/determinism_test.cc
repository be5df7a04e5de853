// Tests that results are the same bits whatever the threads, the run, the
// process, and whether code comes from the cache on disk.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "backends/program_signature.h"
#include "hlo/ir/literal.h"
#include "jit/client.h"
#include "jit/executable.h"
#include "jit/generated_inputs.h"
#include "tests/support/corpus.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"
#include "tests/support/subprocess.h"

namespace hilo::tests {
namespace {

namespace fs = std::filesystem;

std::vector<hlo::Literal> InputsOf(const Executable& executable,
                                   const std::string& text) {
  const InputSettingsByLeaf settings = ReadInputSettings(text).value();
  std::vector<hlo::Literal> inputs;
  int64_t leaf = 0;
  for (const backends::ArrayLeaf& argument : executable.argument_leaves()) {
    const auto found = settings.find(leaf);
    inputs.push_back(GenerateInput(
        argument.shape, leaf, 0,
        found == settings.end() ? InputSettings{} : found->second));
    ++leaf;
  }
  return inputs;
}

// The results of two runs, one after the other.
std::vector<hlo::Literal> RunTwice(const std::string& text,
                                   const Client& client) {
  const auto executable = client.Compile(text).value();
  const std::vector<hlo::Literal> inputs = InputsOf(*executable, text);
  std::vector<hlo::Literal> results = executable->RunLiterals(inputs).value();
  const std::vector<hlo::Literal> again =
      executable->RunLiterals(inputs).value();
  results.insert(results.end(), again.begin(), again.end());
  return results;
}

bool HaveSameBits(const hlo::Literal& a, const hlo::Literal& b) {
  return a.size_bytes() == b.size_bytes() &&
         std::memcmp(a.untyped_data(), b.untyped_data(),
                     static_cast<size_t>(a.size_bytes())) == 0;
}

// Whether a module leaves its results to chance or lasts too long.
bool IsSkipped(const fs::path& path) {
  const std::string stem = path.stem().string();
  return !SlowReason(stem).empty() || !TextOnlyReason(stem).empty();
}

// One thread compiles and fills the cache, two take code from there, four
// compile again.
void CheckThreadsAndCache(const std::string& text) {
  const TemporaryDirectory cache;
  std::vector<hlo::Literal> first;
  for (const int64_t threads : {1, 2, 4}) {
    CAPTURE(threads);
    const bool has_cache = threads < 4;
    const auto client =
        Client::Create(
            {.backend = "cpu",
             .threads = threads,
             .cache_directory = has_cache ? cache.path().string() : ""})
            .value();
    const std::vector<hlo::Literal> results = RunTwice(text, *client);
    if (first.empty()) first = results;
    if (threads == 2) CHECK(client->cache_statistics().stored == 0);
    REQUIRE(results.size() == first.size());
    const size_t count = first.size() / 2;
    for (size_t i = 0; i < results.size(); ++i) {
      CAPTURE(i);
      CHECK(HaveSameBits(results[i], first[i % count]));
    }
  }
}

// The file that a process of its own writes.
std::string ResultsOfProcess(const fs::path& module, const fs::path& directory,
                             const std::vector<std::string>& options) {
  const fs::path output = directory / "results.npz";
  fs::remove(output);
  std::vector<std::string> command = {
      HiloBinary().string(), "run", module.string(),
      absl::StrCat("--output=", output.string())};
  command.insert(command.end(), options.begin(), options.end());
  const ProcessResult result = RunProcess(command, {.timeout_s = 600});
  CAPTURE(result.error);
  CHECK(result.exit_status == 0);
  return ReadFile(output);
}

void CheckProcesses(const fs::path& path) {
  const TemporaryDirectory directory;
  const std::string cache =
      absl::StrCat("--cache-dir=", (directory.path() / "cache").string());
  const std::string first =
      ResultsOfProcess(path, directory.path(), {"--threads=1", cache});
  CHECK_FALSE(first.empty());
  CHECK(ResultsOfProcess(path, directory.path(), {"--threads=2", cache}) ==
        first);
  CHECK(ResultsOfProcess(path, directory.path(), {"--threads=4"}) == first);
}

std::vector<fs::path> CorpusModules() {
  std::vector<fs::path> modules;
  for (const char* name : {"jax", "survey", "xla_cpu_benchmarks"}) {
    for (const fs::path& path :
         FilesUnder(*CorpusDirectory() / name, {".hlo"})) {
      if (!IsSkipped(path)) modules.push_back(path);
    }
  }
  return modules;
}

TEST_CASE("results depend neither on threads nor on cached code") {
  for (const char* name : {"attention_gradient", "cnn_train_step", "layer_norm",
                           "gathers", "sorts"}) {
    const fs::path path = SourceDirectory() / "tests" / "corpus" / "jax" /
                          absl::StrCat(name, ".hlo");
    CAPTURE(name);
    CheckThreadsAndCache(ReadFile(path));
  }
}

TEST_CASE("results do not depend on the process") {
  CheckProcesses(SourceDirectory() / "tests" / "corpus" / "jax" /
                 "attention_gradient.hlo");
}

TEST_CASE("corpus results depend neither on threads nor on cached code",
          "[.slow]") {
  if (!CorpusDirectory()) return Skip("there is no corpus");
  for (const fs::path& path : CorpusModules()) {
    CAPTURE(path.string());
    CheckThreadsAndCache(ReadFile(path));
  }
}

TEST_CASE("corpus results do not depend on the process", "[.slow]") {
  if (!CorpusDirectory()) return Skip("there is no corpus");
  for (const fs::path& path : CorpusModules()) {
    CAPTURE(path.string());
    CheckProcesses(path);
  }
}

}  // namespace
}  // namespace hilo::tests
