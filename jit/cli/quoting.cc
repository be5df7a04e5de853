// Shell quoting.
#include "jit/cli/quoting.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

#include "runtime/base/status.h"

namespace hilo::cli {

std::string QuoteForShell(absl::string_view word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("-_=./,:+%@", c);
  });
  if (is_plain) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

absl::StatusOr<std::vector<std::string>> SplitWords(absl::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool has_word = false;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      has_word = true;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      if (has_word) words.push_back(std::exchange(word, ""));
      has_word = false;
    } else {
      if (c == '\\' && i + 1 < text.size()) ++i;
      word += text[i];
      has_word = true;
    }
  }
  if (quote != '\0') return InvalidArgument("a quote is not closed in: ", text);
  if (has_word) words.push_back(std::move(word));
  return words;
}

}  // namespace hilo::cli
