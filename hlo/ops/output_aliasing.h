// The check of the attribute output_to_operand_aliasing.
#pragma once

#include "absl/status/status.h"

#include "hlo/ir/instruction.h"

namespace hilo::hlo {

// Errors: an output, operand or operand index that does not exist; an output
// that is listed twice; a pair whose sizes differ.
absl::Status CheckOutputAliasing(const Instruction& instruction);

}  // namespace hilo::hlo
