// How much memory a computation has in use, by the order of its instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

#include "hlo/analysis/leaf_values.h"
#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_options.h"

namespace hilo::passes {

// Arrays of one computation that take memory of their own, grouped by what
// lies in place of what: an estimate, made before sharing is decided.
class ComputationMemory {
 public:
  // `callee_bytes`: by computation id, what a callee needs inside.
  ComputationMemory(const hlo::Computation& computation,
                    const hlo::LeafTable& leaves, const hlo::LeafValues& values,
                    const std::vector<int64_t>& callee_bytes,
                    const BufferOptions& options);

  // A group of arrays that share memory.
  struct Group {
    int64_t bytes = 0;
    // Distinct instructions that write or read the memory.
    int32_t user_count = 0;
    // Whether the memory is in use until the computation ends.
    bool is_kept = false;
  };
  const std::vector<Group>& groups() const { return groups_; }
  // Groups that an instruction writes or reads, each once.
  const std::vector<int32_t>& groups_of(hlo::InstructionId id) const {
    return groups_of_[id];
  }
  // Bytes in use only while the instruction runs.
  int64_t work_bytes(hlo::InstructionId id) const { return work_bytes_[id]; }

  // The most bytes in use at once under `order`.
  int64_t PeakBytes(absl::Span<hlo::Instruction* const> order) const;

 private:
  void MakeGroups(const hlo::Computation& computation,
                  const hlo::LeafTable& leaves, const hlo::LeafValues& values);
  void FindUsers(const hlo::Computation& computation,
                 const hlo::LeafTable& leaves, const hlo::LeafValues& values);
  void Touch(hlo::InstructionId id, hlo::LeafId value);

  // Leaves of the computation are first_leaf_, first_leaf_ + 1, ...
  hlo::LeafId first_leaf_ = 0;
  // By leaf, from first_leaf_ on: the group of a value; -1: none.
  std::vector<int32_t> group_of_leaf_;
  std::vector<Group> groups_;
  // By instruction id.
  std::vector<std::vector<int32_t>> groups_of_;
  std::vector<int64_t> work_bytes_;
};

}  // namespace hilo::passes
