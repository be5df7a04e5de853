// The only threads in the project: workers with a queue of tasks, and workers
// that share loops.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/parallel_for.h"

namespace hilo::runtime {

// Runs tasks in the order in which they are scheduled, up to `threads` of them
// at once. Thread-safe.
class ThreadPool {
 public:
  // `threads` 0: as many as the process may use. Workers start with the first
  // task, those for loops with the first loop that is worth it.
  explicit ThreadPool(int64_t threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // Waits for all scheduled tasks. Not to be called from a task.
  ~ThreadPool();

  int64_t thread_count() const { return thread_count_; }

  void Schedule(std::function<void()> task);

  // Calls function(0) to function(count - 1), in any order, on the caller and
  // on workers that have nothing else to do, and returns when all calls have.
  // May be called from a task: what no worker has begun, the caller does.
  void ForEach(int64_t count, const std::function<void(int64_t)>& function);

  // Threads for loops: the caller and thread_count() - 1 workers that take no
  // tasks. They must not be in use when the pool goes.
  LoopWorkers& loop_workers() { return loop_workers_; }

 private:
  void Work();

  int64_t thread_count_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> workers_;
  int64_t idle_count_ = 0;
  bool is_stopping_ = false;
  LoopWorkers loop_workers_;
};

}  // namespace hilo::runtime
