// Tells by opcode and attributes where results lie.
#include "hlo/analysis/aliasing.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hlo/analysis/array_leaves.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"

namespace hilo::hlo {
namespace {

// Leaves [first, first + count) of an operand, in order.
std::vector<OperandLeaf> LeavesOf(int64_t operand, ArrayLeafRange range) {
  std::vector<OperandLeaf> leaves;
  leaves.reserve(static_cast<size_t>(range.count));
  for (int64_t i = 0; i < range.count; ++i) {
    leaves.push_back({.operand = operand, .leaf = range.first + i});
  }
  return leaves;
}

std::vector<OperandLeaf> TupleLeaves(const Instruction& tuple) {
  std::vector<OperandLeaf> leaves;
  for (int64_t i = 0; i < tuple.operand_count(); ++i) {
    const int64_t count = ArrayLeafCount(tuple.operand_shape(i));
    for (int64_t leaf = 0; leaf < count; ++leaf) {
      leaves.push_back({.operand = i, .leaf = leaf});
    }
  }
  return leaves;
}

std::vector<InPlacePair> DeclaredPairs(const Instruction& instruction) {
  std::vector<InPlacePair> pairs;
  for (const OutputOperandAlias& alias :
       instruction.output_to_operand_aliasing()) {
    const ArrayLeafRange output =
        ArrayLeavesAt(instruction.shape(), alias.output_index);
    const ArrayLeafRange input = ArrayLeavesAt(
        instruction.operand_shape(alias.operand), alias.operand_index);
    for (int64_t i = 0; i < output.count && i < input.count; ++i) {
      pairs.push_back(
          {.input = {.operand = alias.operand, .leaf = input.first + i},
           .output_leaf = output.first + i});
    }
  }
  return pairs;
}

}  // namespace

bool IsSequentialCall(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kWhile ||
         instruction.opcode() == Opcode::kConditional ||
         instruction.opcode() == Opcode::kCall;
}

std::vector<Computation*> SequentialCallees(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kWhile) {
    return {instruction.condition(), instruction.body()};
  }
  if (instruction.opcode() == Opcode::kConditional) {
    return instruction.branches();
  }
  if (instruction.opcode() == Opcode::kCall) return {instruction.to_apply()};
  return {};
}

bool RunsCode(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
    case Opcode::kBitcast:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kConstant:
    case Opcode::kDomain:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kWhile:
      return false;
    default:  // NOLINT: every other opcode computes or moves something
      return true;
  }
}

std::vector<OperandLeaf> ForwardedLeaves(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kTuple:
      return TupleLeaves(instruction);
    case Opcode::kGetTupleElement: {
      const std::array index = {instruction.index()};
      return LeavesOf(0, ArrayLeavesAt(instruction.operand_shape(0), index));
    }
    case Opcode::kAddDependency:
    case Opcode::kBitcast:
    case Opcode::kDomain:
    case Opcode::kOptimizationBarrier:
      return LeavesOf(0, {0, ArrayLeafCount(instruction.shape())});
    default:  // NOLINT: no other opcode forwards
      return {};
  }
}

std::vector<InPlacePair> InPlacePairs(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kDynamicUpdateSlice:
      return {{}};
    case Opcode::kScatter: {
      std::vector<InPlacePair> pairs;
      const int64_t count = ArrayLeafCount(instruction.shape());
      pairs.reserve(static_cast<size_t>(count));
      for (int64_t i = 0; i < count; ++i) {
        pairs.push_back({.input = {.operand = i, .leaf = 0}, .output_leaf = i});
      }
      return pairs;
    }
    case Opcode::kCustomCall:
    case Opcode::kFusion:
      return DeclaredPairs(instruction);
    default:  // NOLINT: no other opcode works in place by definition
      return {};
  }
}

}  // namespace hilo::hlo
