// Runs text tests: executes their commands and compares what comes out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hilo::tests {

// How to run text tests.
struct TextTestOptions {
  // Rewrites the golden blocks that differ, instead of failing.
  bool update = false;
  double timeout_s = 60;
  // Runs only the `run` commands, on the module with the constants of its entry
  // computation as parameters of the same values.
  bool constants_as_parameters = false;
  // Another backend than the interpreter: its results for the inputs of `run`
  // commands must be those of the evaluator (hilo compare), and expected arrays
  // are compared with what it computes.
  std::string backend = {};
  // What the backend is told besides: "--target-cpu=x86-64".
  std::vector<std::string> backend_options = {};
};

// Runs the text test in `path` and returns what failed; empty if nothing.
//
// Commands run in `root` and see the file by its path relative to it, so that
// diagnostics in golden blocks do not depend on the place of the checkout.
// In a command, %s is the file and %t a directory for its own files. A file
// without a command must have its expected arrays beside it in NAME.npz.
std::vector<std::string> RunTextTest(const std::filesystem::path& path,
                                     const std::filesystem::path& root,
                                     const TextTestOptions& options);

}  // namespace hilo::tests
