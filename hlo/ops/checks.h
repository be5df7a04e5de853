// Checks that the shape rules share.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {

// "f32[2,3]": the shape as messages show it.
std::string ShapeText(const Shape& shape);

// Errors unless the operand (all operands) is an array without unbounded
// dimensions.
absl::Status CheckArrayOperand(const Instruction& instruction, int64_t i);
absl::Status CheckArrayOperands(const Instruction& instruction);
absl::Status CheckTokenOperand(const Instruction& instruction, int64_t i);
// Errors unless operand i is a scalar.
absl::Status CheckScalarOperand(const Instruction& instruction, int64_t i);
// Errors unless the operand's element type is in `classes`.
absl::Status CheckOperandType(const Instruction& instruction, int64_t i,
                              TypeClasses classes);
// Error unless there are at least `count` operands.
absl::Status CheckMinimumOperands(const Instruction& instruction,
                                  int64_t count);

// Compare arrays i and j, which are operands.
absl::Status CheckSameDimensions(const Instruction& instruction, int64_t i,
                                 int64_t j);
absl::Status CheckSameElementType(const Instruction& instruction, int64_t i,
                                  int64_t j);

// Errors unless the stated result is an array (of `type`, if given) without
// unbounded dimensions.
absl::Status CheckDeclaredArray(const Instruction& instruction);
absl::Status CheckDeclaredType(const Instruction& instruction,
                               ElementType type);

// Errors unless `dimension` is in 0 ... rank-1; `what` names it in messages.
absl::Status CheckDimension(int64_t dimension, int64_t rank,
                            absl::string_view what);
// Errors unless all entries are distinct and in 0 ... rank-1.
absl::Status CheckDimensions(absl::Span<const int64_t> dimensions, int64_t rank,
                             absl::string_view what);
// The only entry of the attribute `dimensions`, which is in 0 ... rank-1.
absl::StatusOr<int64_t> OnlyDimension(const Instruction& instruction,
                                      int64_t rank);

// The array of `type` with the dimensions of `shape`, dynamic ones kept, and
// the default layout.
Shape ArrayLike(const Shape& shape, ElementType type);

// Sets the dimension of `result` dynamic when that of `shape` is.
void CopyDynamic(const Shape& shape, int64_t dimension, Shape* result,
                 int64_t result_dimension);

}  // namespace hilo::hlo
