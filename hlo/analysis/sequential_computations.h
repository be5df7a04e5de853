// The computations whose instructions have memory and run one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/module.h"

namespace hilo::hlo {

// The entry and, transitively, what its while, conditional and call
// instructions run, when each has one caller. Refers to the module.
class SequentialComputations {
 public:
  // Errors: FailedPrecondition when a computation has several callers, or is
  // also called otherwise; Unimplemented for asynchronous calls.
  static absl::StatusOr<SequentialComputations> Of(const Module& module);

  // Callers before callees; those of one caller in the order of its
  // instructions' ids. The entry first.
  const std::vector<Computation*>& callers_first() const { return order_; }
  bool Contains(const Computation& computation) const {
    return is_sequential_[computation.id()];
  }
  // The instruction that runs the computation; null for the entry.
  Instruction* caller(const Computation& computation) const {
    return callers_[computation.id()];
  }
  // How many while loops run around the instructions of a computation.
  int64_t loop_depth(const Computation& computation) const {
    return loop_depths_[computation.id()];
  }

 private:
  absl::Status AddCallee(Instruction& call, Computation* callee);

  std::vector<Computation*> order_;
  // By computation id.
  std::vector<bool> is_sequential_;
  std::vector<Instruction*> callers_;
  std::vector<int64_t> loop_depths_;
};

}  // namespace hilo::hlo
