// The `hilo` command.
#include <string>
#include <vector>

#include "jit/cli/command_line.h"

int main(int argc, char** argv) {
  return hilo::cli::RunCommandLine(
      std::vector<std::string>(argv + 1, argv + argc));
}
