// Decides which asynchronous computations print as sugar.
#include "hlo/text/async_sugar.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"

namespace hilo::hlo {
namespace {

// The async-start at the head of the chain; null if the chain is broken.
const Instruction* FindStart(const Instruction* instruction) {
  while (instruction->opcode() == Opcode::kAsyncUpdate ||
         instruction->opcode() == Opcode::kAsyncDone) {
    if (instruction->operand_count() == 0) return nullptr;
    instruction = instruction->operand(0);
  }
  return instruction->opcode() == Opcode::kAsyncStart ? instruction : nullptr;
}

bool HasCommonAttributes(const Instruction& instruction) {
  return !instruction.attributes().empty() &&
         instruction.attributes().back().id >= kFirstCommonAttribute;
}

bool IsParameterInPlace(const Instruction& instruction, int64_t number) {
  return instruction.opcode() == Opcode::kParameter &&
         instruction.parameter_number() == number &&
         !HasCommonAttributes(instruction);
}

// Whether `computation` is parameters 0 ... n-1 and a root that applies one
// opcode to them in order.
bool CanBeSugar(const Computation& computation) {
  const Instruction* root = computation.root();
  if (root == nullptr || root->opcode() == Opcode::kConstant ||
      root->opcode() == Opcode::kParameter ||
      HasNativeAsyncForm(root->opcode()) || HasCommonAttributes(*root)) {
    return false;
  }
  const int64_t count = root->operand_count();
  if (computation.instruction_count() != count + 1 ||
      computation.parameter_count() != count) {
    return false;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (!IsParameterInPlace(*root->operand(i), i)) return false;
  }
  return true;
}

}  // namespace

bool HasNativeAsyncForm(Opcode opcode) {
  return opcode == Opcode::kAllGather || opcode == Opcode::kAllReduce ||
         opcode == Opcode::kCollectivePermute || opcode == Opcode::kCopy ||
         opcode == Opcode::kSend || opcode == Opcode::kRecv;
}

const Instruction* AsyncSugarFor(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::kAsyncStart &&
      instruction.opcode() != Opcode::kAsyncUpdate &&
      instruction.opcode() != Opcode::kAsyncDone) {
    return nullptr;
  }
  const Instruction* start = FindStart(&instruction);
  if (start == nullptr || start->calls() == nullptr) return nullptr;
  const Computation& wrapped = *start->calls();
  if (!CanBeSugar(wrapped) ||
      wrapped.execution_thread() != start->async_execution_thread() ||
      wrapped.parameter_count() != start->operand_count()) {
    return nullptr;
  }
  return wrapped.root();
}

std::vector<bool> FindAsyncSugar(const Module& module) {
  std::vector<bool> has_sugar(module.computation_count(), false);
  std::vector<bool> is_named(module.computation_count(), false);
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const bool is_sugar = instruction->opcode() == Opcode::kAsyncStart &&
                            AsyncSugarFor(*instruction) != nullptr;
      for (const Computation* called : instruction->called_computations()) {
        (is_sugar ? has_sugar : is_named)[called->id()] = true;
      }
    }
  }
  for (size_t i = 0; i < has_sugar.size(); ++i) {
    has_sugar[i] = has_sugar[i] && !is_named[i];
  }
  return has_sugar;
}

}  // namespace hilo::hlo
