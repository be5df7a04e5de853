// Walks from the entry to everything that runs in sequence.
#include "hlo/analysis/sequential_computations.h"

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "hlo/analysis/aliasing.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

bool IsAsynchronousCall(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kAsyncStart ||
         instruction.opcode() == Opcode::kAsyncUpdate ||
         instruction.opcode() == Opcode::kAsyncDone;
}

struct SequentialCall {
  Instruction* instruction = nullptr;
  Computation* callee = nullptr;
};

absl::StatusOr<std::vector<SequentialCall>> CallsOf(
    const Computation& computation) {
  std::vector<SequentialCall> calls;
  for (const auto& instruction : computation.instructions()) {
    if (IsAsynchronousCall(*instruction)) {
      return Unimplemented(TextOf(instruction->opcode()), " ",
                           instruction->name(), ": asynchronous calls");
    }
    for (Computation* callee : SequentialCallees(*instruction)) {
      calls.push_back({.instruction = instruction.get(), .callee = callee});
    }
  }
  return calls;
}

}  // namespace

absl::StatusOr<SequentialComputations> SequentialComputations::Of(
    const Module& module) {
  SequentialComputations result;
  const auto count = static_cast<size_t>(module.computation_count());
  result.is_sequential_.resize(count, false);
  result.callers_.resize(count, nullptr);
  result.loop_depths_.resize(count, 0);
  result.order_.push_back(module.entry());
  result.is_sequential_[module.entry()->id()] = true;
  // The list grows while it is walked.
  for (size_t i = 0; i < result.order_.size(); ++i) {
    ASSIGN_OR_RETURN(const std::vector<SequentialCall> calls,
                     CallsOf(*result.order_[i]));
    for (const SequentialCall& call : calls) {
      RETURN_IF_ERROR(result.AddCallee(*call.instruction, call.callee));
    }
  }
  return result;
}

absl::Status SequentialComputations::AddCallee(Instruction& call,
                                               Computation* callee) {
  if (is_sequential_[callee->id()]) {
    return absl::FailedPreconditionError(
        absl::StrCat(TextOf(call.opcode()), " ", call.name(), " calls ",
                     callee->name(), ", which has another caller"));
  }
  is_sequential_[callee->id()] = true;
  callers_[callee->id()] = &call;
  loop_depths_[callee->id()] = loop_depths_[call.parent()->id()] +
                               (call.opcode() == Opcode::kWhile ? 1 : 0);
  order_.push_back(callee);
  return absl::OkStatus();
}

}  // namespace hilo::hlo
