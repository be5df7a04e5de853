// Sums of convolutions one by one, without products of padding: for the few
// that a kernel gets wrong because it multiplies padding by weights that are
// infinite or NaN.
#pragma once

#include <cstdint>

#include "runtime/host/element_code.h"

namespace hilo::runtime {

// A loop: its size, and its strides in elements in each array.
struct ConvolutionLoop {
  int64_t size = 1;
  int64_t lhs_stride = 0;
  int64_t rhs_stride = 0;
  int64_t output_stride = 0;
};

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
  // The input element of an element of the window at a position; -1: none.
  int64_t InputElement(int64_t position, int64_t element) const {
    const int64_t place =
        position * window_stride + element * window_dilation - padding_low;
    if (place < 0 || place % base_dilation != 0) return -1;
    const int64_t input = place / base_dilation;
    return input < input_size ? input : -1;
  }
};

// A convolution whose output is dense, as backends::ConvolutionLoops, and a
// tile of its sums. Compiled code holds it as bytes, with spatial_rank times a
// SpatialLoop behind it.
struct PaddedConvolution {
  ElementCode lhs_type = {};
  ElementCode rhs_type = {};
  // Of the sums: f32, f64, c64 or c128.
  ElementCode sum_type = {};
  int32_t spatial_rank = 0;
  int64_t rhs_offset = 0;
  ConvolutionLoop groups;
  ConvolutionLoop batch;
  ConvolutionLoop depth;
  ConvolutionLoop columns;
  // Which argument of the kernel the output is (lhs and rhs are the first two),
  // and bytes of its elements.
  int32_t output_argument = 2;
  int32_t output_bytes = 0;
  int64_t tile_rows = 0;
  // From one row (column) of the tile to the next, in elements of the output;
  // from one row to the next in sums, whose columns are neighbours.
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  int64_t sum_row_stride = 0;
};

// What is known of a convolution's weights (rhs): kernels begin with kUnknown.
enum class WeightsState : uint8_t {
  kUnknown = 0,
  kFinite = 1,
  kNotFinite = 2,
};

}  // namespace hilo::runtime

// Looks through the sums of a tile of `columns` columns, whose first element in
// the output is at `output`. Where a sum is NaN (of complex ones: a part) and
// its window has elements that lie on padding or holes, it is summed anew over
// those that do not: in f64, and only until it is NaN again. Where all weights
// are finite, NaN come from the input: the weights are looked at once. That and
// `state` make NaN in the input cost little. `arguments` are the kernel's.
extern "C" void hilo_skip_padding(
    const hilo::runtime::PaddedConvolution* convolution, void* const* arguments,
    const void* output, void* sums, int64_t columns,
    hilo::runtime::WeightsState* state);
