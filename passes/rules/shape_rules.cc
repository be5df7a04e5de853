// Rules about reshapes, transposes and reverses.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/rewriter.h"
#include "passes/rules/dimensions.h"
#include "passes/rules/rule.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;

bool IsStatic(const Instruction& instruction) {
  return !instruction.shape().IsDynamic() &&
         !instruction.operand_shape(0).IsDynamic();
}

Instruction* ReshapeToSameShape(Instruction& instruction,
                                Rewriter& /*rewriter*/) {
  Instruction* operand = instruction.operand(0);
  return IsStatic(instruction) &&
                 SameDimensions(operand->shape(), instruction.shape())
             ? operand
             : nullptr;
}

Instruction* ReshapeTwice(Instruction& instruction, Rewriter& rewriter) {
  Instruction* inner = instruction.operand(0);
  if (inner->opcode() != Opcode::kReshape || !IsStatic(instruction) ||
      !IsStatic(*inner)) {
    return nullptr;
  }
  return rewriter.Reshape(inner->operand(0), instruction.shape().dimensions());
}

Instruction* ReshapeOfSplat(Instruction& instruction, Rewriter& rewriter) {
  Instruction* scalar = SplatScalar(instruction.operand(0));
  if (scalar == nullptr || !IsStatic(instruction)) return nullptr;
  return rewriter.Splat(scalar, instruction.shape());
}

// A reshape of a constant is a constant.
Instruction* ReshapeOfConstant(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* constant = instruction.operand(0);
  if (constant->opcode() != Opcode::kConstant || constant->uses().size() > 1 ||
      !IsStatic(instruction)) {
    return nullptr;
  }
  return rewriter.Constant(
      constant->value().WithShape(WithoutLayout(instruction.shape())));
}

// A reshape that only adds or drops dimensions of size 1 before a broadcast's
// other dimensions, is part of the broadcast.
Instruction* ReshapeOfBroadcast(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* broadcast = instruction.operand(0);
  if (broadcast->opcode() != Opcode::kBroadcast || !IsStatic(instruction)) {
    return nullptr;
  }
  const std::optional<UnitReshape> map =
      MatchUnitReshape(broadcast->shape(), instruction.shape());
  if (!map) return nullptr;
  DimensionVector dimensions;
  DimensionVector kept_sizes;
  for (const int64_t d : broadcast->dimensions()) {
    const int64_t target = map->to_result[d];
    if (target < 0) continue;
    dimensions.push_back(target);
    kept_sizes.push_back(instruction.shape().dimension(target));
  }
  Instruction* operand = rewriter.Reshape(broadcast->operand(0), kept_sizes);
  return rewriter.Broadcast(operand, instruction.shape().dimensions(),
                            dimensions);
}

// Counting does not notice dimensions of size 1. Only towards one dimension:
// iotas of more are broadcasts.
Instruction* ReshapeOfIota(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* iota = instruction.operand(0);
  if (iota->opcode() != Opcode::kIota || instruction.shape().rank() != 1) {
    return nullptr;
  }
  const std::optional<UnitReshape> map =
      MatchUnitReshape(iota->shape(), instruction.shape());
  if (!map) return nullptr;
  const int64_t target = map->to_result[iota->iota_dimension()];
  if (target < 0) return nullptr;
  return rewriter.Iota(instruction.shape(), target);
}

Instruction* IotaOfOne(Instruction& instruction, Rewriter& rewriter) {
  const hlo::Shape& shape = instruction.shape();
  if (shape.dimension(instruction.iota_dimension()) != 1) return nullptr;
  return rewriter.Splat(rewriter.IntegerScalar(shape.element_type(), 0), shape);
}

// What counts along one of several dimensions is broadcast from one.
Instruction* IotaOfManyDimensions(Instruction& instruction,
                                  Rewriter& rewriter) {
  const hlo::Shape& shape = instruction.shape();
  if (shape.rank() < 2 || shape.IsDynamic()) return nullptr;
  const int64_t dimension = instruction.iota_dimension();
  Instruction* line = rewriter.Iota(
      hlo::Shape::Array(shape.element_type(), {shape.dimension(dimension)}), 0);
  return rewriter.Broadcast(line, shape.dimensions(), {dimension});
}

