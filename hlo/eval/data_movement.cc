// Evaluates the opcodes that place elements by fixed rules.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// The elements of `operand` that loops with the given strides reach from
// `source_offset` on, in row-major order of the result.
Literal CopyToResult(const Instruction& instruction, const Literal& operand,
                     absl::Span<const int64_t> source_strides,
                     int64_t source_offset) {
  Literal result(instruction.shape());
  if (result.element_count() == 0) return result;
  const int bytes = StorageBytes(operand.shape().element_type());
  const absl::Span<const int64_t> sizes = instruction.shape().dimensions();
  const DimensionVector strides = RowMajorStrides(sizes);
  StridedDimensions dimensions;
  for (size_t i = 0; i < sizes.size(); ++i) {
    dimensions.push_back({.size = sizes[i],
                          .source_stride = source_strides[i],
                          .destination_stride = strides[i]});
  }
  CopyPlan(dimensions, bytes)
      .Run(result.mutable_untyped_data(),
           operand.untyped_data() + source_offset * bytes);
  return result;
}

// Where the elements of one dimension of a padded operand end up.
struct PaddedRange {
  int64_t first_source = 0;
  int64_t size = 0;
  int64_t first_destination = 0;
};

// Source i lands at low + i * step; those outside the result are cropped.
PaddedRange FindPaddedRange(const PaddingDimension& padding,
                            int64_t source_size, int64_t destination_size) {
  const int64_t step = padding.interior + 1;
  PaddedRange range;
  if (padding.low < 0) {
    range.first_source =
        -(padding.low / step) + static_cast<int64_t>(padding.low % step != 0);
  }
  int64_t limit = 0;
  if (padding.low < destination_size) {
    limit =
        std::min(source_size, (destination_size - 1 - padding.low) / step + 1);
  }
  range.size = std::max<int64_t>(0, limit - range.first_source);
  if (range.size > 0) {
    range.first_destination = padding.low + range.first_source * step;
  }
  return range;
}

}  // namespace

absl::StatusOr<Literal> EvaluateReshape(const Instruction& instruction,
                                        absl::Span<Literal> operands,
                                        EvaluationContext& /*context*/) {
  return std::move(operands[0]).WithShape(instruction.shape());
}

absl::StatusOr<Literal> EvaluateDynamicReshape(const Instruction& instruction,
                                               absl::Span<Literal> operands,
                                               EvaluationContext& /*context*/) {
  const Shape& shape = instruction.shape();
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const Literal& size = operands[i + 1];
    const int64_t value =
        IndexReaderOf(size.shape().element_type())(size.untyped_data(), 0);
    if (value != shape.dimension(i)) {
      return Unimplemented("size ", value, " of dimension ", i,
                           " differs from its bound ", shape.dimension(i),
                           "; dynamic sizes are not supported");
    }
  }
  return std::move(operands[0]).WithShape(shape);
}

absl::StatusOr<Literal> EvaluateBroadcast(const Instruction& instruction,
                                          absl::Span<Literal> operands,
                                          EvaluationContext& /*context*/) {
  const DimensionVector operand_strides =
      RowMajorStrides(operands[0].shape().dimensions());
  DimensionVector strides(instruction.shape().rank(), 0);
  for (size_t i = 0; i < operand_strides.size(); ++i) {
    strides[instruction.dimensions()[i]] = operand_strides[i];
  }
  return CopyToResult(instruction, operands[0], strides, 0);
}

absl::StatusOr<Literal> EvaluateTranspose(const Instruction& instruction,
                                          absl::Span<Literal> operands,
                                          EvaluationContext& /*context*/) {
  const DimensionVector operand_strides =
      RowMajorStrides(operands[0].shape().dimensions());
  DimensionVector strides;
  for (const int64_t dimension : instruction.dimensions()) {
    strides.push_back(operand_strides[dimension]);
  }
  return CopyToResult(instruction, operands[0], strides, 0);
}

