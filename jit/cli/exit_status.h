// Exit statuses of the command.
#pragma once

#include <cstdint>

namespace hilo::cli {

enum ExitStatus : uint8_t {
  kSuccess = 0,
  // The input is at fault, and something was said about it.
  kDiagnostics = 1,
  // The command line is at fault.
  kUsage = 2,
  // Two results that should be the same are not.
  kMismatch = 3,
  // Hilo is at fault.
  kInternalError = 4,
};

}  // namespace hilo::cli
