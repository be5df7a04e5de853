// Adds the errors that sums and products of many elements may have.
#pragma once

#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "jit/fuzzing/rounding_errors.h"

namespace hilo::fuzzing {

// Whether operations of the opcode fold elements by a computation.
bool IsFold(hlo::Opcode opcode);

// Adds the errors of another order, or of another precision, to a fold.
void PerturbFold(hlo::Instruction* instruction, RoundingErrors& errors);

}  // namespace hilo::fuzzing
