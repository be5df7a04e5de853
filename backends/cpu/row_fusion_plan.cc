// Cuts fusions of rows into phases.
#include "backends/cpu/row_fusion_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "backends/codegen/dimension_groups.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "passes/fusion/fusible.h"
#include "passes/fusion/row_space.h"
#include "passes/target_traits.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using passes::ReadAt;
using passes::RowSpace;

// What is computed again rather than stored and read again, in additions.
constexpr double kMaxRepeatedCost = 4;
constexpr int64_t kRowAlignment = 64;

class RowPlanner {
 public:
  RowPlanner(const Instruction& fusion, const RowSpace& space)
      : computation_(*fusion.calls()),
        order_(computation_.PostOrder()),
        facts_(static_cast<size_t>(computation_.instruction_count())) {
    plan_.space = space;
    plan_.outputs = passes::OutputsOf(computation_);
  }

  // Whether the phases could be found.
  bool Run() {
    if (!FindReads()) return false;
    FindLevels();
    for (size_t phase = 0; phase < plan_.phases.size(); ++phase) {
      WalkPhase(static_cast<int64_t>(phase));
    }
    FindRowGroups();
    return true;
  }

  RowFusionPlan Take() { return std::move(plan_); }

 private:
  struct Facts {
    ReadAt read_at = ReadAt::kElsewhere;
    bool is_uniform = false;
    // The first phase that can compute it; the first that does.
    int64_t level = 0;
    int64_t first_phase = -1;
    // The phase that stores it; -1: none.
    int64_t stored_in = -1;
  };

  Facts& FactsOf(const Instruction& instruction) {
    return facts_[static_cast<size_t>(instruction.id())];
  }

  bool FindReads() {
    const std::optional<std::vector<ReadAt>> reads =
        passes::ReadsInRows(computation_, plan_.space);
    if (!reads.has_value()) return false;
    for (const Instruction* instruction : order_) {
      Facts& facts = FactsOf(*instruction);
      facts.read_at = (*reads)[static_cast<size_t>(instruction->id())];
      facts.is_uniform = facts.read_at == ReadAt::kOwnElement &&
                         passes::IsUniformInRows(*instruction, plan_.space) &&
                         !passes::IsCheapToRepeat(*instruction);
    }
    return true;
  }

  void FindLevels() {
    for (const Instruction* instruction : order_) {
      int64_t level = 0;
      for (const Instruction* operand : instruction->operands()) {
        level = std::max(level, FactsOf(*operand).level);
      }
      const bool is_reduction = instruction->opcode() == Opcode::kReduce;
      if (is_reduction) PhaseAt(level).reductions.push_back(instruction);
      FactsOf(*instruction).level = level + (is_reduction ? 1 : 0);
      if (FactsOf(*instruction).is_uniform) {
        PhaseAt(level).uniform.push_back(instruction);
      }
    }
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      if (!plan_.IsWhole(static_cast<int64_t>(i))) continue;
      Facts& facts = FactsOf(*plan_.outputs[i]);
      PhaseAt(facts.level).outputs.push_back(static_cast<int64_t>(i));
      if (facts.stored_in < 0 && !facts.is_uniform) {
        facts.stored_in = facts.level;
        PhaseAt(facts.level)
            .kept.push_back({.instruction = plan_.outputs[i],
                             .output = static_cast<int64_t>(i)});
      }
    }
  }

  RowPhase& PhaseAt(int64_t level) {
    if (plan_.phases.size() <= static_cast<size_t>(level)) {
      plan_.phases.resize(static_cast<size_t>(level) + 1);
    }
    return plan_.phases[static_cast<size_t>(level)];
  }

  // Finds out what a phase computes, and what was better kept for it.
  void WalkPhase(int64_t phase) {
    std::vector<const Instruction*> stack;
    for (const Instruction* reduction : PhaseAt(phase).reductions) {
      stack.push_back(reduction->operand(0));
    }
    for (const int64_t output : PhaseAt(phase).outputs) {
      stack.push_back(plan_.outputs[static_cast<size_t>(output)]);
    }
    absl::flat_hash_set<const Instruction*> seen;
    double cost = 0;
    while (!stack.empty()) {
      const Instruction& instruction = *stack.back();
      stack.pop_back();
      if (!seen.insert(&instruction).second) continue;
      if (instruction.opcode() == Opcode::kParameter) {
        ReadParameter(instruction, phase);
      }
      if (IsLoaded(instruction, phase) || IsKeptFor(instruction, phase)) {
        cost += 1;
        continue;
      }
      if (IsKnown(instruction)) continue;
      Facts& facts = FactsOf(instruction);
      if (facts.first_phase < 0) facts.first_phase = phase;
      cost += passes::ElementCost(instruction);
      for (const Instruction* operand : instruction.operands()) {
        stack.push_back(operand);
      }
    }
    PhaseAt(phase).cost = cost;
  }

  void ReadParameter(const Instruction& parameter, int64_t phase) {
    if (FactsOf(parameter).read_at == ReadAt::kOwnElement) {
      plan_.last_reads[&parameter] = phase;
    }
  }

  // What is one value in a row.
  bool IsKnown(const Instruction& instruction) {
    return FactsOf(instruction).is_uniform ||
           instruction.opcode() == Opcode::kReduce;
  }

  bool IsLoaded(const Instruction& instruction, int64_t phase) {
    const int64_t stored_in = FactsOf(instruction).stored_in;
    return instruction.opcode() == Opcode::kParameter ||
           (stored_in >= 0 && stored_in < phase);
  }

  bool IsKeptFor(const Instruction& instruction, int64_t phase) {
    Facts& facts = FactsOf(instruction);
    if (facts.read_at != ReadAt::kOwnElement || IsKnown(instruction) ||
        facts.first_phase < 0 || facts.first_phase == phase ||
        CostOf(instruction, phase) <= kMaxRepeatedCost) {
      return false;
    }
    facts.stored_in = facts.first_phase;
    PhaseAt(facts.first_phase)
        .kept.push_back(
            {.instruction = &instruction, .offset_bytes = plan_.row_bytes});
    const int64_t bytes = plan_.space.row_elements() *
                          hlo::StorageBytes(instruction.shape().element_type());
    plan_.row_bytes +=
        (bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
    return true;
  }

  // Of computing an element in a phase.
  double CostOf(const Instruction& root, int64_t phase) {
    std::vector<const Instruction*> stack = {&root};
    absl::flat_hash_set<const Instruction*> seen;
    double cost = 0;
    while (!stack.empty()) {
      const Instruction& instruction = *stack.back();
      stack.pop_back();
      if (!seen.insert(&instruction).second || IsKnown(instruction)) continue;
      if (IsLoaded(instruction, phase)) {
        cost += 1;
        continue;
      }
      cost += passes::ElementCost(instruction);
      for (const Instruction* operand : instruction.operands()) {
        stack.push_back(operand);
      }
    }
    return cost;
  }

  void FindRowGroups() {
    std::vector<const Instruction*> roots;
    for (const RowPhase& phase : plan_.phases) {
      for (const Instruction* reduction : phase.reductions) {
        roots.push_back(reduction->operand(0));
      }
      for (const int64_t output : phase.outputs) {
        roots.push_back(plan_.outputs[static_cast<size_t>(output)]);
      }
    }
    const hlo::Shape& shape = *plan_.space.shape;
    for (DimensionGroup group : GroupDimensions(roots, shape, {})) {
      if (group.last <= plan_.space.kept_rank) continue;
      group.first = std::max(group.first, plan_.space.kept_rank);
      group.size = 1;
      for (int64_t d = group.first; d < group.last; ++d) {
        group.size *= shape.dimension(d);
      }
      plan_.row_groups.push_back(group);
    }
  }

  const hlo::Computation& computation_;
  std::vector<Instruction*> order_;
  std::vector<Facts> facts_;
  RowFusionPlan plan_;
};

}  // namespace

