// Shape rule of convolution: forward, data gradient and weight gradient.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/result_types.h"
#include "hlo/ops/shape_inference.h"
#include "hlo/ops/windows.h"
#include "runtime/base/box.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// An array and what its dimensions mean.
struct LabelledArray {
  absl::string_view name;
  DimensionVector sizes;
  int64_t batch = 0;    // of a kernel: the output feature
  int64_t feature = 0;  // of a kernel: the input feature
  DimensionVector spatial;

  int64_t batch_size() const { return sizes[batch]; }
  int64_t feature_size() const { return sizes[feature]; }
  int64_t spatial_size(int64_t i) const { return sizes[spatial[i]]; }
  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
};

// Error unless the labels name each dimension once.
absl::Status CheckLabels(const LabelledArray& array) {
  DimensionVector all = array.spatial;
  all.push_back(array.batch);
  all.push_back(array.feature);
  if (static_cast<int64_t>(all.size()) != array.rank()) {
    return InvalidArgument("dim_labels names ", all.size(), " dimensions of ",
                           array.name, ", which has rank ", array.rank());
  }
  return CheckDimensions(all, array.rank(),
                         absl::StrCat("dim_labels dimension of ", array.name));
}

// Error unless `sparsity` is a possible description of `operand`.
absl::Status CheckSparsity(const Instruction& convolution,
                           const OperandSparsity& sparsity,
                           const LabelledArray& operand) {
  if (sparsity.non_zero_count < 1 ||
      sparsity.block_size < sparsity.non_zero_count) {
    return InvalidArgument("sparsity of ", operand.name, " is ",
                           sparsity.non_zero_count, "x", sparsity.block_size,
                           ", expected at least 1, of at least as many");
  }
  RETURN_IF_ERROR(
      CheckDimension(sparsity.dimension, operand.rank(),
                     absl::StrCat("sparsity dimension of ", operand.name)));
  if (sparsity.index_operand < 2 ||
      sparsity.index_operand >= convolution.operand_count()) {
    return InvalidArgument("sparsity of ", operand.name, " names operand ",
                           sparsity.index_operand, ", there are ",
                           convolution.operand_count());
  }
  return CheckOperandType(convolution, sparsity.index_operand, kIntegerTypes);
}

// Replaces the size of a compressed dimension by that of the dense one. A
// description without an index operand says nothing about the size.
absl::Status ExpandSparse(const Instruction& convolution,
                          const Box<OperandSparsity>& sparsity,
                          LabelledArray* operand) {
  if (!sparsity || sparsity->index_operand == 0) return absl::OkStatus();
  RETURN_IF_ERROR(CheckSparsity(convolution, *sparsity, *operand));
  int64_t& size = operand->sizes[sparsity->dimension];
  if (size % sparsity->non_zero_count != 0) {
    return InvalidArgument(operand->name, " dimension ", sparsity->dimension,
                           " is ", size, ", not a multiple of ",
                           sparsity->non_zero_count, " non-zeros");
  }
  if (__builtin_mul_overflow(size / sparsity->non_zero_count,
                             sparsity->block_size, &size)) {
    return InvalidArgument(operand->name, " is too large when dense");
  }
  return absl::OkStatus();
}

absl::Status CheckSparseOperands(const Instruction& convolution) {
  const SparsityConfig& config = convolution.sparsity_config();
  int64_t expected = 2;
  for (const Box<OperandSparsity>* side : {&config.lhs, &config.rhs}) {
    if (*side && (*side)->index_operand != 0) ++expected;
  }
  if (convolution.operand_count() == expected) return absl::OkStatus();
  return InvalidArgument("got ", convolution.operand_count(),
                         " operands, expected lhs, rhs and ", expected - 2,
                         " of sparsity indices");
}

