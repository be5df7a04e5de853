// Computing at compile time what is known then.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_set.h"

#include "hlo/ir/module.h"

namespace hilo::passes {

// How much is computed ahead of time.
struct FoldingBudget {
  // Bytes of one result, and of all operands of one instruction.
  int64_t result_bytes = 64 << 10;
  int64_t operand_bytes = 1 << 20;
  // Scalar operations of one instruction, and of a whole module.
  int64_t operations = 1 << 20;
  int64_t total_operations = 1 << 26;
  // Elements of a broadcast or an iota that count as a constant.
  int64_t generated_elements = 1024;
  // Instructions that the turns of one loop may execute in all.
  int64_t loop_steps = 4096;
};

// Replaces instructions on constants by constants, through the reference
// evaluator. Constants whose text was elided are left alone.
class ConstantFolder {
 public:
  explicit ConstantFolder(hlo::Module& module, FoldingBudget budget = {})
      : module_(module), budget_(budget) {}

  // A new constant with the value of `instruction`, in its computation; null
  // where an operand is unknown or the budget does not allow it.
  hlo::Instruction* Fold(hlo::Instruction& instruction);

 private:
  bool IsFoldable(const hlo::Instruction& instruction);

  hlo::Module& module_;
  FoldingBudget budget_;
  int64_t spent_operations_ = 0;
  // Where instructions are evaluated; unused by the rest of the module.
  hlo::Computation* scratch_ = nullptr;
  // (computation, instruction) that could not be evaluated.
  absl::flat_hash_set<std::pair<hlo::ComputationId, hlo::InstructionId>>
      failed_;
};

// About how many scalar operations one evaluation takes; loops count once.
int64_t EstimateOperations(const hlo::Instruction& instruction);

}  // namespace hilo::passes
