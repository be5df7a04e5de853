// Values of operands in conformance cases.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"

namespace hilo::tests {

// Values of a kind, which depend on the seed.
//
//   ""          special values (NaN, infinities, zeros, limits, subnormals),
//               random bits of all magnitudes, and ordinary numbers
//   "plain"     numbers between -2 and 2; integers 0 … 9
//   "unit"      numbers between 0.5 and 1.5; integers 1 … 3
//   "indexN"    integers from -2 to N + 1, wrapped
//   "belowN"    integers from 0 to N - 1
//   "definite"  Hermitian matrices with a heavy diagonal
hlo::Literal ConformanceInput(const hlo::Shape& shape, absl::string_view kind,
                              uint64_t seed);

}  // namespace hilo::tests
