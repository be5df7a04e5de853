// Windows that each extend the previous one, as of cumulative sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"

#include "hlo/eval/fold_kernel.h"
#include "hlo/eval/scalar_body.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {

// An operand of a fold, with its initial value and its result.
struct FoldArray {
  const std::byte* input = nullptr;
  int input_bytes = 0;
  std::byte* output = nullptr;
  int output_bytes = 0;
  // One element of the output's type.
  const std::byte* initial = nullptr;
};

// Windows along one dimension of [outer, size, inner] arrays: output i sees the
// inputs before Limit(i), or, for suffixes, those from Limit(i) on.
struct CumulativeWindow {
  int64_t outer = 1;
  int64_t inner = 1;
  int64_t input_size = 0;
  int64_t output_size = 0;
  // Prefixes: inputs that output 0 sees (may be negative or above input_size).
  // Suffixes: the first input that output 0 sees (may be negative).
  int64_t first_limit = 0;
  bool is_suffix = false;

  int64_t Limit(int64_t output) const;
};

// The cumulative form of a window, if it has one. Suffixes are taken only when
// the order of elements does not matter, as they grow at the front.
std::optional<CumulativeWindow> FindCumulativeWindow(const Shape& input,
                                                     const Shape& output,
                                                     const Window& window,
                                                     bool is_order_free);

// Folds in time linear in the input, by `kernel` if there is one, else `body`.
absl::Status FoldCumulatively(const CumulativeWindow& window, ScalarBody& body,
                              const std::optional<FoldKernel>& kernel,
                              absl::Span<const FoldArray> arrays);

}  // namespace hilo::hlo
