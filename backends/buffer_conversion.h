// Between the logical elements of literals and the physical form of buffers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"

namespace hilo::backends {

// Whether a buffer can have this shape: a valid array without unbounded
// dimensions, whose layout asks for an element size that the type can have.
// Tiles, memory spaces and other properties do not change host memory.
absl::Status CheckBufferShape(const hlo::Shape& shape);

// Bytes of a buffer of `shape`, packing included.
int64_t BufferBytes(const hlo::Shape& shape);

// Whether a buffer of `shape` holds its elements exactly as a literal does. Not
// so for types of less than a byte: what callers leave in the upper bits must
// not be seen.
bool HasLiteralForm(const hlo::Shape& shape);

// Writes the literal's elements in the form of `shape`, which has the same
// type and dimensions. `physical` has BufferBytes(shape) bytes.
void EncodeElements(const hlo::Literal& literal, const hlo::Shape& shape,
                    std::byte* physical);

// The other way round.
void DecodeElements(const std::byte* physical, const hlo::Shape& shape,
                    hlo::Literal& literal);

}  // namespace hilo::backends
