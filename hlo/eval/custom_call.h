// The routines behind custom-call, by target name.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"

namespace hilo::hlo {

// To add a target: a row in custom_calls.def, and a function with its handler's
// name. Rows may share a handler, which reads instruction.custom_call_target().
#define HLO_CUSTOM_CALL(target, handler)                          \
  absl::StatusOr<Literal> handler(const Instruction& instruction, \
                                  absl::Span<Literal> operands,   \
                                  EvaluationContext& context);
#include "hlo/eval/custom_calls.def"
#undef HLO_CUSTOM_CALL

// The handler of a target; null when the evaluator does not know it.
Handler FindCustomCall(absl::string_view target);

}  // namespace hilo::hlo
