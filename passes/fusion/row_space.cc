// Finds the rows of reductions, and who reads within them.
#include "passes/fusion/row_space.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <vector>

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/fusion/fusible.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
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

std::optional<RowSpace> CommonRows(const Computation& computation) {
  std::optional<RowSpace> common;
  int64_t reductions = 0;
  for (const auto& instruction : computation.instructions()) {
    if (instruction->opcode() != Opcode::kReduce) continue;
    ++reductions;
    const std::optional<RowSpace> rows = RowSpaceOf(*instruction);
    if (!rows.has_value() ||
        (common.has_value() && !IsSameSpace(*rows, *common))) {
      return std::nullopt;
    }
    common = rows;
  }
  const bool is_single =
      computation.root()->opcode() == Opcode::kReduce && reductions == 1;
  if (is_single || !common.has_value() || common->shape->ElementCount() == 0 ||
      common->row_elements() == 1) {
    return std::nullopt;
  }
  return common;
}

std::vector<const Instruction*> OutputsOf(const Computation& computation) {
  const Instruction& root = *computation.root();
  if (root.opcode() != Opcode::kTuple) return {&root};
  const std::vector<Instruction*> operands = root.operands();
  return {operands.begin(), operands.end()};
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

std::optional<std::vector<ReadAt>> ReadsInRows(const Computation& computation,
                                               const RowSpace& space) {
  const auto count = static_cast<size_t>(computation.instruction_count());
  std::vector<ReadAt> reads(count, ReadAt::kElsewhere);
  std::vector<bool> is_read(count, false);
  const auto add = [&](const Instruction& instruction, ReadAt at) {
    const auto id = static_cast<size_t>(instruction.id());
    reads[id] = !is_read[id] || reads[id] == at ? at : ReadAt::kElsewhere;
    is_read[id] = true;
  };
  for (const Instruction* output : OutputsOf(computation)) {
    const int64_t elements = output->shape().ElementCount();
    const bool is_whole = elements == space.shape->ElementCount();
    if (is_whole ? !ChangesUnitDimensionsOnly(output->shape(), *space.shape)
                 : elements != space.rows()) {
      return std::nullopt;
    }
    add(*output, is_whole ? ReadAt::kOwnElement : ReadAt::kOwnRow);
  }
  const std::vector<Instruction*> order = computation.PostOrder();
  for (const Instruction* user : std::views::reverse(order)) {
    if (user->opcode() == Opcode::kTuple) continue;
    const ReadAt at = reads[static_cast<size_t>(user->id())];
    for (int64_t operand = 0; operand < user->operand_count(); ++operand) {
      add(*user->operand(operand), ReadAtThrough(*user, operand, at, &space));
    }
  }
  return reads;
}

}  // namespace hilo::passes
