// Runs text tests ahead of Catch2, on all cores.
#include "tests/support/text_test_queue.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hilo::tests {

TextTestJob::TextTestJob(std::string name, Function function)
    : name_(std::move(name)),
      function_(std::move(function)),
      failures_(promise_.get_future().share()) {}

void TextTestJob::RunOnce() {
  if (is_taken_.exchange(true)) return;
  promise_.set_value(function_());
}

const std::vector<std::string>& TextTestJob::Failures() {
  RunOnce();
  return failures_.get();
}

TextTestQueue::~TextTestQueue() {
  next_ = selected_.size();
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<TextTestJob> TextTestQueue::Add(
    std::string name, TextTestJob::Function function) {
  jobs_.push_back(
      std::make_shared<TextTestJob>(std::move(name), std::move(function)));
  return jobs_.back();
}

void TextTestQueue::RunAhead(const std::vector<std::string>& names) {
  std::unordered_map<std::string, TextTestJob*> by_name;
  for (const std::shared_ptr<TextTestJob>& job : jobs_) {
    by_name.emplace(job->name(), job.get());
  }
  for (const std::string& name : names) {
    const auto found = by_name.find(name);
    if (found != by_name.end()) selected_.push_back(found->second);
  }
  const size_t core_count = std::max(1U, std::thread::hardware_concurrency());
  const size_t thread_count = std::min(core_count, selected_.size());
  for (size_t i = 0; i < thread_count; ++i) {
    threads_.emplace_back([this] { RunSelected(); });
  }
}

void TextTestQueue::RunSelected() {
  for (size_t i = next_++; i < selected_.size(); i = next_++) {
    selected_[i]->RunOnce();
  }
}

}  // namespace hilo::tests
