// Says what kernels need and allow: scratch memory, writing over operands.
#include "backends/cpu/memory_options.h"

#include <vector>

#include "backends/cpu/host_function.h"
#include "backends/cpu/kernel.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"

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
  std::vector<const Instruction*> stack = {fusion.calls()->parameter(operand)};
  while (!stack.empty()) {
    const Instruction* instruction = stack.back();
    stack.pop_back();
    for (const Instruction::Use& use : instruction->uses()) {
      if (!ReadsOwnElements(*use.user) ||
          !hlo::SameDimensions(use.user->shape(), instruction->shape())) {
        return false;
      }
      stack.push_back(use.user);
    }
  }
  return true;
}

bool CanShare(const Instruction& instruction, int64_t operand,
              int64_t operand_leaf, int64_t output_leaf) {
  return operand_leaf == 0 && output_leaf == 0 &&
         (ReadsOwnElements(instruction) ||
          (instruction.opcode() == Opcode::kFusion &&
           FusionReadsOwnElements(instruction, operand))) &&
         HaveEqualElements(instruction.shape(),
                           instruction.operand_shape(operand));
}

}  // namespace

passes::BufferOptions MemoryOptions(const passes::TargetTraits& traits) {
  return {.scratch_bytes = [traits](const Instruction& instruction) -> int64_t {
            if (!IsHostFunction(instruction)) {
              return KernelScratchBytes(instruction, traits);
            }
            // What cannot be planned is reported when it is emitted.
            const absl::StatusOr<HostFunction> function =
                PlanHostFunction(instruction, traits);
            return function.ok() ? function->scratch_bytes : 0;
          },
          .can_share = &CanShare};
}

}  // namespace hilo::backends
