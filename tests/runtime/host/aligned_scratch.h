// Scratch memory for what compiled programs call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/host/item_loop.h"

namespace hilo::runtime {

// At an aligned address, and not zero, since nobody clears it for a program.
class AlignedScratch {
 public:
  explicit AlignedScratch(int64_t bytes)
      : memory_(static_cast<size_t>(bytes + kScratchAlignment),
                std::byte{0x47}) {}
  void* data() {
    const auto address =
        static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory_.data()));
    return memory_.data() + (AlignScratch(address) - address);
  }

 private:
  std::vector<std::byte> memory_;
};

}  // namespace hilo::runtime
