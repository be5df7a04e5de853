// One arena behind an atomic pointer, more behind a lock.
#include "backends/cpu/arena_pool.h"

#include <cstdlib>

namespace hilo::backends {
namespace {

constexpr size_t kArenaAlignment = 64;

}  // namespace

ArenaPool::ArenaPool(int64_t bytes)
    : bytes_((static_cast<size_t>(bytes) + kArenaAlignment - 1) /
             kArenaAlignment * kArenaAlignment) {}

ArenaPool::~ArenaPool() {
  std::free(spare_.load());
  for (void* arena : others_) std::free(arena);
}

void* ArenaPool::Take() {
  void* arena = spare_.exchange(nullptr, std::memory_order_acquire);
  if (arena != nullptr) return arena;
  {
    const std::lock_guard lock(mutex_);
    if (!others_.empty()) {
      arena = others_.back();
      others_.pop_back();
      return arena;
    }
  }
  return std::aligned_alloc(kArenaAlignment, bytes_);
}

void ArenaPool::Return(void* arena) {
  void* none = nullptr;
  if (spare_.compare_exchange_strong(none, arena, std::memory_order_release,
                                     std::memory_order_relaxed)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  others_.push_back(arena);
}

}  // namespace hilo::backends
