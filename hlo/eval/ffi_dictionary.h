// The attributes of typed-FFI custom calls: {uplo = 76 : ui8, flag = true}.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hilo::hlo {

class FfiDictionary;

// One attribute value. Integers of all widths are int64_t (u64 by its bits);
// floats are double; arrays keep their elements; "dense<...>" keeps its text.
struct FfiDense {
  std::string text;
};
using FfiValue =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<double>, FfiDense, std::shared_ptr<FfiDictionary>>;

// Names with values, in the order of the text.
class FfiDictionary {
 public:
  // Parses a dictionary in MLIR syntax, with its braces; a blank text is an
  // empty one. The JSON around a dictionary that compilers for CPUs add,
  // {"custom_call_config":{"attributes":"{...}"}}, is taken off.
  // Errors: InvalidArgument with the place of what is not understood.
  static absl::StatusOr<FfiDictionary> Parse(absl::string_view text);

  // Null when there is none.
  const FfiValue* Find(absl::string_view name) const;
  // Errors: the attribute is missing or of another kind.
  absl::StatusOr<int64_t> Integer(absl::string_view name) const;
  // A character passed as its code, which must be one of `allowed`.
  absl::StatusOr<char> Letter(absl::string_view name,
                              absl::string_view allowed) const;
  // A bool, or an integer that counts as one.
  absl::StatusOr<bool> Flag(absl::string_view name) const;

  void Add(std::string name, FfiValue value) {
    entries_.emplace_back(std::move(name), std::move(value));
  }
  int64_t size() const { return static_cast<int64_t>(entries_.size()); }

 private:
  std::vector<std::pair<std::string, FfiValue>> entries_;
};

}  // namespace hilo::hlo
