// Runs a program and collects what it prints.
#include "tests/support/subprocess.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/types.h>
#include <sys/wait.h>

namespace hilo::tests {
namespace {

using Clock = std::chrono::steady_clock;

// A pipe whose ends close by themselves.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    CloseReader();
    CloseWriter();
  }

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void CloseReader() { Close(ends_[0]); }
  void CloseWriter() { Close(ends_[1]); }

 private:
  static void Close(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }

  std::array<int, 2> ends_{-1, -1};
};

int MillisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - Clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

// Appends what is ready to `text`; false at the end of the stream.
bool ReadSome(int reader, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(reader, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

// Reads both streams to their ends; false when the deadline came first.
bool ReadAll(Pipe& output, Pipe& error, Clock::time_point deadline,
             ProcessResult& result) {
  while (output.reader() >= 0 || error.reader() >= 0) {
    std::array<pollfd, 2> streams = {
        pollfd{.fd = output.reader(), .events = POLLIN, .revents = 0},
        pollfd{.fd = error.reader(), .events = POLLIN, .revents = 0}};
    const int ready =
        poll(streams.data(), streams.size(), MillisecondsUntil(deadline));
    if (ready == 0) return false;
    if (ready < 0) continue;
    if (streams[0].revents != 0 && !ReadSome(output.reader(), result.output)) {
      output.CloseReader();
    }
    if (streams[1].revents != 0 && !ReadSome(error.reader(), result.error)) {
      error.CloseReader();
    }
  }
  return true;
}

// glibc declares these in private headers that stand for <sys/wait.h>.
// NOLINTBEGIN(misc-include-cleaner)

// Waits for the end of `process`, killing it at the deadline.
int WaitForEnd(pid_t process, Clock::time_point deadline, bool& timed_out) {
  int status = 0;
  while (!timed_out && waitpid(process, &status, WNOHANG) == 0) {
    timed_out = Clock::now() > deadline;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (timed_out) {
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
  }
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status);
}

// NOLINTEND(misc-include-cleaner)

// Starts `command` with its streams on the pipes; an errno value, 0 if well.
int Start(const std::vector<std::string>& command,
          const ProcessOptions& options, const Pipe& output, const Pipe& error,
          pid_t& process) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                   O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.writer(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error.writer(), STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions,
                                       options.working_directory.c_str());
  const int failure = posix_spawnp(&process, arguments[0], &actions, nullptr,
                                   arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

}  // namespace

ProcessResult RunProcess(const std::vector<std::string>& command,
                         const ProcessOptions& options) {
  ProcessResult result;
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(options.timeout_s));
  Pipe output;
  Pipe error;
  pid_t process = 0;
  const int failure = Start(command, options, output, error, process);
  if (failure != 0) {
    result.error = "cannot run " + command[0] + ": " + std::strerror(failure);
    return result;
  }
  output.CloseWriter();
  error.CloseWriter();
  result.timed_out = !ReadAll(output, error, deadline, result);
  result.exit_status = WaitForEnd(process, deadline, result.timed_out);
  return result;
}

std::vector<std::string> SplitCommandLine(const std::string& line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (const char c : line) {
    const bool is_blank = quote == 0 && (c == ' ' || c == '\t');
    const bool opens = quote == 0 && (c == '\'' || c == '"');
    if (!is_blank && !in_word) words.emplace_back();
    in_word = !is_blank;
    if (opens) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (!is_blank) {
      words.back().push_back(c);
    }
  }
  return words;
}

}  // namespace hilo::tests
