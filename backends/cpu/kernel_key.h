// Names what a kernel computes, so that equal kernels are compiled once.
#pragma once

#include <string>

#include "hlo/ir/instruction.h"

namespace hilo::backends {

// Equal texts: equal opcodes, shapes, layouts, attributes, called computations
// and repetitions of operands, so one kernel serves both instructions. Names,
// metadata and what the operands compute do not count.
std::string KernelKey(const hlo::Instruction& instruction);

// The name of the kernel's function: the opcode, and a hash of 128 bits of
// `key`.
std::string KernelName(const hlo::Instruction& instruction,
                       const std::string& key);

}  // namespace hilo::backends
