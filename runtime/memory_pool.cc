// Blocks of a few sizes, newest last.
#include "runtime/memory_pool.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <vector>

#include <sys/mman.h>

#include "runtime/base/machine_memory.h"

namespace hilo::runtime {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kLargePageBytes = int64_t{2} << 20;
// The allocator keeps smaller ones by itself.
constexpr int64_t kMinPooledBytes = int64_t{64} << 10;
// So many are searched in no time.
constexpr ptrdiff_t kMaxIdleBlocks = 64;

int64_t RoundUp(int64_t bytes, int64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

// Up to an eighth more than asked for, so that sizes repeat.
int64_t BlockBytes(int64_t bytes) {
  const auto power = std::bit_floor(static_cast<uint64_t>(bytes));
  return RoundUp(bytes, std::max(static_cast<int64_t>(power / 8), kAlignment));
}

}  // namespace

void* AllocateArray(int64_t bytes) {
  const int64_t rounded = RoundUp(std::max<int64_t>(bytes, 1), kAlignment);
  if (rounded < 2 * kLargePageBytes) {
    return std::aligned_alloc(kAlignment, static_cast<size_t>(rounded));
  }
  const auto size = static_cast<size_t>(RoundUp(rounded, kLargePageBytes));
  void* memory = std::aligned_alloc(kLargePageBytes, size);
  // Only advice: small pages do, too.
  if (memory != nullptr) madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

MemoryPool& MemoryPool::Shared() {
  constexpr int64_t kShare = 16;
  // Never destroyed: buffers may live longer than any static object.
  static auto* pool = new MemoryPool(MachineMemoryBytes() / kShare);
  return *pool;
}

std::shared_ptr<std::byte> MemoryPool::Allocate(int64_t bytes) {
  if (bytes < kMinPooledBytes) {
    return {static_cast<std::byte*>(AllocateArray(bytes)), std::free};
  }
  const int64_t size = BlockBytes(bytes);
  std::byte* memory = TakeIdle(size);
  if (memory == nullptr) {
    memory = static_cast<std::byte*>(AllocateArray(size));
  }
  if (memory == nullptr) {
    Trim();
    memory = static_cast<std::byte*>(AllocateArray(size));
  }
  if (memory == nullptr) return nullptr;
  return {memory, [this, size](std::byte* used) { Return({used, size}); }};
}

std::byte* MemoryPool::TakeIdle(int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found =
      std::ranges::find(idle_.rbegin(), idle_.rend(), bytes, &Block::bytes);
  if (found == idle_.rend()) return nullptr;
  std::byte* memory = found->memory;
  idle_.erase(std::next(found).base());
  idle_bytes_ -= bytes;
  return memory;
}

void MemoryPool::Return(Block block) {
  if (block.bytes > limit_bytes_) {
    std::free(block.memory);
    return;
  }
  std::vector<Block> dropped;
  {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(block);
    idle_bytes_ += block.bytes;
    auto last = idle_.begin();
    while (last != idle_.end() && (idle_bytes_ > limit_bytes_ ||
                                   idle_.end() - last > kMaxIdleBlocks)) {
      idle_bytes_ -= last->bytes;
      dropped.push_back(*last++);
    }
    idle_.erase(idle_.begin(), last);
  }
  for (const Block& old : dropped) std::free(old.memory);
}

void MemoryPool::Trim() {
  std::vector<Block> dropped;
  {
    const std::scoped_lock lock(mutex_);
    dropped.swap(idle_);
    idle_bytes_ = 0;
  }
  for (const Block& block : dropped) std::free(block.memory);
}

int64_t MemoryPool::idle_bytes() const {
  const std::scoped_lock lock(mutex_);
  return idle_bytes_;
}

}  // namespace hilo::runtime

// Memory that there is not is an error of the program that asked for it, in
// builds with AddressSanitizer and ThreadSanitizer, too.
#ifdef __SANITIZE_ADDRESS__
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name for it.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
#endif
#ifdef __SANITIZE_THREAD__
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name for it.
extern "C" const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}
#endif
