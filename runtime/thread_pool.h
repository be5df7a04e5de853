// The only threads in the project: a fixed number of workers with one queue.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hilo::runtime {

// Runs tasks in the order in which they are scheduled, up to `threads` of them
// at once. Thread-safe.
class ThreadPool {
 public:
  // `threads` 0: as many as the machine has cores. Workers start with the
  // first task.
  explicit ThreadPool(int64_t threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // Waits for all scheduled tasks. Not to be called from a task.
  ~ThreadPool();

  int64_t thread_count() const { return thread_count_; }

  void Schedule(std::function<void()> task);

 private:
  void Work();

  int64_t thread_count_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> workers_;
  int64_t idle_count_ = 0;
  bool is_stopping_ = false;
};

}  // namespace hilo::runtime
