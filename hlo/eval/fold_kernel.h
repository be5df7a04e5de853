// Typed loops for reducers that are a single common operation.
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"

namespace hilo::hlo {

// Loops that apply accumulator = operation(accumulator, element), each
// application rounded to the element type. Strides in elements.
struct FoldKernel {
  using Loop = void (*)(void* accumulators, const void* elements, int64_t count,
                        int64_t element_stride);

  // accumulators[i] takes in elements[i * element_stride].
  Loop fold_lanes = nullptr;
  // *accumulators takes in elements[i * element_stride] for ascending i.
  Loop fold_run = nullptr;
  // Whether any order of elements gives the same bits.
  bool is_order_free = false;
};

// The kernel for `body`, if its root is add, multiply, maximum, minimum, and or
// or of its two scalar parameters, which all have the element type `type`.
std::optional<FoldKernel> FindFoldKernel(const Computation& body,
                                         ElementType type);

}  // namespace hilo::hlo
