// Collects and renders diagnostics.
#include "runtime/base/diagnostic.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "runtime/base/rendered.h"
#include "runtime/base/source.h"

namespace hilo {
namespace {

// Widest piece of a source line that is quoted.
constexpr int64_t kQuoteWidth = 160;

absl::string_view NameOf(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

// Bytes of the UTF-8 character that begins `text`; 0 if none does.
size_t CharacterLength(absl::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  size_t length = 0;
  if (first >= 0xC2 && first < 0xE0) length = 2;
  if (first >= 0xE0 && first < 0xF0) length = 3;
  if (first >= 0xF0 && first < 0xF5) length = 4;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// The quoted line and, below it, the caret under `column`. What a terminal
// could not show is shown as "?".
void AppendQuote(const Source& source, int64_t offset, int64_t column,
                 std::string* out) {
  const absl::string_view line = source.LineAt(offset);
  int64_t begin = 0;
  if (column - 1 > kQuoteWidth / 2) begin = column - 1 - kQuoteWidth / 2;
  begin = std::min<int64_t>(begin, static_cast<int64_t>(line.size()));
  const absl::string_view quote = line.substr(begin, kQuoteWidth);
  const auto caret = static_cast<size_t>(column - 1 - begin);
  std::string shown;
  std::string indent;
  for (size_t i = 0; i < quote.size();) {
    const size_t length = CharacterLength(quote.substr(i));
    const bool is_tab = quote[i] == '\t';
    const bool is_control = static_cast<unsigned char>(quote[i]) < 0x20;
    if (length == 0 || (is_control && !is_tab)) {
      shown += '?';
    } else {
      absl::StrAppend(&shown, quote.substr(i, length));
    }
    if (i < caret) indent += is_tab ? '\t' : ' ';
    i += std::max<size_t>(length, 1);
  }
  absl::StrAppend(out, shown, "\n", indent, "^\n");
}

void AppendDiagnostic(const Source& source, const Diagnostic& diagnostic,
                      std::string* out) {
  absl::StrAppend(out, source.name(), ":");
  LineColumn place;
  if (diagnostic.offset >= 0) {
    place = source.Locate(diagnostic.offset);
    absl::StrAppend(out, place.line, ":", place.column, ":");
  }
  absl::StrAppend(out, " ", NameOf(diagnostic.severity), ": ",
                  diagnostic.message, "\n");
  if (diagnostic.offset >= 0) {
    AppendQuote(source, diagnostic.offset, place.column, out);
  }
  if (!diagnostic.remedy.empty()) {
    absl::StrAppend(out, "  help: ", diagnostic.remedy, "\n");
  }
  for (const Diagnostic& note : diagnostic.notes) {
    AppendDiagnostic(source, note, out);
  }
}

int64_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<int64_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int64_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b.size()];
}

}  // namespace

Diagnostic& Diagnostics::Add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::kError) ++error_count_;
  if (static_cast<int64_t>(list_.size()) >= kMaxDiagnostics) {
    ++dropped_count_;
    overflow_ = std::move(diagnostic);
    return overflow_;
  }
  list_.push_back(std::move(diagnostic));
  return list_.back();
}

std::string Diagnostics::Render(const Source& source) const {
  std::string out;
  for (const Diagnostic& diagnostic : list_) {
    AppendDiagnostic(source, diagnostic, &out);
  }
  if (dropped_count_ > 0) {
    absl::StrAppend(&out, source.name(), ": note: ", dropped_count_,
                    " more diagnostics are not shown\n");
  }
  return out;
}

absl::Status Diagnostics::ToStatus(const Source& source) const {
  if (!has_errors()) return absl::OkStatus();
  return MarkRendered(absl::InvalidArgumentError(Render(source)));
}

std::string SuggestNearest(absl::string_view word,
                           const std::vector<absl::string_view>& candidates) {
  constexpr size_t kMaxWordLength = 64;
  constexpr size_t kMaxSuggestions = 3;
  if (word.empty() || word.size() > kMaxWordLength) return "";
  const auto limit = static_cast<int64_t>(word.size() / 3 + 1);
  std::vector<std::pair<int64_t, absl::string_view>> near;
  for (absl::string_view candidate : candidates) {
    const int64_t length_difference =
        std::abs(static_cast<int64_t>(candidate.size()) -
                 static_cast<int64_t>(word.size()));
    if (length_difference > limit) continue;
    const int64_t distance = EditDistance(word, candidate);
    if (distance <= limit) near.emplace_back(distance, candidate);
  }
  if (near.empty()) return "";
  std::ranges::sort(near);
  const auto repeated = std::ranges::unique(near);
  near.erase(repeated.begin(), repeated.end());
  if (near.size() > kMaxSuggestions) near.resize(kMaxSuggestions);
  std::string out = "did you mean ";
  for (size_t i = 0; i < near.size(); ++i) {
    if (i > 0) out += i + 1 == near.size() ? " or " : ", ";
    absl::StrAppend(&out, "'", near[i].second, "'");
  }
  return out + "?";
}

}  // namespace hilo
