// Runs text tests ahead of Catch2, on all cores: their commands are processes
// of their own, so only their reports need the one thread that Catch2 has.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace hilo::tests {

// A named test that returns its failures. Runs once, on whichever thread
// comes first.
class TextTestJob {
 public:
  using Function = std::function<std::vector<std::string>()>;

  TextTestJob(std::string name, Function function);

  const std::string& name() const { return name_; }

  // Runs the test unless a thread has begun to.
  void RunOnce();

  // The failures; runs the test or waits for the thread that does.
  const std::vector<std::string>& Failures();

 private:
  std::string name_;
  Function function_;
  std::atomic<bool> is_taken_ = false;
  std::promise<std::vector<std::string>> promise_;
  std::shared_future<std::vector<std::string>> failures_;
};

// All text tests, and the threads that run the selected ones in order.
class TextTestQueue {
 public:
  TextTestQueue() = default;
  TextTestQueue(const TextTestQueue&) = delete;
  TextTestQueue& operator=(const TextTestQueue&) = delete;
  // Waits for the tests that are running and begins no more.
  ~TextTestQueue();

  // Adds a test; the job is shared with the test case that reports it.
  std::shared_ptr<TextTestJob> Add(std::string name,
                                   TextTestJob::Function function);

  // Begins to run the tests of these names, in the order given.
  void RunAhead(const std::vector<std::string>& names);

 private:
  void RunSelected();

  std::vector<std::shared_ptr<TextTestJob>> jobs_;
  std::vector<TextTestJob*> selected_;
  std::atomic<size_t> next_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace hilo::tests
