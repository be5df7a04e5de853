// What fuzz and reduce have in common: how one module is checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/ir/module.h"
#include "jit/fuzzing/module_check.h"

namespace CLI {
class App;
}

namespace hilo::cli {

struct CheckOptions {
  uint64_t seed = 0;
  // Empty: all.
  std::vector<std::string> optimization_levels;
  // Empty: this machine's.
  std::vector<std::string> target_cpus;
  int64_t threads = 0;
  double timeout_s = 60;
};

// Declares --seed, -O, --target-cpu, --threads and --timeout.
void AddCheckOptions(CLI::App& command, CheckOptions& options);

// What can be wrong with a module; kinds of failure that are not to be mixed up
// when one is reduced.
enum class FailureKind : uint8_t {
  kNone,
  kUnsupported,
  kMismatch,
  kError,
  kCrash,
  kHang,
};

struct IsolatedCheck {
  FailureKind kind = FailureKind::kNone;
  std::string message;

  bool IsFailure() const {
    return kind != FailureKind::kNone && kind != FailureKind::kUnsupported;
  }
};

// Checks a module in a process of its own.
IsolatedCheck CheckIsolated(const hlo::Module& module,
                            const CheckOptions& options);

// Comment lines that say what failed, and how to see it again.
std::string HeaderOf(const IsolatedCheck& check, const CheckOptions& options);

}  // namespace hilo::cli
