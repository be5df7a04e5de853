// Rounding to a narrower float format within a type.
#pragma once

#include "backends/codegen/lanes.h"
#include "hlo/ir/element_type.h"

namespace hilo::backends {

// As the reduce-precision opcode, for a value of float type `type` in
// registers: see hlo/ir/opcodes.def.
Lanes ReducePrecision(hlo::ElementType type, const Lanes& x, int exponent_bits,
                      int mantissa_bits);

}  // namespace hilo::backends
