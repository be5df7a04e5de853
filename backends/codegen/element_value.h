// Elements in registers: one, or one a lane.
#pragma once

#include <cstdint>

#include "hlo/ir/element_type.h"

namespace llvm {
class LLVMContext;
class Type;
class Value;
}  // namespace llvm

namespace hilo::backends {

// The elements of one array type at one index, or at one index a lane.
//
// The form in registers, as scalar T or <lanes x T>:
//   pred                   i1
//   s8 ... u64             i8 ... i64
//   s2, u2, s4, u4         i8, sign- or zero-extended
//   f64, f32               double, float
//   all narrower floats    float, holding a value of the narrow type exactly
//   c64, c128              two parts, float or double
struct ElementValue {
  llvm::Value* real = nullptr;
  // Complex types only.
  llvm::Value* imag = nullptr;
};

// The type of `real` (and `imag`): scalar when `lanes` is 1.
llvm::Type* RegisterType(llvm::LLVMContext& context, hlo::ElementType type,
                         int lanes);

// Lanes of a value: 1 for scalars.
int LaneCount(const ElementValue& value);

}  // namespace hilo::backends