Instruction* TransposeIdentity(Instruction& instruction,
                               Rewriter& /*rewriter*/) {
  const auto& permutation = instruction.dimensions();
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (std::cmp_not_equal(permutation[i], i)) return nullptr;
  }
  return instruction.operand(0);
}

Instruction* TransposeTwice(Instruction& instruction, Rewriter& rewriter) {
  Instruction* inner = instruction.operand(0);
  if (inner->opcode() != Opcode::kTranspose) return nullptr;
  DimensionVector permutation;
  for (const int64_t d : instruction.dimensions()) {
    permutation.push_back(inner->dimensions()[d]);
  }
  return rewriter.Transpose(inner->operand(0), permutation);
}

Instruction* TransposeOfSplat(Instruction& instruction, Rewriter& rewriter) {
  Instruction* scalar = SplatScalar(instruction.operand(0));
  if (scalar == nullptr || !IsStatic(instruction)) return nullptr;
  return rewriter.Splat(scalar, instruction.shape());
}

// Moving only dimensions of size 1 leaves the elements where they are.
Instruction* TransposeOfUnitDimensions(Instruction& instruction,
                                       Rewriter& rewriter) {
  if (!IsStatic(instruction)) return nullptr;
  int64_t last = -1;
  for (const int64_t d : instruction.dimensions()) {
    if (instruction.operand_shape(0).dimension(d) == 1) continue;
    if (d < last) return nullptr;
    last = d;
  }
  return rewriter.Reshape(instruction.operand(0),
                          instruction.shape().dimensions());
}

// A transposed broadcast is a broadcast to other dimensions.
Instruction* TransposeOfBroadcast(Instruction& instruction,
                                  Rewriter& rewriter) {
  const Instruction* broadcast = instruction.operand(0);
  if (broadcast->opcode() != Opcode::kBroadcast || !IsStatic(instruction)) {
    return nullptr;
  }
  const DimensionVector inverse = InversePermutation(instruction.dimensions());
  DimensionVector dimensions;
  for (const int64_t d : broadcast->dimensions()) {
    dimensions.push_back(inverse[d]);
  }
  return SortedBroadcast(broadcast->operand(0),
                         instruction.shape().dimensions(), dimensions,
                         rewriter);
}

Instruction* TransposeOfIota(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* iota = instruction.operand(0);
  if (iota->opcode() != Opcode::kIota) return nullptr;
  return rewriter.Iota(
      instruction.shape(),
      InversePermutation(instruction.dimensions())[iota->iota_dimension()]);
}

// Reversing a dimension of size 1 does nothing.
Instruction* ReverseOfUnitDimensions(Instruction& instruction,
                                     Rewriter& rewriter) {
  DimensionVector dimensions;
  for (const int64_t d : instruction.dimensions()) {
    if (instruction.shape().dimension(d) != 1) dimensions.push_back(d);
  }
  if (dimensions.size() == instruction.dimensions().size()) {
    return dimensions.empty() ? instruction.operand(0) : nullptr;
  }
  if (dimensions.empty()) return instruction.operand(0);
  return rewriter.Add(Opcode::kReverse, {instruction.operand(0)},
                      {With::dimensions(dimensions)});
}

// Dimensions that both reverse are not reversed at all.
Instruction* ReverseTwice(Instruction& instruction, Rewriter& rewriter) {
  Instruction* inner = instruction.operand(0);
  if (inner->opcode() != Opcode::kReverse) return nullptr;
  DimensionVector dimensions;
  for (int64_t d = 0; d < instruction.shape().rank(); ++d) {
    if (Contains(instruction.dimensions(), d) !=
        Contains(inner->dimensions(), d)) {
      dimensions.push_back(d);
    }
  }
  if (dimensions.empty()) return inner->operand(0);
  return rewriter.Add(Opcode::kReverse, {inner->operand(0)},
                      {With::dimensions(dimensions)});
}

