// Common subexpression elimination, over computations too.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/equality.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/call_graph.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"

namespace hilo::passes {
namespace {

using hlo::Attribute;
using hlo::AttributeId;
using hlo::AttributeKind;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// Whether two instructions that differ in the attribute compute the same.
bool IsIgnored(AttributeId id) {
  switch (id) {
    case AttributeId::kMetadata:
    case AttributeId::kOrigin:
    case AttributeId::kStatistics:
    case AttributeId::kSharding:
    case AttributeId::kFrontendAttributes:
    case AttributeId::kBackendConfig:
      return true;
    default:  // NOLINT: all others are part of the meaning
      return false;
  }
}

// Operands in an order that does not depend on how they were written.
std::vector<const Instruction*> OrderedOperands(
    const Instruction& instruction) {
  std::vector<const Instruction*> operands;
  operands.reserve(static_cast<size_t>(instruction.operand_count()));
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    operands.push_back(instruction.operand(i));
  }
  if (hlo::InfoOf(instruction.opcode()).Has(hlo::kCommutative)) {
    std::ranges::sort(operands, [](const Instruction* a, const Instruction* b) {
      return a->id() < b->id();
    });
  }
  return operands;
}

template <AttributeKind kind, typename T>
size_t HashValue(std::integral_constant<AttributeKind, kind> /*tag*/,
                 const T& value) {
  if constexpr (kind == AttributeKind::kComputation) {
    return value->id();
  } else if constexpr (kind == AttributeKind::kComputationList) {
    size_t hash = value.size();
    for (const Computation* computation : value) {
      hash = absl::HashOf(hash, computation->id());
    }
    return hash;
  } else if constexpr (kind == AttributeKind::kInstructionList) {
    return value.size();
  } else if constexpr (kind == AttributeKind::kLiteral) {
    // A sample says enough: candidates are compared in full.
    constexpr int64_t kSampleBytes = 4096;
    if (!value.shape().IsArray()) return value.elements().size();
    const absl::string_view sample(
        reinterpret_cast<const char*>(value.untyped_data()),
        std::min<int64_t>(kSampleBytes, value.size_bytes()));
    return absl::HashOf(value.shape().dimensions(), sample);
  } else {
    return absl::HashOf(value);
  }
}

size_t HashOf(const Instruction& instruction) {
  size_t hash =
      absl::HashOf(instruction.opcode(), instruction.shape().element_type(),
                   instruction.shape().rank());
  for (const Instruction* operand : OrderedOperands(instruction)) {
    hash = absl::HashOf(hash, operand->id());
  }
  for (const Attribute& attribute : instruction.attributes()) {
    if (IsIgnored(attribute.id)) continue;
    const size_t value = hlo::VisitAttribute(
        attribute.value,
        [](auto tag, const auto& v) { return HashValue(tag, v); });
    hash = absl::HashOf(hash, attribute.id, value);
  }
  return hash;
}

std::vector<const Attribute*> Counting(const Instruction& instruction) {
  std::vector<const Attribute*> result;
  for (const Attribute& attribute : instruction.attributes()) {
    if (!IsIgnored(attribute.id)) result.push_back(&attribute);
  }
  return result;
}

// The layout is part of what a bitcast or custom call means.
bool SameShape(const Instruction& a, const Instruction& b) {
  return a.opcode() == Opcode::kBitcast || a.opcode() == Opcode::kCopy
             ? a.shape() == b.shape()
             : Compatible(a.shape(), b.shape());
}

bool ComputeTheSame(const Instruction& a, const Instruction& b) {
  if (a.opcode() != b.opcode() || !SameShape(a, b) ||
      OrderedOperands(a) != OrderedOperands(b)) {
    return false;
  }
  const std::vector<const Attribute*> left = Counting(a);
  const std::vector<const Attribute*> right = Counting(b);
  return std::ranges::equal(left, right,
                            [](const Attribute* x, const Attribute* y) {
                              return x->id == y->id && x->value == y->value;
                            });
}

// Whether one instruction may stand for another that computes the same.
bool MayMerge(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kParameter ||
      instruction.has_control_predecessors() || !IsPure(instruction)) {
    return false;
  }
  return std::ranges::all_of(
      instruction.called_computations(),
      [](const Computation* callee) { return IsPure(*callee); });
}

