// The pipeline: what runs when, and what each stage promises.
#include "passes/pipeline.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "passes/call_graph.h"
#include "passes/legalize/legalize.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

// In this order. A pass may stand here more than once.
constexpr std::array kPipeline = {
    PassId::kInlineCalls,
    PassId::kLegalize,

    PassId::kSimplifyAlgebra,
    PassId::kEliminateCommonSubexpressions,
    PassId::kSimplifyConditionals,
    PassId::kSimplifyLoops,
    PassId::kHoistLoopInvariants,
    // What was hoisted may have been all that read a carry.
    PassId::kSimplifyLoops,
    PassId::kSimplifyAlgebra,
    PassId::kEliminateCommonSubexpressions,
    PassId::kEliminateDeadCode,

    PassId::kPrepackConstants,
    PassId::kSplitReductions,
    PassId::kFuseInstructions,
    PassId::kFuseAttention,
};

// Concerns the first time that each of the two runs.
constexpr auto kOrderFacts = std::to_array<OrderFact>({
    {PassId::kInlineCalls, PassId::kLegalize,
     "annotations often stand between a call and what it calls"},
    {PassId::kLegalize, PassId::kSimplifyAlgebra,
     "expansions leave arithmetic on constants and unit dimensions"},
    {PassId::kSimplifyAlgebra, PassId::kSimplifyLoops,
     "trip counts and carries are found by tuples in simplest form"},
    {PassId::kEliminateCommonSubexpressions, PassId::kSimplifyConditionals,
     "equal branches are found by their computation"},
    {PassId::kSimplifyConditionals, PassId::kSimplifyLoops,
     "a branch that is inlined may leave a carry unused"},
    {PassId::kSimplifyLoops, PassId::kHoistLoopInvariants,
     "carries that pass through are invariant only when found out"},
    {PassId::kHoistLoopInvariants, PassId::kEliminateDeadCode,
     "hoisting leaves the originals unused"},
    {PassId::kSimplifyAlgebra, PassId::kSplitReductions,
     "a rule makes one of two reductions"},
    {PassId::kSimplifyAlgebra, PassId::kPrepackConstants,
     "what is computed of constants alone is constant by then"},
    {PassId::kPrepackConstants, PassId::kFuseInstructions,
     "a product takes in what follows the reshape of its panels"},
    {PassId::kSplitReductions, PassId::kFuseInstructions,
     "what a reduction reads is put into its first step"},
    {PassId::kEliminateDeadCode, PassId::kFuseInstructions,
     "a producer with a dead consumer seems to have several"},
    {PassId::kFuseInstructions, PassId::kFuseAttention,
     "what is done to the rows of scores is one fusion"},
});

constexpr auto kStageOf = std::to_array<Stage>({
#define HILO_PASS(Function, name, stage, doc) Stage::stage,
#include "passes/passes.def"
#undef HILO_PASS
});

constexpr size_t FirstPosition(PassId pass) {
  size_t position = 0;
  while (position < kPipeline.size() && kPipeline[position] != pass) {
    ++position;
  }
  return position;
}

constexpr bool KeepsOrderFacts() {
  return std::ranges::all_of(kOrderFacts, [](const OrderFact& fact) {
    return FirstPosition(fact.before) < FirstPosition(fact.after);
  });
}

constexpr bool KeepsStagesTogether() {
  for (size_t i = 1; i < kPipeline.size(); ++i) {
    if (kStageOf[static_cast<size_t>(kPipeline[i])] <
        kStageOf[static_cast<size_t>(kPipeline[i - 1])]) {
      return false;
    }
  }
  return true;
}

static_assert(KeepsOrderFacts(), "a pass runs before one it needs");
static_assert(KeepsStagesTogether(), "a pass stands in another stage's part");

absl::Status ErrorAt(const hlo::Instruction& instruction,
                     absl::string_view what) {
  return Unimplemented(instruction.name(), ": ",
                       hlo::TextOf(instruction.opcode()), ": ", what);
}

absl::Status CheckLegal(const hlo::Module& module) {
  for (const hlo::Computation* computation : ReachableComputations(module)) {
    for (const auto& instruction : computation->instructions()) {
      RETURN_IF_ERROR(CheckIsLegal(*instruction));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckNothingIsDead(const hlo::Module& module) {
  const SideEffects effects(module);
  for (const hlo::Computation* computation : ReachableComputations(module)) {
    std::vector<bool> precedes(computation->instruction_count(), false);
    for (const auto& instruction : computation->instructions()) {
      for (const hlo::Instruction* p : instruction->control_predecessors()) {
        precedes[p->id()] = true;
      }
    }
    for (const auto& instruction : computation->instructions()) {
      if (!instruction->IsDead() || precedes[instruction->id()] ||
          instruction->opcode() == hlo::Opcode::kParameter ||
          effects.Has(*instruction)) {
        continue;
      }
      return ErrorAt(*instruction, "nothing uses it");
    }
  }
  return absl::OkStatus();
}

constexpr auto kStages = std::to_array<StageInfo>({
    {"prepare", 0,
     "annotations, asynchronous forms and opcodes without an emitter are gone",
     &CheckLegal},
    {"simplify", 1, "every instruction is needed", &CheckNothingIsDead},
    {"fuse", 2, "every instruction is needed, fused ones included",
     &CheckNothingIsDead},
});

constexpr auto kPasses = std::to_array<PassInfo>({
#define HILO_PASS(Function, name, stage, doc) \
  {name, &Function, Stage::stage, doc},
#include "passes/passes.def"
#undef HILO_PASS
});

}  // namespace

const PassInfo& InfoOf(PassId pass) {
  return kPasses[static_cast<size_t>(pass)];
}
const StageInfo& InfoOf(Stage stage) {
  return kStages[static_cast<size_t>(stage)];
}
absl::Span<const PassInfo> Passes() { return kPasses; }
absl::Span<const StageInfo> Stages() { return kStages; }
absl::Span<const OrderFact> OrderFacts() { return kOrderFacts; }
absl::Span<const PassId> Pipeline() { return kPipeline; }

}  // namespace hilo::passes
