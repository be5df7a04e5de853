// Result shapes and element types that several shape rules derive alike.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {

// The only shape, or the tuple of several.
Shape ShapeOrTuple(std::vector<Shape> shapes);

// The declared shape of `instruction`, if it is compatible with `expected`,
// float precision aside. Errors: it is not.
absl::StatusOr<Shape> CheckDeclaredShape(const Instruction& instruction,
                                         const Shape& expected);

// Of two element types the one that holds more: complex before float before
// integer, then by range, precision, width and sign; `a` when they tie.
ElementType HigherPrecisionType(ElementType a, ElementType b);

// The element type of a dot's or convolution's result: the declared one where
// the instruction declares an array, else HigherPrecisionType of operands 0
// and 1, which are arrays. Errors: a declared type that is too narrow for
// integers, or real for complex operands.
absl::StatusOr<ElementType> ProductType(const Instruction& instruction);

}  // namespace hilo::hlo
