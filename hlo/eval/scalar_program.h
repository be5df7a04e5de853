// Computations over scalars, prepared for running on many elements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/computation.h"

namespace hilo::hlo {

// A computation whose values are all scalars (reducers, comparators, map
// bodies), as a list of typed kernels that each work on a vector of lanes.
// Calls and fusions are inlined; element-wise opcodes, convert, compare,
// select, clamp, constant, tuple and get-tuple-element are understood.
class ScalarProgram {
 public:
  static constexpr int64_t kMaxLanes = 512;

  // Nullopt when the computation contains anything else: the caller then
  // evaluates it through EvaluationContext::Call.
  static std::optional<ScalarProgram> Compile(const Computation& computation);

  ScalarProgram(ScalarProgram&&) noexcept;
  ScalarProgram& operator=(ScalarProgram&&) noexcept;
  ~ScalarProgram();

  // Runs `lanes` (1 ... kMaxLanes) independent applications. arguments[i]
  // points to `lanes` elements of parameter i, results[j] to space for `lanes`
  // elements of leaf j of the root. A result may be the same memory as an
  // argument. Does not allocate. Not thread-safe: has scratch of its own.
  void Run(int64_t lanes, absl::Span<const void* const> arguments,
           absl::Span<void* const> results);

  int64_t result_count() const;

 private:
  struct Code;
  explicit ScalarProgram(std::unique_ptr<Code> code);
  std::unique_ptr<Code> code_;
};

}  // namespace hilo::hlo
