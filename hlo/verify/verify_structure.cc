// Rules about what computations are made of.
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/verification.h"

namespace hilo::hlo {
namespace {

bool Holds(const Computation& computation, const Instruction* instruction) {
  return instruction != nullptr && instruction->parent() == &computation &&
         instruction->id() >= 0 &&
         instruction->id() < computation.instruction_count() &&
         computation.instruction(instruction->id()) == instruction;
}

void VerifyParametersOf(const Computation& computation,
                        Verification& verification) {
  for (int64_t i = 0; i < computation.parameter_count(); ++i) {
    const Instruction* parameter = computation.parameter(i);
    if (parameter != nullptr && Holds(computation, parameter)) continue;
    verification.MarkUnsound(computation);
    verification.Error(
        computation,
        absl::StrCat("parameter ", i, " is missing; there are ",
                     computation.parameter_count(), " by the highest number"));
    // One gap can be as wide as the number behind it.
    break;
  }
  for (const auto& instruction : computation.instructions()) {
    if (instruction->opcode() != Opcode::kParameter) continue;
    const int64_t number = instruction->parameter_number();
    if (number >= 0 && number < computation.parameter_count() &&
        computation.parameter(number) == instruction.get()) {
      continue;
    }
    verification.MarkUnsound(computation);
    verification.Error(*instruction,
                       absl::StrCat("number ", number,
                                    " is negative or taken by another "
                                    "parameter"));
  }
}

// Reports the first operand or control predecessor from elsewhere.
void VerifyOperandsOf(const Computation& computation,
                      const Instruction& instruction,
                      Verification& verification) {
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (Holds(computation, instruction.operand(i))) continue;
    verification.MarkUnsound(instruction);
    verification.Error(
        instruction,
        absl::StrCat("operand ", i, " ('", instruction.operand(i)->name(),
                     "') belongs to another computation"),
        "pass the value as a parameter");
    return;
  }
  for (const Instruction* predecessor : instruction.control_predecessors()) {
    if (Holds(computation, predecessor)) continue;
    verification.MarkUnsound(instruction);
    verification.Error(
        instruction,
        absl::StrCat("control-predecessors names '",
                     predecessor == nullptr ? "" : predecessor->name(),
                     "', which belongs to another computation"));
    return;
  }
}

// The instructions of a computation by what must run before them: operands
// and control predecessors. What is left when those that wait for nothing are
// taken away, again and again, is on a cycle or behind one.
class DependencyOrder {
 public:
  explicit DependencyOrder(const Computation& computation)
      : computation_(computation),
        pending_(computation.instruction_count(), 0),
        successors_(computation.instruction_count()) {
    for (const auto& instruction : computation.instructions()) {
      ForEachDependency(*instruction, [&](const Instruction& dependency) {
        ++pending_[instruction->id()];
        successors_[dependency.id()].push_back(instruction->id());
      });
    }
  }

  // An instruction on a cycle; null when there is none.
  const Instruction* FindOnCycle() {
    RemoveReady();
    for (const auto& instruction : computation_.instructions()) {
      if (pending_[instruction->id()] > 0) return WalkBack(*instruction);
    }
    return nullptr;
  }

 private:
  template <typename F>
  void ForEachDependency(const Instruction& instruction, F&& visit) const {
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      if (Holds(computation_, instruction.operand(i))) {
        visit(*instruction.operand(i));
      }
    }
    for (const Instruction* predecessor : instruction.control_predecessors()) {
      if (Holds(computation_, predecessor)) visit(*predecessor);
    }
  }

  void RemoveReady() {
    std::vector<InstructionId> ready;
    for (const auto& instruction : computation_.instructions()) {
      if (pending_[instruction->id()] == 0) ready.push_back(instruction->id());
    }
    while (!ready.empty()) {
      const InstructionId id = ready.back();
      ready.pop_back();
      for (const InstructionId successor : successors_[id]) {
        if (--pending_[successor] == 0) ready.push_back(successor);
      }
    }
  }

  // Follows dependencies that are left until one comes again.
  const Instruction* WalkBack(const Instruction& start) const {
    std::vector<bool> seen(computation_.instruction_count(), false);
    const Instruction* current = &start;
    while (!seen[current->id()]) {
      seen[current->id()] = true;
      const Instruction* next = current;
      ForEachDependency(*current, [&](const Instruction& dependency) {
        if (pending_[dependency.id()] > 0) next = &dependency;
      });
      current = next;
    }
    return current;
  }

  const Computation& computation_;
  std::vector<int64_t> pending_;
  std::vector<std::vector<InstructionId>> successors_;
};

void VerifyInstructionNames(const Computation& computation,
                            Verification& verification) {
  absl::flat_hash_set<absl::string_view> names;
  for (const auto& instruction : computation.instructions()) {
    const std::string& name = instruction->name();
    if (name.empty() || names.insert(name).second) continue;
    verification.Error(
        *instruction,
        absl::StrCat("the name '", name, "' is taken by another instruction"));
  }
}

}  // namespace

void VerifyRoots(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    const Instruction* root = computation->root();
    if (Holds(*computation, root)) continue;
    verification.MarkUnsound(*computation);
    verification.Error(*computation,
                       root == nullptr
                           ? "there is no root"
                           : "the root belongs to another computation");
  }
}

void VerifyParameters(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    VerifyParametersOf(*computation, verification);
  }
}

void VerifyOperands(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      VerifyOperandsOf(*computation, *instruction, verification);
    }
  }
}

void VerifyInstructionCycles(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    const Instruction* found = DependencyOrder(*computation).FindOnCycle();
    if (found == nullptr) continue;
    verification.Error(*found,
                       absl::StrCat("'", found->name(),
                                    "' depends on itself through operands or "
                                    "control-predecessors"));
  }
}

void VerifyNames(Verification& verification) {
  absl::flat_hash_set<absl::string_view> names;
  for (const auto& computation : verification.module().computations()) {
    VerifyInstructionNames(*computation, verification);
    const std::string& name = computation->name();
    if (name.empty() || names.insert(name).second) continue;
    verification.Error(*computation,
                       "the name is taken by another computation");
  }
}

}  // namespace hilo::hlo
