// Which array leaves of instructions are the same value.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/analysis/sequential_computations.h"
#include "hlo/ir/module.h"

namespace hilo::hlo {

// An array leaf of an instruction of a sequential computation; dense.
using LeafId = int32_t;

// Numbers the array leaves of a module's sequential computations.
class LeafTable {
 public:
  LeafTable(const Module& module, const SequentialComputations& computations);

  int64_t leaf_count() const {
    return static_cast<int64_t>(instructions_.size());
  }
  // The leaves of an instruction are first_leaf(), first_leaf() + 1, ...
  LeafId first_leaf(const Instruction& instruction) const {
    return first_leaves_[instruction.parent()->id()][instruction.id()];
  }
  int64_t leaf_count(const Instruction& instruction) const {
    return first_leaves_[instruction.parent()->id()][instruction.id() + 1] -
           first_leaf(instruction);
  }
  Instruction* instruction(LeafId leaf) const { return instructions_[leaf]; }
  // Which leaf of its instruction it is.
  int64_t number(LeafId leaf) const {
    return leaf - first_leaf(*instructions_[leaf]);
  }
  const Shape& shape(LeafId leaf) const { return *shapes_[leaf]; }

 private:
  // By computation id, by instruction id, with the end.
  std::vector<std::vector<LeafId>> first_leaves_;
  std::vector<Instruction*> instructions_;
  std::vector<const Shape*> shapes_;
};

// Maps every array leaf to the leaf that defines its value: the output of an
// instruction that runs code, a constant, an entry parameter, or a place where
// values meet: parameters and results of loops that change them, results of
// conditionals, results of calls.
//
// What a loop carries unchanged is the value it begins with; what a branch or
// callee takes is the operand; a result that every branch takes from one value
// is that value.
class LeafValues {
 public:
  LeafValues(const LeafTable& leaves,
             const SequentialComputations& computations);

  // The defining leaf; itself for those that define.
  LeafId value(LeafId leaf) const { return values_[leaf]; }
  bool IsDefined(LeafId leaf) const { return values_[leaf] == leaf; }

 private:
  std::vector<LeafId> values_;
};

}  // namespace hilo::hlo
