// Tests of the sources as files: their sizes, first lines and READMEs.
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include <catch2/catch.hpp>

#include "tests/support/paths.h"
#include "tests/support/text_test_file.h"

namespace hilo::tests {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxLineCount = 800;

// The directories of the top level that hold parts of the project.
const std::vector<std::string>& TopDirectories() {
  static const std::vector<std::string> directories = {
      "backends", "benchmarks", "hlo", "jit", "passes", "runtime", "tests"};
  return directories;
}

std::vector<fs::path> Sources() {
  std::vector<fs::path> sources;
  for (const std::string& directory : TopDirectories()) {
    for (fs::path& path :
         FilesUnder(SourceDirectory() / directory, {".h", ".cc", ".def"})) {
      sources.push_back(std::move(path));
    }
  }
  return sources;
}

TEST_CASE("no source file exceeds 800 lines") {
  REQUIRE_FALSE(Sources().empty());
  for (const fs::path& path : Sources()) {
    CAPTURE(path.string());
    CHECK(SplitLines(ReadFile(path)).size() <= kMaxLineCount);
  }
}

TEST_CASE("the first line of each source file says what it holds") {
  for (const fs::path& path : Sources()) {
    CAPTURE(path.string());
    const bool starts_with_comment = absl::StartsWith(ReadFile(path), "// ");
    CHECK(starts_with_comment);
  }
}

TEST_CASE("every directory of the top level has a README in the fixed form") {
  for (const std::string& directory : TopDirectories()) {
    CAPTURE(directory);
    const std::string readme =
        ReadFile(SourceDirectory() / directory / "README.md");
    for (const char* part : {"**Purpose.**", "**Takes.**", "**Returns.**",
                             "**Files.**", "**To add", "## Decisions"}) {
      CAPTURE(part);
      const bool has_part = absl::StrContains(readme, part);
      CHECK(has_part);
    }
  }
}

TEST_CASE("the README of the project stays within 150 lines") {
  const std::string readme = ReadFile(SourceDirectory() / "README.md");
  CHECK_FALSE(readme.empty());
  CHECK(SplitLines(readme).size() <= 150);
}

}  // namespace
}  // namespace hilo::tests
