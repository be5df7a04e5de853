// The shape rules of the HLO_UNARY and HLO_BINARY rows.
#pragma once

#include "absl/status/statusor.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {

// The operand's dimensions with the element type that the row's traits say.
// Errors: an operand that is no array, or whose type the row does not allow.
absl::StatusOr<Shape> InferUnary(const Instruction& instruction);

// The same for two operands of one type and the same dimensions.
absl::StatusOr<Shape> InferBinary(const Instruction& instruction);

}  // namespace hilo::hlo
