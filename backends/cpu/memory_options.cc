// Says what kernels need and allow: scratch memory, writing over operands.
#include "backends/cpu/memory_options.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"

#include "backends/cpu/host_function.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/row_fusion_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/buffer_assignment/buffer_options.h"
#include "passes/target_traits.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Whether each result element reads the operand at its own index only. Kernels
// load all operands of a vector before they store it.
bool ReadsOwnElements(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  return (hlo::InfoOf(opcode).Has(hlo::kElementwise) ||
          opcode == Opcode::kCopy) &&
         opcode != Opcode::kStochasticConvert;
}

bool HaveEqualElements(const Shape& a, const Shape& b) {
  return a.IsArray() && b.IsArray() && hlo::SameDimensions(a, b) &&
         a.layout() == b.layout() &&
         hlo::StorageBytes(a.element_type()) ==
             hlo::StorageBytes(b.element_type());
}

// Whether a fusion reads a parameter's elements at the result's index only.
bool FusionReadsOwnElements(const Instruction& fusion, int64_t operand) {
  const Instruction* root = fusion.calls()->root();
  std::vector<const Instruction*> stack = {fusion.calls()->parameter(operand)};
  absl::flat_hash_set<const Instruction*> seen;
  while (!stack.empty()) {
    const Instruction* instruction = stack.back();
    stack.pop_back();
    for (const Instruction::Use& use : instruction->uses()) {
      if (use.user == root && root->opcode() == Opcode::kTuple) continue;
      if (!ReadsOwnElements(*use.user) ||
          !hlo::SameDimensions(use.user->shape(), instruction->shape())) {
        return false;
      }
      if (seen.insert(use.user).second) stack.push_back(use.user);
    }
  }
  return true;
}

// Whether an output's row is written when nothing reads the parameter's row
// any more.
bool RowIsReadBefore(const RowFusionPlan& plan, const Instruction& parameter,
                     int64_t output) {
  const auto last_read = plan.last_reads.find(&parameter);
  return last_read != plan.last_reads.end() && plan.IsWhole(output) &&
         last_read->second <= plan.PhaseOf(output);
}

bool CanShare(const passes::TargetTraits& traits, const GivenPlans& plans,
              const Instruction& instruction, int64_t operand,
              int64_t operand_leaf, int64_t output_leaf) {
  const Shape& output =
      *instruction.shape().Leaves()[static_cast<size_t>(output_leaf)];
  if (operand_leaf != 0 ||
      !HaveEqualElements(output, instruction.operand_shape(operand))) {
    return false;
  }
  if (instruction.opcode() != Opcode::kFusion) {
    return output_leaf == 0 && ReadsOwnElements(instruction);
  }
  // Blocks of results may be written while others are read, and once more.
  if (IsAttention(instruction, traits)) return false;
  KernelPlan decisions(plans.Find(instruction.name()));
  if (ProductOf(instruction) != nullptr) {
    return StoresProductsOnce(instruction, traits, decisions) &&
           FusionReadsOwnElements(instruction, operand);
  }
  const std::optional<RowFusionPlan> plan =
      PlanRowFusion(instruction, traits, decisions);
  return plan.has_value()
             ? RowIsReadBefore(*plan, *instruction.calls()->parameter(operand),
                               output_leaf)
             : FusionReadsOwnElements(instruction, operand);
}

}  // namespace

passes::BufferOptions MemoryOptions(const passes::TargetTraits& traits,
                                    const GivenPlans& plans) {
  return {.scratch_bytes = [traits,
                            &plans](const Instruction& instruction) -> int64_t {
            if (!IsHostFunction(instruction)) {
              KernelPlan decisions(plans.Find(instruction.name()));
              return KernelScratchBytes(instruction, traits, decisions);
            }
            // What cannot be planned is reported when it is emitted.
            const absl::StatusOr<HostFunction> function =
                PlanHostFunction(instruction, traits);
            return function.ok() ? function->scratch_bytes : 0;
          },
          .can_share =
              [traits, &plans](const Instruction& instruction, int64_t operand,
                               int64_t operand_leaf, int64_t output_leaf) {
                return CanShare(traits, plans, instruction, operand,
                                operand_leaf, output_leaf);
              }};
}

}  // namespace hilo::backends
