// Finds the rows of reductions, and who reads within them.
#include "passes/fusion/row_space.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/fusion/fusible.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

int64_t CountElements(const Shape& shape, int64_t first, int64_t last) {
  int64_t count = 1;
  for (int64_t d = first; d < last; ++d) count *= shape.dimension(d);
  return count;
}

}  // namespace

int64_t RowSpace::rows() const { return CountElements(*shape, 0, kept_rank); }

int64_t RowSpace::row_elements() const {
  return CountElements(*shape, kept_rank, shape->rank());
}

std::optional<RowSpace> RowSpaceOf(const Instruction& reduction) {
  if (reduction.opcode() != Opcode::kReduce || reduction.operand_count() != 2 ||
      !reduction.shape().IsArray()) {
    return std::nullopt;
  }
  const Shape& input = reduction.operand_shape(0);
  if (input.IsDynamic() || reduction.shape().IsDynamic()) return std::nullopt;
  const auto& reduced = reduction.dimensions();
  const auto is_reduced = [&](int64_t d) {
    return std::ranges::find(reduced, d) != reduced.end();
  };
  RowSpace space{.shape = &input};
  for (int64_t d = input.rank() - 1; d >= 0 && space.kept_rank == 0; --d) {
    if (input.dimension(d) != 1 && !is_reduced(d)) space.kept_rank = d + 1;
  }
  for (int64_t d = 0; d < space.kept_rank; ++d) {
    if (input.dimension(d) != 1 && is_reduced(d)) return std::nullopt;
  }
  return space;
}

bool IsSameSpace(const RowSpace& a, const RowSpace& b) {
  return ChangesUnitDimensionsOnly(*a.shape, *b.shape) && a.rows() == b.rows();
}

bool IsUniformInRows(const Instruction& broadcast, const RowSpace& space) {
  if (broadcast.opcode() != Opcode::kBroadcast ||
      !ChangesUnitDimensionsOnly(broadcast.shape(), *space.shape)) {
    return false;
  }
  const Shape& shape = broadcast.shape();
  return std::ranges::all_of(broadcast.dimensions(), [&](int64_t d) {
    return shape.dimension(d) == 1 || CountElements(shape, 0, d) < space.rows();
  });
}

bool SpreadsOverRows(const Instruction& broadcast, const RowSpace& space) {
  if (!IsUniformInRows(broadcast, space)) return false;
  const auto& dimensions = broadcast.dimensions();
  return std::ranges::is_sorted(dimensions) &&
         broadcast.operand_shape(0).ElementCount() == space.rows();
}

ReadAt ReadAtThrough(const Instruction& user, int64_t operand, ReadAt user_at,
                     const RowSpace* space) {
  switch (user.opcode()) {
    case Opcode::kReduce: {
      const std::optional<RowSpace> rows = RowSpaceOf(user);
      const bool is_row = space != nullptr && operand == 0 &&
                          rows.has_value() && IsSameSpace(*rows, *space);
      return is_row && user_at == ReadAt::kOwnRow ? ReadAt::kOwnElement
                                                  : ReadAt::kElsewhere;
    }
    case Opcode::kBroadcast:
      return space != nullptr && user_at == ReadAt::kOwnElement &&
                     SpreadsOverRows(user, *space)
                 ? ReadAt::kOwnRow
                 : ReadAt::kElsewhere;
    case Opcode::kReshape:
      return ChangesUnitDimensionsOnly(user.operand_shape(operand),
                                       user.shape())
                 ? user_at
                 : ReadAt::kElsewhere;
    default:  // NOLINT: all others are element-wise, or read elsewhere.
      return IsElementwise(user) &&
                     hlo::SameDimensions(user.operand_shape(operand),
                                         user.shape())
                 ? user_at
                 : ReadAt::kElsewhere;
  }
}

}  // namespace hilo::passes
