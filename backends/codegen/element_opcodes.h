// What element-wise opcodes compute, by class of element type.
#pragma once

#include <optional>

#include "backends/codegen/complex_math.h"
#include "backends/codegen/lanes.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"

namespace hilo::backends {

// The value of an HLO_UNARY or HLO_BINARY opcode; `y` is `x` for unary ones.
// nullopt when the opcode does not take operands of the class.
std::optional<Lanes> EmitInteger(hlo::Opcode opcode, hlo::ElementType type,
                                 const Lanes& x, const Lanes& y);
std::optional<Lanes> EmitPredicate(hlo::Opcode opcode, const Lanes& x,
                                   const Lanes& y);
// In float or double; results of narrower types are not rounded yet.
std::optional<Lanes> EmitFloat(hlo::Opcode opcode, const Lanes& x,
                               const Lanes& y);
// abs, real and imag have one part, `real`; their `imag` is meaningless.
std::optional<ComplexLanes> EmitComplex(hlo::Opcode opcode,
                                        const ComplexLanes& x,
                                        const ComplexLanes& y);

// NaN if either is; -0 < +0.
Lanes Maximum(const Lanes& x, const Lanes& y);
Lanes Minimum(const Lanes& x, const Lanes& y);

}  // namespace hilo::backends