absl::StatusOr<Literal> EvaluateReverse(const Instruction& instruction,
                                        absl::Span<Literal> operands,
                                        EvaluationContext& /*context*/) {
  const absl::Span<const int64_t> sizes = operands[0].shape().dimensions();
  DimensionVector strides = RowMajorStrides(sizes);
  int64_t offset = 0;
  for (const int64_t dimension : instruction.dimensions()) {
    offset += (sizes[dimension] - 1) * strides[dimension];
    strides[dimension] = -strides[dimension];
  }
  return CopyToResult(instruction, operands[0], strides, offset);
}

absl::StatusOr<Literal> EvaluateSlice(const Instruction& instruction,
                                      absl::Span<Literal> operands,
                                      EvaluationContext& /*context*/) {
  const Shape& shape = instruction.shape();
  DimensionVector strides = RowMajorStrides(operands[0].shape().dimensions());
  int64_t offset = 0;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const SliceDimension& slice = instruction.slice()[i];
    offset += slice.start * strides[i];
    // The stride of a slice of one element may be any number.
    strides[i] = shape.dimension(i) > 1 ? strides[i] * slice.stride : 0;
  }
  return CopyToResult(instruction, operands[0], strides, offset);
}

absl::StatusOr<Literal> EvaluateConcatenate(const Instruction& instruction,
                                            absl::Span<Literal> operands,
                                            EvaluationContext& /*context*/) {
  if (operands.size() == 1) {
    return std::move(operands[0]).WithShape(instruction.shape());
  }
  Literal result(instruction.shape());
  if (result.element_count() == 0) return result;
  const int64_t dimension = instruction.dimensions()[0];
  const int bytes = StorageBytes(result.shape().element_type());
  const DimensionVector strides = RowMajorStrides(result.shape().dimensions());
  std::byte* destination = result.mutable_untyped_data();
  for (const Literal& operand : operands) {
    if (operand.element_count() == 0) continue;
    const absl::Span<const int64_t> sizes = operand.shape().dimensions();
    const DimensionVector source_strides = RowMajorStrides(sizes);
    StridedDimensions dimensions;
    for (size_t i = 0; i < sizes.size(); ++i) {
      dimensions.push_back({.size = sizes[i],
                            .source_stride = source_strides[i],
                            .destination_stride = strides[i]});
    }
    CopyPlan(dimensions, bytes).Run(destination, operand.untyped_data());
    destination += sizes[dimension] * strides[dimension] * bytes;
  }
  return result;
}

absl::StatusOr<Literal> EvaluatePad(const Instruction& instruction,
                                    absl::Span<Literal> operands,
                                    EvaluationContext& /*context*/) {
  Literal result(instruction.shape());
  const int64_t count = result.element_count();
  if (count == 0) return result;
  const Literal& operand = operands[0];
  const int bytes = StorageBytes(operand.shape().element_type());
  const absl::Span<const int64_t> sizes = operand.shape().dimensions();
  const DimensionVector source_strides = RowMajorStrides(sizes);
  const DimensionVector strides = RowMajorStrides(result.shape().dimensions());
  StridedDimensions dimensions;
  int64_t copied = 1;
  int64_t source_offset = 0;
  int64_t destination_offset = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const PaddingDimension& padding = instruction.padding()[i];
    const PaddedRange range = FindPaddedRange(
        padding, sizes[i], result.shape().dimension(static_cast<int64_t>(i)));
    copied *= range.size;
    source_offset += range.first_source * source_strides[i];
    destination_offset += range.first_destination * strides[i];
    const int64_t step = range.size > 1 ? padding.interior + 1 : 0;
    dimensions.push_back({.size = range.size,
                          .source_stride = source_strides[i],
                          .destination_stride = strides[i] * step});
  }
  std::byte* destination = result.mutable_untyped_data();
  if (copied < count) {
    FillElements(destination, count, operands[1].untyped_data(), bytes);
  }
  if (copied == 0) return result;
  CopyPlan(dimensions, bytes)
      .Run(destination + destination_offset * bytes,
           operand.untyped_data() + source_offset * bytes);
  return result;
}

}  // namespace hilo::hlo
