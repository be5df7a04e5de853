// Where the command writes: results to standard output, the rest to standard
// error.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include "jit/cli/exit_status.h"

namespace hilo::cli {

enum class ColorMode : uint8_t { kAuto, kAlways, kNever };

// Buffers results and paints diagnostics. An output that cannot be written (a
// closed pipe, a full disk) is remembered and told once, at the end.
class Console {
 public:
  // kAuto: colours if standard error is a terminal and NO_COLOR is not set.
  void set_color_mode(ColorMode mode);

  // Appends to the results.
  void Print(absl::string_view text);
  static bool IsOutputTerminal();

  // Rendered diagnostics, as Diagnostics::Render makes them.
  void PrintDiagnostics(absl::string_view rendered);
  // "⟨file⟩: error: ⟨message⟩".
  void PrintError(absl::string_view message, absl::string_view file = "hilo");
  void PrintNote(absl::string_view message);

  // Prints an error, rendered diagnostics as they are, and returns its exit
  // status.
  int Fail(const absl::Status& status, absl::string_view file = "hilo");
  // "hilo: error: ⟨message⟩": returns kUsage.
  int FailUsage(absl::string_view message);

  // Writes what is buffered; returns `status`, or kDiagnostics after an error
  // if something could not be written.
  int Finish(int status);

 private:
  void Flush();

  std::string output_;
  absl::Status output_status_;
  bool use_color_ = false;
};

}  // namespace hilo::cli
