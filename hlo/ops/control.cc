// Shape rules of calls, loops, branches, fusions and asynchronous calls.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/called_computations.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/output_aliasing.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

std::vector<Shape> OperandShapes(const Instruction& instruction) {
  std::vector<Shape> shapes;
  shapes.reserve(instruction.operand_count());
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    shapes.push_back(instruction.operand_shape(i));
  }
  return shapes;
}

// Checks a call of `computation` with all operands; its result.
absl::StatusOr<Shape> InferCallOf(const Computation& computation,
                                  absl::string_view what,
                                  const Instruction& instruction) {
  RETURN_IF_ERROR(CheckParameters(computation, what, OperandShapes(instruction),
                                  FloatPrecision::kAny));
  ASSIGN_OR_RETURN(const Shape root, RootShape(computation, what));
  return WithoutLayout(root);
}

// Errors unless the selector of a conditional fits the number of branches.
absl::Status CheckSelector(const Instruction& instruction, size_t branches) {
  const Shape& selector = instruction.operand_shape(0);
  const bool is_predicate =
      Compatible(selector, Shape::Scalar(ElementType::kPred));
  const bool is_index = Compatible(selector, Shape::Scalar(ElementType::kS32));
  if (!is_predicate && !is_index) {
    return InvalidArgument("operand 0 is ", ShapeText(selector),
                           ", expected pred[] or s32[]");
  }
  if (is_predicate ? branches != 2 : branches == 0) {
    return InvalidArgument("got ", branches, " branches, expected ",
                           is_predicate ? "2 for a pred" : "at least 1");
  }
  if (instruction.operand_count() != static_cast<int64_t>(branches) + 1) {
    return InvalidArgument("got ", instruction.operand_count() - 1,
                           " arguments for ", branches, " branches");
  }
  return absl::OkStatus();
}

// Errors unless `shape` is ((operands...), result, context...).
absl::Status CheckAsyncTuple(const Shape& shape, absl::string_view what) {
  if (shape.IsTuple() && shape.element_count() >= 2 &&
      shape.element(0).IsTuple()) {
    return absl::OkStatus();
  }
  return InvalidArgument(what, " is ", ShapeText(shape),
                         ", expected a tuple of the operands, the result and "
                         "contexts");
}

// Errors unless operand 0 is an asynchronous computation in progress.
absl::Status CheckAsyncOperand(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 1));
  const Opcode opcode = instruction.operand(0)->opcode();
  if (opcode != Opcode::kAsyncStart && opcode != Opcode::kAsyncUpdate) {
    return InvalidArgument("operand 0 is the result of ", TextOf(opcode),
                           ", expected async-start or async-update");
  }
  return CheckAsyncTuple(instruction.operand_shape(0), "operand 0");
}

// Checks the operands that a start gives; later ones may come with updates.
absl::Status CheckStartOperands(const Instruction& instruction,
                                const std::vector<Shape>& parameters) {
  const Shape& state = instruction.shape().element(0);
  const int64_t count = instruction.operand_count();
  if (std::cmp_greater(count, parameters.size())) {
    return InvalidArgument("got ", count, " operands, but calls has ",
                           parameters.size(), " parameters");
  }
  if (count > state.element_count()) {
    return InvalidArgument("got ", count, " operands, but the result lists ",
                           state.element_count());
  }
  for (int64_t i = 0; i < count; ++i) {
    const Shape& operand = instruction.operand_shape(i);
    if (!CompatibleIgnoringFloatPrecision(operand, parameters[i]) ||
        !CompatibleIgnoringFloatPrecision(operand, state.element(i))) {
      return InvalidArgument(
          "operand ", i, " is ", ShapeText(operand), ", parameter ", i,
          " of calls is ", ShapeText(parameters[i]), ", and the result lists ",
          ShapeText(state.element(i)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferAsyncDone(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckAsyncOperand(instruction));
  RETURN_IF_ERROR(CheckOutputAliasing(instruction));
  return instruction.operand_shape(0).element(1);
}

absl::StatusOr<Shape> InferAsyncStart(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckAsyncTuple(instruction.shape(), "the result"));
  RETURN_IF_ERROR(CheckOutputAliasing(instruction));
  const Computation& called = *instruction.calls();
  ASSIGN_OR_RETURN(const std::vector<Shape> parameters,
                   ParameterShapes(called, "calls"));
  RETURN_IF_ERROR(CheckStartOperands(instruction, parameters));
  if (instruction.operand_count() == static_cast<int64_t>(parameters.size())) {
    RETURN_IF_ERROR(CheckRoot(called, "calls", instruction.shape().element(1),
                              FloatPrecision::kAny));
  }
  return instruction.shape();
}

absl::StatusOr<Shape> InferAsyncUpdate(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckAsyncOperand(instruction));
  RETURN_IF_ERROR(CheckOutputAliasing(instruction));
  if (instruction.operand_count() == 1) return instruction.operand_shape(0);
  // Further operands change what the tuple lists.
  RETURN_IF_ERROR(CheckAsyncTuple(instruction.shape(), "the result"));
  return instruction.shape();
}

absl::StatusOr<Shape> InferCall(const Instruction& instruction) {
  return InferCallOf(*instruction.to_apply(), "to_apply", instruction);
}

absl::StatusOr<Shape> InferConditional(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckMinimumOperands(instruction, 1));
  const std::vector<Computation*> branches = instruction.branches();
  if (branches == std::vector<Computation*>{nullptr, nullptr}) {
    return InvalidArgument("the branches are missing");
  }
  RETURN_IF_ERROR(CheckSelector(instruction, branches.size()));
  for (size_t i = 0; i < branches.size(); ++i) {
    const std::string what = absl::StrCat("branch ", i);
    if (branches[i] == nullptr) {
      return InvalidArgument(what, " is missing");
    }
    const auto operand = static_cast<int64_t>(i) + 1;
    RETURN_IF_ERROR(CheckParameters(*branches[i], what,
                                    {instruction.operand_shape(operand)},
                                    FloatPrecision::kAny));
    if (i == 0) continue;
    ASSIGN_OR_RETURN(const Shape first, RootShape(*branches[0], "branch 0"));
    RETURN_IF_ERROR(CheckRoot(*branches[i], what, first, FloatPrecision::kAny));
  }
  ASSIGN_OR_RETURN(const Shape root, RootShape(*branches[0], "branch 0"));
  return WithoutLayout(root);
}

absl::StatusOr<Shape> InferFusion(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckOutputAliasing(instruction));
  return InferCallOf(*instruction.calls(), "calls", instruction);
}

absl::StatusOr<Shape> InferWhile(const Instruction& instruction) {
  const Shape& state = instruction.operand_shape(0);
  RETURN_IF_ERROR(CheckParameters(*instruction.condition(), "condition",
                                  {state}, FloatPrecision::kAny));
  RETURN_IF_ERROR(CheckRoot(*instruction.condition(), "condition",
                            Shape::Scalar(ElementType::kPred),
                            FloatPrecision::kExact));
  RETURN_IF_ERROR(CheckParameters(*instruction.body(), "body", {state},
                                  FloatPrecision::kAny));
  RETURN_IF_ERROR(
      CheckRoot(*instruction.body(), "body", state, FloatPrecision::kAny));
  return WithoutLayout(state);
}

}  // namespace hilo::hlo
