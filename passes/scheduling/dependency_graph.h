// What must run before what within one computation.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/analysis/leaf_values.h"
#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_options.h"

namespace hilo::passes {

// Which computations of a module have effects whose order matters, or call
// such. By computation id.
std::vector<bool> FindComputationsWithEffects(const hlo::Module& module);

// Edges between the instructions of a computation, by id: from operands,
// control predecessors and earlier effects, and hints that save copies.
class DependencyGraph {
 public:
  // `has_effects`: what FindComputationsWithEffects gave. Errors:
  // FailedPrecondition for a circle of control predecessors.
  static absl::StatusOr<DependencyGraph> Of(
      const hlo::Computation& computation,
      const std::vector<bool>& has_effects);

  // Adds that the readers of an array run before what overwrites it in place,
  // and the readers of a loop's parameter before what becomes its next value;
  // leaves out what would make a circle.
  void AddHints(const hlo::LeafTable& leaves, const hlo::LeafValues& values,
                const hlo::Instruction* caller, const BufferOptions& options);

  const hlo::Computation& computation() const { return *computation_; }
  // A valid order without hints: operands first, depth first.
  const std::vector<hlo::Instruction*>& post_order() const {
    return post_order_;
  }
  const std::vector<hlo::InstructionId>& successors(
      hlo::InstructionId id) const {
    return successors_[id];
  }
  // How many edges lead to each instruction, by id.
  const std::vector<int32_t>& predecessor_counts() const {
    return predecessor_counts_;
  }

 private:
  explicit DependencyGraph(const hlo::Computation& computation)
      : computation_(&computation) {}

  void AddEdge(hlo::InstructionId from, hlo::InstructionId to);
  // Adds edges from all readers but `writer` itself, or none of them.
  void AddReadersFirst(const std::vector<hlo::InstructionId>& readers,
                       hlo::InstructionId writer);
  // Whether a path leads from `from` to one of `targets`; also true when the
  // search takes too long.
  bool MayReach(hlo::InstructionId from,
                const std::vector<hlo::InstructionId>& targets) const;

  const hlo::Computation* computation_;
  std::vector<hlo::Instruction*> post_order_;
  // By instruction id.
  std::vector<int32_t> post_order_places_;
  std::vector<std::vector<hlo::InstructionId>> successors_;
  std::vector<int32_t> predecessor_counts_;
  // Whether a hint leads from a later to an earlier place of the post-order.
  bool has_backward_edges_ = false;
};

}  // namespace hilo::passes
