// The loops of a transform, compiled for each kind of CPU.
#pragma once

#include <cstdint>

#include "runtime/host/fft_tables.h"
#include "runtime/host/fft_vectors.h"

namespace hilo::runtime {

// What a step reads and writes.
template <typename T>
struct StepArrays {
  LaneArrays<T> from;
  LaneArrays<T> to;
};

// The loops for one type of numbers.
template <typename T>
struct FftKernels {
  // Reads `count` complex elements of each lane, and writes them.
  static void Load(const LaneSource<T>& source, int64_t count,
                   const LaneArrays<T>& to);
  static void Store(const LaneArrays<T>& from, int64_t count,
                    const LaneTarget<T>& target);

  // Runs one step of a transform.
  static void RunStep(const FftStep& step, const SmoothFft<T>& fft,
                      const StepArrays<T>& arrays);

  static void Multiply(const ComplexTable<T>& factors, int64_t count,
                       const LaneArrays<T>& data);
  // Factors differ by lane: number k of lane l has those at [k * stride + l].
  static void MultiplyByLane(const T* factor_re, const T* factor_im,
                             int64_t stride, int64_t count,
                             const LaneArrays<T>& data);
  static void Scale(T factor, int64_t count, const LaneArrays<T>& data);

  // Makes the first half of the transform of 2 * half real numbers, and one,
  // of the transform of its pairs of neighbours. Roots are those of the whole
  // length.
  static void JoinHalves(const ComplexTable<T>& roots, int64_t half,
                         const LaneArrays<T>& data);
  // The inverse, times two. Imaginary parts of what must be real are ignored.
  static void SplitHalves(const ComplexTable<T>& roots, int64_t half,
                          const LaneArrays<T>& data);
};

}  // namespace hilo::runtime
