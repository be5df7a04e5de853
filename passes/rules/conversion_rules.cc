// Rules about element types.
#include <array>
#include <cstdint>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/rewriter.h"
#include "passes/rules/rule.h"

namespace hilo::passes {
namespace {

using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;

// Bits of the significand, the leading one included; 0 for types whose range
// or special values are unusual.
int SignificandBits(ElementType type) {
  switch (type) {
    case ElementType::kF16:
      return 11;
    case ElementType::kBF16:
      return 8;
    case ElementType::kF32:
      return 24;
    case ElementType::kF64:
      return 53;
    default:  // NOLINT: the rest is not an ordinary float
      return 0;
  }
}

// Whether every value of `from` is a value of `to`.
bool IsLossless(ElementType from, ElementType to) {
  if (from == to) return true;
  const int from_bits = hlo::InfoOf(from).bits;
  const int to_bits = hlo::InfoOf(to).bits;
  if (from == ElementType::kPred) {
    return hlo::IsInteger(to) ? to_bits > 1 : SignificandBits(to) > 0;
  }
  if (hlo::IsInteger(from) && hlo::IsInteger(to)) {
    if (hlo::IsSignedInteger(from) == hlo::IsSignedInteger(to)) {
      return from_bits <= to_bits;
    }
    return hlo::IsUnsignedInteger(from) && from_bits < to_bits;
  }
  if (hlo::IsInteger(from)) return from_bits <= SignificandBits(to);
  if (!hlo::IsFloat(from) || !hlo::IsFloat(to)) return false;
  // All small floats fit into f32, and f32 into f64.
  if (to == ElementType::kF64) return from != ElementType::kF64;
  return to == ElementType::kF32 && from != ElementType::kF64;
}

Instruction* ConvertToSameType(Instruction& instruction,
                               Rewriter& /*rewriter*/) {
  Instruction* operand = instruction.operand(0);
  return operand->shape().element_type() == instruction.shape().element_type()
             ? operand
             : nullptr;
}

// convert(convert(x)) where the first loses nothing, and where the second
// would give the same from x.
Instruction* ConvertTwice(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* inner = instruction.operand(0);
  if (inner->opcode() != Opcode::kConvert) return nullptr;
  Instruction* value = inner->operand(0);
  const ElementType first = value->shape().element_type();
  const ElementType middle = inner->shape().element_type();
  const ElementType last = instruction.shape().element_type();
  // Integers that shrink keep their low bits, however many steps they take.
  const bool shrinks = hlo::IsInteger(first) && hlo::IsInteger(middle) &&
                       hlo::IsInteger(last) &&
                       hlo::InfoOf(last).bits <= hlo::InfoOf(middle).bits;
  if (!shrinks && !IsLossless(first, middle)) return nullptr;
  if (first == last) return value;
  // Floats that are out of an integer's range become its bounds; integers lose
  // their high bits.
  const bool clamps =
      !hlo::IsFloat(first) && hlo::IsFloat(middle) && hlo::IsInteger(last);
  if (clamps && !IsLossless(first, last)) return nullptr;
  // Integers reach f16 and bf16 through f32 but small floats directly.
  const bool same_path = shrinks ||
                         hlo::IsFloat(first) == hlo::IsFloat(middle) ||
                         !hlo::IsFloat(last);
  if (!same_path && !IsLossless(first, last)) return nullptr;
  return rewriter.Convert(value, last);
}

// A convert of what counts up counts up in the other type.
Instruction* ConvertIota(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* iota = instruction.operand(0);
  const ElementType from = iota->shape().element_type();
  const ElementType to = instruction.shape().element_type();
  if (iota->opcode() != Opcode::kIota || !hlo::IsInteger(from) ||
      to == ElementType::kPred || hlo::IsComplex(to)) {
    return nullptr;
  }
  const int64_t last = iota->shape().dimension(iota->iota_dimension()) - 1;
  const int bits = hlo::InfoOf(from).bits;
  if (bits < 64 && last >= int64_t{1} << (bits - 1)) return nullptr;
  return rewriter.Iota(instruction.shape(), iota->iota_dimension());
}

// pred -> number -> compare with 0.
Instruction* CompareConvertedPredicate(Instruction& instruction,
                                       Rewriter& rewriter) {
  const Instruction* convert = instruction.operand(0);
  if (convert->opcode() != Opcode::kConvert ||
      convert->operand_shape(0).element_type() != ElementType::kPred ||
      instruction.comparison_type() == hlo::ComparisonType::kTotalOrder ||
      !IsSplatOf(instruction.operand(1), 0)) {
    return nullptr;
  }
  if (instruction.direction() == hlo::ComparisonDirection::kNe) {
    return convert->operand(0);
  }
  if (instruction.direction() == hlo::ComparisonDirection::kEq) {
    return rewriter.Unary(Opcode::kNot, convert->operand(0));
  }
  return nullptr;
}

// compare(convert(x), convert(y)) from one type that loses nothing.
Instruction* CompareConverted(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* lhs = instruction.operand(0);
  const Instruction* rhs = instruction.operand(1);
  if (lhs->opcode() != Opcode::kConvert || rhs->opcode() != Opcode::kConvert) {
    return nullptr;
  }
  const ElementType from = lhs->operand_shape(0).element_type();
  const ElementType to = lhs->shape().element_type();
  if (rhs->operand_shape(0).element_type() != from || !hlo::IsInteger(from) ||
      !hlo::IsInteger(to) || !IsLossless(from, to)) {
    return nullptr;
  }
  return rewriter.Compare(instruction.direction(), lhs->operand(0),
                          rhs->operand(0));
}

Instruction* BitcastConvertToSameType(Instruction& instruction,
                                      Rewriter& /*rewriter*/) {
  Instruction* operand = instruction.operand(0);
  return Compatible(operand->shape(), instruction.shape()) ? operand : nullptr;
}

Instruction* BitcastConvertTwice(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* inner = instruction.operand(0);
  if (inner->opcode() != Opcode::kBitcastConvert) return nullptr;
  Instruction* value = inner->operand(0);
  const int first = hlo::InfoOf(value->shape().element_type()).bits;
  const int middle = hlo::InfoOf(inner->shape().element_type()).bits;
  const int last = hlo::InfoOf(instruction.shape().element_type()).bits;
  if (Compatible(value->shape(), instruction.shape())) return value;
  if (first != middle && middle != last) return nullptr;
  return rewriter.Add(Opcode::kBitcastConvert,
                      WithoutLayout(instruction.shape()), {value});
}

// Bits of the same width are moved, wherever that is done.
Instruction* ReducePrecisionOfNarrow(Instruction& instruction,
                                     Rewriter& /*rewriter*/) {
  // The format of f32 and f64 themselves keeps every value.
  const ElementType type = instruction.shape().element_type();
  const bool keeps_all =
      (type == ElementType::kF32 && instruction.exponent_bits() >= 8 &&
       instruction.mantissa_bits() >= 23) ||
      (type == ElementType::kF64 && instruction.exponent_bits() >= 11 &&
       instruction.mantissa_bits() >= 52) ||
      (type == ElementType::kBF16 && instruction.exponent_bits() >= 8 &&
       instruction.mantissa_bits() >= 7) ||
      (type == ElementType::kF16 && instruction.exponent_bits() >= 5 &&
       instruction.mantissa_bits() >= 10);
  return keeps_all ? instruction.operand(0) : nullptr;
}

// Rounding twice to one format rounds once.
Instruction* ReducePrecisionTwice(Instruction& instruction,
                                  Rewriter& /*rewriter*/) {
  Instruction* inner = instruction.operand(0);
  const bool is_same = inner->opcode() == Opcode::kReducePrecision &&
                       inner->exponent_bits() == instruction.exponent_bits() &&
                       inner->mantissa_bits() == instruction.mantissa_bits();
  return is_same ? inner : nullptr;
}

// An integer has no fraction and is finite.
Instruction* RoundConvertedInteger(Instruction& instruction,
                                   Rewriter& /*rewriter*/) {
  Instruction* convert = instruction.operand(0);
  if (convert->opcode() != Opcode::kConvert) return nullptr;
  const ElementType from = convert->operand_shape(0).element_type();
  const bool is_whole = from == ElementType::kPred || hlo::IsInteger(from);
  return is_whole && SignificandBits(convert->shape().element_type()) > 0
             ? convert
             : nullptr;
}

constexpr auto kConversionRules = std::to_array<Rule>({
    {.name = "convert-same-type",
     .text = "convert(x) => x",
     .opcode = Opcode::kConvert,
     .apply = &ConvertToSameType},
    {.name = "convert-twice",
     .text = "convert(convert(x)) => convert(x)",
     .opcode = Opcode::kConvert,
     .apply = &ConvertTwice},
    {.name = "convert-iota",
     .text = "convert(iota) => iota",
     .opcode = Opcode::kConvert,
     .apply = &ConvertIota},
    {.name = "compare-converted-pred",
     .text = "compare(convert(p), 0) => p or not(p)",
     .opcode = Opcode::kCompare,
     .apply = &CompareConvertedPredicate},
    {.name = "compare-converted",
     .text = "compare(convert(x), convert(y)) => compare(x, y)",
     .opcode = Opcode::kCompare,
     .apply = &CompareConverted},
    {.name = "bitcast-convert-same-type",
     .text = "bitcast-convert(x) => x",
     .opcode = Opcode::kBitcastConvert,
     .apply = &BitcastConvertToSameType},
    {.name = "bitcast-convert-twice",
     .text = "bitcast-convert(bitcast-convert(x)) => bitcast-convert(x)",
     .opcode = Opcode::kBitcastConvert,
     .apply = &BitcastConvertTwice},
    {.name = "reduce-precision-to-own-format",
     .text = "reduce-precision(x) => x",
     .opcode = Opcode::kReducePrecision,
     .apply = &ReducePrecisionOfNarrow},
    {.name = "reduce-precision-twice",
     .text = "reduce-precision(reduce-precision(x)) => reduce-precision(x)",
     .opcode = Opcode::kReducePrecision,
     .apply = &ReducePrecisionTwice},
    {.name = "floor-of-integer",
     .text = "floor(convert(x)) => convert(x)",
     .opcode = Opcode::kFloor,
     .apply = &RoundConvertedInteger},
    {.name = "ceil-of-integer",
     .text = "ceil(convert(x)) => convert(x)",
     .opcode = Opcode::kCeil,
     .apply = &RoundConvertedInteger},
    {.name = "round-even-of-integer",
     .text = "round-nearest-even(convert(x)) => convert(x)",
     .opcode = Opcode::kRoundNearestEven,
     .apply = &RoundConvertedInteger},
    {.name = "round-afz-of-integer",
     .text = "round-nearest-afz(convert(x)) => convert(x)",
     .opcode = Opcode::kRoundNearestAfz,
     .apply = &RoundConvertedInteger},
});

}  // namespace

absl::Span<const Rule> ConversionRules() { return kConversionRules; }

}  // namespace hilo::passes
