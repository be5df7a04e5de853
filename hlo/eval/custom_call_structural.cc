// Custom-call targets that annotate, allocate or repackage values.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/custom_call.h"
#include "hlo/eval/handlers.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// The shape without buffers: a buffer's value is that of its array.
Shape ValueShape(const Shape& shape) {
  if (shape.IsBuffer()) return shape.element(0);
  if (!shape.IsTuple()) return shape;
  std::vector<Shape> elements;
  for (const Shape& element : shape.elements()) {
    elements.push_back(ValueShape(element));
  }
  return Shape::Tuple(std::move(elements));
}

absl::Status WrongOperands(const Instruction& instruction) {
  return InvalidArgument("\"", instruction.custom_call_target(),
                         "\" does not take these operands");
}

// The integers' 32 bits from `first_bit` on.
absl::StatusOr<Literal> SplitHalf(const Instruction& instruction,
                                  absl::Span<Literal> operands, int first_bit) {
  if (operands.size() != 1 || !operands[0].shape().IsArray() ||
      !IsInteger(operands[0].shape().element_type()) ||
      InfoOf(operands[0].shape().element_type()).bits != 64) {
    return WrongOperands(instruction);
  }
  Literal result(WithElementType(operands[0].shape(), ElementType::kU32));
  const auto* whole =
      reinterpret_cast<const uint64_t*>(operands[0].untyped_data());
  for (uint32_t& half : result.mutable_data<uint32_t>()) {
    half = static_cast<uint32_t>(*whole++ >> first_bit);
  }
  return result;
}

}  // namespace

absl::StatusOr<Literal> EvaluateAnnotation(const Instruction& instruction,
                                           absl::Span<Literal> operands,
                                           EvaluationContext& context) {
  const std::vector<Computation*>& called =
      instruction.called_computation_list();
  if (called.size() == 1) {
    return context.Call(*called[0], {std::make_move_iterator(operands.begin()),
                                     std::make_move_iterator(operands.end())});
  }
  if (operands.empty()) return WrongOperands(instruction);
  const Shape shape = ValueShape(instruction.shape());
  if (!Compatible(operands[0].shape(), shape)) {
    return Unimplemented("\"", instruction.custom_call_target(), "\" divides ",
                         ToString(operands[0].shape(), false), " into ",
                         ToString(shape, false), ", but one device runs");
  }
  return std::move(operands[0]);
}

absl::StatusOr<Literal> EvaluateMarker(const Instruction& instruction,
                                       absl::Span<Literal> operands,
                                       EvaluationContext& /*context*/) {
  const Shape& shape = instruction.shape();
  for (Literal& operand : operands) {
    if (Compatible(operand.shape(), shape)) return std::move(operand);
  }
  Literal all = Literal::Tuple({operands.begin(), operands.end()});
  if (Compatible(all.shape(), shape)) return all;
  return Literal(shape);
}

absl::StatusOr<Literal> EvaluateAllocateBuffer(const Instruction& instruction,
                                               absl::Span<Literal> /*operands*/,
                                               EvaluationContext& /*context*/) {
  return Literal(ValueShape(instruction.shape()));
}

absl::StatusOr<Literal> EvaluateGetRngSeed(const Instruction& instruction,
                                           absl::Span<Literal> /*operands*/,
                                           EvaluationContext& context) {
  const Shape& shape = instruction.shape();
  if (!shape.IsScalar() || !IsInteger(shape.element_type())) {
    return InvalidArgument("a seed is no ", ToString(shape));
  }
  Literal result(shape);
  const uint64_t seed = context.options().seed;
  DispatchElementType(shape.element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (NumericTraits<T>::is_integer) {
      result.mutable_data<T>()[0] = ConvertElement<T>(seed);
    }
  });
  return result;
}

// (data, the size of each dimension).
absl::StatusOr<Literal> EvaluatePadToStatic(const Instruction& instruction,
                                            absl::Span<Literal> operands,
                                            EvaluationContext& /*context*/) {
  if (operands.size() != 1 || !operands[0].shape().IsArray()) {
    return WrongOperands(instruction);
  }
  const Shape shape = operands[0].shape();
  std::vector<Literal> elements = {std::move(operands[0])};
  for (const int64_t size : shape.dimensions()) {
    elements.push_back(Literal::Scalar(static_cast<int32_t>(size)));
  }
  return Literal::Tuple(std::move(elements));
}

// (data, the size of each dimension): the sizes have to be the bounds.
absl::StatusOr<Literal> EvaluateSliceToDynamic(const Instruction& instruction,
                                               absl::Span<Literal> operands,
                                               EvaluationContext& /*context*/) {
  if (operands.empty() || !operands[0].shape().IsArray() ||
      std::cmp_not_equal(operands.size(), operands[0].shape().rank() + 1)) {
    return WrongOperands(instruction);
  }
  for (int64_t i = 1; std::cmp_less(i, operands.size()); ++i) {
    if (!Compatible(operands[i].shape(), Shape::Scalar(ElementType::kS32))) {
      return WrongOperands(instruction);
    }
    const int64_t size = operands[i].data<int32_t>()[0];
    const int64_t bound = operands[0].shape().dimension(i - 1);
    if (size == bound) continue;
    return Unimplemented("size ", size, " of dimension ", i - 1,
                         " is below its bound ", bound,
                         ": values of run-time size are not supported");
  }
  return std::move(operands[0]);
}

// (low halves, high halves) of 64-bit integers.
absl::StatusOr<Literal> EvaluateX64Combine(const Instruction& instruction,
                                           absl::Span<Literal> operands,
                                           EvaluationContext& /*context*/) {
  const Shape& shape = instruction.shape();
  if (operands.size() != 2 || !shape.IsArray() ||
      !IsInteger(shape.element_type()) ||
      InfoOf(shape.element_type()).bits != 64) {
    return WrongOperands(instruction);
  }
  const Shape half = WithElementType(shape, ElementType::kU32);
  if (!Compatible(operands[0].shape(), half) ||
      !Compatible(operands[1].shape(), half)) {
    return WrongOperands(instruction);
  }
  Literal result(WithElementType(shape, ElementType::kU64));
  const absl::Span<const uint32_t> low = operands[0].data<uint32_t>();
  const absl::Span<const uint32_t> high = operands[1].data<uint32_t>();
  const absl::Span<uint64_t> whole = result.mutable_data<uint64_t>();
  for (size_t i = 0; i < whole.size(); ++i) {
    whole[i] = low[i] | uint64_t{high[i]} << 32;
  }
  return std::move(result).WithShape(shape);
}

absl::StatusOr<Literal> EvaluateX64SplitLow(const Instruction& instruction,
                                            absl::Span<Literal> operands,
                                            EvaluationContext& /*context*/) {
  return SplitHalf(instruction, operands, 0);
}

absl::StatusOr<Literal> EvaluateX64SplitHigh(const Instruction& instruction,
                                             absl::Span<Literal> operands,
                                             EvaluationContext& /*context*/) {
  return SplitHalf(instruction, operands, 32);
}

absl::StatusOr<Literal> EvaluateCustomPartitioning(
    const Instruction& /*instruction*/, absl::Span<Literal> /*operands*/,
    EvaluationContext& /*context*/) {
  return Unimplemented(
      "\"CustomSPMDPartitioning\" is partitioned by a callback of the process "
      "that wrote the module");
}

}  // namespace hilo::hlo
