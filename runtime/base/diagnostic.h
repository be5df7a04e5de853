// Errors, warnings and notes about a source text, and how they are printed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include "runtime/base/source.h"

namespace hilo {

enum class Severity : uint8_t { kError, kWarning, kNote };

// One statement about a place in a text. `offset` is a byte offset, or -1 for
// the text as a whole. The message is lower case without a final period.
struct Diagnostic {
  Severity severity = Severity::kError;
  int64_t offset = -1;
  std::string message;
  // What to do about it; empty if the message says it all.
  std::string remedy;
  // Further places: where operands are defined, and the like.
  std::vector<Diagnostic> notes;
};

// Collects diagnostics, in the order in which they are found. Keeps at most
// `kMaxDiagnostics` and counts the rest, so that memory stays bounded.
class Diagnostics {
 public:
  static constexpr int64_t kMaxDiagnostics = 100;

  // Adds `diagnostic`; returns it for adding notes (a scratch one when full).
  Diagnostic& Add(Diagnostic diagnostic);
  Diagnostic& Error(int64_t offset, std::string message,
                    std::string remedy = "") {
    return Add({.severity = Severity::kError,
                .offset = offset,
                .message = std::move(message),
                .remedy = std::move(remedy),
                .notes = {}});
  }
  Diagnostic& Warning(int64_t offset, std::string message,
                      std::string remedy = "") {
    return Add({.severity = Severity::kWarning,
                .offset = offset,
                .message = std::move(message),
                .remedy = std::move(remedy),
                .notes = {}});
  }

  const std::vector<Diagnostic>& list() const { return list_; }
  int64_t error_count() const { return error_count_; }
  bool has_errors() const { return error_count_ > 0; }

  // Renders all: "name:line:column: error: message", the line, a caret, the
  // remedy, the notes in the same form. Long lines are cut around the caret.
  std::string Render(const Source& source) const;

  // OK without errors, else InvalidArgument whose message is Render(source).
  absl::Status ToStatus(const Source& source) const;

 private:
  std::vector<Diagnostic> list_;
  Diagnostic overflow_;
  int64_t error_count_ = 0;
  int64_t dropped_count_ = 0;
};

// The candidates nearest to `word` by edit distance (at most three, nearest
// first, none farther than a third of the word's length plus one), as
// "did you mean 'a' or 'b'?"; empty when there is none.
std::string SuggestNearest(absl::string_view word,
                           const std::vector<absl::string_view>& candidates);

}  // namespace hilo
