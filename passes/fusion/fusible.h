// Which instructions one loop can compute together, and at what price.
#pragma once

#include <cstdint>

#include "hlo/ir/instruction.h"

namespace hilo::passes {

// Whether each result element comes from the operands' elements at its index
// (or from scalars); copies included.
bool IsElementwise(const hlo::Instruction& instruction);

// What computing one element takes, in additions.
double ElementCost(const hlo::Instruction& instruction);

// Constants, counters and copies of one scalar: every loop that reads them
// makes its own.
bool IsCheapToRepeat(const hlo::Instruction& instruction);

// Matrix products and convolutions: their results can go through a loop's body
// before they are stored.
bool IsProduct(const hlo::Instruction& instruction);

// The product that a reshape gives other dimensions, not only more or fewer of
// size 1, and that nothing else reads: its elements come in the same order.
// Null if there is none.
hlo::Instruction* ReshapedProduct(const hlo::Instruction& instruction);

// Whether a loop over the instruction's result can take in its operands.
bool CanBeFusionRoot(const hlo::Instruction& instruction);

// Whether `user` reads its operand element by element, so that they can be
// computed where they are read.
bool CanReadElements(const hlo::Instruction& user, int64_t operand);

// How often `user` reads each element of the operand, on average over those
// that there are.
double RepetitionsBy(const hlo::Instruction& user, int64_t operand);

// Why an instruction whose elements would be computed that many times is better
// left alone; null when it is not.
const char* WhyNotFused(const hlo::Instruction& instruction,
                        double repetitions);

// Whether the two sides of a reshape differ in dimensions of size 1 only.
bool ChangesUnitDimensionsOnly(const hlo::Shape& from, const hlo::Shape& to);

}  // namespace hilo::passes
