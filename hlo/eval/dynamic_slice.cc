// Evaluates slices and updates at run-time start indices.
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"

namespace hilo::hlo {
namespace {

// Offset, in elements, of the slice whose start indices are `starts`: one
// scalar per dimension, or one vector (the older form).
int64_t ClampedOffset(absl::Span<const int64_t> dimensions,
                      absl::Span<const int64_t> strides,
                      absl::Span<const int64_t> slice_sizes,
                      absl::Span<const Literal> starts) {
  const bool is_vector = !starts.empty() && starts[0].shape().rank() == 1;
  int64_t offset = 0;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const Literal& literal = is_vector ? starts[0] : starts[i];
    const IndexReader read = IndexReaderOf(literal.shape().element_type());
    const int64_t start =
        read(literal.untyped_data(), is_vector ? static_cast<int64_t>(i) : 0);
    offset += ClampStart(start, dimensions[i], slice_sizes[i]) * strides[i];
  }
  return offset;
}

}  // namespace

absl::StatusOr<Literal> EvaluateDynamicSlice(const Instruction& instruction,
                                             absl::Span<Literal> operands,
                                             EvaluationContext& /*context*/) {
  Literal result(instruction.shape());
  if (result.element_count() == 0) return result;
  const Literal& operand = operands[0];
  const int bytes = StorageBytes(operand.shape().element_type());
  const absl::Span<const int64_t> sizes = result.shape().dimensions();
  const DimensionVector strides = RowMajorStrides(sizes);
  const DimensionVector operand_strides =
      RowMajorStrides(operand.shape().dimensions());
  const int64_t offset =
      ClampedOffset(operand.shape().dimensions(), operand_strides, sizes,
                    operands.subspan(1));
  StridedDimensions dimensions;
  for (size_t i = 0; i < sizes.size(); ++i) {
    dimensions.push_back({.size = sizes[i],
                          .source_stride = operand_strides[i],
                          .destination_stride = strides[i]});
  }
  CopyPlan(dimensions, bytes)
      .Run(result.mutable_untyped_data(),
           operand.untyped_data() + offset * bytes);
  return result;
}

absl::StatusOr<Literal> EvaluateDynamicUpdateSlice(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& /*context*/) {
  Literal result = std::move(operands[0]).WithShape(instruction.shape());
  const Literal& update = operands[1];
  if (update.element_count() == 0) return result;
  const int bytes = StorageBytes(update.shape().element_type());
  const absl::Span<const int64_t> sizes = update.shape().dimensions();
  const DimensionVector update_strides = RowMajorStrides(sizes);
  const DimensionVector strides = RowMajorStrides(result.shape().dimensions());
  const int64_t offset = ClampedOffset(result.shape().dimensions(), strides,
                                       sizes, operands.subspan(2));
  StridedDimensions dimensions;
  for (size_t i = 0; i < sizes.size(); ++i) {
    dimensions.push_back({.size = sizes[i],
                          .source_stride = update_strides[i],
                          .destination_stride = strides[i]});
  }
  CopyPlan(dimensions, bytes)
      .Run(result.mutable_untyped_data() + offset * bytes,
           update.untyped_data());
  return result;
}

}  // namespace hilo::hlo
