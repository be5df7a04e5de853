// Orders instructions, finds last uses and projections of tuples.
#include "hlo/eval/evaluation_plan.h"

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <vector>

#include "absl/status/status.h"

#include "hlo/eval/plan_memory.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Whether the ids are an order in which to run.
bool IsTopological(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    for (int64_t i = 0; i < instruction->operand_count(); ++i) {
      if (instruction->operand(i)->id() >= instruction->id()) return false;
    }
    for (const Instruction* other : instruction->control_predecessors()) {
      if (other->id() >= instruction->id()) return false;
    }
  }
  return true;
}

std::vector<const Instruction*> OrderOf(const Computation& computation) {
  std::vector<const Instruction*> order;
  if (IsTopological(computation)) {
    order.reserve(computation.instruction_count());
    for (const auto& instruction : computation.instructions()) {
      order.push_back(instruction.get());
    }
    return order;
  }
  const std::vector<Instruction*> post_order = computation.PostOrder();
  order.assign(post_order.begin(), post_order.end());
  return order;
}

// Whether the instruction runs even if nothing uses its value: it, or what it
// calls, may have side effects.
bool MustRun(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  return InfoOf(opcode).Has(kSideEffect) || opcode == Opcode::kCall ||
         opcode == Opcode::kConditional || opcode == Opcode::kWhile ||
         opcode == Opcode::kAsyncStart ||
         instruction.custom_call_has_side_effect();
}

std::vector<bool> FindNeeded(const Computation& computation,
                             const std::vector<const Instruction*>& order) {
  std::vector<bool> needed(computation.instruction_count(), false);
  needed[computation.root()->id()] = true;
  for (const auto* it : std::views::reverse(order)) {
    const Instruction& instruction = *it;
    if (MustRun(instruction)) needed[instruction.id()] = true;
    if (!needed[instruction.id()]) continue;
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      needed[instruction.operand(i)->id()] = true;
    }
  }
  return needed;
}

// Whether the instruction is evaluated with its operand, as a projection.
bool IsProjection(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kGetTupleElement &&
         instruction.operand(0)->opcode() != Opcode::kGetTupleElement;
}

bool HasUnboundedDimension(const Shape& shape) {
  for (const Shape* leaf : shape.Leaves()) {
    for (int64_t i = 0; i < leaf->rank(); ++i) {
      if (leaf->IsUnboundedDimension(i)) return true;
    }
  }
  return false;
}

absl::Status CheckInstruction(const Instruction& instruction) {
  if (HasUnboundedDimension(instruction.shape())) {
    return Unimplemented(
        "%", instruction.name(), " (", TextOf(instruction.opcode()),
        "): unbounded dimensions in ", ToString(instruction.shape()));
  }
  if (instruction.opcode() != Opcode::kGetTupleElement) return absl::OkStatus();
  if (instruction.operand_count() == 1 &&
      instruction.operand_shape(0).IsTuple() && instruction.index() >= 0 &&
      instruction.index() < instruction.operand_shape(0).element_count()) {
    return absl::OkStatus();
  }
  return InvalidArgument("%", instruction.name(),
                         " (get-tuple-element): no element ",
                         instruction.index());
}

absl::Status CheckComputation(const Computation& computation,
                              const std::vector<const Instruction*>& order) {
  if (computation.root() == nullptr) {
    return InvalidArgument("computation ", computation.name(), " has no root");
  }
  if (static_cast<int64_t>(order.size()) != computation.instruction_count()) {
    return InvalidArgument("operands form a cycle in computation ",
                           computation.name());
  }
  for (int64_t i = 0; i < computation.parameter_count(); ++i) {
    if (computation.parameter(i) != nullptr) continue;
    return InvalidArgument("computation ", computation.name(),
                           " has no parameter ", i);
  }
  for (const Instruction* instruction : order) {
    RETURN_IF_ERROR(CheckInstruction(*instruction));
  }
  return absl::OkStatus();
}

}  // namespace

EvaluationPlan::EvaluationPlan(const Computation& computation) {
  AddSteps(computation);
  if (!status_.ok()) return;
  MarkLastUses(computation.instruction_count());
  MarkInvariants(computation);
  PlanMemory(computation, this);
}

void EvaluationPlan::AddSteps(const Computation& computation) {
  const std::vector<const Instruction*> order = OrderOf(computation);
  status_ = CheckComputation(computation, order);
  if (!status_.ok()) return;
  root_ = computation.root()->id();
  parameter_count_ = computation.parameter_count();
  const std::vector<bool> needed = FindNeeded(computation, order);
  for (const Instruction* instruction : order) {
    if (!needed[instruction->id()] || IsProjection(*instruction)) continue;
    AddStep(*instruction, needed);
  }
}

void EvaluationPlan::AddStep(const Instruction& instruction,
                             const std::vector<bool>& needed) {
  Step step;
  step.instruction = &instruction;
  step.first_operand = static_cast<int64_t>(operands_.size());
  step.operand_count = instruction.operand_count();
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    operands_.push_back({.value = instruction.operand(i)->id()});
  }
  step.first_projection = static_cast<int64_t>(projections_.size());
  for (const Instruction::Use& use : instruction.uses()) {
    if (!needed[use.user->id()] || !IsProjection(*use.user)) continue;
    projections_.push_back({.value = use.user->id(),
                            .index = use.user->index(),
                            .instruction = use.user});
  }
  step.projection_count =
      static_cast<int64_t>(projections_.size()) - step.first_projection;
  const auto begin = projections_.begin() + step.first_projection;
  std::sort(begin, projections_.end(),
            [](const Projection& a, const Projection& b) {
              return a.index < b.index;
            });
  for (auto it = begin; it != projections_.end(); ++it) {
    it->is_last = it + 1 == projections_.end() || (it + 1)->index != it->index;
  }
  steps_.push_back(step);
}

void EvaluationPlan::MarkLastUses(int64_t value_count) {
  std::vector<bool> is_used(value_count, false);
  is_used[root_] = true;
  for (auto& step : std::views::reverse(steps_)) {
    step.is_used = is_used[step.instruction->id()];
    for (int64_t i = step.operand_count - 1; i >= 0; --i) {
      OperandUse& use = operands_[step.first_operand + i];
      use.is_last = !is_used[use.value];
      is_used[use.value] = true;
    }
  }
}

}  // namespace hilo::hlo
