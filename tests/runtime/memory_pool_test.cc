// Tests memory that is kept for the next array.
#include "runtime/memory_pool.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "catch2/catch.hpp"

namespace hilo::runtime {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

TEST_CASE("memory that came back is handed out again") {
  MemoryPool pool(100 * kMebibyte);
  std::shared_ptr<std::byte> first = pool.Allocate(3 * kMebibyte);
  std::byte* address = first.get();
  first = nullptr;
  CHECK(pool.idle_bytes() == 3 * kMebibyte);
  // Of about the same size, but not of another one.
  const auto other = pool.Allocate(2 * kMebibyte);
  CHECK(other.get() != address);
  const auto again = pool.Allocate(3 * kMebibyte - 100);
  CHECK(again.get() == address);
  CHECK(pool.idle_bytes() == 0);
  // It is in use now.
  CHECK(pool.Allocate(3 * kMebibyte).get() != address);
}

TEST_CASE("memory of any size is aligned and all there") {
  MemoryPool pool(100 * kMebibyte);
  for (const int64_t bytes :
       {int64_t{0}, int64_t{1}, int64_t{63}, int64_t{65}, int64_t{65535},
        int64_t{65537}, kMebibyte + 1, 4 * kMebibyte, 33 * kMebibyte + 7}) {
    CAPTURE(bytes);
    const auto memory = pool.Allocate(bytes);
    REQUIRE(memory != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(memory.get()) % 64 == 0);
    std::memset(memory.get(), 1, static_cast<size_t>(bytes));
  }
}

TEST_CASE("idle memory stays below the limit, the oldest goes first") {
  MemoryPool pool(10 * kMebibyte);
  std::shared_ptr<std::byte> old = pool.Allocate(4 * kMebibyte);
  std::shared_ptr<std::byte> recent = pool.Allocate(5 * kMebibyte);
  const std::byte* recent_address = recent.get();
  old = nullptr;
  recent = nullptr;
  CHECK(pool.idle_bytes() == 9 * kMebibyte);
  pool.Allocate(2 * kMebibyte) = nullptr;
  CHECK(pool.idle_bytes() == 7 * kMebibyte);
  CHECK(pool.Allocate(5 * kMebibyte).get() == recent_address);
  // Larger than the limit: not kept, at nobody's cost.
  pool.Allocate(16 * kMebibyte) = nullptr;
  CHECK(pool.idle_bytes() == 7 * kMebibyte);
  pool.Trim();
  CHECK(pool.idle_bytes() == 0);
}

TEST_CASE("more than there is yields no memory") {
  MemoryPool pool(kMebibyte);
  CHECK(pool.Allocate(int64_t{1} << 60) == nullptr);
}

TEST_CASE("threads share a pool") {
  MemoryPool pool(100 * kMebibyte);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  threads.reserve(wrong.size());
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&pool, &wrong, t] {
      for (int64_t i = 0; i < 200; ++i) {
        const int64_t bytes = (100 + i % 7) << 10;
        const auto memory = pool.Allocate(bytes);
        const auto mark = static_cast<std::byte>(t);
        memory.get()[0] = mark;
        memory.get()[bytes - 1] = mark;
        std::this_thread::yield();
        if (memory.get()[0] != mark || memory.get()[bytes - 1] != mark) {
          ++wrong[t];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4));
}

}  // namespace
}  // namespace hilo::runtime
