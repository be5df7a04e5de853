// Shape rules of gather and scatter.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/called_computations.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/result_types.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

using Dimensions = absl::Span<const int64_t>;

// The dimension numbers that gather and scatter have in common, under the
// names that each gives them.
struct IndexedDimensions {
  // Operand dimensions that a window or slice does not have.
  absl::string_view dropped_name;
  Dimensions dropped;
  absl::string_view map_name;
  Dimensions map;
  absl::string_view operand_batching_name;
  Dimensions operand_batching;
  absl::string_view indices_batching_name;
  Dimensions indices_batching;
  int64_t index_vector_dim = 0;
};

// How many components an index has.
int64_t IndexComponentCount(const Shape& indices, int64_t index_vector_dim) {
  return index_vector_dim == indices.rank()
             ? 1
             : indices.dimension(index_vector_dim);
}

// The dimensions of `indices` without the index vector dimension.
DimensionVector BatchSizes(const Shape& indices, int64_t index_vector_dim) {
  DimensionVector sizes;
  for (int64_t i = 0; i < indices.rank(); ++i) {
    if (i != index_vector_dim) sizes.push_back(indices.dimension(i));
  }
  return sizes;
}

absl::Status CheckIndices(const Shape& indices, int64_t index_vector_dim) {
  if (!IsInteger(indices.element_type())) {
    return InvalidArgument("indices must be integers, are ",
                           TextOf(indices.element_type()));
  }
  if (index_vector_dim < 0 || index_vector_dim > indices.rank()) {
    return InvalidArgument("index_vector_dim is ", index_vector_dim,
                           ", expected 0 to ", indices.rank());
  }
  return absl::OkStatus();
}

absl::Status CheckAscendingDimensions(Dimensions dimensions, int64_t rank,
                                      absl::string_view name) {
  RETURN_IF_ERROR(CheckDimensions(dimensions, rank, name));
  if (absl::c_is_sorted(dimensions)) return absl::OkStatus();
  return InvalidArgument(name, " must ascend");
}

absl::Status CheckDisjoint(absl::string_view a_name, Dimensions a,
                           absl::string_view b_name, Dimensions b) {
  for (const int64_t dimension : a) {
    if (!absl::c_linear_search(b, dimension)) continue;
    return InvalidArgument("dimension ", dimension, " is in ", a_name,
                           " and in ", b_name);
  }
  return absl::OkStatus();
}

absl::Status CheckBatchingDimensions(const Shape& operand, const Shape& indices,
                                     const IndexedDimensions& numbers) {
  RETURN_IF_ERROR(CheckAscendingDimensions(
      numbers.operand_batching, operand.rank(), numbers.operand_batching_name));
  RETURN_IF_ERROR(CheckDimensions(numbers.indices_batching, indices.rank(),
                                  numbers.indices_batching_name));
  if (numbers.operand_batching.size() != numbers.indices_batching.size()) {
    return InvalidArgument(numbers.operand_batching_name, " has ",
                           numbers.operand_batching.size(), " entries, ",
                           numbers.indices_batching_name, " has ",
                           numbers.indices_batching.size());
  }
  if (absl::c_linear_search(numbers.indices_batching,
                            numbers.index_vector_dim)) {
    return InvalidArgument(numbers.indices_batching_name,
                           " holds index_vector_dim ",
                           numbers.index_vector_dim);
  }
  for (size_t i = 0; i < numbers.operand_batching.size(); ++i) {
    const int64_t operand_dim = numbers.operand_batching[i];
    const int64_t indices_dim = numbers.indices_batching[i];
    const int64_t operand_size = operand.dimension(operand_dim);
    const int64_t indices_size = indices.dimension(indices_dim);
    if (operand_size == indices_size) continue;
    return InvalidArgument("batching sizes differ: operand dimension ",
                           operand_dim, " is ", operand_size,
                           ", indices dimension ", indices_dim, " is ",
                           indices_size);
  }
  return absl::OkStatus();
}

absl::Status CheckIndexedDimensions(const Shape& operand, const Shape& indices,
                                    const IndexedDimensions& numbers) {
  RETURN_IF_ERROR(CheckIndices(indices, numbers.index_vector_dim));
  RETURN_IF_ERROR(CheckAscendingDimensions(numbers.dropped, operand.rank(),
                                           numbers.dropped_name));
  RETURN_IF_ERROR(
      CheckDimensions(numbers.map, operand.rank(), numbers.map_name));
  const int64_t components =
      IndexComponentCount(indices, numbers.index_vector_dim);
  if (std::cmp_not_equal(components, numbers.map.size())) {
    return InvalidArgument(numbers.map_name, " has ", numbers.map.size(),
                           " entries, an index has ", components,
                           " components");
  }
  RETURN_IF_ERROR(CheckBatchingDimensions(operand, indices, numbers));
  RETURN_IF_ERROR(CheckDisjoint(numbers.dropped_name, numbers.dropped,
                                numbers.operand_batching_name,
                                numbers.operand_batching));
  return CheckDisjoint(numbers.map_name, numbers.map,
                       numbers.operand_batching_name, numbers.operand_batching);
}

