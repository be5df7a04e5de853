// Finds the prefixes that log files put before each line.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace hilo::hlo {

// Whether a line begins "I0521 12:04:45.883483 1509 file.cc:186] ".
bool HasLogPrefix(absl::string_view text);

// The text with blanks in place of the prefixes: places stay the same.
std::string BlankLogPrefixes(absl::string_view text);

}  // namespace hilo::hlo
