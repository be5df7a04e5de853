// Shape rules of dot, ragged-dot and scaled-dot.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/result_types.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

using Dimensions = absl::Span<const int64_t>;

// One operand of a dot with its dimension lists.
struct DotOperand {
  absl::string_view name;
  const Shape& shape;
  Dimensions batch;
  Dimensions contracting;
  // A dimension that is neither of these nor part of the result, or -1.
  int64_t group = -1;

  bool IsFree(int64_t dimension) const {
    return dimension != group && !absl::c_linear_search(batch, dimension) &&
           !absl::c_linear_search(contracting, dimension);
  }
};

DotOperand Lhs(const Instruction& dot) {
  return {.name = "lhs",
          .shape = dot.operand_shape(0),
          .batch = dot.lhs_batch_dims(),
          .contracting = dot.lhs_contracting_dims()};
}

DotOperand Rhs(const Instruction& dot) {
  return {.name = "rhs",
          .shape = dot.operand_shape(1),
          .batch = dot.rhs_batch_dims(),
          .contracting = dot.rhs_contracting_dims()};
}

// Error unless each dimension is named once at most.
absl::Status CheckLists(const DotOperand& operand) {
  const int64_t rank = operand.shape.rank();
  RETURN_IF_ERROR(CheckDimensions(
      operand.batch, rank, absl::StrCat(operand.name, "_batch_dims entry")));
  RETURN_IF_ERROR(
      CheckDimensions(operand.contracting, rank,
                      absl::StrCat(operand.name, "_contracting_dims entry")));
  for (const int64_t dimension : operand.contracting) {
    if (!absl::c_linear_search(operand.batch, dimension)) continue;
    return InvalidArgument(operand.name, " dimension ", dimension,
                           " is both batch and contracting");
  }
  if (operand.group >= 0 &&
      (absl::c_linear_search(operand.batch, operand.group) ||
       absl::c_linear_search(operand.contracting, operand.group))) {
    return InvalidArgument("the group dimension ", operand.group, " of ",
                           operand.name, " is batch or contracting");
  }
  return absl::OkStatus();
}

// Error unless the lists pair up with equal sizes; `what` is "batch" or
// "contracting".
absl::Status CheckPairs(absl::string_view what, const Shape& lhs,
                        Dimensions lhs_dims, const Shape& rhs,
                        Dimensions rhs_dims) {
  if (lhs_dims.size() != rhs_dims.size()) {
    return InvalidArgument("lhs has ", lhs_dims.size(), " ", what,
                           " dimensions, rhs has ", rhs_dims.size());
  }
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    const int64_t lhs_size = lhs.dimension(lhs_dims[i]);
    const int64_t rhs_size = rhs.dimension(rhs_dims[i]);
    if (lhs_size == rhs_size) continue;
    return InvalidArgument(what, " sizes differ: lhs dimension ", lhs_dims[i],
                           " is ", lhs_size, ", rhs dimension ", rhs_dims[i],
                           " is ", rhs_size);
  }
  return absl::OkStatus();
}

// The array of batch, lhs free and rhs free dimensions, after `leading`.
absl::StatusOr<Shape> InferProduct(const Instruction& dot,
                                   const DotOperand& lhs, const DotOperand& rhs,
                                   std::optional<int64_t> leading = {}) {
  RETURN_IF_ERROR(CheckLists(lhs));
  RETURN_IF_ERROR(CheckLists(rhs));
  RETURN_IF_ERROR(
      CheckPairs("batch", lhs.shape, lhs.batch, rhs.shape, rhs.batch));
  RETURN_IF_ERROR(CheckPairs("contracting", lhs.shape, lhs.contracting,
                             rhs.shape, rhs.contracting));
  DimensionVector sizes;
  if (leading.has_value()) sizes.push_back(*leading);
  for (const int64_t i : lhs.batch) sizes.push_back(lhs.shape.dimension(i));
  for (const DotOperand* operand : {&lhs, &rhs}) {
    for (int64_t i = 0; i < operand->shape.rank(); ++i) {
      if (operand->IsFree(i)) sizes.push_back(operand->shape.dimension(i));
    }
  }
  ASSIGN_OR_RETURN(const ElementType type, ProductType(dot));
  return Shape::Array(type, sizes);
}

enum class RaggedMode : uint8_t { kFree, kContracting, kBatch };

RaggedMode ModeOf(const DotOperand& lhs, int64_t ragged) {
  if (absl::c_linear_search(lhs.batch, ragged)) return RaggedMode::kBatch;
  if (absl::c_linear_search(lhs.contracting, ragged)) {
    return RaggedMode::kContracting;
  }
  return RaggedMode::kFree;
}

