// Collects the edges of a computation's dependency graph.
#include "passes/scheduling/dependency_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/leaf_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "passes/buffer_assignment/buffer_options.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::LeafId;

// Instructions that a search for circles looks at.
constexpr size_t kSearchLimit = 4096;

bool HasEffects(const Instruction& instruction,
                const std::vector<bool>& computations) {
  const hlo::OpcodeInfo& info = hlo::InfoOf(instruction.opcode());
  if (info.Has(hlo::kSideEffect) || info.Has(hlo::kCollective) ||
      info.Has(hlo::kNotPure) || instruction.custom_call_has_side_effect()) {
    return true;
  }
  const std::vector<Computation*> called = instruction.called_computations();
  return std::ranges::any_of(called, [&](const Computation* computation) {
    return computations[computation->id()];
  });
}

// Instructions of a computation by the values they read.
using Readers = absl::flat_hash_map<LeafId, std::vector<InstructionId>>;

Readers FindReaders(const Computation& computation,
                    const hlo::LeafTable& leaves,
                    const hlo::LeafValues& values) {
  Readers readers;
  for (const auto& instruction : computation.instructions()) {
    if (!hlo::RunsCode(*instruction) && !hlo::IsSequentialCall(*instruction)) {
      continue;
    }
    for (const Instruction* operand : instruction->operands()) {
      const LeafId first = leaves.first_leaf(*operand);
      const auto count = static_cast<LeafId>(leaves.leaf_count(*operand));
      for (LeafId leaf = first; leaf < first + count; ++leaf) {
        std::vector<InstructionId>& list = readers[values.value(leaf)];
        const bool is_new = list.empty() || list.back() != instruction->id();
        if (is_new) list.push_back(instruction->id());
      }
    }
  }
  return readers;
}

