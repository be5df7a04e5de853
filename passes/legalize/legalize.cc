// Rewrites what no backend has an emitter for.
#include "passes/legalize/legalize.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "passes/call_graph.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "passes/rewriter.h"
#include "passes/simplify/dead_code.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

constexpr auto kExpansions = std::to_array<Expansion>({
#define HILO_EXPANSION(Function, name, opcode, doc) \
  {name, Opcode::k##opcode, doc, &Function},
#include "passes/legalize/expansions.def"
#undef HILO_EXPANSION
});

absl::Status Locate(const Instruction& instruction,
                    const absl::Status& status) {
  return {status.code(), absl::StrCat(instruction.name(), ": ",
                                      hlo::TextOf(instruction.opcode()), ": ",
                                      status.message())};
}

// What stands for the instruction; null when no expansion applies.
absl::StatusOr<Instruction*> Expand(Instruction& instruction) {
  for (const Expansion& expansion : kExpansions) {
    if (expansion.opcode != instruction.opcode()) continue;
    Rewriter rewriter(instruction);
    absl::StatusOr<Instruction*> result =
        expansion.apply(instruction, rewriter);
    if (!result.ok()) return Locate(instruction, result.status());
    if (*result == nullptr) continue;
    Instruction* fitting = WithShape(*result, instruction.shape());
    return fitting == nullptr ? *result : fitting;
  }
  return nullptr;
}

// Who waited for an instruction that is gone waits for what replaced it.
void RedirectControl(Computation& computation,
                     const std::vector<Instruction*>& replacements) {
  const auto find = [&](Instruction* instruction) {
    while (static_cast<size_t>(instruction->id()) < replacements.size() &&
           replacements[instruction->id()] != nullptr) {
      instruction = replacements[instruction->id()];
    }
    return instruction;
  };
  for (const auto& instruction : computation.instructions()) {
    if (!instruction->has_control_predecessors()) continue;
    std::vector<Instruction*> predecessors;
    for (Instruction* p : instruction->control_predecessors()) {
      Instruction* replacement = find(p);
      if (replacement != instruction.get()) predecessors.push_back(replacement);
    }
    instruction->set_control_predecessors(std::move(predecessors));
  }
}

absl::StatusOr<bool> LegalizeComputation(Computation& computation) {
  std::vector<Instruction*> replacements;
  bool changed = false;
  // Expansions are appended, and expanded in their turn.
  for (hlo::InstructionId id = 0; id < computation.instruction_count(); ++id) {
    Instruction& instruction = *computation.instruction(id);
    ASSIGN_OR_RETURN(Instruction * replacement, Expand(instruction));
    if (replacement == nullptr) continue;
    replacements.resize(computation.instruction_count(), nullptr);
    replacements[id] = replacement;
    instruction.ReplaceAllUsesWith(replacement);
    changed = true;
  }
  if (!changed) return false;
  replacements.resize(computation.instruction_count(), nullptr);
  RedirectControl(computation, replacements);
  std::vector<bool> keep;
  keep.reserve(replacements.size());
  for (const Instruction* replacement : replacements) {
    keep.push_back(replacement == nullptr);
  }
  computation.RemoveExcept(keep);
  return true;
}

// Whether backends have code for some forms of an opcode that has expansions.
bool MayStay(Opcode opcode) {
  return opcode == Opcode::kBitcastConvert || opcode == Opcode::kConvolution ||
         opcode == Opcode::kCustomCall || opcode == Opcode::kDot;
}

}  // namespace

absl::Span<const Expansion> Expansions() { return kExpansions; }

absl::StatusOr<bool> Legalize(hlo::Module& module,
                              const PassContext& /*context*/) {
  bool changed = false;
  for (Computation* computation : ReachableComputations(module)) {
    ASSIGN_OR_RETURN(const bool has_changed, LegalizeComputation(*computation));
    changed = changed || has_changed;
  }
  if (changed) RemoveDeadInstructions(module);
  return changed;
}

absl::Status CheckIsLegal(const Instruction& instruction) {
  const auto error = [&](absl::string_view what) {
    return Locate(instruction, Unimplemented(what));
  };
  if (instruction.shape().IsDynamic()) {
    return error("values of run-time size are not supported");
  }
  switch (instruction.opcode()) {
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
      return error("needs a host queue, which is not supported");
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
      return error("needs a peer: one device has none");
    case Opcode::kMap:
      return error("its computation is not element-wise");
    default:  // NOLINT: all others are legal or have an expansion
      break;
  }
  if (MayStay(instruction.opcode())) return absl::OkStatus();
  for (const Expansion& expansion : kExpansions) {
    if (expansion.opcode == instruction.opcode()) {
      return error("was not expanded");
    }
  }
  return absl::OkStatus();
}

}  // namespace hilo::passes