// Whether operand dimension `dimension` has an extent in a window or slice.
bool IsWindowDimension(const IndexedDimensions& numbers, int64_t dimension) {
  return !absl::c_linear_search(numbers.dropped, dimension) &&
         !absl::c_linear_search(numbers.operand_batching, dimension);
}

absl::Status CheckSliceSizes(const Shape& operand, Dimensions slice_sizes,
                             const IndexedDimensions& numbers) {
  if (static_cast<int64_t>(slice_sizes.size()) != operand.rank()) {
    return InvalidArgument("slice_sizes has ", slice_sizes.size(),
                           " entries, the operand has rank ", operand.rank());
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (slice_sizes[i] < 0) {
      return InvalidArgument("slice_sizes entry ", i,
                             " is negative: ", slice_sizes[i]);
    }
    if (slice_sizes[i] > operand.dimension(i)) {
      return InvalidArgument("slice_sizes entry ", i, " is ", slice_sizes[i],
                             ", operand dimension ", i, " is ",
                             operand.dimension(i));
    }
    if (!IsWindowDimension(numbers, i) && slice_sizes[i] > 1) {
      return InvalidArgument(
          "slice_sizes entry ", i, " is ", slice_sizes[i],
          ", a collapsed or batching dimension takes 0 or 1");
    }
  }
  return absl::OkStatus();
}

IndexedDimensions IndexedDimensionsOfGather(const Instruction& gather) {
  return {.dropped_name = "collapsed_slice_dims",
          .dropped = gather.collapsed_slice_dims(),
          .map_name = "start_index_map",
          .map = gather.start_index_map(),
          .operand_batching_name = "operand_batching_dims",
          .operand_batching = gather.operand_batching_dims(),
          .indices_batching_name = "start_indices_batching_dims",
          .indices_batching = gather.start_indices_batching_dims(),
          .index_vector_dim = gather.index_vector_dim()};
}

IndexedDimensions IndexedDimensionsOfScatter(const Instruction& scatter) {
  return {.dropped_name = "inserted_window_dims",
          .dropped = scatter.inserted_window_dims(),
          .map_name = "scatter_dims_to_operand_dims",
          .map = scatter.scatter_dims_to_operand_dims(),
          .operand_batching_name = "input_batching_dims",
          .operand_batching = scatter.input_batching_dims(),
          .indices_batching_name = "scatter_indices_batching_dims",
          .indices_batching = scatter.scatter_indices_batching_dims(),
          .index_vector_dim = scatter.index_vector_dim()};
}

// Puts `window` at the positions `window_dims` and `batch` at the others.
DimensionVector Interleave(Dimensions window_dims, Dimensions window,
                           Dimensions batch) {
  DimensionVector result;
  size_t next_window = 0;
  size_t next_batch = 0;
  const auto rank = static_cast<int64_t>(window.size() + batch.size());
  for (int64_t i = 0; i < rank; ++i) {
    result.push_back(absl::c_linear_search(window_dims, i)
                         ? window[next_window++]
                         : batch[next_batch++]);
  }
  return result;
}

// The operand's dimensions that a scatter window has, in order.
DimensionVector WindowBounds(const Shape& operand,
                             const IndexedDimensions& numbers) {
  DimensionVector bounds;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (IsWindowDimension(numbers, i)) bounds.push_back(operand.dimension(i));
  }
  return bounds;
}