// Dimensions along which a broadcast repeats need no reversing.
Instruction* ReverseOfBroadcast(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* broadcast = instruction.operand(0);
  if (broadcast->opcode() != Opcode::kBroadcast) return nullptr;
  DimensionVector inner;
  const auto& from = broadcast->dimensions();
  for (size_t i = 0; i < from.size(); ++i) {
    if (Contains(instruction.dimensions(), from[i])) {
      inner.push_back(static_cast<int64_t>(i));
    }
  }
  Instruction* operand = broadcast->operand(0);
  if (!inner.empty()) {
    operand =
        rewriter.Add(Opcode::kReverse, {operand}, {With::dimensions(inner)});
  }
  return rewriter.Broadcast(operand, instruction.shape().dimensions(), from);
}

// Element-wise operations pass through a reshape of a single user's value when
// all operands are reshaped alike.
Instruction* ElementwiseOfReshapes(Instruction& instruction,
                                   Rewriter& rewriter) {
  if (instruction.operand_count() < 2) return nullptr;
  std::vector<Instruction*> operands;
  const hlo::Shape* from = nullptr;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    Instruction* operand = instruction.operand(i);
    if (operand->opcode() != Opcode::kReshape || operand->uses().size() != 1 ||
        !IsStatic(*operand) ||
        (from != nullptr &&
         !SameDimensions(*from, operand->operand_shape(0)))) {
      return nullptr;
    }
    from = &operand->operand_shape(0);
    operands.push_back(operand->operand(0));
  }
  Instruction* result = rewriter.Like(
      instruction,
      hlo::Shape::Array(instruction.shape().element_type(), from->dimensions()),
      operands);
  return rewriter.Reshape(result, instruction.shape().dimensions());
}

// The broadcast of which `transpose` would make `broadcast`.
Instruction* UntransposedBroadcast(const Instruction& broadcast,
                                   const Instruction& transpose,
                                   Rewriter& rewriter) {
  DimensionVector dimensions;
  for (const int64_t d : broadcast.dimensions()) {
    dimensions.push_back(transpose.dimensions()[d]);
  }
  return SortedBroadcast(broadcast.operand(0),
                         transpose.operand_shape(0).dimensions(), dimensions,
                         rewriter);
}

// Element-wise operations pass through a transpose of whole rows: it may meet
// another one, a reduction or a product behind them.
Instruction* ElementwiseOfTransposes(Instruction& instruction,
                                     Rewriter& rewriter) {
  if (!IsStatic(instruction)) return nullptr;
  const Instruction* transpose = nullptr;
  for (const Instruction* operand : instruction.operands()) {
    if (operand->opcode() == Opcode::kBroadcast && IsStatic(*operand)) continue;
    if (operand->opcode() != Opcode::kTranspose || !IsStatic(*operand) ||
        operand->dimensions().back() != operand->shape().rank() - 1 ||
        (transpose != nullptr &&
         transpose->dimensions() != operand->dimensions())) {
      return nullptr;
    }
    transpose = operand;
  }
  // Moving wider elements would take longer.
  if (transpose == nullptr ||
      hlo::StorageBytes(instruction.shape().element_type()) >
          hlo::StorageBytes(transpose->shape().element_type())) {
    return nullptr;
  }
  std::vector<Instruction*> operands;
  for (const Instruction* operand : instruction.operands()) {
    if (!SameDimensions(operand->shape(), instruction.shape())) return nullptr;
    operands.push_back(
        operand->opcode() == Opcode::kTranspose
            ? operand->operand(0)
            : UntransposedBroadcast(*operand, *transpose, rewriter));
  }
  Instruction* result =
      rewriter.Like(instruction,
                    hlo::Shape::Array(instruction.shape().element_type(),
                                      transpose->operand_shape(0).dimensions()),
                    operands);
  return rewriter.Transpose(result, transpose->dimensions());
}

