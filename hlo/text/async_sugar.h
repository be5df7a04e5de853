// Which asynchronous computations print as "⟨op⟩-start" (language reference,
// section 1.10).
#pragma once

#include <vector>

#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"

namespace hilo::hlo {

// The wrapped instruction when `instruction` is an async-start, -update or
// -done that prints as sugar; otherwise null. Needs the wrapped computation to
// be its parameters, in order, and one root that the sugar can express.
const Instruction* AsyncSugarFor(const Instruction& instruction);

// By computation id: whether all its callers print as sugar, so that the
// computation itself is not printed.
std::vector<bool> FindAsyncSugar(const Module& module);

// Opcodes with "-start" and "-done" forms of their own.
bool HasNativeAsyncForm(Opcode opcode);

}  // namespace hilo::hlo
