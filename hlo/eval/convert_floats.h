// Conversion between arrays of floating-point types.
#pragma once

#include <cstdint>

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"

namespace hilo::hlo {

// Converts `count` elements, rounding once. Both types are floats, not complex.
void ConvertFloats(ElementType source_type, const void* source,
                   ElementType destination_type, void* destination,
                   int64_t count);

// The same array with another float type; shares the elements if the type is
// the same.
Literal ConvertFloats(const Literal& literal, ElementType type);

}  // namespace hilo::hlo