constexpr auto kShapeRules = std::to_array<Rule>({
    {.name = "reshape-to-same-shape",
     .text = "reshape(x) => x",
     .opcode = Opcode::kReshape,
     .apply = &ReshapeToSameShape},
    {.name = "reshape-twice",
     .text = "reshape(reshape(x)) => reshape(x)",
     .opcode = Opcode::kReshape,
     .apply = &ReshapeTwice},
    {.name = "reshape-of-splat",
     .text = "reshape(broadcast(a)) => broadcast(a)",
     .opcode = Opcode::kReshape,
     .apply = &ReshapeOfSplat},
    {.name = "reshape-of-constant",
     .text = "reshape(constant) => constant",
     .opcode = Opcode::kReshape,
     .apply = &ReshapeOfConstant},
    {.name = "reshape-of-broadcast",
     .text = "reshape(broadcast(x)) => broadcast(reshape(x))",
     .opcode = Opcode::kReshape,
     .apply = &ReshapeOfBroadcast},
    {.name = "reshape-of-iota",
     .text = "reshape(iota) => iota",
     .opcode = Opcode::kReshape,
     .apply = &ReshapeOfIota},
    {.name = "element-wise-of-reshapes",
     .text = "op(reshape(x), reshape(y)) => reshape(op(x, y))",
     .at_opcodes = &IsElementwise,
     .apply = &ElementwiseOfReshapes},
    {.name = "iota-of-one",
     .text = "iota of size 1 => broadcast(0)",
     .opcode = Opcode::kIota,
     .apply = &IotaOfOne},
    {.name = "iota-of-many-dimensions",
     .text = "iota => broadcast(iota of one dimension)",
     .opcode = Opcode::kIota,
     .apply = &IotaOfManyDimensions},
    {.name = "transpose-identity",
     .text = "transpose(x) => x",
     .opcode = Opcode::kTranspose,
     .apply = &TransposeIdentity},
    {.name = "transpose-twice",
     .text = "transpose(transpose(x)) => transpose(x)",
     .opcode = Opcode::kTranspose,
     .apply = &TransposeTwice},
    {.name = "transpose-of-splat",
     .text = "transpose(broadcast(a)) => broadcast(a)",
     .opcode = Opcode::kTranspose,
     .apply = &TransposeOfSplat},
    {.name = "transpose-of-unit-dimensions",
     .text = "transpose(x) => reshape(x)",
     .opcode = Opcode::kTranspose,
     .apply = &TransposeOfUnitDimensions},
    {.name = "transpose-of-broadcast",
     .text = "transpose(broadcast(x)) => broadcast(x)",
     .opcode = Opcode::kTranspose,
     .apply = &TransposeOfBroadcast},
    {.name = "transpose-of-iota",
     .text = "transpose(iota) => iota",
     .opcode = Opcode::kTranspose,
     .apply = &TransposeOfIota},
    {.name = "element-wise-of-transposes",
     .text = "op(transpose(x), broadcast(y)) => transpose(op(x, broadcast(y)))",
     .at_opcodes = &IsElementwise,
     .apply = &ElementwiseOfTransposes},
    {.name = "reverse-of-unit-dimensions",
     .text = "reverse(x) => x",
     .opcode = Opcode::kReverse,
     .apply = &ReverseOfUnitDimensions},
    {.name = "reverse-twice",
     .text = "reverse(reverse(x)) => reverse(x)",
     .opcode = Opcode::kReverse,
     .apply = &ReverseTwice},
    {.name = "reverse-of-broadcast",
     .text = "reverse(broadcast(x)) => broadcast(reverse(x))",
     .opcode = Opcode::kReverse,
     .apply = &ReverseOfBroadcast},
});

}  // namespace

absl::Span<const Rule> ShapeRules() { return kShapeRules; }

}  // namespace hilo::passes
