// The loops of a convolution, in one form for all kinds and layouts.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/instruction.h"

namespace hilo::backends {

// One spatial dimension; strides of arrays in elements. The window's element e
// at position p lies on input element
// (p * window_stride + e * window_dilation - padding_low) / base_dilation,
// where that is whole and exists.
struct SpatialLoop {
  int64_t input_size = 1;
  int64_t window_size = 1;
  int64_t output_size = 1;
  int64_t lhs_stride = 0;
  int64_t rhs_stride = 0;
  int64_t output_stride = 0;
  int64_t window_stride = 1;
  int64_t window_dilation = 1;
  int64_t base_dilation = 1;
  int64_t padding_low = 0;

  // Input positions, with holes and padding, that one position of the window
  // spans, and that all of them do.
  int64_t window_extent() const {
    return (window_size - 1) * window_dilation + 1;
  }
  int64_t padded_size() const {
    return (output_size - 1) * window_stride + window_extent();
  }
  // Whether some window element lies on padding or a hole.
  bool NeedsPadding() const {
    return base_dilation != 1 || padding_low > 0 ||
           padded_size() - padding_low > input_size;
  }
};

// output[group, batch, position, column] = sum over window elements and depth
// of lhs[group, batch, input position, depth] *
// rhs[group, element, depth, column].
struct ConvolutionLoops {
  std::vector<SpatialLoop> spatial;
  MatmulLoop groups;
  MatmulLoop batch;
  MatmulLoop depth;
  MatmulLoop columns;
  // Places of the first elements: not 0 in reversed dimensions.
  int64_t rhs_offset = 0;
  int64_t output_offset = 0;

  bool NeedsPadding() const;
  // Some dimension that is summed over is empty.
  bool HasNoProducts() const;
};

// The loops of a verified convolution. Gradients are expressed as the
// convolutions that they are.
ConvolutionLoops LoopsOfConvolution(const hlo::Instruction& convolution);

}  // namespace hilo::backends
