// Rules about bits, comparisons and choices.
#include <array>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "passes/rewriter.h"
#include "passes/rules/rule.h"
#include "passes/rules/type_classes.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;

constexpr hlo::TypeClasses kAll = hlo::kArrayTypes;

// An iota compared with a constant outside of its range.
Instruction* CompareIotaOutOfRange(Instruction& instruction,
                                   Rewriter& rewriter) {
  const Instruction* iota = instruction.operand(0);
  const Instruction* scalar = SplatScalar(instruction.operand(1));
  if (iota->opcode() != Opcode::kIota || scalar == nullptr ||
      !hlo::IsInteger(iota->shape().element_type())) {
    return nullptr;
  }
  const std::optional<int64_t> bound = IntegerConstant(scalar);
  const int64_t last = iota->shape().dimension(iota->iota_dimension()) - 1;
  const int bits = hlo::InfoOf(iota->shape().element_type()).bits;
  const bool wraps = bits < 64 && last >= int64_t{1} << (bits - 1);
  if (!bound || last < 0 || wraps) return nullptr;
  const bool all_below = last < *bound;
  const bool all_above = *bound < 0;
  if (!all_below && !all_above) return nullptr;
  bool result = false;
  switch (instruction.direction()) {
    case hlo::ComparisonDirection::kEq:
      result = false;
      break;
    case hlo::ComparisonDirection::kNe:
      result = true;
      break;
    case hlo::ComparisonDirection::kLt:
    case hlo::ComparisonDirection::kLe:
      result = all_below;
      break;
    case hlo::ComparisonDirection::kGt:
    case hlo::ComparisonDirection::kGe:
      result = all_above;
      break;
  }
  return rewriter.Splat(
      rewriter.IntegerScalar(hlo::ElementType::kPred, result ? 1 : 0),
      instruction.shape());
}

// The opposite of a comparison whose operands are always ordered.
Instruction* NegateComparison(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* compare = instruction.operand(0);
  if (compare->opcode() != Opcode::kCompare) return nullptr;
  hlo::ComparisonDirection opposite = hlo::ComparisonDirection::kEq;
  switch (compare->direction()) {
    case hlo::ComparisonDirection::kEq:
      opposite = hlo::ComparisonDirection::kNe;
      break;
    case hlo::ComparisonDirection::kNe:
      opposite = hlo::ComparisonDirection::kEq;
      break;
    case hlo::ComparisonDirection::kGe:
      opposite = hlo::ComparisonDirection::kLt;
      break;
    case hlo::ComparisonDirection::kGt:
      opposite = hlo::ComparisonDirection::kLe;
      break;
    case hlo::ComparisonDirection::kLe:
      opposite = hlo::ComparisonDirection::kGt;
      break;
    case hlo::ComparisonDirection::kLt:
      opposite = hlo::ComparisonDirection::kGe;
      break;
  }
  const bool is_equality =
      compare->direction() == hlo::ComparisonDirection::kEq ||
      compare->direction() == hlo::ComparisonDirection::kNe;
  if (compare->comparison_type() == hlo::ComparisonType::kFloat &&
      !is_equality) {
    return nullptr;
  }
  Instruction* result =
      rewriter.Like(*compare, instruction.shape(), compare->operands());
  result->set_direction(opposite);
  return result;
}

// A select by a scalar that is known.
Instruction* SelectByScalarConstant(Instruction& instruction,
                                    Rewriter& /*rewriter*/) {
  const hlo::Literal* predicate = SplatConstant(instruction.operand(0));
  if (predicate == nullptr) return nullptr;
  return instruction.operand(IsNumber(*predicate, 0) ? 2 : 1);
}

// A shift by at least the width of the type.
Instruction* ShiftByWidth(Instruction& instruction, Rewriter& rewriter) {
  const Instruction* scalar = SplatScalar(instruction.operand(1));
  if (scalar == nullptr) return nullptr;
  const std::optional<int64_t> amount = IntegerConstant(scalar);
  const hlo::ElementType type = instruction.shape().element_type();
  const int bits = hlo::InfoOf(type).bits;
  if (!amount || (*amount >= 0 && *amount < bits)) return nullptr;
  return rewriter.Splat(rewriter.IntegerScalar(type, 0), instruction.shape());
}

