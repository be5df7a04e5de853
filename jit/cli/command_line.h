// Reads the command line and does what it says.
#pragma once

#include <string>
#include <vector>

namespace hilo::cli {

// Runs the command with the words after its name. The environment variable
// HILO_OPTIONS may hold further options of the form --name=value, which those
// of the command line override. Returns the exit status.
int RunCommandLine(const std::vector<std::string>& arguments);

}  // namespace hilo::cli