// Whether `writer` can write its leaf `output` where value `overwritten` lies:
// wherever it reads it, that must be safe.
bool CanOverwrite(const Instruction& writer, int64_t output, LeafId overwritten,
                  const hlo::LeafTable& leaves, const hlo::LeafValues& values,
                  const BufferOptions& options) {
  for (int64_t i = 0; i < writer.operand_count(); ++i) {
    const LeafId first = leaves.first_leaf(*writer.operand(i));
    const int64_t count = leaves.leaf_count(*writer.operand(i));
    for (int64_t leaf = 0; leaf < count; ++leaf) {
      const auto id = static_cast<LeafId>(first + leaf);
      if (values.value(id) != overwritten) continue;
      if (options.can_share == nullptr ||
          !options.can_share(writer, i, leaf, output)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

std::vector<bool> FindComputationsWithEffects(const hlo::Module& module) {
  std::vector<bool> result(module.computation_count(), false);
  for (const Computation* computation : module.PostOrder()) {
    const auto& instructions = computation->instructions();
    result[computation->id()] = std::ranges::any_of(
        instructions, [&](const auto& i) { return HasEffects(*i, result); });
  }
  return result;
}

absl::StatusOr<DependencyGraph> DependencyGraph::Of(
    const Computation& computation, const std::vector<bool>& has_effects) {
  DependencyGraph graph(computation);
  const auto count = static_cast<size_t>(computation.instruction_count());
  graph.successors_.resize(count);
  graph.predecessor_counts_.resize(count, 0);
  graph.post_order_places_.resize(count, 0);
  graph.post_order_ = computation.PostOrder();
  for (size_t i = 0; i < graph.post_order_.size(); ++i) {
    graph.post_order_places_[graph.post_order_[i]->id()] =
        static_cast<int32_t>(i);
  }
  const Instruction* last_effect = nullptr;
  for (const Instruction* instruction : graph.post_order_) {
    for (const Instruction* operand : instruction->operands()) {
      graph.AddEdge(operand->id(), instruction->id());
    }
    for (const Instruction* before : instruction->control_predecessors()) {
      graph.AddEdge(before->id(), instruction->id());
      if (graph.post_order_places_[before->id()] >=
          graph.post_order_places_[instruction->id()]) {
        return absl::FailedPreconditionError(absl::StrCat(
            TextOf(instruction->opcode()), " ", instruction->name(),
            " is before its control predecessor ", before->name(),
            " by other dependencies"));
      }
    }
    if (!HasEffects(*instruction, has_effects)) continue;
    if (last_effect != nullptr) {
      graph.AddEdge(last_effect->id(), instruction->id());
    }
    last_effect = instruction;
  }
  return graph;
}

void DependencyGraph::AddHints(const hlo::LeafTable& leaves,
                               const hlo::LeafValues& values,
                               const Instruction* caller,
                               const BufferOptions& options) {
  const Readers readers = FindReaders(*computation_, leaves, values);
  const auto find = [&](LeafId value) -> const std::vector<InstructionId>* {
    const auto found = readers.find(value);
    return found == readers.end() ? nullptr : &found->second;
  };
  for (const Instruction* instruction : post_order_) {
    for (const hlo::InPlacePair& pair : hlo::InPlacePairs(*instruction)) {
      const Instruction& operand = *instruction->operand(pair.input.operand);
      const auto leaf =
          static_cast<LeafId>(leaves.first_leaf(operand) + pair.input.leaf);
      const auto* list = find(values.value(leaf));
      if (list != nullptr) AddReadersFirst(*list, instruction->id());
    }
  }
  if (caller == nullptr || caller->opcode() != hlo::Opcode::kWhile ||
      caller->body() != computation_) {
    return;
  }
  const Instruction& root = *computation_->root();
  const Instruction& parameter = *computation_->parameter(0);
  const auto count = static_cast<LeafId>(leaves.leaf_count(root));
  for (LeafId i = 0; i < count; ++i) {
    const LeafId next = values.value(leaves.first_leaf(root) + i);
    const LeafId last = values.value(leaves.first_leaf(parameter) + i);
    const Instruction& writer = *leaves.instruction(next);
    const auto* list = find(last);
    if (list == nullptr || writer.parent() != computation_ ||
        !hlo::RunsCode(writer) ||
        !CanOverwrite(writer, leaves.number(next), last, leaves, values,
                      options)) {
      continue;
    }
    AddReadersFirst(*list, writer.id());
  }
}

void DependencyGraph::AddEdge(InstructionId from, InstructionId to) {
  successors_[from].push_back(to);
  ++predecessor_counts_[to];
}

void DependencyGraph::AddReadersFirst(const std::vector<InstructionId>& readers,
                                      InstructionId writer) {
  std::vector<InstructionId> others;
  bool is_forward = true;
  for (const InstructionId reader : readers) {
    if (reader == writer) continue;
    others.push_back(reader);
    is_forward &= post_order_places_[reader] < post_order_places_[writer];
  }
  if (others.empty()) return;
  // Edges against the post-order may close a circle, also later, with edges
  // that follow it: so all are checked once there is one.
  if (!is_forward) has_backward_edges_ = true;
  if (has_backward_edges_ && MayReach(writer, others)) return;
  for (const InstructionId reader : others) AddEdge(reader, writer);
}

bool DependencyGraph::MayReach(
    InstructionId from, const std::vector<InstructionId>& targets) const {
  const absl::flat_hash_set<InstructionId> wanted(targets.begin(),
                                                  targets.end());
  absl::flat_hash_set<InstructionId> seen = {from};
  std::vector<InstructionId> open = {from};
  while (!open.empty()) {
    const InstructionId at = open.back();
    open.pop_back();
    for (const InstructionId next : successors_[at]) {
      if (wanted.contains(next)) return true;
      if (seen.insert(next).second) open.push_back(next);
    }
    if (seen.size() > kSearchLimit) return true;
  }
  return false;
}

}  // namespace hilo::passes
