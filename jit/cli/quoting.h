// Quotes and splits words as shells do.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hilo::cli {

// The word as a POSIX shell reads it back; quotes only where needed.
std::string QuoteForShell(absl::string_view word);

// Splits at blanks; '...' and "..." keep blanks, a backslash the next
// character. Errors: InvalidArgument for an open quote.
absl::StatusOr<std::vector<std::string>> SplitWords(absl::string_view text);

}  // namespace hilo::cli
