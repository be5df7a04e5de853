// The loops of a convolution, in one form for all kinds.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/eval/contraction.h"
#include "hlo/eval/index.h"
#include "hlo/ir/instruction.h"

namespace hilo::hlo {

// One spatial dimension. Strides of arrays in elements.
struct ConvolutionLoop {
  int64_t input_size = 0;
  int64_t window_size = 0;
  int64_t result_size = 0;
  int64_t lhs_stride = 0;
  int64_t rhs_stride = 0;
  int64_t result_stride = 0;
  int64_t window_stride = 1;
  int64_t window_dilation = 1;
  int64_t base_dilation = 1;
  int64_t padding_low = 0;

  // The input position under window element `element` when the window stands
  // at `position`; -1 over padding and over the holes of a dilated input.
  int64_t InputIndex(int64_t position, int64_t element) const {
    const int64_t index =
        position * window_stride + element * window_dilation - padding_low;
    if (index < 0) return -1;
    if (base_dilation == 1) return index < input_size ? index : -1;
    if (index % base_dilation != 0) return -1;
    return index / base_dilation < input_size ? index / base_dilation : -1;
  }
};

// result[group, batch, position, column] = sum over window elements and depth
// of lhs[group, batch, input index, depth] * rhs[group, element, depth,
// column].
struct ConvolutionLoops {
  std::vector<ConvolutionLoop> spatial;
  ContractionAxis groups;
  ContractionAxis batch;
  ContractionAxis depth;
  ContractionAxis columns;
  // Places of the first elements, which lie elsewhere in reversed dimensions.
  int64_t rhs_offset = 0;
  int64_t result_offset = 0;
  // Every column takes its products from one input feature, number
  // column / columns_per_feature; the groups have become columns.
  bool is_featurewise = false;
  int64_t columns_per_feature = 1;
  // False if some dimension that is summed over is empty.
  bool has_products = true;
};

// The loops of a verified convolution. Data and weight gradients are expressed
// as the convolutions that they are.
ConvolutionLoops LoopsOfConvolution(const Instruction& convolution);

}  // namespace hilo::hlo
