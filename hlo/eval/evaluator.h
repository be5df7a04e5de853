// The reference evaluator: what a module means.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"

namespace hilo::hlo {

struct EvaluatorOptions {
  // Seeds rng, rng-get-and-update-state and GetRngSeed.
  uint64_t seed = 0;
  // Bytes of values alive at once; 0: 80 % of the machine's memory.
  int64_t memory_limit_bytes = 0;
  // Instructions executed before giving up; 0: no limit. For fuzzing.
  int64_t step_limit = 0;
};

// Evaluates the entry computation of a verified module, one instruction after
// the other. `arguments` are the entry's parameters in order; their shapes are
// compatible with the parameters'. Returns the root's value.
//
// Errors: InvalidArgument for arguments that do not fit; Unimplemented, naming
// instruction and reason, for what has no single-device meaning;
// ResourceExhausted, naming the instruction, at a limit. Thread-safe.
absl::StatusOr<Literal> Evaluate(const Module& module,
                                 std::vector<Literal> arguments,
                                 const EvaluatorOptions& options = {});

// Evaluates one computation on its own, as constant folding does.
absl::StatusOr<Literal> Evaluate(const Computation& computation,
                                 std::vector<Literal> arguments,
                                 const EvaluatorOptions& options = {});

}  // namespace hilo::hlo
