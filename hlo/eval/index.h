// Positions, strides and run-time indices of arrays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {

// Distances, in elements, between neighbours along each dimension of a
// row-major array; zeros for an array without elements.
DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions);

// Steps to the next position in row-major order. After the last one, returns
// false and leaves all zeros. The sizes are positive.
bool NextPosition(absl::Span<const int64_t> sizes,
                  absl::Span<int64_t> position);

// Reads element `i` of an integer array. Unsigned values that are too large
// become the largest int64_t.
using IndexReader = int64_t (*)(const std::byte* elements, int64_t i);

// The reader for arrays of the given integer type; others read as 0.
IndexReader IndexReaderOf(ElementType type);

// The start nearest to `start` for which `size` elements fit into `dimension`.
int64_t ClampStart(int64_t start, int64_t dimension, int64_t size);

// Whether `dimension` is in the list.
bool Contains(absl::Span<const int64_t> dimensions, int64_t dimension);

// The shape of result number `i` of an instruction with one array as result,
// or a tuple of them.
const Shape& ResultShape(const Instruction& instruction, int64_t i);

}  // namespace hilo::hlo
