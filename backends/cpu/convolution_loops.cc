// Brings all kinds of convolutions into one form of loops.
#include "backends/cpu/convolution_loops.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"

namespace hilo::backends {
namespace {

// Shapes and strides of the three arrays.
struct Arrays {
  explicit Arrays(const hlo::Instruction& convolution)
      : lhs(convolution.operand_shape(0)),
        rhs(convolution.operand_shape(1)),
        output(convolution.shape()),
        lhs_strides(LayoutStrides(lhs)),
        rhs_strides(LayoutStrides(rhs)),
        output_strides(LayoutStrides(output)) {}

  const hlo::Shape& lhs;
  const hlo::Shape& rhs;
  const hlo::Shape& output;
  hlo::DimensionVector lhs_strides;
  hlo::DimensionVector rhs_strides;
  hlo::DimensionVector output_strides;
};

// Divides batch or features of lhs, and the columns, among the groups. Expects
// the whole sizes in `loops`.
void DivideAmongGroups(int64_t feature_groups, int64_t batch_groups,
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
  loops.groups.output_stride = loops.columns.size * loops.columns.output_stride;
}

// Where a window is reversed, walks along rhs from its end.
void ReverseWindow(SpatialLoop& loop, ConvolutionLoops& loops) {
  loops.rhs_offset += (loop.window_size - 1) * loop.rhs_stride;
  loop.rhs_stride = -loop.rhs_stride;
}

// Forward, and with the kernel's features exchanged the gradient of the input.
ConvolutionLoops ForwardLoops(const hlo::Instruction& convolution,
                              bool is_data_gradient) {
  const Arrays arrays(convolution);
  const hlo::ConvolutionDimensionNumbers& labels = convolution.dim_labels();
  const int64_t depth_dim = is_data_gradient ? labels.kernel_output_feature
                                             : labels.kernel_input_feature;
  const int64_t column_dim = is_data_gradient ? labels.kernel_input_feature
                                              : labels.kernel_output_feature;
  ConvolutionLoops loops;
  loops.batch = {.size = arrays.lhs.dimension(labels.input_batch),
                 .lhs_stride = arrays.lhs_strides[labels.input_batch],
                 .output_stride = arrays.output_strides[labels.output_batch]};
  loops.depth = {.size = arrays.lhs.dimension(labels.input_feature),
                 .lhs_stride = arrays.lhs_strides[labels.input_feature],
                 .rhs_stride = arrays.rhs_strides[depth_dim]};
  loops.columns = {
      .size = arrays.rhs.dimension(column_dim),
      .rhs_stride = arrays.rhs_strides[column_dim],
      .output_stride = arrays.output_strides[labels.output_feature]};
  const hlo::Window& window = convolution.window();
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    const hlo::WindowDimension& dimension = window.dimensions[d];
    SpatialLoop loop{
        .input_size = arrays.lhs.dimension(labels.input_spatial[d]),
        .window_size = arrays.rhs.dimension(labels.kernel_spatial[d]),
        .output_size = arrays.output.dimension(labels.output_spatial[d]),
        .lhs_stride = arrays.lhs_strides[labels.input_spatial[d]],
        .rhs_stride = arrays.rhs_strides[labels.kernel_spatial[d]],
        .output_stride = arrays.output_strides[labels.output_spatial[d]],
        .window_stride = dimension.stride,
        .window_dilation = dimension.window_dilation,
        .base_dilation = dimension.base_dilation,
        .padding_low = dimension.padding_low};
    if (is_data_gradient) {
      // Position p receives what position o sent forward from
      // p = o * stride + element * dilation - padding.
      loop.window_stride = 1;
      loop.base_dilation *= dimension.stride;
      loop.padding_low = loop.window_extent() - 1 - dimension.padding_low;
    }
    if (dimension.reversed != is_data_gradient) ReverseWindow(loop, loops);
    loops.spatial.push_back(loop);
  }
  DivideAmongGroups(convolution.feature_group_count(),
                    convolution.batch_group_count(), loops);
  return loops;
}

// The gradient of weights slides the gradient of the output (rhs) over the
// input: positions and window elements change places, and so do batch and
// input features.
ConvolutionLoops WeightGradientLoops(const hlo::Instruction& convolution) {
  const Arrays arrays(convolution);
  const hlo::ConvolutionDimensionNumbers& labels = convolution.dim_labels();
  ConvolutionLoops loops;
  loops.batch = {
      .size = arrays.lhs.dimension(labels.input_feature),
      .lhs_stride = arrays.lhs_strides[labels.input_feature],
      .output_stride = arrays.output_strides[labels.kernel_input_feature]};
  loops.depth = {.size = arrays.lhs.dimension(labels.input_batch),
                 .lhs_stride = arrays.lhs_strides[labels.input_batch],
                 .rhs_stride = arrays.rhs_strides[labels.output_batch]};
  loops.columns = {
      .size = arrays.rhs.dimension(labels.output_feature),
      .rhs_stride = arrays.rhs_strides[labels.output_feature],
      .output_stride = arrays.output_strides[labels.kernel_output_feature]};
  const hlo::Window& window = convolution.window();
  for (size_t d = 0; d < window.dimensions.size(); ++d) {
    const hlo::WindowDimension& dimension = window.dimensions[d];
    SpatialLoop loop{
        .input_size = arrays.lhs.dimension(labels.input_spatial[d]),
        .window_size = arrays.rhs.dimension(labels.output_spatial[d]),
        .output_size = arrays.output.dimension(labels.kernel_spatial[d]),
        .lhs_stride = arrays.lhs_strides[labels.input_spatial[d]],
        .rhs_stride = arrays.rhs_strides[labels.output_spatial[d]],
        .output_stride = arrays.output_strides[labels.kernel_spatial[d]],
        .window_stride = dimension.window_dilation,
        .window_dilation = dimension.stride,
        .base_dilation = dimension.base_dilation,
        .padding_low = dimension.padding_low};
    if (dimension.reversed) {
      loops.output_offset += (loop.output_size - 1) * loop.output_stride;
      loop.output_stride = -loop.output_stride;
    }
    loops.spatial.push_back(loop);
  }
  DivideAmongGroups(convolution.batch_group_count(),
                    convolution.feature_group_count(), loops);
  return loops;
}

}  // namespace

bool ConvolutionLoops::NeedsPadding() const {
  return std::ranges::any_of(
      spatial, [](const SpatialLoop& loop) { return loop.NeedsPadding(); });
}

bool ConvolutionLoops::HasNoProducts() const {
  return depth.size == 0 ||
         std::ranges::any_of(spatial, [](const SpatialLoop& loop) {
           return loop.window_size == 0 || loop.input_size == 0;
         });
}

ConvolutionLoops LoopsOfConvolution(const hlo::Instruction& convolution) {
  switch (convolution.convolution_kind()) {
    case hlo::ConvolutionKind::kUnset:
    case hlo::ConvolutionKind::kForwardProp:
      break;
    case hlo::ConvolutionKind::kDataGradient:
      return ForwardLoops(convolution, /*is_data_gradient=*/true);
    case hlo::ConvolutionKind::kWeightGradient:
      return WeightGradientLoops(convolution);
  }
  return ForwardLoops(convolution, /*is_data_gradient=*/false);
}

}  // namespace hilo::backends