// The sizes of the dimensions that stand before the ragged one among those of
// its kind, after the batch sizes: group sizes may differ along them.
DimensionVector GroupPrefix(const DotOperand& lhs, int64_t ragged,
                            RaggedMode mode) {
  DimensionVector prefix;
  const auto append_until = [&](Dimensions dimensions) {
    for (const int64_t i : dimensions) {
      if (i == ragged) return;
      prefix.push_back(lhs.shape.dimension(i));
    }
  };
  append_until(lhs.batch);
  switch (mode) {
    case RaggedMode::kBatch:
      break;
    case RaggedMode::kContracting:
      append_until(lhs.contracting);
      break;
    case RaggedMode::kFree:
      for (int64_t i = 0; i < ragged; ++i) {
        if (lhs.IsFree(i)) prefix.push_back(lhs.shape.dimension(i));
      }
      break;
  }
  return prefix;
}

// The number of groups: the last dimension of `sizes`, which may have `prefix`
// before it.
absl::StatusOr<int64_t> GroupCount(const Shape& sizes, Dimensions prefix) {
  if (!IsInteger(sizes.element_type()) || sizes.rank() == 0) {
    return InvalidArgument("group sizes must be an array of integers, are ",
                           ShapeText(sizes));
  }
  const Dimensions leading = sizes.dimensions().first(sizes.rank() - 1);
  if (!leading.empty() && leading != prefix) {
    return InvalidArgument(
        "group sizes are ", ShapeText(sizes),
        ", expected one dimension of groups, or before it ", prefix.size(),
        " dimensions like those before the ragged dimension of lhs");
  }
  return sizes.dimensions().back();
}

// Reads the attribute rhs_group_dims, which only a free ragged dimension has.
absl::Status ReadGroupDimension(const Instruction& dot, RaggedMode mode,
                                int64_t group_count, DotOperand* rhs) {
  const Dimensions group_dims = dot.rhs_group_dims();
  const size_t expected = mode == RaggedMode::kFree ? 1 : 0;
  if (group_dims.size() != expected) {
    return InvalidArgument("rhs_group_dims lists ", group_dims.size(),
                           " dimensions, expected ", expected);
  }
  if (mode != RaggedMode::kFree) return absl::OkStatus();
  RETURN_IF_ERROR(
      CheckDimension(group_dims[0], rhs->shape.rank(), "rhs_group_dims entry"));
  rhs->group = group_dims[0];
  const int64_t size = rhs->shape.dimension(rhs->group);
  if (size == group_count) return absl::OkStatus();
  return InvalidArgument("group counts differ: rhs dimension ", rhs->group,
                         " is ", size, ", there are ", group_count,
                         " group sizes");
}

// Error unless `scale` is a scalar, or has an operand's rank and dimensions
// that divide it into blocks.
absl::Status CheckScale(absl::string_view name, const Shape& operand,
                        const Shape& scale) {
  if (scale.IsScalar()) return absl::OkStatus();
  if (scale.rank() != operand.rank()) {
    return InvalidArgument(name, " has rank ", operand.rank(),
                           ", its scale has rank ", scale.rank());
  }
  for (int64_t i = 0; i < scale.rank(); ++i) {
    const int64_t size = operand.dimension(i);
    const int64_t blocks = scale.dimension(i);
    if (blocks == 0 ? size == 0 : size % blocks == 0) continue;
    return InvalidArgument(name, " dimension ", i, " is ", size,
                           ", not a multiple of the ", blocks, " of its scale");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferDot(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  return InferProduct(instruction, Lhs(instruction), Rhs(instruction));
}

absl::StatusOr<Shape> InferRaggedDot(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  const DotOperand lhs = Lhs(instruction);
  DotOperand rhs = Rhs(instruction);
  const Dimensions ragged_dims = instruction.lhs_ragged_dims();
  if (ragged_dims.size() != 1) {
    return InvalidArgument("lhs_ragged_dims lists ", ragged_dims.size(),
                           " dimensions, expected 1");
  }
  const int64_t ragged = ragged_dims[0];
  RETURN_IF_ERROR(
      CheckDimension(ragged, lhs.shape.rank(), "lhs_ragged_dims entry"));
  RETURN_IF_ERROR(CheckLists(lhs));
  const RaggedMode mode = ModeOf(lhs, ragged);
  ASSIGN_OR_RETURN(
      const int64_t group_count,
      GroupCount(instruction.operand_shape(2), GroupPrefix(lhs, ragged, mode)));
  RETURN_IF_ERROR(ReadGroupDimension(instruction, mode, group_count, &rhs));
  if (mode == RaggedMode::kContracting) {
    return InferProduct(instruction, lhs, rhs, group_count);
  }
  return InferProduct(instruction, lhs, rhs);
}

absl::StatusOr<Shape> InferScaledDot(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction));
  const Shape& lhs_scale = instruction.operand_shape(2);
  const Shape& rhs_scale = instruction.operand_shape(3);
  if (lhs_scale.IsScalar() && rhs_scale.IsScalar()) {
    return InvalidArgument("both scales are scalars, use dot");
  }
  RETURN_IF_ERROR(CheckScale("lhs", instruction.operand_shape(0), lhs_scale));
  RETURN_IF_ERROR(CheckScale("rhs", instruction.operand_shape(1), rhs_scale));
  return InferProduct(instruction, Lhs(instruction), Rhs(instruction));
}

}  // namespace hilo::hlo
