// Windows that each extend the previous one, as of cumulative sums.
#include "hlo/eval/cumulative_window.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

#include "hlo/eval/fold_kernel.h"
#include "hlo/eval/scalar_body.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

bool IsTrivial(const WindowDimension& window) {
  return window.size == 1 && window.stride == 1 && window.padding_low == 0 &&
         window.padding_high == 0 && window.base_dilation == 1;
}

// The only dimension whose window is not trivial.
std::optional<int64_t> FindOnlyDimension(const Window& window) {
  std::optional<int64_t> result;
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    if (IsTrivial(window.dimensions[i])) continue;
    if (result) return std::nullopt;
    result = static_cast<int64_t>(i);
  }
  return result;
}

// Runs a cumulative fold over blocks of lanes: positions of all other
// dimensions.
class CumulativeFold {
 public:
  CumulativeFold(const CumulativeWindow& window, ScalarBody& body,
                 const std::optional<FoldKernel>& kernel,
                 absl::Span<const FoldArray> arrays);

  absl::Status Run();

 private:
  struct Lanes {
    std::vector<std::byte> accumulators;
    std::vector<std::byte> elements;
  };

  absl::Status FoldBlock(int64_t outer, int64_t first_inner, int64_t count);
  // From the offsets of the block's first input and output.
  absl::Status FoldPrefixes(int64_t input, int64_t output, int64_t count);
  absl::Status FoldSuffixes(int64_t input, int64_t output, int64_t count);
  absl::Status TakeIn(int64_t input_offset, int64_t count);
  void WriteOutputs(int64_t output_offset, int64_t count);

  const CumulativeWindow& window_;
  ScalarBody& body_;
  const std::optional<FoldKernel>& kernel_;
  absl::Span<const FoldArray> arrays_;
  // Lanes lie side by side, or, when there is no inner dimension, one row of
  // the outer dimension apart.
  int64_t input_step_ = 1;
  int64_t output_step_ = 1;
  std::vector<Lanes> lanes_;
  std::vector<const void*> arguments_;
  std::vector<void*> results_;
};

CumulativeFold::CumulativeFold(const CumulativeWindow& window, ScalarBody& body,
                               const std::optional<FoldKernel>& kernel,
                               absl::Span<const FoldArray> arrays)
    : window_(window),
      body_(body),
      kernel_(kernel),
      arrays_(arrays),
      lanes_(arrays.size()),
      arguments_(2 * arrays.size()),
      results_(arrays.size()) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    lanes_[i].accumulators.resize(ScalarBody::kMaxLanes *
                                  arrays[i].output_bytes);
    lanes_[i].elements.resize(ScalarBody::kMaxLanes * arrays[i].input_bytes);
    arguments_[i] = lanes_[i].accumulators.data();
    results_[i] = lanes_[i].accumulators.data();
  }
}

absl::Status CumulativeFold::Run() {
  constexpr int64_t kMaxLanes = ScalarBody::kMaxLanes;
  if (window_.inner == 1) {
    input_step_ = window_.input_size;
    output_step_ = window_.output_size;
    for (int64_t i = 0; i < window_.outer; i += kMaxLanes) {
      RETURN_IF_ERROR(FoldBlock(i, 0, std::min(kMaxLanes, window_.outer - i)));
    }
    return absl::OkStatus();
  }
  for (int64_t outer = 0; outer < window_.outer; ++outer) {
    for (int64_t i = 0; i < window_.inner; i += kMaxLanes) {
      RETURN_IF_ERROR(
          FoldBlock(outer, i, std::min(kMaxLanes, window_.inner - i)));
    }
  }
  return absl::OkStatus();
}

absl::Status CumulativeFold::FoldBlock(int64_t outer, int64_t first_inner,
                                       int64_t count) {
  const int64_t inner = window_.inner;
  const int64_t input = outer * window_.input_size * inner + first_inner;
  const int64_t output = outer * window_.output_size * inner + first_inner;
  for (size_t i = 0; i < arrays_.size(); ++i) {
    FillElements(lanes_[i].accumulators.data(), count, arrays_[i].initial,
                 arrays_[i].output_bytes);
  }
  return window_.is_suffix ? FoldSuffixes(input, output, count)
                           : FoldPrefixes(input, output, count);
}

