// Tests loops that threads share.
#include "runtime/parallel_for.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "catch2/catch.hpp"

#include "runtime/thread_pool.h"

namespace hilo::runtime {
namespace {

// Counts how often each index is visited, and notes where chunks begin.
struct Visits {
  explicit Visits(int64_t count) : counts(count), begins(count) {}

  static void Run(void* arguments, int64_t begin, int64_t end) {
    auto& visits = *static_cast<Visits*>(arguments);
    visits.begins[begin] = end;
    for (int64_t i = begin; i < end; ++i) ++visits.counts[i];
  }
  bool AllOnce() const {
    return std::ranges::all_of(counts,
                               [](int64_t count) { return count == 1; });
  }

  std::vector<int64_t> counts;
  std::vector<int64_t> begins;
};

TEST_CASE("loops visit each index once, in chunks of the grain") {
  for (const int64_t threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    pool.loop_workers().Arm();
    for (const int64_t count : {0, 1, 2, 3, 5, 7, 17, 64, 1000, 4099}) {
      for (const int64_t grain : {-1, 1, 2, 3, 7, 64, 5000}) {
        CAPTURE(threads, count, grain);
        Visits shared(count);
        hilo_parallel_for(&pool.loop_workers(), &Visits::Run, &shared, count,
                          grain, INT64_MAX);
        CHECK(shared.AllOnce());
        Visits alone(count);
        hilo_parallel_for(nullptr, &Visits::Run, &alone, count, grain, 1);
        CHECK(alone.AllOnce());
        CHECK(shared.begins == alone.begins);
      }
    }
  }
}

TEST_CASE("loops that take long get workers without being armed") {
  ThreadPool pool(2);
  struct Threads {
    std::atomic<int64_t> others = 0;
    std::thread::id caller = std::this_thread::get_id();
  } threads;
  const auto kernel = [](void* arguments, int64_t, int64_t) {
    auto& seen = *static_cast<Threads*>(arguments);
    if (std::this_thread::get_id() != seen.caller) ++seen.others;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  pool.loop_workers().Run(kernel, &threads, 300, 1);
  CHECK(threads.others > 0);
}

TEST_CASE("threads of a loop have slots of their own") {
  ThreadPool pool(4);
  for (const int64_t slots : {1, 2, 3, 4, 9}) {
    pool.loop_workers().Arm();
    struct Slots {
      LoopWorkers* workers;
      int64_t limit;
      std::array<std::atomic<int64_t>, 4> users = {};
      std::atomic<int64_t> failures = 0;
    } seen{.workers = &pool.loop_workers(),
           .limit = std::min<int64_t>(slots, 4)};
    const auto kernel = [](void* arguments, int64_t, int64_t) {
      auto& outer = *static_cast<Slots*>(arguments);
      const int64_t slot = LoopWorkers::Slot();
      if (slot < 0 || slot >= outer.limit) {
        ++outer.failures;
        return;
      }
      if (++outer.users[slot] != 1) ++outer.failures;
      // A loop within has its own.
      outer.workers->Run(
          [](void* failures, int64_t, int64_t) {
            if (LoopWorkers::Slot() != 0) {
              ++*static_cast<std::atomic<int64_t>*>(failures);
            }
          },
          &outer.failures, 2, 1);
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      if (LoopWorkers::Slot() != slot) ++outer.failures;
      --outer.users[slot];
    };
    pool.loop_workers().Run(kernel, &seen, 200, 1, slots);
    CAPTURE(slots);
    CHECK(seen.failures == 0);
  }
  CHECK(LoopWorkers::Slot() == 0);
}

TEST_CASE("loops within loops run") {
  ThreadPool pool(3);
  pool.loop_workers().Arm();
  struct Nested {
    LoopWorkers* workers;
    std::vector<Visits> visits;
  } nested{&pool.loop_workers(), std::vector<Visits>(17, Visits(35))};
  const auto kernel = [](void* arguments, int64_t begin, int64_t end) {
    auto& outer = *static_cast<Nested*>(arguments);
    for (int64_t i = begin; i < end; ++i) {
      outer.workers->Run(&Visits::Run, &outer.visits[i], 35, 3);
    }
  };
  pool.loop_workers().Run(kernel, &nested, 17, 2);
  for (const Visits& visits : nested.visits) CHECK(visits.AllOnce());
}

TEST_CASE("several threads run loops at once, while workers park and wake") {
  constexpr int64_t kCallers = 3;
  constexpr int64_t kRounds = 400;
  ThreadPool pool(4);
  std::atomic<int64_t> failures = 0;
  std::vector<std::thread> callers;
  callers.reserve(kCallers);
  for (int64_t caller = 0; caller < kCallers; ++caller) {
    callers.emplace_back([&, caller] {
      for (int64_t round = 0; round < kRounds; ++round) {
        const int64_t count = 1 + (round * 37 + caller) % 211;
        if (round % 16 == 0) pool.loop_workers().Arm();
        if (round % 50 == 49) {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        Visits visits(count);
        pool.loop_workers().Run(&Visits::Run, &visits, count, 1 + round % 5);
        if (!visits.AllOnce()) ++failures;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(failures == 0);
}

TEST_CASE("pools come and go with parked, spinning and no workers") {
  for (int round = 0; round < 60; ++round) {
    ThreadPool pool(3);
    if (round % 3 > 0) pool.loop_workers().Arm();
    if (round % 3 > 1) {
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    Visits visits(100);
    pool.loop_workers().Run(&Visits::Run, &visits, 100, 1);
    CHECK(visits.AllOnce());
  }
}

TEST_CASE("there are as many threads as asked for") {
  CHECK(AvailableProcessors() >= 1);
  CHECK(ThreadPool(0).thread_count() == AvailableProcessors());
  CHECK(ThreadPool(5).loop_workers().thread_count() == 5);
}

}  // namespace
}  // namespace hilo::runtime
