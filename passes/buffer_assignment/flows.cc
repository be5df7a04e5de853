// Lists where values must be in a certain place.
#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/leaf_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "passes/buffer_assignment/live_ranges.h"
#include "passes/buffer_assignment/shared_memory.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::LeafId;

class FlowFinder {
 public:
  explicit FlowFinder(const ScheduledValues& scheduled)
      : scheduled_(scheduled), leaves_(scheduled.leaves) {}

  std::vector<Flow> Run() && {
    for (Computation* computation : scheduled_.computations.callers_first()) {
      for (Instruction* instruction :
           scheduled_.schedule.orders[computation->id()]) {
        AddInPlace(instruction);
        AddLoopInits(instruction);
      }
      AddRoots(computation);
    }
    return std::move(flows_);
  }

 private:
  LeafId ValueAt(const Instruction& instruction, int64_t leaf) const {
    return scheduled_.values.value(
        static_cast<LeafId>(leaves_.first_leaf(instruction) + leaf));
  }

  void AddInPlace(Instruction* instruction) {
    for (const hlo::InPlacePair& pair : hlo::InPlacePairs(*instruction)) {
      flows_.push_back(
          {.kind = FlowKind::kInPlace,
           .source = ValueAt(*instruction->operand(pair.input.operand),
                             pair.input.leaf),
           .target = ValueAt(*instruction, pair.output_leaf),
           .user = instruction,
           .operand = pair.input.operand,
           .leaf = pair.input.leaf,
           .computation = instruction->parent()});
    }
  }

  void AddLoopInits(Instruction* loop) {
    if (loop->opcode() != hlo::Opcode::kWhile) return;
    for (int64_t leaf = 0; leaf < leaves_.leaf_count(*loop); ++leaf) {
      if (!DefinesResult(scheduled_, *loop, leaf)) continue;
      flows_.push_back({.kind = FlowKind::kLoopInit,
                        .source = ValueAt(*loop->operand(0), leaf),
                        .target = ValueAt(*loop, leaf),
                        .user = loop,
                        .operand = 0,
                        .leaf = leaf,
                        .computation = loop->parent()});
    }
  }

  void AddRoots(Computation* computation) {
    const Instruction* caller = scheduled_.computations.caller(*computation);
    const Instruction& root = *computation->root();
    if (caller != nullptr && caller->opcode() == hlo::Opcode::kWhile &&
        caller->condition() == computation) {
      return;
    }
    for (int64_t leaf = 0; leaf < leaves_.leaf_count(root); ++leaf) {
      Flow flow = {.kind = FlowKind::kResult,
                   .source = ValueAt(root, leaf),
                   .target = static_cast<LeafId>(leaves_.leaf_count() + leaf),
                   .leaf = leaf,
                   .computation = computation};
      if (caller != nullptr) {
        if (!DefinesResult(scheduled_, *caller, leaf)) continue;
        flow.kind = FlowKind::kRoot;
        flow.target = ValueAt(*caller, leaf);
      }
      flows_.push_back(flow);
    }
  }

  const ScheduledValues& scheduled_;
  const hlo::LeafTable& leaves_;
  std::vector<Flow> flows_;
};

}  // namespace

std::vector<Flow> FindFlows(const ScheduledValues& scheduled) {
  return FlowFinder(scheduled).Run();
}

}  // namespace hilo::passes
