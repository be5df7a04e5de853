// Tests that results are the same bits whatever the threads and the run.
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "hlo/ir/literal.h"
#include "jit/client.h"
#include "jit/executable.h"
#include "jit/generated_inputs.h"
#include "tests/support/corpus.h"
#include "tests/support/paths.h"

namespace hilo::tests {
namespace {

// The results of two runs, one after the other.
std::vector<hlo::Literal> RunTwice(const std::string& text, int64_t threads) {
  const auto client =
      Client::Create({.backend = "cpu", .threads = threads}).value();
  const auto executable = client->Compile(text).value();
  const InputSettingsByLeaf settings = ReadInputSettings(text).value();
  std::vector<hlo::Literal> inputs;
  int64_t leaf = 0;
  for (const backends::ArrayLeaf& argument : executable->argument_leaves()) {
    const auto found = settings.find(leaf);
    inputs.push_back(GenerateInput(
        argument.shape, leaf, 0,
        found == settings.end() ? InputSettings{} : found->second));
    ++leaf;
  }
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

void CheckModule(const std::filesystem::path& path) {
  const std::string text = ReadFile(path);
  const std::vector<hlo::Literal> first = RunTwice(text, 1);
  const size_t count = first.size() / 2;
  for (const int64_t threads : {2, 4}) {
    CAPTURE(threads);
    const std::vector<hlo::Literal> other = RunTwice(text, threads);
    REQUIRE(other.size() == first.size());
    for (size_t i = 0; i < other.size(); ++i) {
      CAPTURE(i);
      CHECK(HaveSameBits(other[i], first[i % count]));
    }
  }
}

TEST_CASE("corpus results do not depend on threads", "[.slow]") {
  for (const std::filesystem::path& path :
       FilesUnder(SourceDirectory() / "tests" / "corpus" / "jax", {".hlo"})) {
    const std::string stem = path.stem().string();
    if (!SlowReason(stem).empty() || !TextOnlyReason(stem).empty()) continue;
    CAPTURE(stem);
    CheckModule(path);
  }
}

}  // namespace
}  // namespace hilo::tests
