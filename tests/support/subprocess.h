// Runs a program and collects what it prints.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hilo::tests {

// What a program printed and how it ended.
struct ProcessResult {
  // The exit status; 128 + signal when a signal ended it; -1 when it could
  // not be started, with the reason in `error`.
  int exit_status = -1;
  bool timed_out = false;
  std::string output;
  std::string error;
};

// How to run a program.
struct ProcessOptions {
  std::filesystem::path working_directory = ".";
  double timeout_s = 60;
};

// Runs `command` (the program's path first, looked up in $PATH when it holds
// no slash) with an empty standard input, and waits for its end. A program
// that runs longer than the timeout is killed.
ProcessResult RunProcess(const std::vector<std::string>& command,
                         const ProcessOptions& options);

// Splits a command line at blanks; '…' and "…" keep blanks together.
std::vector<std::string> SplitCommandLine(const std::string& line);

}  // namespace hilo::tests