constexpr auto kLogicRules = std::to_array<Rule>({
    {"and-self", "and(x, x) => x", {}, {}, kB},
    {"and-zero", "and(x, 0) => 0", {}, {}, kB},
    {"and-ones", "and(x, -1) => x", {}, {}, kB},
    {"and-complement", "and(x, not(x)) => 0", {}, {}, kB},
    {"and-again", "and(and(x, y), y) => and(x, y)", {}, {}, kB},
    {"and-of-or", "and(or(x, y), y) => y", {}, {}, kB},
    {"and-constants", "and(and(v, c1), c2) => and(v, and(c1, c2))", {}, {}, kB},
    {"and-of-complements", "and(not(x), not(y)) => not(or(x, y))", {}, {}, kB},
    {"or-self", "or(x, x) => x", {}, {}, kB},
    {"or-zero", "or(x, 0) => x", {}, {}, kB},
    {"or-ones", "or(x, -1) => -1", {}, {}, kB},
    {"or-complement", "or(x, not(x)) => -1", {}, {}, kB},
    {"or-again", "or(or(x, y), y) => or(x, y)", {}, {}, kB},
    {"or-of-and", "or(and(x, y), y) => y", {}, {}, kB},
    {"or-constants", "or(or(v, c1), c2) => or(v, or(c1, c2))", {}, {}, kB},
    {"or-of-complements", "or(not(x), not(y)) => not(and(x, y))", {}, {}, kB},
    {"xor-self", "xor(x, x) => 0", {}, {}, kB},
    {"xor-zero", "xor(x, 0) => x", {}, {}, kB},
    {"xor-ones", "xor(x, -1) => not(x)", {}, {}, kB},
    {"xor-complement", "xor(x, not(x)) => -1", {}, {}, kB},
    {"xor-again", "xor(xor(x, y), y) => x", {}, {}, kB},
    {"xor-constants", "xor(xor(v, c1), c2) => xor(v, xor(c1, c2))", {}, {}, kB},
    {"xor-of-complements", "xor(not(x), not(y)) => xor(x, y)", {}, {}, kB},
    {"xor-with-complement", "xor(not(v), c) => xor(v, not(c))", {}, {}, kB},
    {"not-twice", "not(not(x)) => x", {}, {}, kB},
    {"not-of-negation", "not(negate(x)) => add(x, -1)", {}, {}, kI},
    {"not-of-minus-one-less", "not(add(x, -1)) => negate(x)", {}, {}, kI},

    {"shift-left-zero", "shift-left(x, 0) => x", {}, {}, kI},
    {"shift-right-logical-zero", "shift-right-logical(x, 0) => x", {}, {}, kI},
    {"shift-right-arithmetic-zero",
     "shift-right-arithmetic(x, 0) => x",
     {},
     {},
     kI},
    {"shift-left-of-zero", "shift-left(0, x) => 0", {}, {}, kI},
    {"shift-right-logical-of-zero",
     "shift-right-logical(0, x) => 0",
     {},
     {},
     kI},
    {"shift-right-arithmetic-of-zero",
     "shift-right-arithmetic(0, x) => 0",
     {},
     {},
     kI},
    {.name = "shift-left-by-width",
     .text = "shift-left(x, width or more) => 0",
     .opcode = Opcode::kShiftLeft,
     .apply = &ShiftByWidth},
    {.name = "shift-right-logical-by-width",
     .text = "shift-right-logical(x, width or more) => 0",
     .opcode = Opcode::kShiftRightLogical,
     .apply = &ShiftByWidth},

    {"compare-constant-right-eq",
     "compare.EQ(c, v) => compare.EQ(v, c)",
     {},
     {},
     kAll},
    {"compare-constant-right-ne",
     "compare.NE(c, v) => compare.NE(v, c)",
     {},
     {},
     kAll},
    {"compare-constant-right-lt",
     "compare.LT(c, v) => compare.GT(v, c)",
     {},
     {},
     kB | kF},
    {"compare-constant-right-le",
     "compare.LE(c, v) => compare.GE(v, c)",
     {},
     {},
     kB | kF},
    {"compare-constant-right-gt",
     "compare.GT(c, v) => compare.LT(v, c)",
     {},
     {},
     kB | kF},
    {"compare-constant-right-ge",
     "compare.GE(c, v) => compare.LE(v, c)",
     {},
     {},
     kB | kF},
    {"compare-eq-self", "compare.EQ(x, x) => true", {}, {}, kB},
    {"compare-ne-self", "compare.NE(x, x) => false", {}, {}, kB},
    {"compare-le-self", "compare.LE(x, x) => true", {}, {}, kB},
    {"compare-ge-self", "compare.GE(x, x) => true", {}, {}, kB},
    {"compare-lt-self", "compare.LT(x, x) => false", {}, {}, kB | kF},
    {"compare-gt-self", "compare.GT(x, x) => false", {}, {}, kB | kF},
    {"compare-lt-lowest", "compare.LT(x, lowest) => false", {}, {}, kI},
    {"compare-ge-lowest", "compare.GE(x, lowest) => true", {}, {}, kI},
    {"compare-le-lowest",
     "compare.LE(x, lowest) => compare.EQ(x, lowest)",
     {},
     {},
     kI},
    {"compare-gt-lowest",
     "compare.GT(x, lowest) => compare.NE(x, lowest)",
     {},
     {},
     kI},
    {"compare-gt-highest", "compare.GT(x, highest) => false", {}, {}, kI},
    {"compare-le-highest", "compare.LE(x, highest) => true", {}, {}, kI},
    {"compare-ge-highest",
     "compare.GE(x, highest) => compare.EQ(x, highest)",
     {},
     {},
     kI},
    {"compare-lt-highest",
     "compare.LT(x, highest) => compare.NE(x, highest)",
     {},
     {},
     kI},
    {"compare-lt-one", "compare.LT(x, 1) => compare.EQ(x, 0)", {}, {}, kU},
    {"compare-ge-one", "compare.GE(x, 1) => compare.NE(x, 0)", {}, {}, kU},
    {"compare-lt-negative-infinity",
     "compare.LT(x, -inf) => false",
     {},
     {},
     kF},
    {"compare-gt-infinity", "compare.GT(x, inf) => false", {}, {}, kF},
    {"compare-eq-true", "compare.EQ(x, true) => x", {}, {}, kP},
    {"compare-eq-false", "compare.EQ(x, false) => not(x)", {}, {}, kP},
    {"compare-ne-true", "compare.NE(x, true) => not(x)", {}, {}, kP},
    {"compare-ne-false", "compare.NE(x, false) => x", {}, {}, kP},
    {"compare-ne-pred", "compare.NE(x, y) => xor(x, y)", {}, {}, kP},
    {"compare-eq-pred", "compare.EQ(x, y) => not(xor(x, y))", {}, {}, kP},
    {"compare-eq-negated",
     "compare.EQ(negate(x), negate(y)) => "
     "compare.EQ(x, y)",
     {},
     {},
     kI | kF},
    {"compare-ne-negated",
     "compare.NE(negate(x), negate(y)) => "
     "compare.NE(x, y)",
     {},
     {},
     kI | kF},
    {"compare-lt-negated",
     "compare.LT(negate(x), negate(y)) => "
     "compare.GT(x, y)",
     {},
     {},
     kF},
    {"compare-gt-negated",
     "compare.GT(negate(x), negate(y)) => "
     "compare.LT(x, y)",
     {},
     {},
     kF},
    {"compare-eq-negated-constant",
     "compare.EQ(negate(v), c) => "
     "compare.EQ(v, negate(c))",
     {},
     {},
     kI | kF},
    {"compare-ne-negated-constant",
     "compare.NE(negate(v), c) => "
     "compare.NE(v, negate(c))",
     {},
     {},
     kI | kF},
    {"compare-lt-negated-constant",
     "compare.LT(negate(v), c) => "
     "compare.GT(v, negate(c))",
     {},
     {},
     kF},
    {"compare-gt-negated-constant",
     "compare.GT(negate(v), c) => "
     "compare.LT(v, negate(c))",
     {},
     {},
     kF},
    {"compare-eq-difference",
     "compare.EQ(subtract(x, y), 0) => "
     "compare.EQ(x, y)",
     {},
     {},
     kI},
    {"compare-ne-difference",
     "compare.NE(subtract(x, y), 0) => "
     "compare.NE(x, y)",
     {},
     {},
     kI},
    {"compare-eq-xor",
     "compare.EQ(xor(x, y), 0) => compare.EQ(x, y)",
     {},
     {},
     kI},
    {"compare-ne-xor",
     "compare.NE(xor(x, y), 0) => compare.NE(x, y)",
     {},
     {},
     kI},
    {"compare-eq-sum",
     "compare.EQ(add(v, c1), c2) => "
     "compare.EQ(v, subtract(c2, c1))",
     {},
     {},
     kI},
    {"compare-ne-sum",
     "compare.NE(add(v, c1), c2) => "
     "compare.NE(v, subtract(c2, c1))",
     {},
     {},
     kI},
    {"compare-lt-abs", "compare.LT(abs(x), 0) => false", {}, {}, kF},
    {.name = "compare-iota-out-of-range",
     .text = "compare(iota, c) => true or false",
     .opcode = Opcode::kCompare,
     .apply = &CompareIotaOutOfRange},

    {.name = "not-comparison",
     .text = "not(compare(x, y)) => the opposite comparison",
     .opcode = Opcode::kNot,
     .apply = &NegateComparison},

    {.name = "select-by-constant",
     .text = "select(c, x, y) => x or y",
     .opcode = Opcode::kSelect,
     .apply = &SelectByScalarConstant},
    {"select-same", "select(p, x, x) => x", {}, {}, kAll},
    {"select-not", "select(not(p), x, y) => select(p, y, x)", {}, {}, kAll},
    {"select-again-true",
     "select(p, select(p, x, y), z) => select(p, x, z)",
     {},
     {},
     kAll},
    {"select-again-false",
     "select(p, x, select(p, y, z)) => select(p, x, z)",
     {},
     {},
     kAll},
    {"select-nested-and",
     "select(p, select(q, x, y), y) => "
     "select(and(p, q), x, y)",
     {},
     {},
     kAll},
    {"select-true-false", "select(p, true, false) => p", {}, {}, kP},
    {"select-false-true", "select(p, false, true) => not(p)", {}, {}, kP},
    {"select-true-else", "select(p, true, x) => or(p, x)", {}, {}, kP},
    {"select-else-false", "select(p, x, false) => and(p, x)", {}, {}, kP},
    {"select-else-true", "select(p, x, true) => or(not(p), x)", {}, {}, kP},
    {"select-false-else", "select(p, false, x) => and(not(p), x)", {}, {}, kP},
    {"select-by-equality", "select(compare.EQ(x, y), x, y) => y", {}, {}, kI},
    {"select-by-inequality", "select(compare.NE(x, y), x, y) => x", {}, {}, kI},
    {"select-larger",
     "select(compare.GT(x, y), x, y) => maximum(x, y)",
     {},
     {},
     kI},
    {"select-larger-or-equal",
     "select(compare.GE(x, y), x, y) => "
     "maximum(x, y)",
     {},
     {},
     kI},
    {"select-smaller",
     "select(compare.LT(x, y), x, y) => minimum(x, y)",
     {},
     {},
     kI},
    {"select-smaller-or-equal",
     "select(compare.LE(x, y), x, y) => "
     "minimum(x, y)",
     {},
     {},
     kI},

    {"clamp-whole-range", "clamp(lowest, x, highest) => x", {}, {}, kI | kF},
    {"clamp-no-minimum",
     "clamp(lowest, x, y) => minimum(x, y)",
     {},
     {},
     kI | kF},
    {"clamp-no-maximum",
     "clamp(y, x, highest) => maximum(x, y)",
     {},
     {},
     kI | kF},
    {"clamp-again",
     "clamp(y, clamp(y, x, z), z) => clamp(y, x, z)",
     {},
     {},
     kI | kF},
    {"clamp-to-point", "clamp(y, x, y) => y", {}, {}, kI},
    {"clamp-to-itself", "clamp(x, x, y) => minimum(x, y)", {}, {}, kS | kU},
});

}  // namespace

absl::Span<const Rule> LogicRules() { return kLogicRules; }

}  // namespace hilo::passes
