// The list of all rules, and questions that many of them ask.
#include "passes/rules/rule.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::passes {

using hlo::Instruction;
using hlo::Literal;
using hlo::Opcode;

absl::string_view NameOf(Exactness exactness) {
  switch (exactness) {
    case Exactness::kExact:
      return "exact";
    case Exactness::kWithinBound:
      return "within error bound";
    case Exactness::kRealNumbers:
      return "real numbers";
  }
  return "";
}

absl::Span<const Rule> Rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> rules;
    for (const absl::Span<const Rule> family :
         {StructureRules(), ArithmeticRules(), LogicRules(), ConversionRules(),
          ShapeRules(), BroadcastRules(), SliceRules(), IndexingRules(),
          ReductionRules(), ContractionRules()}) {
      rules.insert(rules.end(), family.begin(), family.end());
    }
    return rules;
  }();
  return kRules;
}

Instruction* SplatScalar(const Instruction* instruction) {
  if (instruction->opcode() == Opcode::kBroadcast &&
      instruction->operand_shape(0).rank() == 0) {
    return instruction->operand(0);
  }
  if (instruction->shape().IsScalar()) {
    return const_cast<Instruction*>(instruction);
  }
  return nullptr;
}

const Literal* SplatConstant(const Instruction* instruction) {
  const Instruction* scalar = SplatScalar(instruction);
  if (scalar == nullptr || scalar->opcode() != Opcode::kConstant) {
    return nullptr;
  }
  return &scalar->value();
}

bool IsNumber(const Literal& scalar, double number) {
  return hlo::DispatchElementType(scalar.shape().element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    const T value = reinterpret_cast<const T*>(scalar.untyped_data())[0];
    if constexpr (NumericTraits<T>::is_complex) {
      return static_cast<double>(value.real()) == number &&
             static_cast<double>(value.imag()) == 0 &&
             std::signbit(value.real()) == std::signbit(number) &&
             !std::signbit(value.imag());
    } else if constexpr (NumericTraits<T>::is_float) {
      const auto wide = static_cast<double>(value);
      return wide == number && std::signbit(wide) == std::signbit(number);
    } else {
      // -1 stands for all ones in unsigned types, too.
      const auto wanted = static_cast<int64_t>(number);
      const T converted = ConvertElement<T>(wanted);
      return value == converted &&
             (wanted == -1 || ConvertElement<int64_t>(converted) == wanted);
    }
  });
}

bool IsSplatOf(const Instruction* instruction, double number) {
  const Literal* scalar = SplatConstant(instruction);
  return scalar != nullptr && IsNumber(*scalar, number);
}

bool IsConstant(const Instruction* instruction) {
  return instruction->opcode() == Opcode::kConstant ||
         SplatConstant(instruction) != nullptr;
}

std::optional<int64_t> IntegerConstant(const Instruction* instruction) {
  if (instruction->opcode() != Opcode::kConstant ||
      !instruction->shape().IsScalar() ||
      !hlo::IsInteger(instruction->shape().element_type())) {
    return std::nullopt;
  }
  const hlo::ElementType type = instruction->shape().element_type();
  return hlo::DispatchElementType(
      type, [&](auto tag) -> std::optional<int64_t> {
        using T = decltype(tag)::type;
        const T value =
            reinterpret_cast<const T*>(instruction->value().untyped_data())[0];
        const auto wide = ConvertElement<int64_t>(value);
        if (hlo::IsUnsignedInteger(type) && wide < 0) return std::nullopt;
        return wide;
      });
}

std::optional<Opcode> ScalarOperationOf(const hlo::Computation& reducer) {
  const Instruction* root = reducer.root();
  if (reducer.instruction_count() != 3 || reducer.parameter_count() != 2 ||
      root->operand_count() != 2 || !hlo::IsElementwiseBinary(root->opcode())) {
    return std::nullopt;
  }
  const Instruction* lhs = root->operand(0);
  const Instruction* rhs = root->operand(1);
  if (lhs == rhs || lhs->opcode() != Opcode::kParameter ||
      rhs->opcode() != Opcode::kParameter) {
    return std::nullopt;
  }
  const bool in_order = lhs->parameter_number() == 0;
  if (!in_order && !hlo::InfoOf(root->opcode()).Has(hlo::kCommutative)) {
    return std::nullopt;
  }
  return root->opcode();
}

bool IsElementwise(Opcode opcode) {
  return hlo::IsElementwiseUnary(opcode) || hlo::IsElementwiseBinary(opcode) ||
         hlo::InfoOf(opcode).Has(hlo::kElementwise);
}

}  // namespace hilo::passes