absl::Status CumulativeFold::FoldPrefixes(int64_t input, int64_t output,
                                          int64_t count) {
  int64_t next = 0;
  for (int64_t i = 0; i < window_.output_size; ++i) {
    for (; next < window_.Limit(i); ++next) {
      RETURN_IF_ERROR(TakeIn(input + next * window_.inner, count));
    }
    WriteOutputs(output + i * window_.inner, count);
  }
  return absl::OkStatus();
}

absl::Status CumulativeFold::FoldSuffixes(int64_t input, int64_t output,
                                          int64_t count) {
  int64_t next = window_.input_size;
  for (int64_t i = window_.output_size - 1; i >= 0; --i) {
    for (; next > window_.Limit(i); --next) {
      RETURN_IF_ERROR(TakeIn(input + (next - 1) * window_.inner, count));
    }
    WriteOutputs(output + i * window_.inner, count);
  }
  return absl::OkStatus();
}

absl::Status CumulativeFold::TakeIn(int64_t input_offset, int64_t count) {
  if (kernel_) {
    const FoldArray& array = arrays_[0];
    kernel_->fold_lanes(lanes_[0].accumulators.data(),
                        array.input + input_offset * array.input_bytes, count,
                        input_step_);
    return absl::OkStatus();
  }
  for (size_t i = 0; i < arrays_.size(); ++i) {
    const FoldArray& array = arrays_[i];
    const std::byte* from = array.input + input_offset * array.input_bytes;
    if (input_step_ != 1 && count > 1) {
      GatherElements(lanes_[i].elements.data(), from, input_step_, count,
                     array.input_bytes);
      from = lanes_[i].elements.data();
    }
    arguments_[arrays_.size() + i] = from;
  }
  return body_.Run(count, arguments_, results_);
}

void CumulativeFold::WriteOutputs(int64_t output_offset, int64_t count) {
  for (size_t i = 0; i < arrays_.size(); ++i) {
    const FoldArray& array = arrays_[i];
    ScatterElements(array.output + output_offset * array.output_bytes,
                    output_step_, lanes_[i].accumulators.data(), count,
                    array.output_bytes);
  }
}

}  // namespace

int64_t CumulativeWindow::Limit(int64_t output) const {
  return std::clamp<int64_t>(first_limit + output, 0, input_size);
}

std::optional<CumulativeWindow> FindCumulativeWindow(const Shape& input,
                                                     const Shape& output,
                                                     const Window& window,
                                                     bool is_order_free) {
  const std::optional<int64_t> dimension = FindOnlyDimension(window);
  if (!dimension || input.ElementCount() == 0) return std::nullopt;
  const WindowDimension& sliding = window.dimensions[*dimension];
  if (sliding.stride != 1 || sliding.base_dilation != 1) return std::nullopt;
  if (sliding.window_dilation != 1 && sliding.size != 1) return std::nullopt;
  // Larger numbers are refused by WindowLanes.
  constexpr int64_t kLimit = int64_t{1} << 60;
  if (sliding.size > kLimit || sliding.padding_low > kLimit ||
      sliding.padding_low < -kLimit) {
    return std::nullopt;
  }
  CumulativeWindow result;
  for (int64_t i = 0; i < input.rank(); ++i) {
    if (i < *dimension) result.outer *= input.dimension(i);
    if (i > *dimension) result.inner *= input.dimension(i);
  }
  result.input_size = input.dimension(*dimension);
  result.output_size = output.dimension(*dimension);
  // Output i sees inputs i - low ... i - low + size - 1.
  const int64_t low = sliding.padding_low;
  if (low >= result.output_size - 1) {
    result.first_limit = sliding.size - low;
    return result;
  }
  if (!is_order_free || sliding.size - low < result.input_size) {
    return std::nullopt;
  }
  result.first_limit = -low;
  result.is_suffix = true;
  return result;
}

absl::Status FoldCumulatively(const CumulativeWindow& window, ScalarBody& body,
                              const std::optional<FoldKernel>& kernel,
                              absl::Span<const FoldArray> arrays) {
  return CumulativeFold(window, body, kernel, arrays).Run();
}

}  // namespace hilo::hlo
