// Orders a dependency graph by priorities.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/ir/module.h"
#include "passes/scheduling/computation_memory.h"
#include "passes/scheduling/dependency_graph.h"

namespace hilo::passes {

// Runs, among what can run, the instruction with the smallest rank (by id)
// first.
std::vector<hlo::Instruction*> OrderByRank(const DependencyGraph& graph,
                                           const std::vector<int32_t>& ranks);

// Runs, among what can run, the instruction first that frees most memory or
// takes least; ties by rank.
std::vector<hlo::Instruction*> OrderByMemory(const DependencyGraph& graph,
                                             const ComputationMemory& memory,
                                             const std::vector<int32_t>& ranks);

}  // namespace hilo::passes
