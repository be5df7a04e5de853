// Finds lines and columns.
#include "runtime/base/source.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/strings/string_view.h"

namespace hilo {

const std::vector<int64_t>& Source::LineStarts() const {
  std::call_once(line_starts_once_, [this] {
    line_starts_.push_back(0);
    for (size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\n') line_starts_.push_back(static_cast<int64_t>(i) + 1);
    }
  });
  return line_starts_;
}

LineColumn Source::Locate(int64_t offset) const {
  offset = std::clamp<int64_t>(offset, 0, static_cast<int64_t>(text_.size()));
  const std::vector<int64_t>& starts = LineStarts();
  const auto next = std::ranges::upper_bound(starts, offset);
  const int64_t line = next - starts.begin();
  return {.line = line, .column = offset - starts[line - 1] + 1};
}

absl::string_view Source::LineAt(int64_t offset) const {
  const LineColumn place = Locate(offset);
  const int64_t begin = LineStarts()[place.line - 1];
  absl::string_view line = text();
  line.remove_prefix(begin);
  const size_t end = line.find('\n');
  if (end != absl::string_view::npos) line = line.substr(0, end);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace hilo