// Checks one update array against the window bounds and the batch sizes.
absl::Status CheckUpdates(const Shape& updates, Dimensions window_dims,
                          Dimensions bounds, Dimensions batch) {
  const auto rank = static_cast<int64_t>(window_dims.size() + batch.size());
  if (updates.rank() != rank) {
    return InvalidArgument("updates have rank ", updates.rank(), ", expected ",
                           rank, ": ", window_dims.size(),
                           " window dimensions and ", batch.size(),
                           " of the indices");
  }
  RETURN_IF_ERROR(
      CheckAscendingDimensions(window_dims, rank, "update_window_dims"));
  if (window_dims.size() != bounds.size()) {
    return InvalidArgument("update_window_dims has ", window_dims.size(),
                           " entries, the operand has ", bounds.size(),
                           " dimensions that are not inserted or batching");
  }
  const DimensionVector limits = Interleave(window_dims, bounds, batch);
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t size = updates.dimension(i);
    if (size == limits[i]) continue;
    const bool is_window = absl::c_linear_search(window_dims, i);
    if (is_window && size < limits[i]) continue;
    return InvalidArgument(
        "updates dimension ", i, " is ", size,
        is_window ? ", larger than the operand's " : ", the indices have ",
        limits[i]);
  }
  return absl::OkStatus();
}

// Element types and dimensions of a scatter's operands and updates.
absl::Status CheckScatterArrays(const Instruction& scatter, int64_t count) {
  const Shape& operand = scatter.operand_shape(0);
  const Shape& updates = scatter.operand_shape(count + 1);
  for (int64_t i = 0; i < count; ++i) {
    const Shape& other = scatter.operand_shape(i);
    const Shape& other_updates = scatter.operand_shape(count + 1 + i);
    if (!SameDimensions(operand, other)) {
      return InvalidArgument("operands 0 and ", i,
                             " have different dimensions: ", ShapeText(operand),
                             " and ", ShapeText(other));
    }
    if (!SameDimensions(updates, other_updates)) {
      return InvalidArgument("operands ", count + 1, " and ", count + 1 + i,
                             " have different dimensions: ", ShapeText(updates),
                             " and ", ShapeText(other_updates));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferGather(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  const Shape& operand = instruction.operand_shape(0);
  const Shape& indices = instruction.operand_shape(1);
  const IndexedDimensions numbers = IndexedDimensionsOfGather(instruction);
  RETURN_IF_ERROR(CheckIndexedDimensions(operand, indices, numbers));
  const Dimensions slice_sizes = instruction.slice_sizes();
  RETURN_IF_ERROR(CheckSliceSizes(operand, slice_sizes, numbers));

  DimensionVector window;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (IsWindowDimension(numbers, i)) window.push_back(slice_sizes[i]);
  }
  const Dimensions offset_dims = instruction.offset_dims();
  if (offset_dims.size() != window.size()) {
    return InvalidArgument("offset_dims has ", offset_dims.size(),
                           " entries, the slice has ", window.size(),
                           " dimensions that are not collapsed or batching");
  }
  const DimensionVector batch = BatchSizes(indices, numbers.index_vector_dim);
  const auto rank = static_cast<int64_t>(window.size() + batch.size());
  if (rank > Shape::kMaxRank) {
    return InvalidArgument("the result would have rank ", rank,
                           ", the limit is ", Shape::kMaxRank);
  }
  RETURN_IF_ERROR(CheckAscendingDimensions(offset_dims, rank, "offset_dims"));
  return Shape::Array(operand.element_type(),
                      Interleave(offset_dims, window, batch));
}

absl::StatusOr<Shape> InferScatter(const Instruction& instruction) {
  const int64_t operand_count = instruction.operand_count();
  if (operand_count < 3 || operand_count % 2 == 0) {
    return InvalidArgument(
        "expected operands, indices and one update per operand, got ",
        operand_count, " operands");
  }
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  const int64_t count = operand_count / 2;
  RETURN_IF_ERROR(CheckScatterArrays(instruction, count));
  const Shape& operand = instruction.operand_shape(0);
  const Shape& indices = instruction.operand_shape(count);
  const IndexedDimensions numbers = IndexedDimensionsOfScatter(instruction);
  RETURN_IF_ERROR(CheckIndexedDimensions(operand, indices, numbers));
  RETURN_IF_ERROR(CheckUpdates(instruction.operand_shape(count + 1),
                               instruction.update_window_dims(),
                               WindowBounds(operand, numbers),
                               BatchSizes(indices, numbers.index_vector_dim)));

  std::vector<Shape> inits;
  std::vector<Shape> inputs;
  std::vector<Shape> results;
  for (int64_t i = 0; i < count; ++i) {
    const Shape& result = instruction.operand_shape(i);
    inits.push_back(Shape::Scalar(result.element_type()));
    inputs.push_back(instruction.operand_shape(count + 1 + i));
    results.push_back(WithoutLayout(result));
  }
  RETURN_IF_ERROR(
      CheckReducer(*instruction.to_apply(), "to_apply", inputs, inits)
          .status());
  return ShapeOrTuple(std::move(results));
}

}  // namespace hilo::hlo
