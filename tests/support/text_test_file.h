// Text tests as data: the commands and expectations in a file's comments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/support/subprocess.h"

namespace hilo::tests {

// A text expected in a command's output; `line` is its 1-based place.
struct Expectation {
  enum class Kind { kSomeLineBelow, kNextLine, kNoLineBelow };

  Kind kind = Kind::kSomeLineBelow;
  int line = 0;
  std::string text;
};

// The exact output of a command: `// OUTPUT:` and the `// |…` lines below it.
struct GoldenBlock {
  // The 1-based line of `// OUTPUT:`.
  int line = 0;
  std::vector<std::string> lines;
};

// One `// RUN:` line and the expectations that follow it.
struct TextTestCommand {
  int line = 0;
  std::string arguments;
  std::vector<Expectation> checks;
  std::vector<Expectation> errors;
  std::optional<int> exit_status;
  std::optional<GoldenBlock> golden;
};

// A `// COMPARE:` line: results of the module against stored arrays.
struct ArrayComparison {
  int line = 0;
  std::string arrays_file;
  std::optional<double> tolerance;
};

// All that a text test asks for. `problems` lists malformed directives.
struct TextTestFile {
  std::vector<TextTestCommand> commands;
  std::vector<ArrayComparison> comparisons;
  std::vector<std::string> problems;
};

// Reads the directives of a text test.
TextTestFile ParseTextTest(const std::string& text);

// What in `result` differs from what `command` expects; empty if nothing.
std::vector<std::string> FindMismatches(const TextTestCommand& command,
                                        const ProcessResult& result);

// `text` with the lines of `command`'s golden block replaced by `output`.
// Golden blocks below it move; replace the last one first.
std::string ReplaceGoldenBlock(const std::string& text,
                               const TextTestCommand& command,
                               const std::string& output);

// The lines of `text`; a line end at the very end adds no line.
std::vector<std::string> SplitLines(const std::string& text);

}  // namespace hilo::tests
