// Takes tuples apart and puts them together again with other leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "hlo/ir/computation.h"

namespace hilo::passes {

// Adds instructions to a computation, and remembers them in order.
class TupleEditor {
 public:
  explicit TupleEditor(hlo::Computation* computation)
      : computation_(computation) {}

  // The array leaf number `leaf` of `value` as an instruction of its own.
  hlo::Instruction* Leaf(hlo::Instruction* value, int64_t leaf);

  // `value` with other instructions as some of its array leaves.
  hlo::Instruction* WithLeaves(
      hlo::Instruction* value,
      const absl::flat_hash_map<int64_t, hlo::Instruction*>& leaves);

  // A copy in the same layout.
  hlo::Instruction* Copy(hlo::Instruction* array);

  // All instructions added so far, in an order in which they can run.
  const std::vector<hlo::Instruction*>& added() const { return added_; }

 private:
  hlo::Instruction* Element(hlo::Instruction* tuple, int64_t i);
  hlo::Instruction* Add(hlo::Opcode opcode, const hlo::Shape& shape,
                        const std::vector<hlo::Instruction*>& operands);
  hlo::Instruction* Replace(
      hlo::Instruction* value, int64_t first_leaf,
      const absl::flat_hash_map<int64_t, hlo::Instruction*>& leaves);

  hlo::Computation* computation_;
  std::vector<hlo::Instruction*> added_;
};

}  // namespace hilo::passes
