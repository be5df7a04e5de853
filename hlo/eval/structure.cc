// Evaluates leaves, tuples, tokens, and instructions that are identities.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Fills the array with its index along `dimension`.
template <typename T>
void FillIota(int64_t dimension, Literal* literal) {
  const Shape& shape = literal->shape();
  const int64_t size = shape.dimension(dimension);
  int64_t inner = 1;
  for (int64_t i = dimension + 1; i < shape.rank(); ++i) {
    inner *= shape.dimension(i);
  }
  const absl::Span<T> data = literal->mutable_data<T>();
  const auto count = static_cast<int64_t>(data.size());
  int64_t index = 0;
  for (int64_t first = 0; first < count; first += inner) {
    std::fill_n(data.begin() + first, inner, ConvertElement<T>(index));
    index = index + 1 == size ? 0 : index + 1;
  }
}

}  // namespace

absl::StatusOr<Literal> EvaluateConstant(const Instruction& instruction,
                                         absl::Span<Literal> /*operands*/,
                                         EvaluationContext& /*context*/) {
  return instruction.value();
}

// The evaluator hands arguments out itself.
absl::StatusOr<Literal> EvaluateParameter(const Instruction& instruction,
                                          absl::Span<Literal> /*operands*/,
                                          EvaluationContext& /*context*/) {
  return InvalidArgument("parameter ", instruction.parameter_number(),
                         " has no argument");
}

absl::StatusOr<Literal> EvaluateIota(const Instruction& instruction,
                                     absl::Span<Literal> /*operands*/,
                                     EvaluationContext& /*context*/) {
  const int64_t dimension = instruction.iota_dimension();
  const Shape& shape = instruction.shape();
  if (!shape.IsArray() || dimension < 0 || dimension >= shape.rank()) {
    return InvalidArgument("no dimension ", dimension, " in ", ToString(shape));
  }
  Literal result(shape);
  DispatchElementType(shape.element_type(), [&](auto tag) {
    FillIota<typename decltype(tag)::type>(dimension, &result);
  });
  return result;
}

absl::StatusOr<Literal> EvaluateTuple(const Instruction& /*instruction*/,
                                      absl::Span<Literal> operands,
                                      EvaluationContext& /*context*/) {
  return Literal::Tuple({std::make_move_iterator(operands.begin()),
                         std::make_move_iterator(operands.end())});
}

absl::StatusOr<Literal> EvaluateGetTupleElement(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& /*context*/) {
  std::vector<Literal> elements = std::move(operands[0]).TakeElements();
  const int64_t index = instruction.index();
  if (index < 0 || std::cmp_greater_equal(index, elements.size())) {
    return InvalidArgument("no element ", index);
  }
  return std::move(elements[index]);
}

absl::StatusOr<Literal> EvaluateAfterAll(const Instruction& instruction,
                                         absl::Span<Literal> /*operands*/,
                                         EvaluationContext& /*context*/) {
  return Literal(instruction.shape());
}

absl::StatusOr<Literal> EvaluateAddDependency(
    const Instruction& /*instruction*/, absl::Span<Literal> operands,
    EvaluationContext& /*context*/) {
  return std::move(operands[0]);
}

absl::StatusOr<Literal> EvaluateOptimizationBarrier(
    const Instruction& /*instruction*/, absl::Span<Literal> operands,
    EvaluationContext& /*context*/) {
  return std::move(operands[0]);
}

absl::StatusOr<Literal> EvaluateDomain(const Instruction& /*instruction*/,
                                       absl::Span<Literal> operands,
                                       EvaluationContext& /*context*/) {
  return std::move(operands[0]);
}

absl::StatusOr<Literal> EvaluateReplicaId(const Instruction& instruction,
                                          absl::Span<Literal> /*operands*/,
                                          EvaluationContext& /*context*/) {
  return Literal(instruction.shape());
}

absl::StatusOr<Literal> EvaluatePartitionId(const Instruction& instruction,
                                            absl::Span<Literal> /*operands*/,
                                            EvaluationContext& /*context*/) {
  return Literal(instruction.shape());
}

// The evaluator gives the value the layout that the copy declares.
absl::StatusOr<Literal> EvaluateCopy(const Instruction& /*instruction*/,
                                     absl::Span<Literal> operands,
                                     EvaluationContext& /*context*/) {
  return std::move(operands[0]);
}

// (destination, source, context...).
absl::StatusOr<Literal> EvaluateCopyStart(const Instruction& instruction,
                                          absl::Span<Literal> operands,
                                          EvaluationContext& /*context*/) {
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple() || shape.element_count() < 2) {
    return InvalidArgument("the result is not (destination, source, ...)");
  }
  std::vector<Literal> elements = {operands[0], std::move(operands[0])};
  for (int64_t i = 2; i < shape.element_count(); ++i) {
    elements.emplace_back(shape.element(i));
  }
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> EvaluateCopyDone(const Instruction& /*instruction*/,
                                         absl::Span<Literal> operands,
                                         EvaluationContext& /*context*/) {
  std::vector<Literal> elements = std::move(operands[0]).TakeElements();
  if (elements.empty()) return InvalidArgument("the operand is no copy-start");
  return std::move(elements[0]);
}

absl::StatusOr<Literal> EvaluateGetDimensionSize(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& /*context*/) {
  const Shape& shape = operands[0].shape();
  if (instruction.dimensions().size() != 1) {
    return InvalidArgument("needs one dimension");
  }
  const int64_t dimension = instruction.dimensions()[0];
  if (dimension < 0 || dimension >= shape.rank()) {
    return InvalidArgument("no dimension ", dimension, " in ", ToString(shape));
  }
  return Literal::Scalar(static_cast<int32_t>(shape.dimension(dimension)));
}

// Values have the sizes of their shapes: a size below the bound has no value.
absl::StatusOr<Literal> EvaluateSetDimensionSize(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& /*context*/) {
  const Shape& shape = operands[0].shape();
  if (instruction.dimensions().size() != 1) {
    return InvalidArgument("needs one dimension");
  }
  const int64_t dimension = instruction.dimensions()[0];
  if (dimension < 0 || dimension >= shape.rank()) {
    return InvalidArgument("no dimension ", dimension, " in ", ToString(shape));
  }
  const Shape& size_shape = operands[1].shape();
  if (!size_shape.IsScalar() ||
      size_shape.element_type() != ElementType::kS32) {
    return InvalidArgument("the size is ", ToString(size_shape),
                           " instead of s32[]");
  }
  const int64_t size = operands[1].data<int32_t>()[0];
  const int64_t bound = shape.dimension(dimension);
  if (size < 0 || size > bound) {
    return InvalidArgument("size ", size, " of dimension ", dimension,
                           " is not within 0 and its bound ", bound);
  }
  if (size != bound) {
    return Unimplemented("size ", size, " of dimension ", dimension,
                         " is below its bound ", bound,
                         ": values of run-time size are not supported");
  }
  return std::move(operands[0]);
}

}  // namespace hilo::hlo
