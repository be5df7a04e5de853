// Runs code that may crash or hang.
#pragma once

#include <functional>
#include <string>

namespace hilo::fuzzing {

// How an isolated run ended.
struct IsolatedResult {
  bool timed_out = false;
  // The signal that ended it; 0 if none did.
  int signal = 0;
  // What the function returned, or what was printed before a crash.
  std::string text;
};

// Calls `function` in a process of its own. To be called while this process has
// one thread.
IsolatedResult RunIsolated(const std::function<std::string()>& function,
                           double timeout_s);

}  // namespace hilo::fuzzing
