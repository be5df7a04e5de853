// Facts about a target that passes decide by.
#pragma once

#include <cstdint>

namespace hilo::passes {

// A backend fills this in; passes never ask which backend it was.
struct TargetTraits {
  // Bytes of one vector register.
  int64_t vector_bytes = 16;
  // Vector registers that code can use at once.
  int64_t vector_registers = 16;
  // Has an instruction for products of pairs of 16-bit integers, summed in 32
  // bits (x86: pmaddwd).
  bool multiplies_pairs = false;
  // Cores that one program may use.
  int64_t cores = 1;
  // Data cache of one core, and the larger caches behind it, in bytes.
  int64_t l1_cache_bytes = 32 << 10;
  int64_t l2_cache_bytes = 512 << 10;
  int64_t l3_cache_bytes = 8 << 20;
};

}  // namespace hilo::passes