bool MergeInstructions(Computation& computation) {
  std::vector<bool> keep(computation.instruction_count(), true);
  for (const auto& instruction : computation.instructions()) {
    for (const Instruction* p : instruction->control_predecessors()) {
      keep[p->id()] = false;
    }
  }
  const std::vector<bool> may_go = keep;
  keep.assign(keep.size(), true);
  absl::flat_hash_map<size_t, std::vector<Instruction*>> known;
  bool changed = false;
  for (Instruction* instruction : computation.PostOrder()) {
    if (!MayMerge(*instruction)) continue;
    std::vector<Instruction*>& candidates = known[HashOf(*instruction)];
    const auto same =
        std::ranges::find_if(candidates, [&](const Instruction* other) {
          return ComputeTheSame(*other, *instruction);
        });
    if (same == candidates.end()) {
      candidates.push_back(instruction);
      continue;
    }
    if (!may_go[instruction->id()]) continue;
    instruction->ReplaceAllUsesWith(*same);
    keep[instruction->id()] = false;
    changed = true;
  }
  if (changed) computation.RemoveExcept(keep);
  return changed;
}

// Makes `instruction` call the representatives; returns whether that changes
// anything.
bool RedirectCallees(Instruction& instruction,
                     const std::vector<Computation*>& representative) {
  bool changed = false;
  const auto redirect = [&](Computation* callee) {
    Computation* merged = representative[callee->id()];
    changed = changed || merged != callee;
    return merged;
  };
  std::vector<Attribute> attributes;
  for (const Attribute& attribute : instruction.attributes()) {
    if (attribute.value.kind() == AttributeKind::kComputation) {
      attributes.push_back(
          {attribute.id,
           hlo::MakeAttributeValue<AttributeKind::kComputation>(redirect(
               hlo::ValueAs<AttributeKind::kComputation>(attribute.value)))});
    } else if (attribute.value.kind() == AttributeKind::kComputationList) {
      std::vector<Computation*> merged =
          hlo::ValueAs<AttributeKind::kComputationList>(attribute.value);
      for (Computation*& callee : merged) callee = redirect(callee);
      attributes.push_back(
          {attribute.id,
           hlo::MakeAttributeValue<AttributeKind::kComputationList>(
               std::move(merged))});
    }
  }
  if (!changed) return false;
  for (Attribute& attribute : attributes) {
    instruction.SetAttribute(attribute.id, std::move(attribute.value));
  }
  return true;
}

// Finds for each computation the first one that is equal to it.
class Representatives {
 public:
  explicit Representatives(const hlo::Module& module)
      : representative_(module.computation_count(), nullptr) {}

  // Makes the instructions call representatives; all callees are known.
  bool Redirect(Computation& computation) const {
    bool changed = false;
    for (const auto& instruction : computation.instructions()) {
      if (RedirectCallees(*instruction, representative_)) changed = true;
    }
    return changed;
  }

  // Callees were redirected before: their pointers say whether they are equal.
  void Add(Computation* computation) {
    std::vector<Computation*>& candidates =
        known_[hlo::StructuralHash(*computation)];
    const auto same =
        std::ranges::find_if(candidates, [&](const Computation* other) {
          return hlo::StructurallyEqual(*other, *computation);
        });
    representative_[computation->id()] =
        same == candidates.end() ? computation : *same;
    if (same == candidates.end()) candidates.push_back(computation);
  }

 private:
  absl::flat_hash_map<size_t, std::vector<Computation*>> known_;
  std::vector<Computation*> representative_;
};

}  // namespace

// Callees come before callers: equal loops are found once their bodies are.
absl::StatusOr<bool> EliminateCommonSubexpressions(
    hlo::Module& module, const PassContext& /*context*/) {
  Representatives representatives(module);
  bool has_merged_instructions = false;
  bool has_redirected = false;
  for (Computation* computation : ReachableComputations(module)) {
    if (representatives.Redirect(*computation)) has_redirected = true;
    if (MergeInstructions(*computation)) has_merged_instructions = true;
    representatives.Add(computation);
  }
  if (has_redirected) RemoveUnusedComputations(module);
  return has_merged_instructions || has_redirected;
}

}  // namespace hilo::passes
