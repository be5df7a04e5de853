// Work memory of programs, kept between runs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace hilo::backends {

// Arenas of one size that no run uses: their pages stay mapped. Thread-safe.
class ArenaPool {
 public:
  explicit ArenaPool(int64_t bytes) : bytes_(bytes) {}
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;
  ~ArenaPool();

  // Aligned to 64 bytes; null when there is no memory.
  void* Take();
  void Return(void* arena);

 private:
  int64_t bytes_;
  // The one that a single thread takes and returns again and again.
  std::atomic<void*> spare_ = nullptr;
  std::mutex mutex_;
  std::vector<void*> others_;
};

}  // namespace hilo::backends
