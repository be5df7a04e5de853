// Text tests as data: the commands and expectations in a file's comments.
#include "tests/support/text_test_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "tests/support/subprocess.h"

namespace hilo::tests {
namespace {

using Kind = Expectation::Kind;

constexpr absl::string_view kGoldenPrefix = "// |";

// What a directive's name stands for.
enum class Directive : uint8_t {
  kRun,
  kCompare,
  kCheck,
  kCheckNext,
  kCheckNot,
  kError,
  kExit,
  kOutput,
};

struct DirectiveRow {
  absl::string_view name;
  Directive directive;
};

constexpr std::array<DirectiveRow, 8> kDirectives = {{
    {"RUN", Directive::kRun},
    {"COMPARE", Directive::kCompare},
    {"CHECK", Directive::kCheck},
    {"CHECK-NEXT", Directive::kCheckNext},
    {"CHECK-NOT", Directive::kCheckNot},
    {"ERROR", Directive::kError},
    {"EXIT", Directive::kExit},
    {"OUTPUT", Directive::kOutput},
}};

// A directive found on a line, and the text after its colon.
struct DirectiveLine {
  Directive directive;
  std::string text;
};

std::optional<DirectiveLine> FindDirective(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "// ")) return std::nullopt;
  for (const DirectiveRow& row : kDirectives) {
    absl::string_view rest = line;
    if (absl::ConsumePrefix(&rest, row.name) &&
        absl::ConsumePrefix(&rest, ":")) {
      return DirectiveLine{
          .directive = row.directive,
          .text = std::string(absl::StripAsciiWhitespace(rest))};
    }
  }
  return std::nullopt;
}

// Collects a file's directives line by line.
class TextTestReader {
 public:
  explicit TextTestReader(const std::string& text) : lines_(SplitLines(text)) {}

  TextTestFile Read() {
    for (size_t i = 0; i < lines_.size(); ++i) {
      line_ = static_cast<int>(i) + 1;
      const std::optional<DirectiveLine> found = FindDirective(lines_[i]);
      if (found.has_value()) Add(*found);
    }
    return std::move(file_);
  }

 private:
  void Add(const DirectiveLine& found) {
    if (found.directive == Directive::kRun) {
      file_.commands.push_back({.line = line_,
                                .arguments = found.text,
                                .checks = {},
                                .errors = {},
                                .exit_status = std::nullopt,
                                .golden = std::nullopt});
      return;
    }
    if (found.directive == Directive::kCompare) {
      AddComparison(found.text);
      return;
    }
    if (file_.commands.empty()) {
      Problem("an expectation before the first RUN");
      return;
    }
    AddExpectation(found, file_.commands.back());
  }

  void AddExpectation(const DirectiveLine& found, TextTestCommand& command) {
    const bool has_text = found.directive != Directive::kOutput;
    if (has_text && found.text.empty()) {
      Problem("an empty expectation matches everything");
      return;
    }
    switch (found.directive) {
      case Directive::kRun:
      case Directive::kCompare:
        return;
      case Directive::kCheck:
        AddCheck(Kind::kSomeLineBelow, found.text, command);
        return;
      case Directive::kCheckNext:
        AddCheck(Kind::kNextLine, found.text, command);
        return;
      case Directive::kCheckNot:
        AddCheck(Kind::kNoLineBelow, found.text, command);
        return;
      case Directive::kError:
        command.errors.push_back(
            {.kind = Kind::kSomeLineBelow, .line = line_, .text = found.text});
        return;
      case Directive::kExit:
        AddExitStatus(found.text, command);
        return;
      case Directive::kOutput:
        AddGoldenBlock(command);
        return;
    }
  }

  void AddCheck(Kind kind, const std::string& text, TextTestCommand& command) {
    command.checks.push_back({.kind = kind, .line = line_, .text = text});
  }

  void AddExitStatus(const std::string& text, TextTestCommand& command) {
    int status = 0;
    if (!absl::SimpleAtoi(text, &status)) {
      Problem("EXIT needs a number");
      return;
    }
    command.exit_status = status;
  }

  void AddGoldenBlock(TextTestCommand& command) {
    if (command.golden.has_value()) {
      Problem("a second OUTPUT for one RUN");
      return;
    }
    GoldenBlock block{.line = line_, .lines = {}};
    for (auto i = static_cast<size_t>(line_); i < lines_.size(); ++i) {
      absl::string_view line = lines_[i];
      if (!absl::ConsumePrefix(&line, kGoldenPrefix)) break;
      block.lines.emplace_back(line);
    }
    command.golden = std::move(block);
  }

  void AddComparison(const std::string& text) {
    const std::vector<std::string> words = SplitCommandLine(text);
    ArrayComparison comparison{
        .line = line_, .arrays_file = "", .tolerance = std::nullopt};
    double tolerance = 0;
    const bool has_tolerance = words.size() == 2;
    if (words.empty() || words.size() > 2 ||
        (has_tolerance && !absl::SimpleAtod(words[1], &tolerance))) {
      Problem("COMPARE needs a file and perhaps a tolerance");
      return;
    }
    comparison.arrays_file = words[0];
    if (has_tolerance) comparison.tolerance = tolerance;
    file_.comparisons.push_back(std::move(comparison));
  }

  void Problem(absl::string_view problem) {
    file_.problems.push_back(absl::StrCat("line ", line_, ": ", problem));
  }

  std::vector<std::string> lines_;
  int line_ = 0;
  TextTestFile file_;
};

