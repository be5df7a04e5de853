// Tests that every directory includes only from those below it.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include <catch2/catch.hpp>

#include "tests/support/paths.h"
#include "tests/support/text_test_file.h"

namespace hilo::tests {
namespace {

namespace fs = std::filesystem;

// What the files of a directory may include. A file belongs to the first row
// whose directory holds it.
struct DirectoryRow {
  std::string directory;
  std::vector<std::string> may_include;
};

const std::vector<DirectoryRow>& DirectoryOrder() {
  static const std::vector<DirectoryRow> rows = {
      {"runtime/base/", {"runtime/base/"}},
      {"runtime/", {"runtime/"}},
      {"hlo/", {"runtime/base/", "hlo/"}},
      {"passes/", {"runtime/base/", "hlo/", "passes/"}},
      {"backends/", {"runtime/", "hlo/", "passes/", "backends/"}},
      {"jit/", {"runtime/", "hlo/", "passes/", "backends/", "jit/"}},
      {"tests/",
       {"runtime/", "hlo/", "passes/", "backends/", "jit/", "tests/"}},
      {"benchmarks/",
       {"runtime/", "hlo/", "passes/", "backends/", "jit/", "benchmarks/"}},
  };
  return rows;
}

// Headers of other projects that only some directories may know.
struct RestrictedHeader {
  std::string prefix;
  std::vector<std::string> only_in;
};

const std::vector<RestrictedHeader>& RestrictedHeaders() {
  static const std::vector<RestrictedHeader> rows = {
      {"llvm/", {"backends/", "tests/backends/", "benchmarks/"}},
      {"google/protobuf/", {"hlo/proto/"}},
      {"cuda", {"runtime/cuda/"}},
  };
  return rows;
}

bool StartsWithAny(const std::string& text,
                   const std::vector<std::string>& prefixes) {
  return std::ranges::any_of(prefixes, [&](const std::string& prefix) {
    return absl::StartsWith(text, prefix);
  });
}

bool IsOurs(const std::string& header) {
  return std::ranges::any_of(DirectoryOrder(), [&](const DirectoryRow& row) {
    return absl::StartsWith(header, row.directory);
  });
}

// The row of the directory that holds `file`; null when none does.
const DirectoryRow* RowOf(const std::string& file) {
  for (const DirectoryRow& row : DirectoryOrder()) {
    if (absl::StartsWith(file, row.directory)) return &row;
  }
  return nullptr;
}

// The header that an #include line names; empty for other lines.
std::string IncludedHeader(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "#include ")) return "";
  const size_t end = line.find_first_of("\">", 1);
  if (line.empty() || end == absl::string_view::npos) return "";
  return std::string(line.substr(1, end - 1));
}

// Why `file` may not include `header`; empty when it may.
std::string Objection(const std::string& file, const std::string& header) {
  const DirectoryRow* row = RowOf(file);
  if (row != nullptr && IsOurs(header) &&
      !StartsWithAny(header, row->may_include)) {
    return absl::StrCat(file, " includes ", header, " against the order");
  }
  for (const RestrictedHeader& restricted : RestrictedHeaders()) {
    if (absl::StartsWith(header, restricted.prefix) &&
        !StartsWithAny(file, restricted.only_in)) {
      return absl::StrCat(file, " includes ", header, ", known only to ",
                          restricted.only_in[0]);
    }
  }
  return "";
}

TEST_CASE("the include order knows what is forbidden") {
  struct Row {
    std::string file;
    std::string header;
    bool is_allowed;
  };
  for (const Row& row : {
           Row{"hlo/ir/shape.h", "runtime/base/status.h", true},
           Row{"hlo/ir/shape.h", "runtime/thread_pool.h", false},
           Row{"runtime/base/status.h", "runtime/device.h", false},
           Row{"runtime/device.h", "hlo/ir/shape.h", false},
           Row{"passes/runner.cc", "backends/plan/plan.h", false},
           Row{"backends/plan/plan.h", "passes/target_traits.h", true},
           Row{"jit/client.cc", "tests/support/paths.h", false},
           Row{"passes/runner.cc", "llvm/IR/IRBuilder.h", false},
           Row{"hlo/ir/shape.h", "absl/strings/string_view.h", true},
       }) {
    CAPTURE(row.file, row.header);
    CHECK(Objection(row.file, row.header).empty() == row.is_allowed);
  }
}

TEST_CASE("sources include only from directories below their own") {
  const fs::path root = SourceDirectory();
  int include_count = 0;
  for (const fs::path& path : FilesUnder(root, {".h", ".cc", ".def"})) {
    const std::string file = fs::relative(path, root).generic_string();
    for (const std::string& line : SplitLines(ReadFile(path))) {
      const std::string header = IncludedHeader(line);
      if (header.empty()) continue;
      ++include_count;
      const std::string objection = Objection(file, header);
      if (!objection.empty()) FAIL_CHECK(objection);
    }
  }
  CHECK(include_count > 0);
}

}  // namespace
}  // namespace hilo::tests
