// Loops whose chunks are shared among threads: what compiled programs call.
#include "runtime/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>

#ifdef __linux__
#include <sched.h>
#endif

namespace hilo::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// How long a worker looks for the next loop before it parks.
constexpr std::chrono::microseconds kSpinTime(80);
// A loop that has taken this long without workers wakes them.
constexpr std::chrono::microseconds kWakeTime(20);
// Looks at the clock, or lets others run, once in so many pauses.
constexpr int kPausesPerCheck = 64;

// The parts of `state_`: workers that have joined, whether more may, and the
// number of the loop.
constexpr uint64_t kOneWorker = 1;
constexpr uint64_t kIsOpen = uint64_t{1} << 16;
constexpr uint64_t kOneLoop = uint64_t{1} << 17;
constexpr uint64_t kWorkers = kIsOpen - 1;

thread_local int64_t current_slot = 0;

constexpr uint64_t NumberOf(uint64_t state) { return state / kOneLoop; }

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

int64_t AvailableProcessors() {
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0) {
    return CPU_COUNT(&set);
  }
#endif
  return std::max<int64_t>(1, std::thread::hardware_concurrency());
}

void LoopWorkers::Loop::RunChunk(int64_t chunk) const {
  const int64_t begin = chunk * grain;
  const int64_t end = chunk + 1 == chunks ? count : begin + grain;
  kernel(arguments, begin, end);
}

LoopWorkers::LoopWorkers(int64_t threads)
    : worker_limit_(std::clamp<int64_t>(threads - 1, 0, kWorkers)) {}

LoopWorkers::~LoopWorkers() {
  is_stopping_ = true;
  ++arm_count_;
  {
    const std::scoped_lock lock(mutex_);
    wake_.notify_all();
  }
  for (std::thread& worker : workers_) worker.join();
}

int64_t LoopWorkers::Slot() { return current_slot; }

void LoopWorkers::Run(LoopKernel kernel, void* arguments, int64_t count,
                      int64_t grain, int64_t slots) {
  if (count <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const Loop loop{.kernel = kernel,
                  .arguments = arguments,
                  .count = count,
                  .grain = grain,
                  .chunks = (count - 1) / grain + 1,
                  .slots = slots};
  // A worker's loop is its own.
  const int64_t outer_slot = std::exchange(current_slot, 0);
  if (loop.chunks > 1 && worker_limit_ > 0 &&
      !is_taken_.load(std::memory_order_relaxed) &&
      !is_taken_.exchange(true, std::memory_order_acquire)) {
    RunShared(loop);
    is_taken_.store(false, std::memory_order_release);
  } else {
    for (int64_t i = 0; i < loop.chunks; ++i) loop.RunChunk(i);
  }
  current_slot = outer_slot;
}

void LoopWorkers::RunShared(const Loop& loop) {
  loop_ = loop;
  next_chunk_.store(0, std::memory_order_relaxed);
  state_.fetch_add(kOneLoop + kIsOpen, std::memory_order_release);
  RunCallersChunks(loop);
  state_.fetch_sub(kIsOpen, std::memory_order_relaxed);
  int pauses = 0;
  while ((state_.load(std::memory_order_acquire) & kWorkers) != 0) {
    Pause();
    // A worker may have lost its processor to somebody else.
    if (++pauses % kPausesPerCheck == 0) std::this_thread::yield();
  }
}

// Runs chunks while there are any. Wakes the workers once it is clear that
// that pays.
void LoopWorkers::RunCallersChunks(const Loop& loop) {
  bool may_wake = !is_started_.load(std::memory_order_relaxed) ||
                  parked_count_.load(std::memory_order_relaxed) > 0;
  const Clock::time_point start = may_wake ? Clock::now() : Clock::time_point();
  while (true) {
    const int64_t chunk = next_chunk_.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= loop.chunks) return;
    loop.RunChunk(chunk);
    if (!may_wake || chunk + 1 == loop.chunks) continue;
    if (Clock::now() - start < kWakeTime) continue;
    Arm();
    may_wake = false;
  }
}

void LoopWorkers::Arm() {
  if (worker_limit_ == 0) return;
  // Against Park(), which counts itself first and looks at `arm_count_` then.
  arm_count_.fetch_add(1, std::memory_order_seq_cst);
  if (is_started_.load(std::memory_order_acquire) &&
      parked_count_.load(std::memory_order_seq_cst) == 0) {
    return;
  }
  Start();
  wake_.notify_all();
}

// Starts the workers once. Taking the mutex also makes sure that who is about
// to wait hears of what comes next.
void LoopWorkers::Start() {
  const std::scoped_lock lock(mutex_);
  if (is_started_.load(std::memory_order_relaxed)) return;
  workers_.reserve(worker_limit_);
  for (int64_t i = 0; i < worker_limit_; ++i) {
    workers_.emplace_back([this, slot = i + 1] { Work(slot); });
  }
  is_started_.store(true, std::memory_order_release);
}

void LoopWorkers::Work(int64_t slot) {
  current_slot = slot;
  uint64_t last = 0;
  while ((last = Join(last)) != 0) {
    const Loop& loop = loop_;
    while (slot < loop.slots) {
      const int64_t chunk = next_chunk_.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= loop.chunks) break;
      loop.RunChunk(chunk);
    }
    state_.fetch_sub(kOneWorker, std::memory_order_release);
  }
}

uint64_t LoopWorkers::Join(uint64_t last) {
  uint64_t seen = arm_count_.load(std::memory_order_acquire);
  Clock::time_point deadline = Clock::now() + kSpinTime;
  int pauses = 0;
  while (true) {
    uint64_t state = state_.load(std::memory_order_relaxed);
    while ((state & kIsOpen) != 0 && NumberOf(state) != last) {
      if (state_.compare_exchange_weak(state, state + kOneWorker,
                                       std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return NumberOf(state);
      }
    }
    Pause();
    if (++pauses % kPausesPerCheck != 0) continue;
    if (is_stopping_.load(std::memory_order_relaxed)) return 0;
    if (Clock::now() < deadline) continue;
    Park(seen);
    seen = arm_count_.load(std::memory_order_acquire);
    deadline = Clock::now() + kSpinTime;
  }
}

void LoopWorkers::Park(uint64_t seen) {
  parked_count_.fetch_add(1, std::memory_order_seq_cst);
  {
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait(lock, [&] {
      return arm_count_.load(std::memory_order_seq_cst) != seen;
    });
  }
  parked_count_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace hilo::runtime

void hilo_parallel_for(void* pool, hilo::runtime::LoopKernel kernel,
                       void* arguments, int64_t count, int64_t grain,
                       int64_t slots) {
  if (pool != nullptr) {
    static_cast<hilo::runtime::LoopWorkers*>(pool)->Run(kernel, arguments,
                                                        count, grain, slots);
    return;
  }
  grain = std::max<int64_t>(grain, 1);
  for (int64_t begin = 0; begin < count;) {
    const int64_t end = count - begin > grain ? begin + grain : count;
    kernel(arguments, begin, end);
    begin = end;
  }
}

int64_t hilo_loop_slot() { return hilo::runtime::LoopWorkers::Slot(); }

void hilo_parallel_arm(void* pool) {
  if (pool == nullptr) return;
  static_cast<hilo::runtime::LoopWorkers*>(pool)->Arm();
}
