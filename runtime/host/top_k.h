// The first elements of rows in their order, with their indices: HLO's topk.
#pragma once

#include <cstdint>

#include "runtime/host/element_code.h"

namespace hilo::runtime {

// Dense rows [rows, row_size] of a type that is not complex.
struct TopKRows {
  ElementCode type = {};
  // Else the smallest.
  int32_t largest = 1;
  int64_t rows = 1;
  // Less than 2^31.
  int64_t row_size = 0;
  // At most row_size.
  int64_t k = 0;
  // Threads that may work at once; each needs scratch memory.
  int64_t slots = 1;
};

// Scratch memory of a call, to be aligned to 64 bytes.
int64_t ScratchBytes(const TopKRows& rows);

}  // namespace hilo::runtime

// Writes the k first elements of each row and their indices, [rows, k] both, in
// order: largest (smallest) first, by value or in IEEE 754's total order; equal
// ones by index. `pool` is a LoopWorkers or null.
extern "C" void hilo_top_k(void* pool, const hilo::runtime::TopKRows* rows,
                           const void* operand, void* values, int32_t* indices,
                           void* scratch);
