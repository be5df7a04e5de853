// Workers that take tasks from a queue.
#include "runtime/thread_pool.h"

#include <utility>

namespace hilo::runtime {

ThreadPool::ThreadPool(int64_t threads)
    : thread_count_(threads > 0 ? threads : AvailableProcessors()),
      loop_workers_(thread_count_) {}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::Schedule(std::function<void()> task) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    tasks_.push_back(std::move(task));
    const auto waiting = static_cast<int64_t>(tasks_.size());
    const auto started = static_cast<int64_t>(workers_.size());
    if (waiting > idle_count_ && started < thread_count_) {
      workers_.emplace_back([this] { Work(); });
    }
  }
  wake_.notify_one();
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
