// Writes and colours.
#include "jit/cli/console.h"

#include <array>
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "jit/cli/crash_report.h"
#include "jit/cli/exit_status.h"
#include "jit/files.h"
#include "runtime/base/rendered.h"

namespace hilo::cli {
namespace {

constexpr absl::string_view kBold = "\x1b[1m";
constexpr absl::string_view kGreen = "\x1b[1;32m";
constexpr absl::string_view kReset = "\x1b[0m";

struct SeverityColor {
  absl::string_view word;
  absl::string_view color;
};
constexpr std::array kSeverityColors = {
    SeverityColor{.word = "error: ", .color = "\x1b[1;31m"},
    SeverityColor{.word = "warning: ", .color = "\x1b[1;35m"},
    SeverityColor{.word = "note: ", .color = "\x1b[1;36m"},
};

bool IsCaretLine(absl::string_view line) {
  return absl::StrContains(line, '^') &&
         line.find_first_not_of(" \t^~") == absl::string_view::npos;
}

// "model.hlo:3:5: error: what": place bold, severity in its colour.
std::string Paint(absl::string_view line) {
  if (IsCaretLine(line)) return absl::StrCat(kGreen, line, kReset);
  for (const auto& [word, color] : kSeverityColors) {
    const std::string marker = absl::StrCat(": ", word);
    const size_t at = line.find(marker);
    if (at == absl::string_view::npos) continue;
    return absl::StrCat(kBold, line.substr(0, at), ": ", kReset, color, word,
                        kReset, kBold, line.substr(at + marker.size()), kReset);
  }
  return std::string(line);
}

void WriteError(absl::string_view text) {
  // There is nowhere left to complain to.
  (void)WriteDescriptor(STDERR_FILENO, "standard error", text);
}

}  // namespace

void Console::set_color_mode(ColorMode mode) {
  switch (mode) {
    case ColorMode::kAlways:
      use_color_ = true;
      return;
    case ColorMode::kNever:
      use_color_ = false;
      return;
    case ColorMode::kAuto:
      break;
  }
  const char* no_color = std::getenv("NO_COLOR");
  const bool is_refused = no_color != nullptr && no_color[0] != '\0';
  use_color_ = !is_refused && isatty(STDERR_FILENO) != 0;
}

void Console::Print(absl::string_view text) {
  constexpr size_t kFlushBytes = size_t{1} << 20;
  output_.append(text.data(), text.size());
  if (output_.size() >= kFlushBytes) Flush();
}

bool Console::IsOutputTerminal() { return isatty(STDOUT_FILENO) != 0; }

void Console::PrintDiagnostics(absl::string_view rendered) {
  Flush();
  if (!use_color_) {
    WriteError(rendered);
    return;
  }
  std::string painted;
  for (const absl::string_view line : absl::StrSplit(rendered, '\n')) {
    absl::StrAppend(&painted, painted.empty() ? "" : "\n", Paint(line));
  }
  WriteError(painted);
}

void Console::PrintError(absl::string_view message, absl::string_view file) {
  PrintDiagnostics(absl::StrCat(file, ": error: ", message, "\n"));
}

void Console::PrintNote(absl::string_view message) {
  PrintDiagnostics(absl::StrCat("hilo: note: ", message, "\n"));
}

int Console::Fail(const absl::Status& status, absl::string_view file) {
  if (IsRendered(status)) {
    PrintDiagnostics(status.message());
  } else {
    PrintError(status.message(), file);
  }
  if (status.code() != absl::StatusCode::kInternal) return kDiagnostics;
  const std::string path = WriteReproducer();
  if (!path.empty()) {
    PrintNote(absl::StrCat("this is a bug in Hilo; wrote ", path));
  }
  return kInternalError;
}

int Console::FailUsage(absl::string_view message) {
  PrintError(message);
  return kUsage;
}

int Console::Finish(int status) {
  Flush();
  if (output_status_.ok()) return status;
  PrintError(output_status_.message());
  return status == kSuccess ? kDiagnostics : status;
}

void Console::Flush() {
  if (output_.empty()) return;
  if (output_status_.ok()) {
    output_status_ = WriteDescriptor(STDOUT_FILENO, "standard output", output_);
  }
  output_.clear();
}

}  // namespace hilo::cli
