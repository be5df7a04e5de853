// Adds, removes and orders instructions.
#include "hlo/ir/computation.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/check.h"

namespace hilo::hlo {

Instruction* Computation::Add(Opcode opcode, Shape shape) {
  instructions_.push_back(std::unique_ptr<Instruction>(
      new Instruction(opcode, std::move(shape), this,
                      static_cast<InstructionId>(instructions_.size()))));
  return instructions_.back().get();
}

Instruction* Computation::AddParameter(int64_t number, Shape shape) {
  Instruction* parameter = Add(Opcode::kParameter, std::move(shape));
  parameter->set_parameter_number(number);
  if (number >= parameter_count()) parameters_.resize(number + 1);
  CHECK(parameters_[number] == nullptr) << "parameter " << number << " twice";
  parameters_[number] = parameter;
  return parameter;
}

void Computation::RemoveExcept(const std::vector<bool>& keep) {
  for (const auto& instruction : instructions_) {
    if (!keep[instruction->id()]) instruction->RemoveAllOperands();
  }
  for (Instruction*& parameter : parameters_) {
    if (parameter != nullptr && !keep[parameter->id()]) parameter = nullptr;
  }
  std::vector<std::unique_ptr<Instruction>> kept;
  for (auto& instruction : instructions_) {
    if (!keep[instruction->id()]) {
      CHECK(!instruction->HasUses() && instruction.get() != root_)
          << instruction->name() << " is still in use";
      continue;
    }
    instruction->id_ = static_cast<InstructionId>(kept.size());
    kept.push_back(std::move(instruction));
  }
  instructions_ = std::move(kept);
}

std::vector<Instruction*> Computation::PostOrder() const {
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> state(instructions_.size(), State::kNew);
  std::vector<Instruction*> order;
  order.reserve(instructions_.size());
  std::vector<Instruction*> stack;
  const auto push = [&](Instruction* instruction) {
    if (state[instruction->id()] == State::kNew) stack.push_back(instruction);
  };
  const auto visit_from = [&](Instruction* start) {
    push(start);
    while (!stack.empty()) {
      Instruction* top = stack.back();
      State& top_state = state[top->id()];
      if (top_state != State::kNew) {
        stack.pop_back();
        if (top_state == State::kOpen) order.push_back(top);
        top_state = State::kDone;
        continue;
      }
      top_state = State::kOpen;
      // The stack reverses: what comes first is pushed last.
      for (int64_t i = top->operand_count() - 1; i >= 0; --i) {
        push(top->operand(i));
      }
      for (Instruction* predecessor : top->control_predecessors()) {
        push(predecessor);
      }
    }
  };
  for (const auto& instruction : instructions_) {
    if (!instruction->HasUses()) visit_from(instruction.get());
  }
  return order;
}

std::vector<Instruction*> Computation::PrintOrder() const {
  if (!parent_->header().is_scheduled) return PostOrder();
  std::vector<Instruction*> order;
  order.reserve(instructions_.size());
  for (const auto& instruction : instructions_) {
    order.push_back(instruction.get());
  }
  return order;
}

}  // namespace hilo::hlo