DimensionVector SizesOf(const Shape& shape) {
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

// What the shape rules of all kinds work on. Where a kind takes the gradient
// of an output as rhs, that has the output's labels.
struct Operands {
  LabelledArray lhs;
  LabelledArray rhs;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
};

absl::StatusOr<Operands> ReadOperands(const Instruction& convolution) {
  const ConvolutionDimensionNumbers& labels = convolution.dim_labels();
  Operands operands{.lhs = {.name = "lhs",
                            .sizes = SizesOf(convolution.operand_shape(0)),
                            .batch = labels.input_batch,
                            .feature = labels.input_feature,
                            .spatial = labels.input_spatial},
                    .rhs = {.name = "rhs",
                            .sizes = SizesOf(convolution.operand_shape(1)),
                            .batch = labels.kernel_output_feature,
                            .feature = labels.kernel_input_feature,
                            .spatial = labels.kernel_spatial},
                    .feature_groups = convolution.feature_group_count(),
                    .batch_groups = convolution.batch_group_count()};
  if (convolution.convolution_kind() == ConvolutionKind::kWeightGradient) {
    operands.rhs.batch = labels.output_batch;
    operands.rhs.feature = labels.output_feature;
    operands.rhs.spatial = labels.output_spatial;
  }
  RETURN_IF_ERROR(CheckLabels(operands.lhs));
  RETURN_IF_ERROR(CheckLabels(operands.rhs));
  const SparsityConfig& sparsity = convolution.sparsity_config();
  RETURN_IF_ERROR(ExpandSparse(convolution, sparsity.lhs, &operands.lhs));
  RETURN_IF_ERROR(ExpandSparse(convolution, sparsity.rhs, &operands.rhs));
  return operands;
}

absl::Status CheckDivides(absl::string_view what, int64_t size,
                          absl::string_view group_name, int64_t groups) {
  if (size % groups == 0) return absl::OkStatus();
  return InvalidArgument(what, " ", size, " is not a multiple of ", group_name,
                         " ", groups);
}

absl::Status CheckGroups(const Operands& operands) {
  const int64_t feature_groups = operands.feature_groups;
  const int64_t batch_groups = operands.batch_groups;
  if (feature_groups < 1 || batch_groups < 1) {
    return InvalidArgument("feature_group_count is ", feature_groups,
                           " and batch_group_count ", batch_groups,
                           ", expected at least 1");
  }
  if (feature_groups > 1 && batch_groups > 1) {
    return InvalidArgument("feature_group_count is ", feature_groups,
                           " and batch_group_count ", batch_groups,
                           ", only one may exceed 1");
  }
  RETURN_IF_ERROR(CheckDivides("the lhs feature size",
                               operands.lhs.feature_size(),
                               "feature_group_count", feature_groups));
  return CheckDivides("the lhs batch size", operands.lhs.batch_size(),
                      "batch_group_count", batch_groups);
}

absl::Status CheckKernelWindow(const Window& window,
                               const LabelledArray& kernel) {
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    const auto dimension = static_cast<int64_t>(i);
    if (window.dimensions[i].size == kernel.spatial_size(dimension)) continue;
    return InvalidArgument("window dimension ", i, " has size ",
                           window.dimensions[i].size, ", rhs dimension ",
                           kernel.spatial[i], " is ",
                           kernel.spatial_size(dimension));
  }
  return absl::OkStatus();
}

// (d - 1) * stride + w - low - high, with d the dilated size and w the
// dilated window size.
absl::StatusOr<int64_t> GradientSize(int64_t size,
                                     const WindowDimension& dimension) {
  if (size == 0) return 0;
  int64_t window = 0;
  int64_t result = 0;
  const bool overflow =
      __builtin_mul_overflow(dimension.size - 1, dimension.window_dilation,
                             &window) ||
      __builtin_mul_overflow(size - 1, dimension.base_dilation, &result) ||
      __builtin_mul_overflow(result, dimension.stride, &result) ||
      __builtin_add_overflow(result, window, &result) ||
      __builtin_add_overflow(result, 1, &result) ||
      __builtin_sub_overflow(result, dimension.padding_low, &result) ||
      __builtin_sub_overflow(result, dimension.padding_high, &result);
  if (overflow || result < 0) {
    return InvalidArgument("window gives no size for a gradient of ", size,
                           " elements");
  }
  return result;
}

// Places sizes by the labels that the result has.
absl::StatusOr<Shape> PlaceResult(const Instruction& convolution,
                                  LabelledArray result, int64_t batch_size,
                                  int64_t feature_size,
                                  const DimensionVector& spatial_sizes) {
  result.sizes.assign(spatial_sizes.size() + 2, 0);
  RETURN_IF_ERROR(CheckLabels(result));
  result.sizes[result.batch] = batch_size;
  result.sizes[result.feature] = feature_size;
  for (size_t i = 0; i < spatial_sizes.size(); ++i) {
    result.sizes[result.spatial[i]] = spatial_sizes[i];
  }
  ASSIGN_OR_RETURN(const ElementType type, ProductType(convolution));
  return Shape::Array(type, result.sizes);
}

LabelledArray OutputLabels(const ConvolutionDimensionNumbers& labels) {
  return {.name = "the result",
          .sizes = {},
          .batch = labels.output_batch,
          .feature = labels.output_feature,
          .spatial = labels.output_spatial};
}

