// Discrete Fourier transforms of arrays: HLO's fft.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace hilo::runtime {

enum class FftType : uint8_t {
  // Complex to complex.
  kForward,
  // The same, inverse and divided by the product of the lengths.
  kInverse,
  // Real to complex: of the last dimension's n elements, the first n / 2 + 1.
  kRealForward,
  // The other way round, divided; imaginary parts that cannot be are ignored.
  kRealInverse,
};

struct FftDescription {
  FftType type = FftType::kForward;
  // f64 and c128; else f32 and c64.
  bool is_double = false;
  // Arrays to transform one by one.
  int64_t batch = 1;
  // The dimensions that are transformed, outer to inner: one or more, >= 1.
  std::vector<int64_t> lengths;
  // Threads that may work at once; each needs scratch memory.
  int64_t slots = 1;
};

// A prepared transform. Lengths are divided into factors up to 61; others
// become convolutions. Errors are about 1e-7 (1e-16) times the logarithm of
// the length, relative to the norm of the data. Results do not depend on
// threads. Thread-safe once created.
class FftPlan {
 public:
  explicit FftPlan(const FftDescription& description);
  ~FftPlan();
  FftPlan(FftPlan&&) noexcept;
  FftPlan& operator=(FftPlan&&) noexcept;

  // Bytes of scratch memory, aligned to 64 bytes.
  int64_t scratch_bytes() const;

  // `pool` is a LoopWorkers or null. Dense row-major arrays that do not
  // overlap. Takes no memory.
  void Run(void* pool, const void* operand, void* result, void* scratch) const;

 private:
  class Implementation;
  template <typename T>
  class Typed;

  std::unique_ptr<const Implementation> implementation_;
};

}  // namespace hilo::runtime

// FftPlan::Run for compiled code; `plan` is an FftPlan.
extern "C" void hilo_fft(void* pool, const void* plan, const void* operand,
                         void* result, void* scratch);
