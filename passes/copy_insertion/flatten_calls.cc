// Clones computations that are called twice.
#include "passes/copy_insertion/flatten_calls.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/analysis/aliasing.h"
#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::AttributeKind;
using hlo::Computation;
using hlo::Instruction;

constexpr int64_t kLargestModule = 4 << 20;

// The instructions of `list` in the clone `to`, which has the same ids.
hlo::AttributeValue MapInstructions(const std::vector<Instruction*>& list,
                                    const Computation& to) {
  std::vector<Instruction*> mapped;
  mapped.reserve(list.size());
  for (const Instruction* instruction : list) {
    mapped.push_back(to.instruction(instruction->id()));
  }
  return hlo::MakeAttributeValue<AttributeKind::kInstructionList>(
      std::move(mapped));
}

// A copy that calls the same computations.
Computation* CloneComputation(const Computation& from, hlo::Module& module) {
  Computation* to = module.AddComputation(from.name());
  to->set_execution_thread(from.execution_thread());
  to->set_source_offset(from.source_offset());
  for (const auto& instruction : from.instructions()) {
    Instruction* clone =
        instruction->opcode() == hlo::Opcode::kParameter
            ? to->AddParameter(instruction->parameter_number(),
                               instruction->shape())
            : to->Add(instruction->opcode(), instruction->shape());
    clone->set_name(instruction->name());
    clone->set_source_offset(instruction->source_offset());
  }
  for (const auto& instruction : from.instructions()) {
    Instruction* clone = to->instruction(instruction->id());
    for (const Instruction* operand : instruction->operands()) {
      clone->AppendOperand(to->instruction(operand->id()));
    }
    for (const hlo::Attribute& attribute : instruction->attributes()) {
      const bool is_list =
          attribute.value.kind() == AttributeKind::kInstructionList;
      clone->SetAttribute(
          attribute.id,
          is_list
              ? MapInstructions(hlo::ValueAs<AttributeKind::kInstructionList>(
                                    attribute.value),
                                *to)
              : attribute.value);
    }
  }
  to->set_root(to->instruction(from.root()->id()));
  return to;
}

// Makes the callee number `index` of a sequential call another one.
void SetCallee(Instruction& call, size_t index, Computation* callee) {
  if (call.opcode() == hlo::Opcode::kCall) {
    call.set_to_apply(callee);
    return;
  }
  if (call.opcode() == hlo::Opcode::kWhile) {
    index == 0 ? call.set_condition(callee) : call.set_body(callee);
    return;
  }
  if (call.has_branch_computations()) {
    std::vector<Computation*> branches = call.branch_computations();
    branches[index] = callee;
    call.set_branch_computations(std::move(branches));
    return;
  }
  index == 0 ? call.set_true_computation(callee)
             : call.set_false_computation(callee);
}

class Flattener {
 public:
  explicit Flattener(hlo::Module& module) : module_(module) {}

  absl::StatusOr<bool> Run() {
    is_taken_.resize(module_.computation_count(), false);
    is_taken_[module_.entry()->id()] = true;
    ClaimEmbedded();
    instruction_count_ = module_.instruction_count();
    order_ = {module_.entry()};
    // The list grows while it is walked.
    // NOLINTNEXTLINE(modernize-loop-convert)
    for (size_t i = 0; i < order_.size(); ++i) {
      const auto count = order_[i]->instruction_count();
      for (int64_t j = 0; j < count; ++j) {
        Instruction& instruction =
            *order_[i]->instruction(static_cast<hlo::InstructionId>(j));
        RETURN_IF_ERROR(ClaimCallees(instruction));
      }
    }
    if (!has_cloned_) return false;
    // Callees before callers, as elsewhere.
    for (size_t i = order_.size(); i > 0; --i) {
      module_.MoveToEnd(order_[i - 1]);
    }
    module_.UniquifyNames();
    return true;
  }

 private:
  // Computations that instructions call which are no sequential calls, and
  // what those call: they have no memory of their own, and are kept apart.
  void ClaimEmbedded() {
    std::vector<bool> is_seen(module_.computation_count(), false);
    std::vector<std::pair<Computation*, bool>> open = {
        {module_.entry(), false}};
    while (!open.empty()) {
      const auto [computation, is_embedded] = open.back();
      open.pop_back();
      for (const auto& instruction : computation->instructions()) {
        const bool embeds = is_embedded || !hlo::IsSequentialCall(*instruction);
        for (Computation* callee : instruction->called_computations()) {
          const bool is_known =
              embeds ? is_taken_[callee->id()] : is_seen[callee->id()];
          if (is_known) continue;
          is_seen[callee->id()] = true;
          if (embeds) is_taken_[callee->id()] = true;
          open.emplace_back(callee, embeds);
        }
      }
    }
  }

  absl::Status ClaimCallees(Instruction& instruction) {
    const std::vector<Computation*> callees =
        hlo::SequentialCallees(instruction);
    for (size_t i = 0; i < callees.size(); ++i) {
      Computation* callee = callees[i];
      if (is_taken_[callee->id()]) {
        instruction_count_ += callee->instruction_count();
        if (instruction_count_ > kLargestModule) {
          return ResourceExhausted(
              TextOf(instruction.opcode()), " ", instruction.name(),
              ": more than ", kLargestModule,
              " instructions when every call has a callee of its own");
        }
        callee = CloneComputation(*callee, module_);
        SetCallee(instruction, i, callee);
        is_taken_.push_back(false);
        has_cloned_ = true;
      }
      is_taken_[callee->id()] = true;
      order_.push_back(callee);
    }
    return absl::OkStatus();
  }

  hlo::Module& module_;
  // By computation id.
  std::vector<bool> is_taken_;
  // Sequential computations, callers first.
  std::vector<Computation*> order_;
  int64_t instruction_count_ = 0;
  bool has_cloned_ = false;
};

}  // namespace

absl::StatusOr<bool> FlattenCalls(hlo::Module& module) {
  return Flattener(module).Run();
}

}  // namespace hilo::passes
