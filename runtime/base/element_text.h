// Elements of arrays as HLO text, exactly: what is written reads back as is.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "runtime/base/numeric_traits.h"

namespace hilo {

// Appends the shortest text that ParseElement<T> reads back to the same bits.
//
// Floats: `1`, `0.1`, `1e-05`, `-0.0`, `inf`, `-nan`, `nan(0x5)` (a payload
// only if it is not the default one); complex numbers: `(re, im)`; pred: `true`
// or `false`. Defined for the types of HILO_NUMERIC_TYPES; knows no locale.
template <typename T>
void AppendElement(T value, std::string* text);

// The text that AppendElement appends.
template <typename T>
std::string FormatElement(T value) {
  std::string text;
  AppendElement(value, &text);
  return text;
}

// Reads one element from `token`, a whole token without space around it.
//
// pred takes true, false, 0 and 1; integers take integers within their limits
// (u64 also negative ones, which wrap); floats take decimals, integers,
// infinities and NaNs with or without payload; complex numbers take `(re, im)`,
// with space around the parts. Text is read to a double and rounded from there.
// Errors: InvalidArgument that names the type, the token and the limit, for
// what is not of the right form or does not fit.
template <typename T>
absl::StatusOr<T> ParseElement(absl::string_view token);

}  // namespace hilo
