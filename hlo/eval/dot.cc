// Evaluates dot and scaled-dot.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/contraction.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/eval/linear_algebra.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// operand * scale in type T, each scale element covering a block.
template <typename T>
Literal ScaleTo(const Literal& operand, const Literal& scale) {
  const absl::Span<const int64_t> sizes = operand.shape().dimensions();
  Literal result(Shape::Array(ElementTypeOf<T>(), sizes));
  if (result.element_count() == 0) return result;
  const DimensionVector scale_strides =
      RowMajorStrides(scale.shape().dimensions());
  DimensionVector blocks;
  for (size_t i = 0; i < sizes.size(); ++i) {
    blocks.push_back(sizes[i] /
                     scale.shape().dimension(static_cast<int64_t>(i)));
  }
  std::vector<T> factors(scale.element_count());
  LoadElements(scale, 0, absl::MakeSpan(factors));
  const absl::Span<T> products = result.mutable_data<T>();
  LoadElements(operand, 0, products);
  DimensionVector position(sizes.size(), 0);
  int64_t i = 0;
  do {
    int64_t offset = 0;
    for (size_t d = 0; d < sizes.size(); ++d) {
      offset += position[d] / blocks[d] * scale_strides[d];
    }
    products[i++] *= factors[offset];
  } while (NextPosition(sizes, absl::MakeSpan(position)));
  return result;
}

// The operand times its scale, in the type in which the dot is computed. A
// scalar scale stands for none.
absl::StatusOr<Literal> ApplyScale(const Instruction& dot,
                                   const Literal& operand, const Literal& scale,
                                   EvaluationContext& context) {
  if (scale.shape().rank() == 0) return operand;
  const bool is_double = dot.shape().element_type() == ElementType::kF64;
  RETURN_IF_ERROR(context.CheckMemory(
      dot,
      (operand.element_count() + scale.element_count()) * (is_double ? 8 : 4)));
  if (is_double) return ScaleTo<double>(operand, scale);
  return ScaleTo<float>(operand, scale);
}

}  // namespace

absl::StatusOr<Literal> EvaluateDot(const Instruction& instruction,
                                    absl::Span<Literal> operands,
                                    EvaluationContext& /*context*/) {
  return ComputeDot(instruction, operands[0], operands[1]);
}

absl::StatusOr<Literal> EvaluateScaledDot(const Instruction& instruction,
                                          absl::Span<Literal> operands,
                                          EvaluationContext& context) {
  ASSIGN_OR_RETURN(const Literal lhs,
                   ApplyScale(instruction, operands[0], operands[2], context));
  ASSIGN_OR_RETURN(const Literal rhs,
                   ApplyScale(instruction, operands[1], operands[3], context));
  return ComputeDot(instruction, lhs, rhs);
}

}  // namespace hilo::hlo
