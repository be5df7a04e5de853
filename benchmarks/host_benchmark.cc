// Measures library calls of compiled programs: nanoseconds per element.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "absl/types/span.h"

#include "runtime/cpu_time.h"
#include "runtime/host/element_code.h"
#include "runtime/host/fft.h"
#include "runtime/host/item_loop.h"
#include "runtime/host/sort.h"
#include "runtime/thread_pool.h"

namespace hilo::runtime {
namespace {

// The least time of several runs, in nanoseconds.
template <typename F>
double BestTime(const F& run) {
  constexpr int kRounds = 9;
  return runtime::LeastSeconds(kRounds, run) * 1e9;
}

class Memory {
 public:
  explicit Memory(int64_t bytes) : bytes_(bytes + kScratchAlignment) {}
  void* data() {
    const auto address = reinterpret_cast<uintptr_t>(bytes_.data());
    return bytes_.data() + (AlignScratch(static_cast<int64_t>(address)) -
                            static_cast<int64_t>(address));
  }

 private:
  std::vector<std::byte> bytes_;
};

bool CompareFloats(const void* const* elements) {
  return *static_cast<const float*>(elements[0]) <
         *static_cast<const float*>(elements[1]);
}

struct SortCase {
  int64_t size;
  int64_t operand_count;
  bool by_comparator;
};

void MeasureSort(const SortCase& sort) {
  constexpr int64_t kElements = 1 << 20;
  const int64_t rows = std::max<int64_t>(1, kElements / sort.size);
  const int64_t count = rows * sort.size;
  std::mt19937 random(1);
  std::vector<float> keys(count);
  std::vector<int32_t> numbers(count);
  for (float& key : keys)
    key = std::uniform_real_distribution(-1e3F, 1e3F)(random);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<float> sorted(count);
  std::vector<int32_t> order(count);
  const SortRows description{.row_size = sort.size,
                             .outer_count = rows,
                             .outer_stride = sort.size,
                             .operand_count = sort.operand_count};
  const SortKey key{.type = kElementCode<float>, .order = SortOrder::kNanLast};
  constexpr std::array<int64_t, 2> kBytes = {4, 4};
  const absl::Span<const int64_t> sizes =
      absl::MakeConstSpan(kBytes.data(), sort.operand_count);
  Memory scratch(std::max(SortScratchBytes(description, key, sizes),
                          SortScratchBytes(description, sizes)));
  const std::array<const void*, 2> operands = {keys.data(), numbers.data()};
  const std::array<void*, 2> results = {sorted.data(), order.data()};
  const double time = BestTime([&] {
    if (sort.by_comparator) {
      hilo_sort_by_comparator(nullptr, &description, &CompareFloats,
                              kBytes.data(), operands.data(), results.data(),
                              scratch.data());
    } else {
      hilo_sort_by_key(nullptr, &description, &key, kBytes.data(),
                       operands.data(), results.data(), scratch.data());
    }
  });
  std::printf("sort f32[%ld,%ld] %s%s: %.2f ns per element\n", rows, sort.size,
              sort.operand_count > 1 ? "with s32 payload" : "keys only",
              sort.by_comparator ? " by comparator" : "",
              time / static_cast<double>(count));
}

void MeasureFft(FftType type, int64_t length, int64_t batch) {
  const FftPlan plan({.type = type, .batch = batch, .lengths = {length}});
  std::vector<float> operand(2 * batch * length, 0.5F);
  std::vector<float> result(2 * batch * (length + 1));
  Memory scratch(plan.scratch_bytes());
  constexpr int64_t kElements = 1 << 16;
  const int64_t repeats = std::max<int64_t>(1, kElements / (length * batch));
  const double time = BestTime([&] {
    for (int64_t i = 0; i < repeats; ++i) {
      plan.Run(nullptr, operand.data(), result.data(), scratch.data());
    }
  });
  const auto elements = static_cast<double>(repeats * batch * length);
  std::printf("%s f32[%ld,%ld]: %.2f ns per element, %.1f GFlop/s\n",
              type == FftType::kForward ? "fft" : "rfft", batch, length,
              time / elements,
              5 * elements * std::log2(static_cast<double>(length)) / time);
}

void MeasureLoops() {
  ThreadPool pool(0);
  const auto nothing = [](void*, int64_t, int64_t) {};
  constexpr int64_t kLoops = 1000;
  pool.loop_workers().Arm();
  const double time = BestTime([&] {
    for (int64_t i = 0; i < kLoops; ++i) {
      pool.loop_workers().Run(nothing, nullptr, pool.thread_count(), 1);
    }
  });
  std::printf("empty loop on %ld threads: %.0f ns\n", pool.thread_count(),
              time / kLoops);
}

int Main() {
  MeasureLoops();
  for (const FftType type : {FftType::kForward, FftType::kRealForward}) {
    for (const int64_t batch : {1, 64}) {
      for (const int64_t length :
           {16, 64, 100, 256, 509, 1000, 1024, 4096, 16384, 65536}) {
        MeasureFft(type, length, batch);
      }
    }
  }
  for (const bool by_comparator : {false, true}) {
    for (const int64_t operand_count : {1, 2}) {
      for (const int64_t size :
           {8, 16, 32, 64, 128, 256, 1024, 4096, 16384, 262144, 1048576}) {
        MeasureSort({size, operand_count, by_comparator});
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace hilo::runtime

int main() { return hilo::runtime::Main(); }
