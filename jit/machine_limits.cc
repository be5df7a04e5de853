// Times loops of multiply-adds, and of copies.
#include "jit/machine_limits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "runtime/parallel_for.h"

namespace hilo {
namespace {

using Clock = std::chrono::steady_clock;

// Enough repetitions to see the speed in spite of other processes.
constexpr int kRounds = 5;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Independent sums: more than a multiply-add's latency times those that can
// start in a cycle.
constexpr int kSums = 12;
constexpr int64_t kSteps = 200000;

template <int kLanes>
struct Vector {
  using Type [[gnu::vector_size(kLanes * sizeof(float))]] = float;
};

// Returns a number that depends on all sums, so that none is left out. Written
// out, the sums stay in registers.
template <int kLanes, size_t... kSum>
[[gnu::always_inline]] inline float MultiplyAdd(
    float seed, std::index_sequence<kSum...> /*sums*/) {
  using Lanes = Vector<kLanes>::Type;
  std::array<Lanes, kSums> sums = {};
  const Lanes factor = Lanes{} + seed;
  for (int64_t step = 0; step < kSteps; ++step) {
    ((sums[kSum] = sums[kSum] * factor + factor), ...);
  }
  return (sums[kSum][0] + ...);
}

template <int kLanes>
[[gnu::always_inline]] inline float MultiplyAdd(float seed) {
  return MultiplyAdd<kLanes>(seed, std::make_index_sequence<kSums>());
}

struct MultiplyAddLoop {
  float (*run)(float seed);
  int lanes;
};

float MultiplyAddPortable(float seed) { return MultiplyAdd<4>(seed); }

#ifdef __x86_64__
[[gnu::target("avx2,fma")]] float MultiplyAddAvx2(float seed) {
  return MultiplyAdd<8>(seed);
}
[[gnu::target("avx512f,fma")]] float MultiplyAddAvx512(float seed) {
  return MultiplyAdd<16>(seed);
}
#endif

MultiplyAddLoop WidestLoop() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return {&MultiplyAddAvx512, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return {&MultiplyAddAvx2, 8};
  }
#endif
  return {&MultiplyAddPortable, 4};
}

struct MultiplyAddTask {
  MultiplyAddLoop loop;
  // One a thread; far enough apart.
  std::vector<double> results;
};

void RunMultiplyAdds(void* arguments, int64_t begin, int64_t end) {
  auto& task = *static_cast<MultiplyAddTask*>(arguments);
  for (int64_t i = begin; i < end; ++i) {
    task.results[static_cast<size_t>(i)] = task.loop.run(0.5F);
  }
}

struct CopyTask {
  const std::byte* source = nullptr;
  std::byte* destination = nullptr;
};

void RunCopies(void* arguments, int64_t begin, int64_t end) {
  const auto& task = *static_cast<const CopyTask*>(arguments);
  std::memcpy(task.destination + begin, task.source + begin,
              static_cast<size_t>(end - begin));
}

double MeasureCopies(runtime::LoopWorkers& workers, int64_t working_set) {
  // A short round would measure the start of the workers.
  constexpr double kRoundSeconds = 0.004;
  const int64_t half = std::max<int64_t>(working_set / 2, 1);
  std::vector<std::byte> source(static_cast<size_t>(half), std::byte{1});
  std::vector<std::byte> destination(static_cast<size_t>(half));
  CopyTask task{.source = source.data(), .destination = destination.data()};
  const int64_t grain =
      std::max<int64_t>(half / (4 * workers.thread_count()), 4096);
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    workers.Arm();
    int64_t repetitions = 0;
    const Clock::time_point start = Clock::now();
    double seconds = 0;
    do {
      workers.Run(&RunCopies, &task, half, grain);
      ++repetitions;
      seconds = SecondsSince(start);
    } while (seconds < kRoundSeconds);
    best =
        std::max(best, 2.0 * static_cast<double>(half * repetitions) / seconds);
  }
  return best;
}

}  // namespace

double MachineLimits::operations_per_second() {
  if (operations_per_second_ > 0) return operations_per_second_;
  runtime::LoopWorkers& workers = pool_.loop_workers();
  const int64_t threads = workers.thread_count();
  MultiplyAddTask task{
      .loop = WidestLoop(),
      .results = std::vector<double>(static_cast<size_t>(threads))};
  const auto operations = static_cast<double>(int64_t{2} * kSums * kSteps *
                                              task.loop.lanes * threads);
  for (int round = 0; round < kRounds; ++round) {
    workers.Arm();
    const Clock::time_point start = Clock::now();
    workers.Run(&RunMultiplyAdds, &task, threads, 1);
    operations_per_second_ =
        std::max(operations_per_second_, operations / SecondsSince(start));
  }
  return operations_per_second_;
}

double MachineLimits::bytes_per_second(double working_set_bytes) {
  constexpr double kSmallest = 1 << 12;
  // Beyond all caches.
  constexpr double kLargest = 1 << 28;
  const auto size = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(
      std::clamp(working_set_bytes, kSmallest, kLargest))));
  double& known = bytes_per_second_[size];
  if (known == 0) known = MeasureCopies(pool_.loop_workers(), size);
  return known;
}

}  // namespace hilo
