// Expansions of bitcasts between elements of different widths, one of them pred
// or less than a byte.
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/legalize/legalize.h"
#include "passes/rewriter.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Bits that an element has in a bitcast.
int WidthOf(ElementType type) {
  return type == ElementType::kPred ? 8 : hlo::InfoOf(type).bits;
}

std::optional<ElementType> UnsignedOfWidth(int bits) {
  for (const ElementType type :
       {ElementType::kU1, ElementType::kU2, ElementType::kU4, ElementType::kU8,
        ElementType::kU16, ElementType::kU32, ElementType::kU64}) {
    if (hlo::InfoOf(type).bits == bits) return type;
  }
  return std::nullopt;
}

// 0, bits, 2 * bits, ... along the last dimension.
Instruction* ShiftAmounts(const Shape& shape, int bits, Rewriter& rewriter) {
  return rewriter.Binary(
      Opcode::kMultiply, rewriter.Iota(shape, shape.rank() - 1),
      rewriter.Splat(rewriter.IntegerScalar(shape.element_type(),
                                            static_cast<uint64_t>(bits)),
                     shape));
}

// The elements along the last dimension, side by side in one.
Instruction* Join(Instruction* narrow, ElementType type, Rewriter& rewriter) {
  const int bits = WidthOf(narrow->shape().element_type());
  Instruction* wide = rewriter.Convert(narrow, type);
  const Shape shape = wide->shape();
  wide = rewriter.Binary(Opcode::kShiftLeft, wide,
                         ShiftAmounts(shape, bits, rewriter));
  return rewriter.Reduce(
      wide, rewriter.IntegerScalar(type, 0), {shape.rank() - 1},
      MakeScalarComputation(rewriter.module(), Opcode::kOr, type));
}

// The parts of each element, along a new last dimension.
Instruction* Split(Instruction* wide, ElementType type, Rewriter& rewriter) {
  const ElementType wide_type = wide->shape().element_type();
  const int bits = WidthOf(type);
  DimensionVector sizes(wide->shape().dimensions().begin(),
                        wide->shape().dimensions().end());
  DimensionVector kept;
  for (int64_t i = 0; i < wide->shape().rank(); ++i) kept.push_back(i);
  sizes.push_back(WidthOf(wide_type) / bits);
  Instruction* copies = rewriter.Broadcast(wide, sizes, kept);
  const Shape shape = copies->shape();
  return rewriter.Convert(rewriter.Binary(Opcode::kShiftRightLogical, copies,
                                          ShiftAmounts(shape, bits, rewriter)),
                          type);
}

constexpr uint64_t kPartBits = 32;

Instruction* HalfWord(const Shape& shape, Rewriter& rewriter) {
  return rewriter.Splat(rewriter.IntegerScalar(ElementType::kU64, kPartBits),
                        shape);
}

// The real part in the low bits.
Instruction* WordOfComplex(Instruction* value, Rewriter& rewriter) {
  const auto word = [&](Opcode part) {
    return rewriter.Convert(
        rewriter.BitcastConvert(rewriter.Unary(part, value), ElementType::kU32),
        ElementType::kU64);
  };
  Instruction* low = word(Opcode::kReal);
  Instruction* high = word(Opcode::kImag);
  return rewriter.Binary(Opcode::kOr, low,
                         rewriter.Binary(Opcode::kShiftLeft, high,
                                         HalfWord(high->shape(), rewriter)));
}

Instruction* ComplexOfWord(Instruction* word, Rewriter& rewriter) {
  const auto part = [&](Instruction* bits) {
    return rewriter.BitcastConvert(rewriter.Convert(bits, ElementType::kU32),
                                   ElementType::kF32);
  };
  Instruction* high = rewriter.Binary(Opcode::kShiftRightLogical, word,
                                      HalfWord(word->shape(), rewriter));
  return rewriter.Binary(Opcode::kComplex, part(word), part(high));
}

}  // namespace

bool HaveSameWidth(ElementType a, ElementType b) {
  if (a == ElementType::kPred) std::swap(a, b);
  const int bits = hlo::InfoOf(a).bits;
  return bits == hlo::InfoOf(b).bits || bits == WidthOf(b);
}

Instruction* SameBits(Instruction* value, ElementType type,
                      Rewriter& rewriter) {
  const ElementType from = value->shape().element_type();
  if (from == type) return value;
  // Through unsigned numbers, which all can become.
  const int bits = hlo::InfoOf(from == ElementType::kPred ? type : from).bits;
  const std::optional<ElementType> word = UnsignedOfWidth(bits);
  if (from == ElementType::kPred && word) {
    value = rewriter.Convert(value, *word);
  } else if (hlo::IsComplex(from)) {
    value = WordOfComplex(value, rewriter);
  } else if (word) {
    value = rewriter.BitcastConvert(value, *word);
  }
  if (type == ElementType::kPred) return rewriter.Convert(value, type);
  if (hlo::IsComplex(type)) return ComplexOfWord(value, rewriter);
  return rewriter.BitcastConvert(value, type);
}

absl::StatusOr<Instruction*> ExpandBitcastConvert(Instruction& instruction,
                                                  Rewriter& rewriter) {
  const ElementType from = instruction.operand_shape(0).element_type();
  const ElementType to = instruction.shape().element_type();
  const int from_bits = WidthOf(from);
  const int to_bits = WidthOf(to);
  const bool has_code = from_bits >= 8 && to_bits >= 8 &&
                        from != ElementType::kPred && to != ElementType::kPred;
  if (from_bits == to_bits || has_code) return nullptr;
  const std::optional<ElementType> from_word = UnsignedOfWidth(from_bits);
  const std::optional<ElementType> to_word = UnsignedOfWidth(to_bits);
  if (!from_word || !to_word || hlo::IsComplex(from) || hlo::IsComplex(to)) {
    return nullptr;
  }
  Instruction* value =
      from == ElementType::kPred
          ? rewriter.Convert(instruction.operand(0), *from_word)
          : rewriter.BitcastConvert(instruction.operand(0), *from_word);
  value = from_bits < to_bits ? Join(value, *to_word, rewriter)
                              : Split(value, *to_word, rewriter);
  if (to == ElementType::kPred) return rewriter.Convert(value, to);
  return rewriter.BitcastConvert(value, to);
}

}  // namespace hilo::passes
