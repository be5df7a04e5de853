// Output sizes of sliding windows: reduce-window, select-and-scatter and
// convolution.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/attribute_values.h"

namespace hilo::hlo {

// Errors: `window` has not `rank` dimensions; a size, stride or dilation below
// one.
absl::Status CheckWindow(const Window& window, int64_t rank);

// The number of positions that a window takes along a dimension of `size`
// elements: with d the dilated and padded size and w the dilated window size,
// (d - w) / stride + 1, or 0 when the window does not fit.
//
// `dimension` satisfies CheckWindow. Errors: a result that does not fit in 63
// bits.
absl::StatusOr<int64_t> WindowOutputSize(int64_t size,
                                         const WindowDimension& dimension);

}  // namespace hilo::hlo
