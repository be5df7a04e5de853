// Products that store transposed results.
#include "passes/layout_assignment/product_layouts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/pass_context.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

constexpr const char kProductLayouts[] = "layout-assignment";

bool IsReadOnce(const Instruction& instruction) {
  return instruction.uses().size() == 1 &&
         instruction.parent()->root() != &instruction;
}

// Dimensions of more than one element.
DimensionVector LongDimensions(const Shape& shape) {
  DimensionVector dimensions;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) != 1) dimensions.push_back(d);
  }
  return dimensions;
}

bool DiffersInUnitDimensions(const Shape& a, const Shape& b) {
  return std::ranges::equal(
      LongDimensions(a), LongDimensions(b),
      [&](int64_t i, int64_t j) { return a.dimension(i) == b.dimension(j); });
}

// The dot whose result nothing but the transpose reads, dimensions of size 1
// added or dropped between; null: there is none.
Instruction* TransposedDot(const Instruction& transpose) {
  if (transpose.opcode() != Opcode::kTranspose) return nullptr;
  Instruction* dot = transpose.operand(0);
  if (dot->opcode() == Opcode::kReshape && IsReadOnce(*dot) &&
      DiffersInUnitDimensions(dot->shape(), dot->operand_shape(0))) {
    dot = dot->operand(0);
  }
  return dot->opcode() == Opcode::kDot && IsReadOnce(*dot) &&
                 !dot->shape().IsDynamic()
             ? dot
             : nullptr;
}

// The dot's dimensions in the order of the transposed result, those of one
// element first.
DimensionVector TransposedOrder(const Instruction& transpose,
                                const Instruction& dot) {
  const DimensionVector from = LongDimensions(transpose.operand_shape(0));
  const DimensionVector to = LongDimensions(dot.shape());
  DimensionVector order;
  for (int64_t d = 0; d < dot.shape().rank(); ++d) {
    if (dot.shape().dimension(d) == 1) order.push_back(d);
  }
  for (const int64_t d : transpose.dimensions()) {
    const auto* const place = std::ranges::find(from, d);
    if (place != from.end()) {
      order.push_back(to[static_cast<size_t>(place - from.begin())]);
    }
  }
  return order;
}

// Whether some instruction must wait for others than its operands.
bool HasControlPredecessors(const hlo::Computation& computation) {
  return std::ranges::any_of(
      computation.instructions(), [](const auto& instruction) {
        return !instruction->control_predecessors().empty();
      });
}

}  // namespace

bool AssignProductLayouts(hlo::Computation& computation,
                          const PassContext& context) {
  // Such a one could wait for the transpose.
  if (HasControlPredecessors(computation)) return false;
  std::vector<std::pair<Instruction*, Instruction*>> pairs;
  for (const auto& instruction : computation.instructions()) {
    Instruction* dot = TransposedDot(*instruction);
    if (dot == nullptr) continue;
    const DimensionVector order = TransposedOrder(*instruction, *dot);
    const auto batches = static_cast<int64_t>(dot->lhs_batch_dims().size());
    if (!order.empty() && order.back() >= batches) {
      pairs.emplace_back(instruction.get(), dot);
    }
  }
  for (const auto& [transpose, dot] : pairs) {
    DimensionVector minor_to_major = TransposedOrder(*transpose, *dot);
    std::ranges::reverse(minor_to_major);
    Shape shape = dot->shape();
    shape.set_layout(
        {.minor_to_major = std::move(minor_to_major), .properties = {}});
    dot->set_shape(std::move(shape));
    Instruction* bitcast =
        computation.Add(Opcode::kBitcast, transpose->shape());
    bitcast->set_name("bitcast");
    bitcast->AppendOperand(dot);
    transpose->ReplaceAllUsesWith(bitcast);
    if (computation.root() == transpose) computation.set_root(bitcast);
    context.Remember(kProductLayouts, *dot, "stored as ", transpose->name(),
                     " has it");
  }
  if (pairs.empty()) return false;
  std::vector<bool> keep(computation.instruction_count(), true);
  for (const auto& [transpose, dot] : pairs) {
    keep[transpose->id()] = false;
    Instruction* operand = transpose->operand(0);
    if (operand != dot) keep[operand->id()] = false;
  }
  computation.RemoveExcept(keep);
  return true;
}

}  // namespace hilo::passes
