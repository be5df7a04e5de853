// Tests of the text-test runner: wrong expectations must fail.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/subprocess.h"
#include "tests/support/text_test_file.h"

namespace hilo::tests {
namespace {

std::vector<std::string> MismatchesOf(const std::string& text,
                                      const ProcessResult& result) {
  const TextTestFile file = ParseTextTest(text);
  REQUIRE(file.problems.empty());
  REQUIRE(file.commands.size() == 1);
  return FindMismatches(file.commands[0], result);
}

ProcessResult Printed(int exit_status, const std::string& output,
                      const std::string& error) {
  return {.exit_status = exit_status,
          .timed_out = false,
          .output = output,
          .error = error};
}

TEST_CASE("text tests find what differs from their expectations") {
  struct Row {
    std::string expectations;
    bool matches;
  };
  const ProcessResult result =
      Printed(0, "alpha  one\nbeta\ngamma\nbeta\n", "");
  for (const Row& row : {
           Row{"", true},
           Row{"// CHECK: alpha one\n", true},
           Row{"// CHECK: alph\n// CHECK: gamma\n", true},
           Row{"// CHECK: gamma\n// CHECK: alpha\n", false},
           Row{"// CHECK: delta\n", false},
           Row{"// CHECK: gamma\n// CHECK: gamma\n", false},
           Row{"// CHECK: beta\n// CHECK: beta\n", true},
           Row{"// CHECK: alpha\n// CHECK-NEXT: beta\n", true},
           Row{"// CHECK: alpha\n// CHECK-NEXT: gamma\n", false},
           Row{"// CHECK: beta\n// CHECK: beta\n// CHECK-NEXT: x\n", false},
           Row{"// CHECK-NOT: delta\n", true},
           Row{"// CHECK-NOT: gamma\n", false},
           Row{"// CHECK-NOT: gamma\n// CHECK: beta\n", true},
           Row{"// CHECK: alpha\n// CHECK-NOT: beta\n// CHECK: gamma\n", false},
           Row{"// CHECK: gamma\n// CHECK-NOT: alpha\n", true},
           Row{"// ERROR: alpha\n", false},
           Row{"// EXIT: 1\n", false},
           Row{"// OUTPUT:\n// |alpha  one\n// |beta\n// |gamma\n// |beta\n",
               true},
           Row{"// OUTPUT:\n// |alpha one\n// |beta\n// |gamma\n// |beta\n",
               false},
           Row{"// OUTPUT:\n// |alpha  one\n", false},
       }) {
    CAPTURE(row.expectations);
    const std::string text = "// RUN: opt\n" + row.expectations + "HloModule m";
    CHECK(MismatchesOf(text, result).empty() == row.matches);
  }
}

TEST_CASE("text tests check errors and the exit status") {
  struct Row {
    int exit_status;
    std::string expectations;
    bool matches;
  };
  for (const Row& row : {
           Row{1, "// ERROR: a.hlo:1:2: error: no\n", true},
           Row{0, "// ERROR: a.hlo:1:2: error: no\n", false},
           Row{1, "// ERROR: yes\n", false},
           Row{1, "// ERROR: note\n// ERROR: error\n", false},
           Row{1, "// ERROR: error\n// ERROR: note\n", true},
           Row{1, "", false},
           Row{2, "// EXIT: 2\n// ERROR: error\n", true},
           Row{1, "// EXIT: 2\n// ERROR: error\n", false},
           Row{139, "// ERROR: error\n", false},
       }) {
    CAPTURE(row.exit_status, row.expectations);
    const std::string text =
        "// RUN: check\n" + row.expectations + "HloModule m";
    const ProcessResult result =
        Printed(row.exit_status, "", "a.hlo:1:2: error: no\nnote: why\n");
    CHECK(MismatchesOf(text, result).empty() == row.matches);
  }
}

TEST_CASE("a text test that timed out fails") {
  ProcessResult result = Printed(0, "", "");
  result.timed_out = true;
  CHECK_FALSE(MismatchesOf("// RUN: run\n", result).empty());
}

TEST_CASE("malformed directives of text tests are problems") {
  for (const std::string& text :
       {std::string("// CHECK: before any run\n"), std::string("// EXIT: 1\n"),
        std::string("// RUN: a\n// CHECK:\n"),
        std::string("// RUN: a\n// EXIT: one\n"),
        std::string("// RUN: a\n// OUTPUT:\n// OUTPUT:\n"),
        std::string("// COMPARE:\n"), std::string("// COMPARE: a.npz b\n")}) {
    CAPTURE(text);
    CHECK(ParseTextTest(text).problems.size() == 1);
  }
}

TEST_CASE("text tests have one set of expectations for each command") {
  const TextTestFile file = ParseTextTest(
      "// RUN: opt %s\n// CHECK: a\n// RUN: check\n// ERROR: b\n"
      "// COMPARE: c.npz 1e-3\n");
  REQUIRE(file.commands.size() == 2);
  CHECK(file.commands[0].arguments == "opt %s");
  CHECK(file.commands[0].checks.size() == 1);
  CHECK(file.commands[0].errors.empty());
  CHECK(file.commands[1].line == 3);
  CHECK(file.commands[1].errors.size() == 1);
  REQUIRE(file.comparisons.size() == 1);
  CHECK(file.comparisons[0].arrays_file == "c.npz");
  CHECK(file.comparisons[0].tolerance == 1e-3);
}

TEST_CASE("golden blocks are replaced in place") {
  const std::string text =
      "// RUN: opt\n// OUTPUT:\n// |old\n// |lines\n\nHloModule m\n";
  const TextTestFile file = ParseTextTest(text);
  REQUIRE(file.commands.size() == 1);
  CHECK(ReplaceGoldenBlock(text, file.commands[0], "new\n") ==
        "// RUN: opt\n// OUTPUT:\n// |new\n\nHloModule m\n");
  CHECK(ReplaceGoldenBlock(text, file.commands[0], "old\nlines\n") == text);
}

TEST_CASE("command lines are split at blanks outside quotes") {
  struct Row {
    std::string line;
    std::vector<std::string> words;
  };
  for (const Row& row : {
           Row{"run  %s", {"run", "%s"}},
           Row{"run '--input=0={1, 2}' b", {"run", "--input=0={1, 2}", "b"}},
           Row{"--input=0=\"{1, 2}\"", {"--input=0={1, 2}"}},
           Row{"a ''", {"a", ""}},
           Row{"  ", {}},
       }) {
    CAPTURE(row.line);
    CHECK(SplitCommandLine(row.line) == row.words);
  }
}

TEST_CASE("programs are run with their output, errors and exit status") {
  const ProcessResult result = RunProcess(
      {"sh", "-c", "echo out; echo err >&2; exit 3"}, {.timeout_s = 10});
  CHECK(result.exit_status == 3);
  CHECK_FALSE(result.timed_out);
  CHECK(result.output == "out\n");
  CHECK(result.error == "err\n");
  CHECK(RunProcess({"sleep", "10"}, {.timeout_s = 0.05}).timed_out);
  CHECK(RunProcess({"sh", "-c", "kill -9 $$"}, {}).exit_status == 137);
  CHECK(RunProcess({"/no/such/program"}, {}).exit_status == -1);
}

}  // namespace
}  // namespace hilo::tests
