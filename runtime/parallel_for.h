// Loops whose chunks are shared among threads: what compiled programs call.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace hilo::runtime {

// Computes the part [begin, end) of a loop.
using LoopKernel = void (*)(void* arguments, int64_t begin, int64_t end);

// Processors that this process may run on: its affinity mask, not the machine.
int64_t AvailableProcessors();

// Workers that help whoever runs a loop. They spin for a moment after each
// loop, so that the next one starts within a fraction of a microsecond, and
// are parked otherwise; parked workers are woken by Arm() or by a loop that
// takes long. Only ThreadPool makes one.
//
// Thread-safe. One loop at a time has the workers: another thread's loop, and
// a loop within a loop, runs on its caller alone. What a kernel is called with
// depends on the loop only, never on threads; Slot() is for its memory alone.
class LoopWorkers {
 public:
  LoopWorkers(const LoopWorkers&) = delete;
  LoopWorkers& operator=(const LoopWorkers&) = delete;
  ~LoopWorkers();

  // Calls kernel(arguments, i, min(i + grain, count)) for i = 0, grain, 2 *
  // grain, ... in any order, and returns when all calls have. The caller takes
  // part, and up to `slots` threads in all. Takes no lock and no memory unless
  // it wakes workers.
  void Run(LoopKernel kernel, void* arguments, int64_t count, int64_t grain,
           int64_t slots = INT64_MAX);

  // The number of the calling thread among those of the loop whose kernel it
  // runs, less than the loop's slots: no other one has it. 0 outside of loops.
  static int64_t Slot();

  // Wakes the workers, and starts them the first time: worth about 10
  // microseconds of the caller's, before many short loops.
  void Arm();

  // Threads that a loop runs on, its caller among them.
  int64_t thread_count() const { return worker_limit_ + 1; }

 private:
  friend class ThreadPool;
  // One cache line, lest what workers write disturbs what they read.
  static constexpr int kLineBytes = 64;

  struct Loop {
    LoopKernel kernel = nullptr;
    void* arguments = nullptr;
    int64_t count = 0;
    int64_t grain = 1;
    int64_t chunks = 0;
    int64_t slots = INT64_MAX;

    void RunChunk(int64_t chunk) const;
  };

  explicit LoopWorkers(int64_t threads);

  void RunShared(const Loop& loop);
  void RunCallersChunks(const Loop& loop);
  void Start();
  void Work(int64_t slot);
  // Waits for a loop other than number `last`, and joins it: returns its
  // number, or 0 when the workers are to stop.
  uint64_t Join(uint64_t last);
  // Parks until Arm(), unless that was called after it had returned `seen`.
  void Park(uint64_t seen);

  const int64_t worker_limit_;
  // Whether somebody's loop has the workers.
  alignas(kLineBytes) std::atomic<bool> is_taken_ = false;
  // Number of the loop, whether it can be joined, and how many have joined;
  // parallel_for.cc says where. `loop_` stays as it is while there are any.
  alignas(kLineBytes) std::atomic<uint64_t> state_ = 0;
  Loop loop_;
  alignas(kLineBytes) std::atomic<int64_t> next_chunk_ = 0;
  // Calls of Arm().
  alignas(kLineBytes) std::atomic<uint64_t> arm_count_ = 0;
  std::atomic<int64_t> parked_count_ = 0;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> is_started_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> workers_;
};

}  // namespace hilo::runtime

// LoopWorkers::Run for compiled code; `pool` is a LoopWorkers or null, where
// the caller runs all chunks.
extern "C" void hilo_parallel_for(void* pool, hilo::runtime::LoopKernel kernel,
                                  void* arguments, int64_t count, int64_t grain,
                                  int64_t slots);

// LoopWorkers::Slot for compiled code.
extern "C" int64_t hilo_loop_slot();

// LoopWorkers::Arm for compiled code; `pool` may be null.
extern "C" void hilo_parallel_arm(void* pool);