// `line` without blanks at its ends and with single blanks inside.
std::string CollapseBlanks(absl::string_view line) {
  std::string collapsed(line);
  absl::RemoveExtraAsciiWhitespace(&collapsed);
  return collapsed;
}

std::vector<std::string> CollapsedLines(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string& line : SplitLines(text)) {
    lines.push_back(CollapseBlanks(line));
  }
  return lines;
}

// The index of the first line from `begin` (below `end`) with `text`, or `end`.
size_t FindLine(const std::vector<std::string>& lines, size_t begin, size_t end,
                const std::string& text) {
  for (size_t i = begin; i < end; ++i) {
    if (absl::StrContains(lines[i], text)) return i;
  }
  return end;
}

// Matches expectations in order against the lines of one stream.
class LineMatcher {
 public:
  LineMatcher(absl::string_view directive, const std::string& text)
      : directive_(directive), lines_(CollapsedLines(text)) {}

  std::vector<std::string> Match(const std::vector<Expectation>& expected) {
    for (const Expectation& expectation : expected) {
      const std::string text = CollapseBlanks(expectation.text);
      switch (expectation.kind) {
        case Kind::kSomeLineBelow:
          MatchSomeLine(expectation, text);
          break;
        case Kind::kNextLine:
          MatchNextLine(expectation, text);
          break;
        case Kind::kNoLineBelow:
          forbidden_.push_back(&expectation);
          break;
      }
    }
    RejectForbidden(lines_.size());
    return std::move(mismatches_);
  }

 private:
  void MatchSomeLine(const Expectation& expectation, const std::string& text) {
    const size_t found = FindLine(lines_, next_, lines_.size(), text);
    if (found == lines_.size()) {
      Mismatch(expectation, "not found below line ", next_);
      return;
    }
    RejectForbidden(found);
    next_ = found + 1;
  }

  void MatchNextLine(const Expectation& expectation, const std::string& text) {
    if (next_ >= lines_.size() || !absl::StrContains(lines_[next_], text)) {
      Mismatch(expectation, "not on line ", next_ + 1);
      return;
    }
    RejectForbidden(next_);
    ++next_;
  }

  // No forbidden text may stand between the last match and line `end`.
  void RejectForbidden(size_t end) {
    for (const Expectation* expectation : forbidden_) {
      const std::string text = CollapseBlanks(expectation->text);
      const size_t found = FindLine(lines_, next_, end, text);
      if (found != end) Mismatch(*expectation, "found on line ", found + 1);
    }
    forbidden_.clear();
  }

  void Mismatch(const Expectation& expectation, absl::string_view what,
                size_t line) {
    mismatches_.push_back(absl::StrCat("line ", expectation.line, ": ",
                                       directive_, " '", expectation.text,
                                       "': ", what, line));
  }

  absl::string_view directive_;
  std::vector<std::string> lines_;
  size_t next_ = 0;
  std::vector<const Expectation*> forbidden_;
  std::vector<std::string> mismatches_;
};

// The first difference between the golden lines and the output, if any.
std::optional<std::string> CompareGolden(const GoldenBlock& golden,
                                         const std::string& output) {
  const std::vector<std::string> got = SplitLines(output);
  for (size_t i = 0; i < std::max(got.size(), golden.lines.size()); ++i) {
    const bool both = i < got.size() && i < golden.lines.size();
    if (both && got[i] == golden.lines[i]) continue;
    return absl::StrCat("line ", golden.line, ": OUTPUT differs at its line ",
                        i + 1, " (accept with --update)\n  expected: ",
                        i < golden.lines.size() ? golden.lines[i] : "nothing",
                        "\n  got:      ", i < got.size() ? got[i] : "nothing");
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

TextTestFile ParseTextTest(const std::string& text) {
  return TextTestReader(text).Read();
}

std::vector<std::string> FindMismatches(const TextTestCommand& command,
                                        const ProcessResult& result) {
  std::vector<std::string> mismatches;
  if (result.timed_out) {
    mismatches.push_back(absl::StrCat("line ", command.line, ": timed out"));
    return mismatches;
  }
  const int expected =
      command.exit_status.value_or(command.errors.empty() ? 0 : 1);
  if (result.exit_status != expected) {
    mismatches.push_back(absl::StrCat("line ", command.line, ": exit status ",
                                      result.exit_status, ", expected ",
                                      expected));
  }
  for (std::string& mismatch :
       LineMatcher("ERROR", result.error).Match(command.errors)) {
    mismatches.push_back(std::move(mismatch));
  }
  for (std::string& mismatch :
       LineMatcher("CHECK", result.output).Match(command.checks)) {
    mismatches.push_back(std::move(mismatch));
  }
  if (command.golden.has_value()) {
    std::optional<std::string> difference =
        CompareGolden(*command.golden, result.output);
    if (difference.has_value()) mismatches.push_back(*std::move(difference));
  }
  return mismatches;
}

std::string ReplaceGoldenBlock(const std::string& text,
                               const TextTestCommand& command,
                               const std::string& output) {
  if (!command.golden.has_value()) return text;
  const std::vector<std::string> lines = SplitLines(text);
  const auto begin = static_cast<size_t>(command.golden->line);
  const size_t end = begin + command.golden->lines.size();
  std::string updated;
  for (size_t i = 0; i < begin; ++i) absl::StrAppend(&updated, lines[i], "\n");
  for (const std::string& line : SplitLines(output)) {
    absl::StrAppend(&updated, kGoldenPrefix, line, "\n");
  }
  for (size_t i = end; i < lines.size(); ++i) {
    absl::StrAppend(&updated, lines[i], "\n");
  }
  return updated;
}

}  // namespace hilo::tests
