// Computing at compile time what is known then.
#include "passes/simplify/constant_folding.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/call_graph.h"
#include "passes/rewriter.h"

namespace hilo::passes {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

namespace {

constexpr int64_t kManyOperations = int64_t{1} << 50;

int64_t Capped(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kManyOperations / b ? kManyOperations : a * b;
}

int64_t ElementsOf(const Shape& shape) {
  int64_t count = 0;
  for (const Shape* leaf : shape.Leaves()) {
    if (leaf->IsArray()) count += leaf->ElementCount();
  }
  return count;
}

int64_t BytesOf(const Shape& shape) {
  int64_t bytes = 0;
  for (const Shape* leaf : shape.Leaves()) {
    if (leaf->IsArray()) bytes += leaf->ByteSize();
  }
  return bytes;
}

bool HasOnlyArrays(const Shape& shape) {
  if (shape.IsDynamic()) return false;
  const std::vector<const Shape*> leaves = shape.Leaves();
  return std::ranges::all_of(leaves,
                             [](const Shape* leaf) { return leaf->IsArray(); });
}

int64_t OperandElements(const Instruction& instruction) {
  int64_t count = 0;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    count += ElementsOf(instruction.operand_shape(i));
  }
  return count;
}

// Whether the opcode is worth and able to be computed ahead.
bool IsCandidate(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConstant:
    case Opcode::kParameter:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBroadcast:
    case Opcode::kIota:
    case Opcode::kBitcast:
    case Opcode::kCopy:
    case Opcode::kAfterAll:
    case Opcode::kAddDependency:
    case Opcode::kFusion:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
    case Opcode::kDynamicReshape:
    case Opcode::kSetDimensionSize:
      return false;
    default:  // NOLINT: all others, as far as they are pure
      return IsPure(instruction);
  }
}

bool IsGenerated(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kIota) return true;
  return instruction.opcode() == Opcode::kBroadcast &&
         instruction.operand(0)->opcode() == Opcode::kConstant;
}

bool IsElided(const Instruction& constant) {
  return constant.value().is_elided() && constant.shape().rank() > 0;
}

// Whether the value of `operand` is known, and small enough.
bool IsKnown(const Instruction& operand, const FoldingBudget& budget) {
  if (operand.opcode() == Opcode::kConstant) return !IsElided(operand);
  if (operand.opcode() == Opcode::kTuple) {
    for (int64_t i = 0; i < operand.operand_count(); ++i) {
      if (!IsKnown(*operand.operand(i), budget)) return false;
    }
    return true;
  }
  return IsGenerated(operand) && !operand.shape().IsDynamic() &&
         operand.shape().ElementCount() <= budget.generated_elements &&
         (operand.operand_count() == 0 || !IsElided(*operand.operand(0)));
}

bool IsOperandKnown(const Instruction& instruction,
                    const FoldingBudget& budget) {
  if (instruction.operand_count() == 0) return false;
  int64_t bytes = 0;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Instruction& operand = *instruction.operand(i);
    if (!IsKnown(operand, budget)) return false;
    bytes += BytesOf(operand.shape());
  }
  return bytes <= budget.operand_bytes;
}

// A loop is tried when its turns are cheap: the evaluator counts them.
bool IsCheapLoop(const Instruction& loop, const FoldingBudget& budget) {
  int64_t elements = 0;
  for (const hlo::Computation* computation : loop.called_computations()) {
    if (!IsPure(*computation)) return false;
    for (const auto& instruction : computation->instructions()) {
      elements += EstimateOperations(*instruction);
    }
  }
  return elements <= budget.loop_steps;
}

// Copies `operand` into `scratch`, tuples element by element.
Instruction* CopyOperand(const Instruction& operand,
                         hlo::Computation* scratch) {
  InstructionCopies copies;
  return CopyInto(operand, copies, scratch);
}

// Constants for all leaves, tuples around them.
Instruction* AsInstruction(hlo::Literal value, Rewriter& rewriter) {
  if (!value.IsTuple()) return rewriter.Constant(std::move(value));
  std::vector<Instruction*> elements;
  for (hlo::Literal& element : std::move(value).TakeElements()) {
    elements.push_back(AsInstruction(std::move(element), rewriter));
  }
  return rewriter.Tuple(elements);
}

}  // namespace

int64_t EstimateOperations(const Instruction& instruction) {
  const int64_t result = ElementsOf(instruction.shape());
  const int64_t operands = OperandElements(instruction);
  switch (instruction.opcode()) {
    case Opcode::kDot: {
      int64_t count = result;
      for (const int64_t d : instruction.lhs_contracting_dims()) {
        count = Capped(count, instruction.operand_shape(0).dimension(d));
      }
      return count;
    }
    case Opcode::kConvolution: {
      const Shape& kernel = instruction.operand_shape(1);
      const int64_t features = std::max<int64_t>(
          1, kernel.dimension(instruction.dim_labels().kernel_output_feature));
      return Capped(result, kernel.ElementCount() / features);
    }
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter: {
      int64_t count = std::max(result, operands);
      for (const hlo::WindowDimension& d : instruction.window().dimensions) {
        count = Capped(count, d.size);
      }
      return count;
    }
    case Opcode::kSort:
    case Opcode::kFft:
      return Capped(operands, 64);
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
      return Capped(operands, operands);
    default:  // NOLINT: the rest touches each element about once
      return result + operands;
  }
}

bool ConstantFolder::IsFoldable(const Instruction& instruction) {
  if (!IsCandidate(instruction) || instruction.has_control_predecessors() ||
      !IsOperandKnown(instruction, budget_) ||
      !HasOnlyArrays(instruction.shape()) ||
      BytesOf(instruction.shape()) > budget_.result_bytes) {
    return false;
  }
  if (instruction.opcode() == Opcode::kWhile) {
    return IsCheapLoop(instruction, budget_);
  }
  return std::ranges::all_of(
      instruction.called_computations(),
      [](const hlo::Computation* callee) { return IsPure(*callee); });
}

Instruction* ConstantFolder::Fold(Instruction& instruction) {
  if (!IsFoldable(instruction)) return nullptr;
  const int64_t operations = EstimateOperations(instruction);
  if (operations > budget_.operations ||
      spent_operations_ + operations > budget_.total_operations) {
    return nullptr;
  }
  const std::pair key(instruction.parent()->id(), instruction.id());
  if (failed_.contains(key)) return nullptr;
  spent_operations_ += operations;
  if (scratch_ == nullptr) scratch_ = module_.AddComputation("scratch");
  std::vector<Instruction*> operands;
  operands.reserve(static_cast<size_t>(instruction.operand_count()));
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    operands.push_back(CopyOperand(*instruction.operand(i), scratch_));
  }
  scratch_->set_root(
      Rewriter(scratch_).Like(instruction, instruction.shape(), operands));
  hlo::EvaluatorOptions options;
  options.step_limit = budget_.loop_steps;
  absl::StatusOr<hlo::Literal> value = hlo::Evaluate(*scratch_, {}, options);
  scratch_->set_root(nullptr);
  scratch_->RemoveExcept(
      std::vector<bool>(scratch_->instruction_count(), false));
  if (!value.ok()) {
    failed_.insert(key);
    return nullptr;
  }
  Rewriter rewriter(instruction);
  return AsInstruction(*std::move(value), rewriter);
}

}  // namespace hilo::passes
