// How a kernel walks rows several times while they are in the cache.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "backends/codegen/dimension_groups.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/instruction.h"
#include "passes/fusion/row_space.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// An instruction whose elements of one row stay in memory for later phases.
struct KeptRow {
  const hlo::Instruction* instruction = nullptr;
  // Where in a chunk's scratch memory; -1: in the output of that number.
  int64_t offset_bytes = -1;
  int64_t output = -1;
};

// One walk over a row.
struct RowPhase {
  // Reductions that are finished at its end.
  std::vector<const hlo::Instruction*> reductions;
  // Broadcasts of one value a row that are known at its beginning.
  std::vector<const hlo::Instruction*> uniform;
  // What is stored on the way: rows for later phases, and whole outputs.
  std::vector<KeptRow> kept;
  std::vector<int64_t> outputs;
  // Of one element, in additions.
  double cost = 0;
};

// A fusion with reductions of rows whose values are used, in the same row,
// for more than one result. Reductions are done as early as what they read
// allows; values that a later phase needs again are computed again where that
// is cheap, else kept.
struct RowFusionPlan {
  passes::RowSpace space;
  // Dimensions of a row that are walked together.
  std::vector<DimensionGroup> row_groups;
  // What the fusion gives; where there are as many elements as in the whole
  // array a phase stores them, else there is one for each row.
  std::vector<const hlo::Instruction*> outputs;
  std::vector<RowPhase> phases;
  int lanes = 1;
  int64_t units = 0;
  int64_t grain = 1;
  int64_t slots = 1;
  // Scratch memory of one slot.
  int64_t row_bytes = 0;

  // The last phase that reads a parameter, for those of which each row's walk
  // reads its own elements only.
  absl::flat_hash_map<const hlo::Instruction*, int64_t> last_reads;

  bool IsWhole(int64_t output) const;
  // The phase that stores a whole output.
  int64_t PhaseOf(int64_t output) const;
};

// Of all elements of one row.
double RowNanoseconds(const RowFusionPlan& plan);

// The plan of a fusion, all of its rows one chunk; none for fusions of other
// kinds.
std::optional<RowFusionPlan> PlanRows(const hlo::Instruction& fusion,
                                      const passes::TargetTraits& traits,
                                      KernelPlan& decisions);
// The same, with chunks for all threads.
std::optional<RowFusionPlan> PlanRowFusion(const hlo::Instruction& fusion,
                                           const passes::TargetTraits& traits,
                                           KernelPlan& decisions);

}  // namespace hilo::backends