absl::StatusOr<Shape> InferForward(const Instruction& convolution,
                                   const Operands& operands) {
  const Window& window = convolution.window();
  RETURN_IF_ERROR(CheckKernelWindow(window, operands.rhs));
  const int64_t group_size =
      operands.lhs.feature_size() / operands.feature_groups;
  if (operands.rhs.feature_size() != group_size) {
    return InvalidArgument(
        "feature sizes differ: lhs dimension ", operands.lhs.feature, " is ",
        operands.lhs.feature_size(), " in ", operands.feature_groups,
        " groups, rhs dimension ", operands.rhs.feature, " is ",
        operands.rhs.feature_size());
  }
  const int64_t output_feature = operands.rhs.batch_size();
  RETURN_IF_ERROR(CheckDivides("the output feature size", output_feature,
                               "feature_group_count", operands.feature_groups));
  RETURN_IF_ERROR(CheckDivides("the output feature size", output_feature,
                               "batch_group_count", operands.batch_groups));
  DimensionVector spatial;
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    ASSIGN_OR_RETURN(
        const int64_t size,
        WindowOutputSize(operands.lhs.spatial_size(static_cast<int64_t>(i)),
                         window.dimensions[i]));
    spatial.push_back(size);
  }
  return PlaceResult(convolution, OutputLabels(convolution.dim_labels()),
                     operands.lhs.batch_size() / operands.batch_groups,
                     output_feature, spatial);
}

absl::StatusOr<Shape> InferDataGradient(const Instruction& convolution,
                                        const Operands& operands) {
  const Window& window = convolution.window();
  RETURN_IF_ERROR(CheckKernelWindow(window, operands.rhs));
  const int64_t group_size =
      operands.lhs.feature_size() / operands.feature_groups;
  if (operands.rhs.batch_size() != group_size) {
    return InvalidArgument(
        "feature sizes differ: lhs dimension ", operands.lhs.feature, " is ",
        operands.lhs.feature_size(), " in ", operands.feature_groups,
        " groups, rhs dimension ", operands.rhs.batch, " is ",
        operands.rhs.batch_size());
  }
  DimensionVector spatial;
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    ASSIGN_OR_RETURN(
        const int64_t size,
        GradientSize(operands.lhs.spatial_size(static_cast<int64_t>(i)),
                     window.dimensions[i]));
    spatial.push_back(size);
  }
  return PlaceResult(convolution, OutputLabels(convolution.dim_labels()),
                     operands.lhs.batch_size() / operands.batch_groups,
                     operands.rhs.feature_size(), spatial);
}

absl::StatusOr<Shape> InferWeightGradient(const Instruction& convolution,
                                          const Operands& operands) {
  if (operands.rhs.batch_size() !=
      operands.lhs.batch_size() / operands.batch_groups) {
    return InvalidArgument(
        "batch sizes differ: lhs dimension ", operands.lhs.batch, " is ",
        operands.lhs.batch_size(), " in ", operands.batch_groups,
        " groups, rhs dimension ", operands.rhs.batch, " is ",
        operands.rhs.batch_size());
  }
  const ConvolutionDimensionNumbers& labels = convolution.dim_labels();
  DimensionVector spatial;
  for (const WindowDimension& dimension : convolution.window().dimensions) {
    spatial.push_back(dimension.size);
  }
  return PlaceResult(convolution,
                     {.name = "the result",
                      .sizes = {},
                      .batch = labels.kernel_output_feature,
                      .feature = labels.kernel_input_feature,
                      .spatial = labels.kernel_spatial},
                     operands.rhs.feature_size(),
                     operands.lhs.feature_size() / operands.feature_groups,
                     spatial);
}

}  // namespace

absl::StatusOr<Shape> InferConvolution(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 2));
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  RETURN_IF_ERROR(CheckSparseOperands(instruction));
  ASSIGN_OR_RETURN(const Operands operands, ReadOperands(instruction));
  RETURN_IF_ERROR(CheckWindow(instruction.window(), operands.lhs.rank() - 2));
  if (operands.rhs.rank() != operands.lhs.rank()) {
    return InvalidArgument("lhs has rank ", operands.lhs.rank(),
                           ", rhs has rank ", operands.rhs.rank());
  }
  RETURN_IF_ERROR(CheckGroups(operands));
  switch (instruction.convolution_kind()) {
    case ConvolutionKind::kUnset:
    case ConvolutionKind::kForwardProp:
      return InferForward(instruction, operands);
    case ConvolutionKind::kDataGradient:
      return InferDataGradient(instruction, operands);
    case ConvolutionKind::kWeightGradient:
      return InferWeightGradient(instruction, operands);
  }
  return InvalidArgument("unknown convolution_kind");
}

}  // namespace hilo::hlo
