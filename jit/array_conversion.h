// Between literals and arrays as numpy stores them.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "jit/npy.h"

namespace hilo {

// The literal of `shape` that `array` holds. `subject` names what it is for in
// errors: "parameter 2 'weights'". Types that numpy lacks are stored as
// integers of the same width (bf16 as u2, f8 as u1; s1, s2, s4 one a byte as
// i1, u1, u2, u4, f4 and f6 as u1) or as numpy's plain bytes.
// Errors: InvalidArgument that says what is needed and what there is.
absl::StatusOr<hlo::Literal> LiteralFromArray(const NpyArray& array,
                                              const hlo::Shape& shape,
                                              absl::string_view subject);

// The other way round, for an array literal.
NpyArray ArrayFromLiteral(const hlo::Literal& literal);

}  // namespace hilo
