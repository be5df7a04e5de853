// Loops over items that need scratch memory, one piece of it per thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/parallel_for.h"

namespace hilo::runtime {

// Scratch memory is divided into pieces that begin at multiples of this, as
// the whole must.
inline constexpr int64_t kScratchAlignment = 64;

constexpr int64_t AlignScratch(int64_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment *
         kScratchAlignment;
}

// Hands out parts of a block of scratch memory, or counts what they need.
class ScratchParts {
 public:
  explicit ScratchParts(void* memory)
      : memory_(static_cast<std::byte*>(memory)) {}

  // Null if there is no memory: then only sizes count.
  template <typename T>
  T* Take(int64_t count) {
    std::byte* part = memory_ == nullptr ? nullptr : memory_ + bytes_;
    bytes_ += AlignScratch(count * static_cast<int64_t>(sizeof(T)));
    return reinterpret_cast<T*>(part);
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  int64_t bytes_ = 0;
};

// Calls body(slot, begin, end) for blocks of at most `grain` of `count` items,
// in at most `slots` slots at once; slots do not share scratch memory. Which
// slot gets a block is left to chance: items must not depend on each other.
// `pool` is a LoopWorkers or null.
template <typename F>
void ForEachBlock(void* pool, int64_t count, int64_t grain, int64_t slots,
                  const F& body) {
  const auto kernel = [](void* arguments, int64_t begin, int64_t end) {
    (*static_cast<const F*>(arguments))(LoopWorkers::Slot(), begin, end);
  };
  hilo_parallel_for(pool, kernel, const_cast<F*>(&body), count, grain,
                    std::max<int64_t>(slots, 1));
}

}  // namespace hilo::runtime
