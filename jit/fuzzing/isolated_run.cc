// Forks, reads what the child says, and waits.
#include "jit/fuzzing/isolated_run.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <string>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

namespace hilo::fuzzing {
namespace {

constexpr std::array kCrashSignals = {SIGSEGV, SIGBUS,  SIGILL,
                                      SIGFPE,  SIGABRT, SIGTRAP};

void WriteAll(int descriptor, const std::string& text) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t count =
        write(descriptor, text.data() + written, text.size() - written);
    if (count <= 0) return;
    written += static_cast<size_t>(count);
  }
}

// What the child process does: it never returns.
[[noreturn]] void RunChild(const std::function<std::string()>& function,
                           int output) {
  // Crashes are the parent's to report.
  for (const int signal : kCrashSignals) std::signal(signal, SIG_DFL);
  const rlimit no_core = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(output, STDERR_FILENO);
  WriteAll(output, function());
  _exit(0);
}

// Reads until the end or the deadline; returns whether the end came.
bool ReadUntil(int descriptor, std::chrono::steady_clock::time_point deadline,
               std::string* text) {
  std::array<char, 4096> buffer;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd poll_entry = {.fd = descriptor, .events = POLLIN, .revents = 0};
    if (poll(&poll_entry, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count <= 0) return true;
    text->append(buffer.data(), static_cast<size_t>(count));
  }
}

}  // namespace

IsolatedResult RunIsolated(const std::function<std::string()>& function,
                           double timeout_s) {
  IsolatedResult result;
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    result.signal = -1;
    result.text = std::strerror(errno);
    return result;
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    RunChild(function, ends[1]);
  }
  close(ends[1]);
  if (child < 0) {
    result.signal = -1;
    result.text = std::strerror(errno);
    close(ends[0]);
    return result;
  }
  const auto deadline =
      std::chrono::steady_clock::now() +
      std::chrono::milliseconds(static_cast<int64_t>(timeout_s * 1000));
  result.timed_out = !ReadUntil(ends[0], deadline, &result.text);
  if (result.timed_out) kill(child, SIGKILL);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  // NOLINTBEGIN(misc-include-cleaner): glibc has these in <stdlib.h>, too.
  if (!result.timed_out && WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
  }
  // NOLINTEND(misc-include-cleaner)
  return result;
}

}  // namespace hilo::fuzzing