double RowNanoseconds(const RowFusionPlan& plan) {
  constexpr double kPerElement = 0.05;
  constexpr double kPerAddition = 0.02;
  double cost = 0;
  for (const RowPhase& phase : plan.phases) {
    cost += kPerElement + kPerAddition * phase.cost;
  }
  return cost * static_cast<double>(plan.space.row_elements());
}

bool RowFusionPlan::IsWhole(int64_t output) const {
  return outputs[static_cast<size_t>(output)]->shape().ElementCount() ==
         space.shape->ElementCount();
}

int64_t RowFusionPlan::PhaseOf(int64_t output) const {
  for (size_t phase = 0; phase < phases.size(); ++phase) {
    const std::vector<int64_t>& stored = phases[phase].outputs;
    if (std::ranges::find(stored, output) != stored.end()) {
      return static_cast<int64_t>(phase);
    }
  }
  return -1;
}

std::optional<RowFusionPlan> PlanRows(const Instruction& fusion,
                                      const passes::TargetTraits& traits,
                                      KernelPlan& decisions) {
  if (fusion.opcode() != Opcode::kFusion) return std::nullopt;
  const std::optional<RowSpace> space = passes::CommonRows(*fusion.calls());
  if (!space.has_value()) return std::nullopt;
  RowPlanner planner(fusion, *space);
  if (!planner.Run()) return std::nullopt;
  RowFusionPlan plan = planner.Take();
  const int64_t inner = plan.row_groups.back().size;
  plan.lanes = ChooseLanes(fusion, inner, traits);
  while (plan.lanes > inner) plan.lanes /= 2;
  // Lanes are summed in the end: no plan may change results.
  decisions.Fix("lanes", plan.lanes);
  plan.units = space->rows();
  plan.grain = plan.units;
  return plan;
}

std::optional<RowFusionPlan> PlanRowFusion(const Instruction& fusion,
                                           const passes::TargetTraits& traits,
                                           KernelPlan& decisions) {
  std::optional<RowFusionPlan> plan = PlanRows(fusion, traits, decisions);
  if (!plan.has_value()) return std::nullopt;
  plan->grain = DecideGrain(
      plan->units, ChooseGrain(plan->units, RowNanoseconds(*plan), traits),
      decisions);
  plan->slots = CountSlots(plan->units, plan->grain, traits);
  return plan;
}

}  // namespace hilo::backends
