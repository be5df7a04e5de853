// Writes reproducers, also from signal handlers.
#include "jit/cli/crash_report.h"

#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include <sys/types.h>

#include "jit/cli/exit_status.h"
#include "jit/cli/quoting.h"
#include "jit/version.h"

namespace hilo::cli {
namespace {

// What a signal handler needs must lie in memory when the signal comes: the
// one piece of global state of the command.
struct CrashState {
  std::string header;
  std::string module;
  // Tried in turn.
  std::array<std::string, 2> paths;
};

CrashState& State() {
  static CrashState state;
  return state;
}

// From here on only functions that signal handlers may call.

bool WriteAll(int descriptor, const char* text, size_t size) {
  while (size > 0) {
    const ssize_t count = write(descriptor, text, size);
    if (count <= 0) return false;
    text += count;
    size -= count;
  }
  return true;
}

bool WriteText(int descriptor, const std::string& text) {
  return WriteAll(descriptor, text.data(), text.size());
}

// The path that was written to; null if none could be.
const std::string* WriteReproducerFile() {
  constexpr int kMode = 0600;
  const CrashState& state = State();
  for (const std::string& path : state.paths) {
    const int descriptor =
        open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
    if (descriptor < 0) continue;
    const bool is_written = WriteText(descriptor, state.header) &&
                            WriteText(descriptor, state.module);
    close(descriptor);
    if (is_written) return &path;
  }
  return nullptr;
}

void HandleSignal(int signal_number) {
  static volatile std::sig_atomic_t is_handling = 0;
  if (is_handling != 0) _exit(kInternalError);
  is_handling = 1;
  constexpr char kMessage[] =
      "hilo: error: internal error: this is a bug in Hilo, signal ";
  WriteAll(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
  const std::array<char, 3> digits = {
      static_cast<char>('0' + signal_number / 10 % 10),
      static_cast<char>('0' + signal_number % 10), '\n'};
  WriteAll(STDERR_FILENO, digits.data(), digits.size());
  if (const std::string* path = WriteReproducerFile()) {
    constexpr char kNote[] = "hilo: note: to reproduce it, see ";
    WriteAll(STDERR_FILENO, kNote, sizeof(kNote) - 1);
    WriteText(STDERR_FILENO, *path);
    WriteAll(STDERR_FILENO, "\n", 1);
  }
  _exit(kInternalError);
}

// Sanitizers report crashes better than we do.
constexpr bool kHasSanitizer =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#else
    false;
#endif

}  // namespace

void InstallCrashHandler(const std::vector<std::string>& arguments) {
  CrashState& state = State();
  std::string command = "hilo";
  for (const std::string& argument : arguments) {
    absl::StrAppend(&command, " ", QuoteForShell(argument));
  }
  state.header = absl::StrCat("// Hilo ", Version(),
                              " failed on this module. Run, with this file in ",
                              "place of the module's:\n//   ", command, "\n");
  const std::string name = absl::StrCat("hilo-reproducer-", getpid(), ".hlo");
  state.paths = {name, absl::StrCat("/tmp/", name)};

  // Handlers run on a stack of their own: the usual one may have overflowed.
  static std::array<char, 1 << 16> handler_stack;
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = &HandleSignal;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGABRT, &action, nullptr);
  if (kHasSanitizer) return;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    sigaction(number, &action, nullptr);
  }
}

void SetModuleForCrashReport(std::string text) {
  State().module = std::move(text);
}

std::string WriteReproducer() {
  const std::string* path = WriteReproducerFile();
  return path == nullptr ? "" : *path;
}

}  // namespace hilo::cli
