// Elements as memory holds them, and rounding to what memory can hold.
#pragma once

#include "backends/codegen/lanes.h"
#include "backends/codegen/target_facts.h"
#include "hlo/ir/element_type.h"

namespace llvm {
class LLVMContext;
class Type;
}  // namespace llvm

namespace hilo::backends {

// The type of one element in memory, of one part for complex types: float,
// double, or an integer of StorageBytes.
llvm::Type* StoredType(llvm::LLVMContext& context, hlo::ElementType type);

// Real elements from memory to the form that ElementValue describes, and back.
Lanes FromStored(hlo::ElementType type, const Lanes& stored,
                 TargetFacts facts = {});
Lanes ToStored(hlo::ElementType type, const Lanes& value,
               TargetFacts facts = {});

// The value of float type `type` nearest to x, ties to even, as SmallFloat
// rounds; in the type of x: float or double.
Lanes RoundTo(hlo::ElementType type, const Lanes& x, TargetFacts facts = {});

// RoundTo for what one instruction of the processor makes of values of `type`:
// its NaNs are operands, quieted, or the processor's own one.
Lanes RoundResultTo(hlo::ElementType type, const Lanes& x,
                    TargetFacts facts = {});

// x modulo 2^bits of integer type `type`, sign- or zero-extended again.
Lanes Wrap(hlo::ElementType type, const Lanes& x);

// The position of a real float in the total order, as a signed integer.
Lanes TotalOrderKey(hlo::ElementType type, const Lanes& x);

}  // namespace hilo::backends
