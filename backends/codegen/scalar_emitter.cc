// Dispatches element-wise opcodes by the type of their operands.
#include "backends/codegen/scalar_emitter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/complex_math.h"
#include "backends/codegen/element_conversion.h"
#include "backends/codegen/element_opcodes.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/reduce_precision.h"
#include "backends/codegen/stored_form.h"
#include "backends/codegen/target_facts.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::ComparisonDirection;
using hlo::ElementType;
using hlo::Opcode;

absl::Status NotTaken(Opcode opcode, ElementType type) {
  return Unimplemented(hlo::TextOf(opcode), " of ", hlo::TextOf(type),
                       " has no code for CPUs");
}

// The type in which operand `i` is computed with: its own, unless float types
// are mixed.
ElementType ComputeType(const hlo::Instruction& instruction, int64_t i) {
  const Opcode opcode = instruction.opcode();
  const ElementType own = instruction.operand_shape(i).element_type();
  const ElementType result = instruction.shape().element_type();
  if (opcode == Opcode::kCompare) {
    return instruction.operand_shape(0).element_type();
  }
  if (hlo::IsElementwiseBinary(opcode) || opcode == Opcode::kClamp ||
      opcode == Opcode::kReducePrecision ||
      (opcode == Opcode::kSelect && i > 0)) {
    return result;
  }
  const hlo::OpcodeInfo& info = hlo::InfoOf(opcode);
  if (hlo::IsElementwiseUnary(opcode) && !info.Has(hlo::kComponentResult) &&
      !info.Has(hlo::kPredicateResult)) {
    return result;
  }
  return own;
}

// The operands of one instruction, in their compute types.
struct Operands {
  llvm::IRBuilderBase& builder;
  ElementType type = ElementType::kPred;
  absl::Span<const ElementValue> values;
  TargetFacts facts;

  Lanes real(size_t i) const { return {builder, values[i].real}; }
  Lanes imag(size_t i) const { return {builder, values[i].imag}; }
  ComplexLanes complex(size_t i) const { return {real(i), imag(i)}; }
};

ElementValue ValueOf(const Lanes& lanes) { return {lanes.value(), nullptr}; }
ElementValue ValueOf(const ComplexLanes& lanes) {
  return {lanes.real.value(), lanes.imag.value()};
}

Lanes Ordered(ComparisonDirection direction, bool is_unsigned, const Lanes& x,
              const Lanes& y) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return x == y;
    case ComparisonDirection::kNe:
      return x != y;
    case ComparisonDirection::kGe:
      return is_unsigned ? ~Below(x, y) : x >= y;
    case ComparisonDirection::kGt:
      return is_unsigned ? Below(y, x) : x > y;
    case ComparisonDirection::kLe:
      return is_unsigned ? ~Below(y, x) : x <= y;
    case ComparisonDirection::kLt:
      return is_unsigned ? Below(x, y) : x < y;
  }
  return x;
}

// By real parts, then by imaginary ones; NaN makes all but NE false.
Lanes OrderedComplex(ComparisonDirection direction, const ComplexLanes& x,
                     const ComplexLanes& y) {
  const Lanes equal = (x.real == y.real) & (x.imag == y.imag);
  switch (direction) {
    case ComparisonDirection::kEq:
      return equal;
    case ComparisonDirection::kNe:
      return ~equal;
    case ComparisonDirection::kGe:
      return IsLess(y, x) | equal;
    case ComparisonDirection::kGt:
      return IsLess(y, x);
    case ComparisonDirection::kLe:
      return IsLess(x, y) | equal;
    case ComparisonDirection::kLt:
      return IsLess(x, y);
  }
  return equal;
}

ElementValue EmitCompare(const hlo::Instruction& instruction,
                         const Operands& operands) {
  const ComparisonDirection direction = instruction.direction();
  if (hlo::IsComplex(operands.type)) {
    return ValueOf(
        OrderedComplex(direction, operands.complex(0), operands.complex(1)));
  }
  const Lanes x = operands.real(0);
  const Lanes y = operands.real(1);
  if (instruction.comparison_type() == hlo::ComparisonType::kTotalOrder) {
    return ValueOf(Ordered(direction, false, TotalOrderKey(operands.type, x),
                           TotalOrderKey(operands.type, y)));
  }
  const bool is_unsigned = hlo::IsUnsignedInteger(operands.type) ||
                           operands.type == ElementType::kPred;
  return ValueOf(Ordered(direction, is_unsigned, x, y));
}

// Whether a result in float may be no value of the type. 16-bit floats, unlike
// narrower ones, are closed under all that only picks a sign or an integer.
bool NeedsRounding(Opcode opcode, ElementType type) {
  constexpr std::array kExact = {Opcode::kAbs,
                                 Opcode::kCeil,
                                 Opcode::kFloor,
                                 Opcode::kImag,
                                 Opcode::kMaximum,
                                 Opcode::kMinimum,
                                 Opcode::kNegate,
                                 Opcode::kReal,
                                 Opcode::kRoundNearestAfz,
                                 Opcode::kRoundNearestEven,
                                 Opcode::kSign};
  if (hlo::InfoOf(opcode).Has(hlo::kPredicateResult)) return false;
  return hlo::InfoOf(type).bits != 16 ||
         std::ranges::find(kExact, opcode) == kExact.end();
}

