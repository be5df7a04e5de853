// Memory of arrays, whose pages are kept when it is given back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace hilo::runtime {

// Uninitialised memory for an array, aligned to 64 bytes and on large pages if
// it is large. For std::free; null when there is no memory.
void* AllocateArray(int64_t bytes);

// Hands out memory, and keeps what comes back for the next array of about the
// same size: fetching new pages from the system takes longer than most programs
// need to fill them. Thread-safe. Must outlive what it handed out.
class MemoryPool {
 public:
  // Keeps at most `limit_bytes` bytes that nobody uses; what has been idle
  // longest goes first.
  explicit MemoryPool(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;
  ~MemoryPool() { Trim(); }

  // The pool of the process, which lives as long: keeps up to a 16th of the
  // machine's memory.
  static MemoryPool& Shared();

  // Uninitialised, aligned to 64 bytes; comes back with the last owner. Null
  // when there is no memory.
  std::shared_ptr<std::byte> Allocate(int64_t bytes);

  // Returns idle memory to the system.
  void Trim();

  int64_t idle_bytes() const;

 private:
  struct Block {
    std::byte* memory = nullptr;
    int64_t bytes = 0;
  };

  // Null if there is no idle block of this size.
  std::byte* TakeIdle(int64_t bytes);
  void Return(Block block);

  const int64_t limit_bytes_;
  mutable std::mutex mutex_;
  // The one that came back last is at the end.
  std::vector<Block> idle_;
  int64_t idle_bytes_ = 0;
};

}  // namespace hilo::runtime
