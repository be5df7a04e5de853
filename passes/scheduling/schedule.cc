// Tries orders for every computation and keeps the one that needs least memory.
#include "passes/scheduling/schedule.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/analysis/leaf_values.h"
#include "hlo/analysis/sequential_computations.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_options.h"
#include "passes/scheduling/computation_memory.h"
#include "passes/scheduling/dependency_graph.h"
#include "passes/scheduling/list_order.h"
#include "runtime/base/check.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;

// An order and what it needs.
struct Candidate {
  std::vector<Instruction*> order;
  int64_t peak_bytes = 0;
};

// The best order of one computation. Of equal ones the first: depth first is
// kindest to caches.
Candidate BestOrder(const DependencyGraph& graph,
                    const ComputationMemory& memory) {
  const auto count =
      static_cast<size_t>(graph.computation().instruction_count());
  std::vector<int32_t> by_post_order(count);
  std::vector<int32_t> by_id(count);
  for (size_t i = 0; i < count; ++i) {
    by_post_order[graph.post_order()[i]->id()] = static_cast<int32_t>(i);
    by_id[i] = static_cast<int32_t>(i);
  }
  Candidate best;
  const auto consider = [&](std::vector<Instruction*> order) {
    DCHECK(order.size() == count);
    const int64_t peak_bytes = memory.PeakBytes(order);
    if (!best.order.empty() && peak_bytes >= best.peak_bytes) return;
    best = {.order = std::move(order), .peak_bytes = peak_bytes};
  };
  consider(OrderByRank(graph, by_post_order));
  consider(OrderByRank(graph, by_id));
  consider(OrderByMemory(graph, memory, by_post_order));
  consider(OrderByMemory(graph, memory, by_id));
  return best;
}

}  // namespace

absl::StatusOr<Schedule> ScheduleModule(const hlo::Module& module,
                                        const BufferOptions& options) {
  ASSIGN_OR_RETURN(const hlo::SequentialComputations computations,
                   hlo::SequentialComputations::Of(module));
  const hlo::LeafTable leaves(module, computations);
  const hlo::LeafValues values(leaves, computations);
  const std::vector<bool> has_effects = FindComputationsWithEffects(module);
  Schedule schedule;
  schedule.orders.resize(module.computation_count());
  std::vector<int64_t> callee_bytes(module.computation_count(), 0);
  const std::vector<Computation*>& order = computations.callers_first();
  for (size_t i = order.size(); i > 0; --i) {
    const Computation& computation = *order[i - 1];
    ASSIGN_OR_RETURN(DependencyGraph graph,
                     DependencyGraph::Of(computation, has_effects));
    graph.AddHints(leaves, values, computations.caller(computation), options);
    const ComputationMemory memory(computation, leaves, values, callee_bytes,
                                   options);
    Candidate best = BestOrder(graph, memory);
    callee_bytes[computation.id()] = best.peak_bytes;
    schedule.orders[computation.id()] = std::move(best.order);
  }
  return schedule;
}

}  // namespace hilo::passes
