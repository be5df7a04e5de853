// The form of log prefixes: language reference, section 1.12.
#include "hlo/text/log_prefix.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace hilo::hlo {
namespace {

// Removes `count` digits from the front; false when there are fewer.
bool TakeDigits(absl::string_view* rest, size_t count) {
  if (rest->size() < count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!absl::ascii_isdigit((*rest)[i])) return false;
  }
  rest->remove_prefix(count);
  return true;
}

bool TakeChar(absl::string_view* rest, char c) {
  if (rest->empty() || rest->front() != c) return false;
  rest->remove_prefix(1);
  return true;
}

// Removes at least one digit.
bool TakeNumber(absl::string_view* rest) {
  if (!TakeDigits(rest, 1)) return false;
  while (TakeDigits(rest, 1)) {
  }
  return true;
}

void TakeSpaces(absl::string_view* rest) {
  while (TakeChar(rest, ' ')) {
  }
}

// Length of the prefix at the beginning of `line`; 0 if there is none.
size_t PrefixLength(absl::string_view line) {
  absl::string_view rest = line.substr(0, line.find('\n'));
  if (rest.empty() ||
      absl::string_view("IWEF").find(rest[0]) == absl::string_view::npos) {
    return 0;
  }
  rest.remove_prefix(1);
  if (!TakeDigits(&rest, 4) || !TakeChar(&rest, ' ')) return 0;
  TakeSpaces(&rest);
  if (!TakeDigits(&rest, 2) || !TakeChar(&rest, ':') || !TakeDigits(&rest, 2) ||
      !TakeChar(&rest, ':') || !TakeDigits(&rest, 2) || !TakeChar(&rest, '.') ||
      !TakeNumber(&rest) || !TakeChar(&rest, ' ')) {
    return 0;
  }
  TakeSpaces(&rest);
  if (!TakeNumber(&rest) || !TakeChar(&rest, ' ')) return 0;
  const size_t colon = rest.find_first_of(": ");
  if (colon == absl::string_view::npos || colon == 0 || rest[colon] != ':')
    return 0;
  rest.remove_prefix(colon + 1);
  if (!TakeNumber(&rest) || !TakeChar(&rest, ']')) return 0;
  TakeChar(&rest, ' ');
  return rest.data() - line.data();
}

// Calls visit(offset, length) for each prefix until it returns false.
template <typename Visit>
void VisitPrefixes(absl::string_view text, const Visit& visit) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = PrefixLength(text.substr(at));
    if (length > 0 && !visit(at, length)) return;
    const size_t line_end = text.find('\n', at);
    if (line_end == absl::string_view::npos) return;
    at = line_end + 1;
  }
}

}  // namespace

bool HasLogPrefix(absl::string_view text) {
  bool found = false;
  VisitPrefixes(text, [&](size_t, size_t) {
    found = true;
    return false;
  });
  return found;
}

std::string BlankLogPrefixes(absl::string_view text) {
  std::string blanked(text);
  VisitPrefixes(text, [&](size_t offset, size_t length) {
    std::fill_n(blanked.begin() + static_cast<std::ptrdiff_t>(offset), length,
                ' ');
    return true;
  });
  return blanked;
}

}  // namespace hilo::hlo
