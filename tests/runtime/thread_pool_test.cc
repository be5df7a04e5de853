// Tests calls that a pool's threads share.
#include "runtime/thread_pool.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <vector>

#include "catch2/catch.hpp"

namespace hilo::runtime {
namespace {

TEST_CASE("a pool makes each call once") {
  for (const int64_t threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (const int64_t count : {0, 1, 2, 7, 100}) {
      CAPTURE(threads, count);
      std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
      pool.ForEach(count, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
      for (const std::atomic<int>& number : calls) CHECK(number == 1);
    }
  }
}

TEST_CASE("tasks may share calls although all threads are taken") {
  constexpr int kTasks = 16;
  ThreadPool pool(2);
  std::atomic<int64_t> calls = 0;
  std::vector<std::promise<void>> done(kTasks);
  for (std::promise<void>& promise : done) {
    pool.Schedule([&pool, &calls, &promise] {
      pool.ForEach(
          8, [&](int64_t) { pool.ForEach(3, [&](int64_t) { ++calls; }); });
      promise.set_value();
    });
  }
  for (std::promise<void>& promise : done) promise.get_future().wait();
  CHECK(calls == int64_t{kTasks} * 8 * 3);
}

}  // namespace
}  // namespace hilo::runtime
