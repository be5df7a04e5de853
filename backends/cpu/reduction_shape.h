// How the dimensions of a reduction lie: which kernel computes it.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "backends/codegen/dimension_groups.h"
#include "hlo/ir/instruction.h"

namespace hilo::backends {

// The reduction that a kernel computes: the instruction, or the root of its
// fusion; null when there is none.
const hlo::Instruction* ReductionOf(const hlo::Instruction& instruction);

// Groups of the input's dimensions, each of kept or of reduced ones.
std::vector<DimensionGroup> ReductionGroups(
    const hlo::Instruction& reduction,
    const absl::flat_hash_set<const hlo::Instruction*>& arrays);

// Whether a group's dimensions are those that are reduced.
bool IsReduced(const hlo::Instruction& reduction, const DimensionGroup& group);

}  // namespace hilo::backends