bool IsOneInstruction(Opcode opcode) {
  constexpr std::array kInstructions = {Opcode::kAdd, Opcode::kDivide,
                                        Opcode::kMultiply, Opcode::kSqrt,
                                        Opcode::kSubtract};
  return std::ranges::find(kInstructions, opcode) != kInstructions.end();
}

absl::StatusOr<ElementValue> EmitRow(Opcode opcode, const Operands& operands) {
  const size_t last = operands.values.size() - 1;
  const ElementType type = operands.type;
  if (!hlo::Contains(hlo::InfoOf(opcode).types, type)) {
    return NotTaken(opcode, type);
  }
  if (hlo::IsComplex(type)) {
    const std::optional<ComplexLanes> result =
        EmitComplex(opcode, operands.complex(0), operands.complex(last));
    if (!result) return NotTaken(opcode, type);
    if (!hlo::InfoOf(opcode).Has(hlo::kComponentResult)) {
      return ValueOf(*result);
    }
    return ValueOf(result->real);
  }
  const Lanes x = operands.real(0);
  const Lanes y = operands.real(last);
  std::optional<Lanes> result;
  if (type == ElementType::kPred) {
    result = EmitPredicate(opcode, x, y);
  } else if (hlo::IsInteger(type)) {
    result = EmitInteger(opcode, type, x, y);
  } else {
    result = EmitFloat(opcode, x, y);
    if (result && NeedsRounding(opcode, type)) {
      result = IsOneInstruction(opcode)
                   ? RoundResultTo(type, *result, operands.facts)
                   : RoundTo(type, *result, operands.facts);
    }
  }
  if (!result) return NotTaken(opcode, type);
  return ValueOf(*result);
}

// minimum(maximum(x, low), high) of (low, x, high).
absl::StatusOr<ElementValue> EmitClamp(const Operands& operands) {
  const std::array larger_operands = {operands.values[1], operands.values[0]};
  ASSIGN_OR_RETURN(
      const ElementValue larger,
      EmitRow(Opcode::kMaximum, {operands.builder, operands.type,
                                 larger_operands, operands.facts}));
  const std::array smaller_operands = {larger, operands.values[2]};
  return EmitRow(Opcode::kMinimum, {operands.builder, operands.type,
                                    smaller_operands, operands.facts});
}

absl::StatusOr<ElementValue> EmitBitcast(ElementType from, ElementType to,
                                         const Operands& operands) {
  if (from == to) return operands.values[0];
  if (hlo::IsComplex(from) || hlo::IsComplex(to) ||
      hlo::StorageBytes(from) != hlo::StorageBytes(to)) {
    return Unimplemented("bitcast-convert of ", hlo::TextOf(from), " to ",
                         hlo::TextOf(to), " is not of one element each");
  }
  const Lanes stored = ToStored(from, operands.real(0));
  const Lanes bits = stored.IsFloat() ? BitsOf(stored) : stored;
  const bool is_native = to == ElementType::kF32 || to == ElementType::kF64;
  const Lanes code = is_native ? FloatOfBits(bits) : bits;
  return ValueOf(FromStored(to, Wrap(to, code)));
}

}  // namespace

absl::StatusOr<ElementValue> ScalarEmitter::Emit(
    const hlo::Instruction& instruction,
    absl::Span<const ElementValue> values) {
  const Opcode opcode = instruction.opcode();
  std::vector<ElementValue> converted(values.begin(), values.end());
  for (size_t i = 0; i < converted.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    converted[i] =
        Convert(values[i], instruction.operand_shape(index).element_type(),
                ComputeType(instruction, index));
  }
  if (converted.empty()) return NotTaken(opcode, ElementType::kPred);
  const Operands operands = {builder_, ComputeType(instruction, 0), converted,
                             facts_};
  const ElementType type = instruction.shape().element_type();
  if (hlo::IsElementwiseUnary(opcode) || hlo::IsElementwiseBinary(opcode)) {
    return EmitRow(opcode, operands);
  }
  if (opcode == Opcode::kCompare) return EmitCompare(instruction, operands);
  if (opcode == Opcode::kClamp) return EmitClamp(operands);
  if (opcode == Opcode::kConvert) {
    return Convert(converted[0], operands.type, type);
  }
  if (opcode == Opcode::kSelect) {
    return Select(converted[0].real, converted[1], converted[2]);
  }
  if (opcode == Opcode::kComplex) {
    return ElementValue{converted[0].real, converted[1].real};
  }
  if (opcode == Opcode::kBitcastConvert) {
    return EmitBitcast(operands.type, type, operands);
  }
  if (opcode == Opcode::kReducePrecision) {
    return ValueOf(ReducePrecision(
        type, operands.real(0), static_cast<int>(instruction.exponent_bits()),
        static_cast<int>(instruction.mantissa_bits())));
  }
  return NotTaken(opcode, operands.type);
}

ElementValue ScalarEmitter::Convert(const ElementValue& value, ElementType from,
                                    ElementType to) {
  return ConvertElements(builder_, value, from, to, facts_);
}

}  // namespace hilo::backends
