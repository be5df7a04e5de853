// Reads elements of arrays from HLO text.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "runtime/base/numeric_traits.h"

namespace hilo {

// Reads one element from `token`, a whole token without space around it.
//
// pred takes true, false, 0 and 1; integers take integers within their limits
// (u64 also negative ones, which wrap); floats take decimals, integers,
// infinities and NaNs with or without payload; complex numbers take `(re, im)`,
// with space around the parts. Text is read to a double and rounded from there.
// As in XLA, integer tokens from 2^63 to 2^64-1 count as negative for signed
// integers and floats. Defined for the types of HILO_NUMERIC_TYPES.
// Errors: InvalidArgument that names the type, the token and the limits, for
// what is not of the right form or does not fit.
template <typename T>
absl::StatusOr<T> ParseElement(absl::string_view token);

}  // namespace hilo
