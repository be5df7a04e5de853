// Stable sorts of rows of arrays, by numeric keys or by a compiled comparator.
#pragma once

#include <cstdint>

#include "absl/types/span.h"

#include "runtime/host/element_code.h"

namespace hilo::runtime {

// What a comparator that looks at one operand says of its elements.
enum class SortOrder : uint8_t {
  // Integers and pred by value; floats in IEEE 754's total order: -NaN first,
  // +NaN last, -0 before +0.
  kTotal,
  // By value: -0 equals +0. NaNs equal each other, and come after (before) all
  // numbers whatever the direction. kNanLast serves comparators that compare
  // floats as such, too, which say nothing useful of NaN.
  kNanLast,
  kNanFirst,
};

// A set of rows: those of element (o, i, j) with j from 0 to `row_size`, which
// is at o * outer_stride + i * inner_stride + j * row_stride. Counts and
// strides are in elements; all operands and results have the same. The
// description can be a constant of compiled code.
struct SortRows {
  // Less than 2^32.
  int64_t row_size = 0;
  int64_t row_stride = 1;
  int64_t outer_count = 1;
  int64_t outer_stride = 0;
  int64_t inner_count = 1;
  int64_t inner_stride = 0;
  int64_t operand_count = 1;
  // Threads that can sort at once; each needs its own scratch memory.
  int64_t slots = 1;
};

// Which operand is the key, and its order.
struct SortKey {
  int64_t operand = 0;
  // Not complex.
  ElementCode type = {};
  SortOrder order = SortOrder::kTotal;
  int32_t is_descending = 0;
};

// Whether the element with the pointers at even places, one per operand,
// comes before the one with those at odd places: the parameters of an HLO
// comparator in their order. Pointers are aligned as elements are.
using SortComparator = bool (*)(const void* const* elements);

// Scratch memory that sorts need, to be aligned to 64 bytes. `element_bytes`
// has the size of an element of each operand: 1, 2, 4, 8 or 16.
int64_t SortScratchBytes(const SortRows& rows, const SortKey& key,
                         absl::Span<const int64_t> element_bytes);
int64_t SortScratchBytes(const SortRows& rows,
                         absl::Span<const int64_t> element_bytes);

}  // namespace hilo::runtime

// Sorts rows of all operands together, stably. A result may be its operand.
// Takes no memory but scratch memory. `pool` is a LoopWorkers or null.
// Large rows: radix sort by up to 11 bits of the key at a time.
extern "C" void hilo_sort_by_key(void* pool,
                                 const hilo::runtime::SortRows* rows,
                                 const hilo::runtime::SortKey* key,
                                 const int64_t* element_bytes,
                                 const void* const* operands,
                                 void* const* results, void* scratch);

// The same in a merge sort that calls `comparator`; if that is no strict weak
// order, the result is some permutation.
extern "C" void hilo_sort_by_comparator(
    void* pool, const hilo::runtime::SortRows* rows,
    hilo::runtime::SortComparator comparator, const int64_t* element_bytes,
    const void* const* operands, void* const* results, void* scratch);
