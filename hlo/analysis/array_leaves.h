// The arrays inside a value, numbered.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/shape.h"

namespace hilo::hlo {

// The array leaves of a shape are its arrays and buffers in pre-order; tokens
// and opaque values hold nothing and are not counted.

// Whether the shape is itself an array leaf.
bool IsArrayLeaf(const Shape& shape);

// The number of array leaves; 1 for an array.
int64_t ArrayLeafCount(const Shape& shape);

// All array leaves in order. Of a buffer, the array inside.
std::vector<const Shape*> ArrayLeaves(const Shape& shape);

// Consecutive array leaves of a shape.
struct ArrayLeafRange {
  int64_t first = 0;
  int64_t count = 0;
};

// The array leaves of the sub-shape at `index`, which must exist.
ArrayLeafRange ArrayLeavesAt(const Shape& shape,
                             absl::Span<const int64_t> index);

// Bytes that an array takes in memory: a whole number of bytes per element
// unless its layout asks for another element size.
int64_t StoredBytes(const Shape& array);

}  // namespace hilo::hlo
