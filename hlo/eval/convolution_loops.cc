// The loops of a convolution, in one form for all kinds.
#include "hlo/eval/convolution_loops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hlo/eval/index.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"

namespace hilo::hlo {
namespace {

// Shapes and strides of the three arrays.
struct Arrays {
  explicit Arrays(const Instruction& convolution)
      : lhs(convolution.operand_shape(0)),
        rhs(convolution.operand_shape(1)),
        result(convolution.shape()),
        lhs_strides(RowMajorStrides(lhs.dimensions())),
        rhs_strides(RowMajorStrides(rhs.dimensions())),
        result_strides(RowMajorStrides(result.dimensions())) {}

  const Shape& lhs;
  const Shape& rhs;
  const Shape& result;
  DimensionVector lhs_strides;
  DimensionVector rhs_strides;
  DimensionVector result_strides;
};

// One group per feature becomes one column per feature.
void MakeFeaturewise(ConvolutionLoops& loops) {
  loops.is_featurewise = true;
  loops.columns_per_feature = loops.columns.size;
  loops.columns.lhs_stride = loops.groups.lhs_stride;
  loops.columns.size *= loops.groups.size;
  loops.groups.size = 1;
}

// Divides batch or features of lhs, and the columns, among the groups. Expects
// the whole sizes in `loops`.
void SetGroups(int64_t feature_groups, int64_t batch_groups,
               ConvolutionLoops& loops) {
  loops.groups.size = feature_groups * batch_groups;
  if (batch_groups > 1) {
    loops.batch.size /= batch_groups;
    loops.groups.lhs_stride = loops.batch.size * loops.batch.lhs_stride;
  } else {
    loops.depth.size /= feature_groups;
    loops.groups.lhs_stride = loops.depth.size * loops.depth.lhs_stride;
  }
  loops.columns.size /= loops.groups.size;
  loops.groups.rhs_stride = loops.columns.size * loops.columns.rhs_stride;
  loops.groups.result_stride = loops.columns.size * loops.columns.result_stride;
  if (loops.depth.size == 1 && loops.groups.size > 1) MakeFeaturewise(loops);
}

bool HasProducts(const ConvolutionLoops& loops) {
  if (loops.depth.size == 0) return false;
  return std::ranges::none_of(loops.spatial, [](const ConvolutionLoop& loop) {
    return loop.window_size == 0 || loop.input_size == 0;
  });
}

// Where a window is reversed, walks along rhs from its end.
void ReverseWindow(const WindowDimension& dimension, ConvolutionLoop& loop,
                   ConvolutionLoops& loops) {
  if (!dimension.reversed) return;
  loops.rhs_offset += (loop.window_size - 1) * loop.rhs_stride;
  loop.rhs_stride = -loop.rhs_stride;
}

// Forward, and with the kernel's features exchanged the data gradient.
ConvolutionLoops ForwardLoops(const Instruction& convolution,
                              bool is_data_gradient) {
  const Arrays arrays(convolution);
  const ConvolutionDimensionNumbers& labels = convolution.dim_labels();
  const int64_t depth_dim = is_data_gradient ? labels.kernel_output_feature
                                             : labels.kernel_input_feature;
  const int64_t column_dim = is_data_gradient ? labels.kernel_input_feature
                                              : labels.kernel_output_feature;
  ConvolutionLoops loops;
  loops.batch = {.size = arrays.lhs.dimension(labels.input_batch),
                 .lhs_stride = arrays.lhs_strides[labels.input_batch],
                 .result_stride = arrays.result_strides[labels.output_batch]};
  loops.depth = {.size = arrays.lhs.dimension(labels.input_feature),
                 .lhs_stride = arrays.lhs_strides[labels.input_feature],
                 .rhs_stride = arrays.rhs_strides[depth_dim]};
  loops.columns = {
      .size = arrays.rhs.dimension(column_dim),
      .rhs_stride = arrays.rhs_strides[column_dim],
      .result_stride = arrays.result_strides[labels.output_feature]};
  const Window& window = convolution.window();
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    WindowDimension dimension = window.dimensions[d];
    ConvolutionLoop loop{
        .input_size = arrays.lhs.dimension(labels.input_spatial[d]),
        .window_size = arrays.rhs.dimension(labels.kernel_spatial[d]),
        .result_size = arrays.result.dimension(labels.output_spatial[d]),
        .lhs_stride = arrays.lhs_strides[labels.input_spatial[d]],
        .rhs_stride = arrays.rhs_strides[labels.kernel_spatial[d]],
        .result_stride = arrays.result_strides[labels.output_spatial[d]],
        .window_stride = dimension.stride,
        .window_dilation = dimension.window_dilation,
        .base_dilation = dimension.base_dilation,
        .padding_low = dimension.padding_low};
    if (is_data_gradient) {
      // Position p receives what position o sent forward from
      // p = o * stride + element * dilation - padding.
      loop.window_stride = 1;
      loop.base_dilation *= dimension.stride;
      loop.padding_low =
          (loop.window_size - 1) * loop.window_dilation - dimension.padding_low;
      dimension.reversed = !dimension.reversed;
    }
    ReverseWindow(dimension, loop, loops);
    loops.spatial.push_back(loop);
  }
  SetGroups(convolution.feature_group_count(), convolution.batch_group_count(),
            loops);
  loops.has_products = HasProducts(loops);
  return loops;
}

// The gradient of weights slides the gradient of the output (rhs) over the
// input: positions and window elements change places, and so do batch and
// input features.
ConvolutionLoops WeightGradientLoops(const Instruction& convolution) {
  const Arrays arrays(convolution);
  const ConvolutionDimensionNumbers& labels = convolution.dim_labels();
  ConvolutionLoops loops;
  loops.batch = {
      .size = arrays.lhs.dimension(labels.input_feature),
      .lhs_stride = arrays.lhs_strides[labels.input_feature],
      .result_stride = arrays.result_strides[labels.kernel_input_feature]};
  loops.depth = {.size = arrays.lhs.dimension(labels.input_batch),
                 .lhs_stride = arrays.lhs_strides[labels.input_batch],
                 .rhs_stride = arrays.rhs_strides[labels.output_batch]};
  loops.columns = {
      .size = arrays.rhs.dimension(labels.output_feature),
      .rhs_stride = arrays.rhs_strides[labels.output_feature],
      .result_stride = arrays.result_strides[labels.kernel_output_feature]};
  const Window& window = convolution.window();
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    const WindowDimension& dimension = window.dimensions[d];
    ConvolutionLoop loop{
        .input_size = arrays.lhs.dimension(labels.input_spatial[d]),
        .window_size = arrays.rhs.dimension(labels.output_spatial[d]),
        .result_size = arrays.result.dimension(labels.kernel_spatial[d]),
        .lhs_stride = arrays.lhs_strides[labels.input_spatial[d]],
        .rhs_stride = arrays.rhs_strides[labels.output_spatial[d]],
        .result_stride = arrays.result_strides[labels.kernel_spatial[d]],
        .window_stride = dimension.window_dilation,
        .window_dilation = dimension.stride,
        .base_dilation = dimension.base_dilation,
        .padding_low = dimension.padding_low};
    if (dimension.reversed) {
      loops.result_offset += (loop.result_size - 1) * loop.result_stride;
      loop.result_stride = -loop.result_stride;
    }
    loops.spatial.push_back(loop);
  }
  SetGroups(convolution.batch_group_count(), convolution.feature_group_count(),
            loops);
  loops.has_products = HasProducts(loops);
  return loops;
}

}  // namespace

ConvolutionLoops LoopsOfConvolution(const Instruction& convolution) {
  switch (convolution.convolution_kind()) {
    case ConvolutionKind::kUnset:
    case ConvolutionKind::kForwardProp:
      break;
    case ConvolutionKind::kDataGradient:
      return ForwardLoops(convolution, /*is_data_gradient=*/true);
    case ConvolutionKind::kWeightGradient:
      return WeightGradientLoops(convolution);
  }
  return ForwardLoops(convolution, /*is_data_gradient=*/false);
}

}  // namespace hilo::hlo
