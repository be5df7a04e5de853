// The functions that evaluate one instruction, one per row of opcodes.def.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"

namespace hilo::hlo {

// State of one evaluation, shared by its handlers.
class EvaluationContext {
 public:
  virtual ~EvaluationContext() = default;

  // Evaluates another computation. Errors as Evaluate, also when calls nest
  // too deeply.
  virtual absl::StatusOr<Literal> Call(const Computation& computation,
                                       std::vector<Literal> arguments) = 0;

  // Asks whether `scratch_bytes` more may be allocated for `instruction`,
  // besides its result (which the evaluator has asked for already).
  virtual absl::Status CheckMemory(const Instruction& instruction,
                                   int64_t scratch_bytes) = 0;

  // The next value of the evaluation's random stream (splitmix64 of the seed).
  virtual uint64_t NextRandom() = 0;

  // The 128-bit counter {low, high} of an rng-get-and-update-state, to be
  // advanced by its handler.
  virtual uint64_t* RandomState(const Instruction& instruction) = 0;

  virtual const EvaluatorOptions& options() const = 0;
};

// Computes the value of `instruction`, whose shape is instruction.shape(),
// from its operands' values. An operand whose value dies here may be moved
// from; operands[i].IsUnique() says that its elements can be overwritten.
using Handler = absl::StatusOr<Literal> (*)(const Instruction& instruction,
                                            absl::Span<Literal> operands,
                                            EvaluationContext& context);

#define HLO_UNARY(Name, text, types, traits, max_ulps, doc)
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc)
#define HLO_OP(Name, text, arity, traits, attributes, doc)               \
  absl::StatusOr<Literal> Evaluate##Name(const Instruction& instruction, \
                                         absl::Span<Literal> operands,   \
                                         EvaluationContext& context);
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP

}  // namespace hilo::hlo
