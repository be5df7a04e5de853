// Evaluates element-wise instructions on whole arrays.
#include "hlo/eval/elementwise.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/elementwise_kernel.h"
#include "hlo/eval/handlers.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kMaxLanes = ElementwiseKernel::kMaxLanes;
constexpr int64_t kMaxElementBytes = 16;
constexpr int kMaxOperands = ElementwiseKernel::kMaxOperands;

// An operand as a kernel reads it: whole runs, or one element repeated.
struct OperandView {
  const std::byte* data = nullptr;
  int64_t element_bytes = 0;
  // The repeated element, kMaxLanes times; unused for arrays.
  alignas(64) std::array<std::byte, kMaxLanes * kMaxElementBytes> repeated;
  bool is_repeated = false;

  const void* At(int64_t first_element) const {
    if (is_repeated) return repeated.data();
    return data + first_element * element_bytes;
  }
  void Repeat(int64_t lanes) {
    is_repeated = true;
    for (int64_t i = 0; i < lanes; ++i) {
      std::memcpy(repeated.data() + i * element_bytes, data, element_bytes);
    }
  }
};

// The operand whose memory the result may take, or -1.
int FindReusable(const Instruction& instruction,
                 absl::Span<const Literal> operands) {
  const Shape& shape = instruction.shape();
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape& operand = operands[i].shape();
    if (operands[i].IsUnique() &&
        operand.element_type() == shape.element_type() &&
        SameDimensions(operand, shape)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

absl::Status CheckOperands(const Instruction& instruction,
                           absl::Span<const Literal> operands,
                           const ElementwiseKernel& kernel) {
  const Shape& shape = instruction.shape();
  if (!shape.IsArray()) return InvalidArgument("the result is not an array");
  if (std::cmp_not_equal(operands.size(), kernel.operand_count)) {
    return InvalidArgument("got ", operands.size(), " operands, needs ",
                           kernel.operand_count);
  }
  for (const Literal& operand : operands) {
    if (operand.shape().IsArray() && (operand.shape().rank() == 0 ||
                                      SameDimensions(operand.shape(), shape))) {
      continue;
    }
    return InvalidArgument("an operand of shape ", ToString(operand.shape()),
                           " does not fit the result ", ToString(shape));
  }
  return absl::OkStatus();
}

// Converts float operands that differ in type from what the kernel was made
// for. Errors: InvalidArgument for others that differ.
absl::Status UnifyPrecision(const Instruction& instruction,
                            absl::Span<Literal> operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const ElementType type = operands[i].shape().element_type();
    const ElementType wanted =
        KernelOperandType(instruction, static_cast<int64_t>(i));
    if (type == wanted) continue;
    if (!IsFloat(type) || !IsFloat(wanted)) {
      return InvalidArgument("operand ", i, " is of ", TextOf(type),
                             " instead of ", TextOf(wanted));
    }
    operands[i] = ConvertLiteral(std::move(operands[i]), wanted);
  }
  return absl::OkStatus();
}

Literal RunOnLiterals(const ElementwiseKernel& kernel, Literal result,
                      absl::Span<const Literal> operands, int reused) {
  const int64_t count = result.element_count();
  std::byte* out = result.mutable_untyped_data();
  const int64_t out_bytes = StorageBytes(result.shape().element_type());
  std::array<OperandView, kMaxOperands> views;
  for (int i = 0; i < kernel.operand_count; ++i) {
    const Shape& shape = i == reused ? result.shape() : operands[i].shape();
    views[i].data = i == reused ? out : operands[i].untyped_data();
    views[i].element_bytes = StorageBytes(shape.element_type());
    if (shape.rank() == 0 && result.shape().rank() != 0 && count > 0) {
      views[i].Repeat(std::min(count, kMaxLanes));
    }
  }
  std::array<const void*, kMaxOperands> pointers = {};
  for (int64_t first = 0; first < count; first += kMaxLanes) {
    for (int i = 0; i < kernel.operand_count; ++i) {
      pointers[i] = views[i].At(first);
    }
    kernel.Run(pointers.data(), out + first * out_bytes,
               std::min(kMaxLanes, count - first));
  }
  return result;
}

}  // namespace

absl::StatusOr<Literal> EvaluateElementwise(const Instruction& instruction,
                                            absl::Span<Literal> operands,
                                            EvaluationContext& /*context*/) {
  ASSIGN_OR_RETURN(const ElementwiseKernel kernel,
                   FindElementwiseKernel(instruction));
  RETURN_IF_ERROR(CheckOperands(instruction, operands, kernel));
  RETURN_IF_ERROR(UnifyPrecision(instruction, operands));
  const int reused = FindReusable(instruction, operands);
  Literal result =
      reused < 0 ? Literal(instruction.shape())
                 : std::move(operands[reused]).WithShape(instruction.shape());
  return RunOnLiterals(kernel, std::move(result), operands, reused);
}

Literal ConvertLiteral(Literal literal, ElementType type) {
  const ElementType from = literal.shape().element_type();
  if (from == type) return literal;
  Literal result(WithElementType(literal.shape(), type));
  return RunOnLiterals(FindConvertKernel(from, type), std::move(result),
                       {&literal, 1}, -1);
}

#define HLO_ELEMENTWISE_HANDLER(Name)                                    \
  absl::StatusOr<Literal> Evaluate##Name(const Instruction& instruction, \
                                         absl::Span<Literal> operands,   \
                                         EvaluationContext& context) {   \
    return EvaluateElementwise(instruction, operands, context);          \
  }
HLO_ELEMENTWISE_HANDLER(Clamp)
HLO_ELEMENTWISE_HANDLER(Compare)
HLO_ELEMENTWISE_HANDLER(Complex)
HLO_ELEMENTWISE_HANDLER(Convert)
HLO_ELEMENTWISE_HANDLER(ReducePrecision)
HLO_ELEMENTWISE_HANDLER(Select)
HLO_ELEMENTWISE_HANDLER(StochasticConvert)
#undef HLO_ELEMENTWISE_HANDLER

}  // namespace hilo::hlo
