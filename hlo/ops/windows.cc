// Checks windows and computes their output sizes.
#include "hlo/ops/windows.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

absl::Status CheckPositive(int64_t dimension, absl::string_view what,
                           int64_t value) {
  if (value >= 1) return absl::OkStatus();
  return InvalidArgument("window dimension ", dimension, " has ", what, " ",
                         value, ", expected at least 1");
}

// (count - 1) * dilation + 1, and 0 for no elements; false on overflow.
bool Dilate(int64_t count, int64_t dilation, int64_t* dilated) {
  *dilated = 0;
  if (count <= 0) return count == 0;
  return !__builtin_mul_overflow(count - 1, dilation, dilated) &&
         !__builtin_add_overflow(*dilated, 1, dilated);
}

}  // namespace

absl::Status CheckWindow(const Window& window, int64_t rank) {
  const auto count = static_cast<int64_t>(window.dimensions.size());
  if (count != rank) {
    return InvalidArgument("window has ", count, " dimensions, expected ",
                           rank);
  }
  for (int64_t i = 0; i < count; ++i) {
    const WindowDimension& d = window.dimensions[i];
    RETURN_IF_ERROR(CheckPositive(i, "size", d.size));
    RETURN_IF_ERROR(CheckPositive(i, "stride", d.stride));
    RETURN_IF_ERROR(CheckPositive(i, "base dilation", d.base_dilation));
    RETURN_IF_ERROR(CheckPositive(i, "window dilation", d.window_dilation));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> WindowOutputSize(int64_t size,
                                         const WindowDimension& dimension) {
  int64_t base = 0;
  int64_t window = 0;
  if (!Dilate(size, dimension.base_dilation, &base) ||
      __builtin_add_overflow(base, dimension.padding_low, &base) ||
      __builtin_add_overflow(base, dimension.padding_high, &base) ||
      !Dilate(dimension.size, dimension.window_dilation, &window)) {
    return InvalidArgument("window over a dimension of ", size,
                           " elements does not fit in 63 bits: size ",
                           dimension.size, ", padding ", dimension.padding_low,
                           "_", dimension.padding_high, ", dilations ",
                           dimension.base_dilation, " and ",
                           dimension.window_dilation);
  }
  if (base < window) return 0;
  const int64_t steps = (base - window) / dimension.stride;
  int64_t positions = 0;
  if (__builtin_add_overflow(steps, 1, &positions)) {
    return InvalidArgument("window takes more than 2^63-1 positions");
  }
  return positions;
}

}  // namespace hilo::hlo
