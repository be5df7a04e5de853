// One arena behind an atomic pointer, more behind a lock.
#include "backends/cpu/arena_pool.h"

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "runtime/memory_pool.h"

namespace hilo::backends {

ArenaPool::~ArenaPool() {
  std::free(spare_.load());
  for (void* arena : others_) std::free(arena);
}

void* ArenaPool::Take() {
  void* arena = spare_.exchange(nullptr, std::memory_order_acquire);
  if (arena != nullptr) return arena;
  {
    const std::scoped_lock lock(mutex_);
    if (!others_.empty()) {
      arena = others_.back();
      others_.pop_back();
      return arena;
    }
  }
  return runtime::AllocateArray(bytes_);
}

void ArenaPool::Return(void* arena) {
  void* none = nullptr;
  if (spare_.compare_exchange_strong(none, arena, std::memory_order_release,
                                     std::memory_order_relaxed)) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  others_.push_back(arena);
}

}  // namespace hilo::backends
