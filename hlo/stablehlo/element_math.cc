// Appends the instructions of formulas.
#include "hlo/stablehlo/element_math.h"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::stablehlo {

using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

Term ElementMath::Number(double number) {
  hlo::Literal literal(Shape::Scalar(type()));
  hlo::DispatchElementType(type(), [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (!NumericTraits<T>::is_complex) {
      literal.mutable_data<T>()[0] = ConvertElement<T>(number);
    }
  });
  Instruction* scalar = Add(Opcode::kConstant, literal.shape(), {});
  scalar->set_value(std::move(literal));
  if (shape_.rank() == 0) return {this, scalar};
  return {this, Add(Opcode::kBroadcast, shape_, {scalar})};
}

Term ElementMath::Unary(Opcode opcode, Term x) {
  return {this, Add(opcode, x.value()->shape(), {x.value()})};
}

Term ElementMath::Binary(Opcode opcode, Term x, Term y) {
  return {this, Add(opcode, x.value()->shape(), {x.value(), y.value()})};
}

Term ElementMath::Compare(hlo::ComparisonDirection direction, Term x, Term y) {
  Instruction* compare =
      Add(Opcode::kCompare, hlo::WithElementType(shape_, ElementType::kPred),
          {x.value(), y.value()});
  compare->set_direction(direction);
  return {this, compare};
}

Term ElementMath::Select(Term condition, Term x, Term y) {
  return {this, Add(Opcode::kSelect, x.value()->shape(),
                    {condition.value(), x.value(), y.value()})};
}

Term ElementMath::IsFinite(Term x) {
  return {this,
          Add(Opcode::kIsFinite,
              hlo::WithElementType(x.value()->shape(), ElementType::kPred),
              {x.value()})};
}

Instruction* ElementMath::Add(Opcode opcode, const Shape& shape,
                              std::initializer_list<Instruction*> operands) {
  Instruction* instruction = computation_->Add(opcode, shape);
  instruction->set_name(std::string(hlo::TextOf(opcode)));
  instruction->set_source_offset(offset_);
  for (Instruction* operand : operands) instruction->AppendOperand(operand);
  return instruction;
}

Term Polynomial(Term x, absl::Span<const double> coefficients) {
  Term sum = x.math()->Number(coefficients[0]);
  for (size_t i = 1; i < coefficients.size(); ++i) {
    sum = sum * x + coefficients[i];
  }
  return sum;
}

}  // namespace hilo::stablehlo
