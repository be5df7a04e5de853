// A source text and places in it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace hilo {

// A 1-based line and column; columns count bytes.
struct LineColumn {
  int64_t line = 1;
  int64_t column = 1;
};

// A named text that diagnostics quote. Immutable and safe to share.
class Source {
 public:
  Source(std::string name, std::string text)
      : name_(std::move(name)), text_(std::move(text)) {}

  const std::string& name() const { return name_; }
  absl::string_view text() const { return text_; }

  // The place of byte `offset`, clamped to the text's length.
  LineColumn Locate(int64_t offset) const;

  // The whole line that holds byte `offset`, without its line end.
  absl::string_view LineAt(int64_t offset) const;

 private:
  // Offsets at which lines begin, computed when first asked for: most texts
  // have no diagnostics.
  const std::vector<int64_t>& LineStarts() const;

  std::string name_;
  std::string text_;
  mutable std::once_flag line_starts_once_;
  mutable std::vector<int64_t> line_starts_;
};

}  // namespace hilo
