// Tests of how diagnostics are rendered.
#include "runtime/base/diagnostic.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "runtime/base/source.h"

namespace hilo {
namespace {

std::string RenderAt(absl::string_view text, int64_t offset) {
  const Source source("f", std::string(text));
  Diagnostics diagnostics;
  diagnostics.Error(offset, "wrong");
  return diagnostics.Render(source);
}

TEST_CASE("carets stand under the character, tabs and UTF-8 counted") {
  struct Row {
    absl::string_view text;
    int64_t offset;
    absl::string_view rendered;
  };
  const auto rows = std::to_array<Row>({
      {"abc", 1, "f:1:2: error: wrong\nabc\n ^\n"},
      {"a\nbc\n", 3, "f:2:2: error: wrong\nbc\n ^\n"},
      {"\tx", 1, "f:1:2: error: wrong\n\tx\n\t^\n"},
      {"\xc3\xa9x", 2, "f:1:3: error: wrong\n\xc3\xa9x\n ^\n"},
      {"\xffx", 1, "f:1:2: error: wrong\n?x\n ^\n"},
      {"\xe2\x82", 0, "f:1:1: error: wrong\n??\n^\n"},
      {"a\x01x", 2, "f:1:3: error: wrong\na?x\n  ^\n"},
      {"ab", 2, "f:1:3: error: wrong\nab\n  ^\n"},
      {"", 0, "f:1:1: error: wrong\n\n^\n"},
  });
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(RenderAt(row.text, row.offset) == row.rendered);
  }
}

TEST_CASE("long lines are cut around the caret") {
  const std::string text(10000, 'x');
  CHECK(RenderAt(text, 5000).size() < 300);
}

TEST_CASE("diagnostics beyond the limit are counted, not kept") {
  const Source source("f", "x");
  Diagnostics diagnostics;
  for (int i = 0; i < 150; ++i) diagnostics.Error(0, "wrong");
  CHECK(diagnostics.list().size() == Diagnostics::kMaxDiagnostics);
  CHECK(diagnostics.error_count() == 150);
  CHECK(diagnostics.Render(source).find("50 more") != std::string::npos);
}

TEST_CASE("near names are suggested, far ones are not") {
  const std::vector<absl::string_view> names = {"add", "and", "multiply"};
  CHECK(SuggestNearest("ad", names) == "did you mean 'add' or 'and'?");
  CHECK(SuggestNearest("multipyl", names) == "did you mean 'multiply'?");
  CHECK(SuggestNearest("qqqqqq", names).empty());
  CHECK(SuggestNearest("", names).empty());
}

}  // namespace
}  // namespace hilo
