// Workers that take tasks from a queue.
#include "runtime/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/parallel_for.h"

namespace hilo::runtime {
namespace {

// Calls that several threads share.
class SharedCalls {
 public:
  SharedCalls(int64_t count, const std::function<void(int64_t)>& function)
      : count_(count), function_(function) {}

  // Makes calls that nobody has begun, until there are none.
  void Run() {
    for (int64_t i = next_++; i < count_; i = next_++) {
      function_(i);
      const std::scoped_lock lock(mutex_);
      if (++finished_ == count_) all_finished_.notify_all();
    }
  }

  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    all_finished_.wait(lock, [this] { return finished_ == count_; });
  }

 private:
  const int64_t count_;
  // The caller's: gone after the last call.
  const std::function<void(int64_t)>& function_;
  std::atomic<int64_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable all_finished_;
  int64_t finished_ = 0;
};

}  // namespace

ThreadPool::ThreadPool(int64_t threads)
    : thread_count_(threads > 0 ? threads : AvailableProcessors()),
      loop_workers_(thread_count_) {}

ThreadPool::~ThreadPool() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::Schedule(std::function<void()> task) {
  {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
    const auto waiting = static_cast<int64_t>(tasks_.size());
    const auto started = static_cast<int64_t>(workers_.size());
    if (waiting > idle_count_ && started < thread_count_) {
      workers_.emplace_back([this] { Work(); });
    }
  }
  wake_.notify_one();
}

void ThreadPool::ForEach(int64_t count,
                         const std::function<void(int64_t)>& function) {
  const int64_t helpers = std::min(count, thread_count_) - 1;
  if (helpers < 1) {
    for (int64_t i = 0; i < count; ++i) function(i);
    return;
  }
  // Shared with tasks that may begin when all is over.
  const auto calls = std::make_shared<SharedCalls>(count, function);
  for (int64_t i = 0; i < helpers; ++i) Schedule([calls] { calls->Run(); });
  calls->Run();
  calls->Wait();
}

void ThreadPool::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    ++idle_count_;
    wake_.wait(lock, [this] { return is_stopping_ || !tasks_.empty(); });
    --idle_count_;
    if (tasks_.empty()) return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

}  // namespace hilo::runtime
