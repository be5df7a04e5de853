// Evaluates calls, loops, branches and asynchronous computations.
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

std::vector<Literal> MoveToVector(absl::Span<Literal> values) {
  return {std::make_move_iterator(values.begin()),
          std::make_move_iterator(values.end())};
}

absl::StatusOr<Literal> CallWith(const Computation* computation,
                                 absl::Span<Literal> operands,
                                 EvaluationContext& context) {
  if (computation == nullptr) return InvalidArgument("names no computation");
  return context.Call(*computation, MoveToVector(operands));
}

// The condition's answer for `state`, which it gets a copy of: a reference.
absl::StatusOr<bool> Holds(const Computation& condition, const Literal& state,
                           EvaluationContext& context) {
  std::vector<Literal> arguments;
  arguments.push_back(state);
  ASSIGN_OR_RETURN(const Literal result,
                   context.Call(condition, std::move(arguments)));
  if (!result.shape().IsScalar() ||
      result.shape().element_type() != ElementType::kPred) {
    return InvalidArgument("the condition gives ", ToString(result.shape()),
                           " instead of pred[]");
  }
  return result.data<bool>()[0];
}

// The branch that the first operand selects; out of range: the last.
absl::StatusOr<int64_t> SelectBranch(const Literal& selector,
                                     int64_t branch_count) {
  if (!selector.shape().IsScalar() || branch_count == 0) {
    return InvalidArgument("no scalar selects among ", branch_count,
                           " branches");
  }
  if (selector.shape().element_type() == ElementType::kPred) {
    const int64_t branch = selector.data<bool>()[0] ? 0 : 1;
    return branch < branch_count ? branch : branch_count - 1;
  }
  if (selector.shape().element_type() != ElementType::kS32) {
    return InvalidArgument("the selector is ", ToString(selector.shape()),
                           " instead of pred[] or s32[]");
  }
  const int64_t index = selector.data<int32_t>()[0];
  return index >= 0 && index < branch_count ? index : branch_count - 1;
}

}  // namespace

absl::StatusOr<Literal> EvaluateCall(const Instruction& instruction,
                                     absl::Span<Literal> operands,
                                     EvaluationContext& context) {
  return CallWith(instruction.to_apply(), operands, context);
}

absl::StatusOr<Literal> EvaluateFusion(const Instruction& instruction,
                                       absl::Span<Literal> operands,
                                       EvaluationContext& context) {
  return CallWith(instruction.calls(), operands, context);
}

absl::StatusOr<Literal> EvaluateWhile(const Instruction& instruction,
                                      absl::Span<Literal> operands,
                                      EvaluationContext& context) {
  const Computation* condition = instruction.condition();
  const Computation* body = instruction.body();
  if (condition == nullptr || body == nullptr) {
    return InvalidArgument("lacks a condition or a body");
  }
  Literal state = std::move(operands[0]);
  while (true) {
    ASSIGN_OR_RETURN(const bool holds, Holds(*condition, state, context));
    if (!holds) return state;
    std::vector<Literal> arguments;
    arguments.push_back(std::move(state));
    ASSIGN_OR_RETURN(state, context.Call(*body, std::move(arguments)));
  }
}

absl::StatusOr<Literal> EvaluateConditional(const Instruction& instruction,
                                            absl::Span<Literal> operands,
                                            EvaluationContext& context) {
  const std::vector<Computation*> branches = instruction.branches();
  ASSIGN_OR_RETURN(
      const int64_t branch,
      SelectBranch(operands[0], static_cast<int64_t>(branches.size())));
  if (operands.size() != branches.size() + 1) {
    return InvalidArgument(branches.size(), " branches, but ",
                           operands.size() - 1, " arguments for them");
  }
  return CallWith(branches[branch], operands.subspan(branch + 1, 1), context);
}

// ((operands...), result, contexts...): runs at once.
absl::StatusOr<Literal> EvaluateAsyncStart(const Instruction& instruction,
                                           absl::Span<Literal> operands,
                                           EvaluationContext& context) {
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple() || shape.element_count() < 2) {
    return InvalidArgument("the result is not ((operands), result, ...)");
  }
  if (shape.element(0).element_count() !=
      static_cast<int64_t>(operands.size())) {
    return Unimplemented("operands that async-update adds");
  }
  std::vector<Literal> elements;
  elements.push_back(Literal::Tuple({operands.begin(), operands.end()}));
  ASSIGN_OR_RETURN(Literal result,
                   CallWith(instruction.calls(), operands, context));
  elements.push_back(std::move(result));
  for (int64_t i = 2; i < shape.element_count(); ++i) {
    elements.emplace_back(shape.element(i));
  }
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> EvaluateAsyncUpdate(const Instruction& /*instruction*/,
                                            absl::Span<Literal> operands,
                                            EvaluationContext& /*context*/) {
  if (operands.size() != 1) {
    return Unimplemented("operands that async-update adds");
  }
  return std::move(operands[0]);
}

absl::StatusOr<Literal> EvaluateAsyncDone(const Instruction& /*instruction*/,
                                          absl::Span<Literal> operands,
                                          EvaluationContext& /*context*/) {
  std::vector<Literal> elements = std::move(operands[0]).TakeElements();
  if (elements.size() < 2) {
    return InvalidArgument("the operand is no asynchronous value");
  }
  return std::move(elements[1]);
}

}  // namespace hilo::hlo
