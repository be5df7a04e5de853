// Unsigned keys that are ordered as the elements they stand for.
#pragma once

#include <cstdint>

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"

namespace hilo::hlo {

// Writes a key per element such that keys compare, as unsigned numbers, like
// the elements under `order`; equal elements have equal keys. Returns false,
// with `keys` unspecified, where there is no such key: for complex types, and
// in order kFloat when an element is NaN.
bool FillOrderedKeys(ElementType type, ComparisonType order,
                     const void* elements, int64_t count, uint64_t* keys);

}  // namespace hilo::hlo
