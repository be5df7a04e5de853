// Rules about broadcasts.
#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

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

bool IsStaticBroadcast(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kBroadcast &&
         !instruction.shape().IsDynamic();
}

// To the same rank: the operand itself, or a transpose.
Instruction* BroadcastToSameRank(Instruction& instruction, Rewriter& rewriter) {
  if (!IsStaticBroadcast(instruction) ||
      instruction.operand_shape(0).rank() != instruction.shape().rank()) {
    return nullptr;
  }
  return rewriter.Transpose(instruction.operand(0),
                            InversePermutation(instruction.dimensions()));
}

Instruction* BroadcastTwice(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* inner = instruction.operand(0);
  if (!IsStaticBroadcast(instruction) || !IsStaticBroadcast(*inner)) {
    return nullptr;
  }
  DimensionVector dimensions;
  for (const int64_t d : inner->dimensions()) {
    dimensions.push_back(instruction.dimensions()[d]);
  }
  return rewriter.Broadcast(inner->operand(0), instruction.shape().dimensions(),
                            dimensions);
}

// Only dimensions of size 1 are new.
Instruction* BroadcastOfAllElements(Instruction& instruction,
                                    Rewriter& rewriter) {
  if (!IsStaticBroadcast(instruction) ||
      !IsAscending(instruction.dimensions()) ||
      instruction.shape().ElementCount() !=
          instruction.operand_shape(0).ElementCount() ||
      instruction.shape().ElementCount() == 0 ||
      instruction.operand_shape(0).rank() == 0) {
    return nullptr;
  }
  return rewriter.Reshape(instruction.operand(0),
                          instruction.shape().dimensions());
}

// Dimensions of size 1 of the operand are new in the result, too.
Instruction* BroadcastOfUnitDimensions(Instruction& instruction,
                                       Rewriter& rewriter) {
  if (!IsStaticBroadcast(instruction)) return nullptr;
  Instruction* operand = instruction.operand(0);
  DimensionVector sizes;
  DimensionVector dimensions;
  for (int64_t i = 0; i < operand->shape().rank(); ++i) {
    if (operand->shape().dimension(i) == 1) continue;
    sizes.push_back(operand->shape().dimension(i));
    dimensions.push_back(instruction.dimensions()[i]);
  }
  if (static_cast<int64_t>(sizes.size()) == operand->shape().rank()) {
    return nullptr;
  }
  return rewriter.Broadcast(rewriter.Reshape(operand, sizes),
                            instruction.shape().dimensions(), dimensions);
}

// Dimensions out of order are a transpose in disguise.
Instruction* BroadcastOutOfOrder(Instruction& instruction, Rewriter& rewriter) {
  if (!IsStaticBroadcast(instruction) ||
      IsAscending(instruction.dimensions())) {
    return nullptr;
  }
  return SortedBroadcast(instruction.operand(0),
                         instruction.shape().dimensions(),
                         instruction.dimensions(), rewriter);
}

// One broadcast that decides where all operands go; splats fit everywhere.
const Instruction* CommonBroadcast(const Instruction& instruction) {
  const Instruction* common = nullptr;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Instruction* operand = instruction.operand(i);
    if (SplatScalar(operand) != nullptr) continue;
    if (!IsStaticBroadcast(*operand)) return nullptr;
    if (common == nullptr) common = operand;
    if (operand->dimensions() != common->dimensions() ||
        !SameDimensions(operand->operand_shape(0), common->operand_shape(0))) {
      return nullptr;
    }
  }
  return common;
}

// Computes before repeating.
Instruction* ElementwiseOfBroadcasts(Instruction& instruction,
                                     Rewriter& rewriter) {
  if (!instruction.shape().IsArray() || instruction.shape().IsDynamic()) {
    return nullptr;
  }
  const Instruction* common = CommonBroadcast(instruction);
  if (common == nullptr || common->shape().ElementCount() ==
                               common->operand_shape(0).ElementCount()) {
    return nullptr;
  }
  const hlo::Shape& small = common->operand_shape(0);
  std::vector<Instruction*> operands;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    Instruction* operand = instruction.operand(i);
    Instruction* scalar = SplatScalar(operand);
    // Clamp and select keep scalar operands.
    if (scalar == nullptr) {
      operands.push_back(operand->operand(0));
    } else if (operand->shape().rank() == 0) {
      operands.push_back(scalar);
    } else {
      operands.push_back(rewriter.Splat(scalar, small));
    }
  }
  Instruction* result = rewriter.Like(
      instruction,
      hlo::Shape::Array(instruction.shape().element_type(), small.dimensions()),
      operands);
  return rewriter.Broadcast(result, instruction.shape().dimensions(),
                            common->dimensions());
}

constexpr auto kBroadcastRules = std::to_array<Rule>({
    {.name = "broadcast-to-same-rank",
     .text = "broadcast(x) => transpose(x)",
     .opcode = Opcode::kBroadcast,
     .apply = &BroadcastToSameRank},
    {.name = "broadcast-out-of-order",
     .text = "broadcast(x) => broadcast(transpose(x))",
     .opcode = Opcode::kBroadcast,
     .apply = &BroadcastOutOfOrder},
    {.name = "broadcast-twice",
     .text = "broadcast(broadcast(x)) => broadcast(x)",
     .opcode = Opcode::kBroadcast,
     .apply = &BroadcastTwice},
    {.name = "broadcast-of-all-elements",
     .text = "broadcast(x) => reshape(x)",
     .opcode = Opcode::kBroadcast,
     .apply = &BroadcastOfAllElements},
    {.name = "broadcast-of-unit-dimensions",
     .text = "broadcast(x) => broadcast(reshape(x))",
     .opcode = Opcode::kBroadcast,
     .apply = &BroadcastOfUnitDimensions},
    {.name = "element-wise-of-broadcasts",
     .text = "op(broadcast(x), broadcast(y)) => broadcast(op(x, y))",
     .at_opcodes = &IsElementwise,
     .apply = &ElementwiseOfBroadcasts},
});

}  // namespace

absl::Span<const Rule> BroadcastRules() { return kBroadcastRules; }

}  // namespace hilo::passes
