// Evaluates element-wise instructions on whole arrays.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"

namespace hilo::hlo {

// The handler of all HLO_UNARY and HLO_BINARY rows, and of the other opcodes
// with the trait kElementwise. Writes over an operand that dies when it can.
// Float operands of another type than the result (mixed precision) are
// converted first.
absl::StatusOr<Literal> EvaluateElementwise(const Instruction& instruction,
                                            absl::Span<Literal> operands,
                                            EvaluationContext& context);

// The array with its elements converted to `type`; the layout is kept.
Literal ConvertLiteral(Literal literal, ElementType type);

}  // namespace hilo::hlo
