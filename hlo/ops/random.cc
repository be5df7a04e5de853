// Shape rules of random number generators.
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/result_types.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

bool IsStateSize(RandomAlgorithm algorithm, int64_t size) {
  switch (algorithm) {
    case RandomAlgorithm::kThreeFry:
      return size == 2;
    case RandomAlgorithm::kDefault:
    case RandomAlgorithm::kPhilox:
      return size == 2 || size == 3;
  }
  return false;
}

absl::Status CheckState(const Shape& state, RandomAlgorithm algorithm) {
  if (state.IsArray() && state.element_type() == ElementType::kU64 &&
      state.rank() == 1 && IsStateSize(algorithm, state.dimension(0))) {
    return absl::OkStatus();
  }
  return InvalidArgument(
      "the state must be u64[2]",
      algorithm == RandomAlgorithm::kThreeFry ? "" : " or u64[3]", ", is ",
      ShapeText(state));
}

}  // namespace

absl::StatusOr<Shape> InferRng(const Instruction& instruction) {
  if (instruction.operand_count() != 2) {
    return InvalidArgument("got ", instruction.operand_count(),
                           " operands, expected 2");
  }
  RETURN_IF_ERROR(CheckDeclaredArray(instruction));
  const Shape& shape = instruction.shape();
  const ElementType type = shape.element_type();
  for (int64_t i = 0; i < 2; ++i) {
    const Shape& operand = instruction.operand_shape(i);
    if (operand.IsScalar() && operand.element_type() == type) continue;
    return InvalidArgument("operand ", i, " must be ", TextOf(type),
                           "[] like the result, is ", ShapeText(operand));
  }
  if (IsComplex(type)) {
    return InvalidArgument("result type ", TextOf(type), " is complex");
  }
  if (instruction.distribution() == RandomDistribution::kNormal &&
      !IsFloat(type)) {
    return InvalidArgument("a normal distribution needs a float result, it is ",
                           TextOf(type));
  }
  return shape;
}

absl::StatusOr<Shape> InferRngBitGenerator(const Instruction& instruction) {
  const Shape& state = instruction.operand_shape(0);
  RETURN_IF_ERROR(CheckState(state, instruction.random_algorithm()));
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple() || shape.element_count() != 2) {
    return InvalidArgument(
        "the result must be a tuple of the state and the bits, is declared "
        "as ",
        ShapeText(shape));
  }
  if (!Compatible(shape.element(0), state)) {
    return InvalidArgument("result element 0 is ", ShapeText(shape.element(0)),
                           ", the state is ", ShapeText(state));
  }
  const Shape& bits = shape.element(1);
  if (!bits.IsArray() || !IsInteger(bits.element_type())) {
    return InvalidArgument("the bits must be integers, are declared as ",
                           ShapeText(bits));
  }
  return shape;
}

absl::StatusOr<Shape> InferRngGetAndUpdateState(
    const Instruction& instruction) {
  return CheckDeclaredShape(instruction, Shape::Array(ElementType::kU64, {2}));
}

}  // namespace hilo::hlo
