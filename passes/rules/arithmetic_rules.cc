// Rules about arithmetic.
#include <array>
#include <cmath>
#include <utility>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "passes/rewriter.h"
#include "passes/rules/rule.h"
#include "passes/rules/type_classes.h"
#include "runtime/base/convert_element.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;

constexpr Exactness kReal = Exactness::kRealNumbers;
constexpr Exactness kBound = Exactness::kWithinBound;

// x / c by a power of two c is x * (1 / c), when that is a number of the type.
Instruction* DivideByPowerOfTwo(Instruction& instruction, Rewriter& rewriter) {
  const hlo::ElementType type = instruction.shape().element_type();
  const hlo::Literal* divisor = SplatConstant(instruction.operand(1));
  if (divisor == nullptr || !hlo::IsFloat(type)) return nullptr;
  const double value = hlo::DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    return ConvertElement<double>(
        reinterpret_cast<const T*>(divisor->untyped_data())[0]);
  });
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(value), &exponent);
  if (mantissa != 0.5 || std::fabs(value) == 1) return nullptr;
  // Subnormal factors would be slow, and small types may lack them.
  constexpr int kLargest = 100;
  if (std::abs(exponent) > kLargest) return nullptr;
  hlo::Literal factor = ScalarLiteral(type, 1 / value);
  if (!IsNumber(factor, 1 / value)) return nullptr;
  return rewriter.Binary(Opcode::kMultiply, instruction.operand(0),
                         rewriter.Splat(rewriter.Constant(std::move(factor)),
                                        instruction.shape()));
}

// Constants stand on the right.
Instruction* MoveConstantRight(Instruction& instruction,
                               Rewriter& /*rewriter*/) {
  if (!hlo::InfoOf(instruction.opcode()).Has(hlo::kCommutative) ||
      !IsConstant(instruction.operand(0)) ||
      IsConstant(instruction.operand(1))) {
    return nullptr;
  }
  Instruction* constant = instruction.operand(0);
  instruction.ReplaceOperand(0, instruction.operand(1));
  instruction.ReplaceOperand(1, constant);
  return &instruction;
}

constexpr auto kArithmeticRules = std::to_array<Rule>({
    {.name = "commutative-constant-right",
     .text = "op(c, v) => op(v, c)",
     .at_opcodes = &hlo::IsElementwiseBinary,
     .apply = &MoveConstantRight},

    {"add-zero", "add(x, 0) => x", {}, {}, kI},
    {"add-negative-zero", "add(x, -0) => x", {}, {}, kF},
    {"add-negated",
     "add(x, negate(y)) => subtract(x, y)",
     {},
     {},
     kI | kF | kC},
    {"add-two-negated",
     "add(negate(x), negate(y)) => negate(add(x, y))",
     {},
     {},
     kI},
    {"add-of-difference", "add(subtract(x, y), y) => x", {}, {}, kI},
    {"add-constants", "add(add(v, c1), c2) => add(v, add(c1, c2))", {}, {}, kI},
    {"add-constant-to-difference",
     "add(subtract(v, c1), c2) => add(v, subtract(c2, c1))",
     {},
     {},
     kI},
    {"add-constant-to-negation",
     "add(subtract(c1, v), c2) => subtract(add(c1, c2), v)",
     {},
     {},
     kI},
    {"add-complement", "add(x, not(x)) => -1", {}, {}, kI},
    {"add-one-to-complement", "add(not(x), 1) => negate(x)", {}, {}, kI},
    {"add-common-factor",
     "add(multiply(x, c1), multiply(x, c2)) => multiply(x, add(c1, c2))",
     {},
     {},
     kI},
    {"add-pred", "add(x, y) => or(x, y)", {}, {}, hlo::kPredicateTypes},

    {"subtract-zero", "subtract(x, 0) => x", {}, {}, kI | kF},
    {"subtract-self", "subtract(x, x) => 0", {}, {}, kI},
    {"subtract-from-zero", "subtract(0, x) => negate(x)", {}, {}, kI},
    {"subtract-from-negative-zero", "subtract(-0, x) => negate(x)", {}, {}, kF},
    {"subtract-negated",
     "subtract(x, negate(y)) => add(x, y)",
     {},
     {},
     kI | kF | kC},
    {"subtract-constants",
     "subtract(subtract(v, c1), c2) => "
     "subtract(v, add(c1, c2))",
     {},
     {},
     kI},
    {"subtract-constant-from-sum",
     "subtract(add(v, c1), c2) => add(v, subtract(c1, c2))",
     {},
     {},
     kI},
    {"subtract-difference-from-constant",
     "subtract(c1, subtract(c2, v)) => add(v, subtract(c1, c2))",
     {},
     {},
     kI},
    {"subtract-sum-from-constant",
     "subtract(c1, add(v, c2)) => subtract(subtract(c1, c2), v)",
     {},
     {},
     kI},
    {"subtract-term", "subtract(add(x, y), x) => y", {}, {}, kI},
    {"subtract-difference", "subtract(x, subtract(x, y)) => y", {}, {}, kI},
    {"subtract-sum", "subtract(x, add(x, y)) => negate(y)", {}, {}, kI},
    {"subtract-complement", "subtract(-1, x) => not(x)", {}, {}, kI},

    {"multiply-one", "multiply(x, 1) => x", {}, {}, kI | kF},
    {"multiply-zero", "multiply(x, 0) => 0", {}, {}, kI},
    {"multiply-minus-one", "multiply(x, -1) => negate(x)", {}, {}, kI | kF},
    {"multiply-two-negated",
     "multiply(negate(x), negate(y)) => "
     "multiply(x, y)",
     {},
     {},
     kI | kF | kC},
    {"multiply-negated-constant",
     "multiply(negate(v), c) => multiply(v, negate(c))",
     {},
     {},
     kI | kF},
    {"multiply-constants",
     "multiply(multiply(v, c1), c2) => multiply(v, multiply(c1, c2))",
     {},
     {},
     kI},
    {"multiply-absolute-values",
     "multiply(abs(x), abs(x)) => multiply(x, x)",
     {},
     {},
     kF | kS},
    {"multiply-pred",
     "multiply(x, y) => and(x, y)",
     {},
     {},
     hlo::kPredicateTypes},

    {"divide-one", "divide(x, 1) => x", {}, {}, kI | kF},
    {"divide-minus-one", "divide(x, -1) => negate(x)", {}, {}, kS | kF},
    {"divide-zero", "divide(x, 0) => -1", {}, {}, kI},
    {"divide-two-negated",
     "divide(negate(x), negate(y)) => divide(x, y)",
     {},
     {},
     kF},
    {"divide-negated-constant",
     "divide(negate(v), c) => divide(v, negate(c))",
     {},
     {},
     kF},
    {.name = "divide-power-of-two",
     .text = "divide(x, 2^n) => multiply(x, 2^-n)",
     .opcode = Opcode::kDivide,
     .apply = &DivideByPowerOfTwo},

    {"remainder-one", "remainder(x, 1) => 0", {}, {}, kI},
    {"remainder-minus-one", "remainder(x, -1) => 0", {}, {}, kS},
    {"remainder-zero", "remainder(x, 0) => x", {}, {}, kI},
    {"remainder-of-remainder",
     "remainder(remainder(x, y), y) => "
     "remainder(x, y)",
     {},
     {},
     kI | kF},

    {"power-one", "power(x, 1) => x", {}, {}, kI | kF},
    {"power-zero", "power(x, 0) => 1", {}, {}, kI | kF},
    {"power-of-one", "power(1, x) => 1", {}, {}, kI | kF},
    {"power-two-integer", "power(x, 2) => multiply(x, x)", {}, {}, kI},
    {"power-three-integer",
     "power(x, 3) => multiply(multiply(x, x), x)",
     {},
     {},
     kI},
    {"power-two", "power(x, 2) => multiply(x, x)", {}, {}, kF, kBound},
    {"power-three",
     "power(x, 3) => multiply(multiply(x, x), x)",
     {},
     {},
     kF,
     kBound},
    {"power-minus-one", "power(x, -1) => divide(1, x)", {}, {}, kF, kBound},

    {"multiply-high-zero", "mulhi(x, 0) => 0", {}, {}, kI},
    {"multiply-high-one",
     "mulhi(x, 1) => 0",
     {},
     {},
     hlo::ClassBit(hlo::ElementClass::kUnsigned)},

    {"maximum-self", "maximum(x, x) => x", {}, {}, kI | kF},
    {"minimum-self", "minimum(x, x) => x", {}, {}, kI | kF},
    {"maximum-lowest", "maximum(x, lowest) => x", {}, {}, kI | kF},
    {"minimum-highest", "minimum(x, highest) => x", {}, {}, kI | kF},
    {"maximum-highest", "maximum(x, highest) => highest", {}, {}, kI},
    {"minimum-lowest", "minimum(x, lowest) => lowest", {}, {}, kI},
    {"maximum-again",
     "maximum(maximum(x, y), y) => maximum(x, y)",
     {},
     {},
     kI | kF},
    {"minimum-again",
     "minimum(minimum(x, y), y) => minimum(x, y)",
     {},
     {},
     kI | kF},
    {"maximum-constants",
     "maximum(maximum(v, c1), c2) => "
     "maximum(v, maximum(c1, c2))",
     {},
     {},
     kI | kF},
    {"minimum-constants",
     "minimum(minimum(v, c1), c2) => "
     "minimum(v, minimum(c1, c2))",
     {},
     {},
     kI | kF},
    {"maximum-of-minimum", "maximum(minimum(x, y), y) => y", {}, {}, kI},
    {"minimum-of-maximum", "minimum(maximum(x, y), y) => y", {}, {}, kI},
    {"maximum-of-negated",
     "maximum(negate(x), negate(y)) => "
     "negate(minimum(x, y))",
     {},
     {},
     kF},
    {"minimum-of-negated",
     "minimum(negate(x), negate(y)) => "
     "negate(maximum(x, y))",
     {},
     {},
     kF},
    {"maximum-pred", "maximum(x, y) => or(x, y)", {}, {}, hlo::kPredicateTypes},
    {"minimum-pred",
     "minimum(x, y) => and(x, y)",
     {},
     {},
     hlo::kPredicateTypes},

    {"negate-twice", "negate(negate(x)) => x", {}, {}, kI | kF | kC},
    {"negate-difference",
     "negate(subtract(x, y)) => subtract(y, x)",
     {},
     {},
     kI},
    {"negate-product",
     "negate(multiply(v, c)) => multiply(v, negate(c))",
     {},
     {},
     kI | kF},
    {"negate-quotient",
     "negate(divide(v, c)) => divide(v, negate(c))",
     {},
     {},
     kF},
    {"negate-quotient-of-constant",
     "negate(divide(c, v)) => divide(negate(c), v)",
     {},
     {},
     kF},
    {"negate-product-of-negated",
     "negate(multiply(negate(x), y)) => "
     "multiply(x, y)",
     {},
     {},
     kI | kF},
    {"negate-complement", "negate(not(x)) => add(x, 1)", {}, {}, kI},

    {"abs-twice", "abs(abs(x)) => abs(x)", {}, {}, kF | kS},
    {"abs-negated", "abs(negate(x)) => abs(x)", {}, {}, kF | kS | kC},
    {"abs-square", "abs(multiply(x, x)) => multiply(x, x)", {}, {}, kF},
    {"abs-exponential", "abs(exponential(x)) => exponential(x)", {}, {}, kF},
    {"abs-logistic", "abs(logistic(x)) => logistic(x)", {}, {}, kF},
    {"sign-twice", "sign(sign(x)) => sign(x)", {}, {}, kF | kS},
    {"abs-sign-abs", "abs(sign(abs(x))) => sign(abs(x))", {}, {}, kF},

    {"floor-twice", "floor(floor(x)) => floor(x)", {}, {}, kF},
    {"floor-ceil", "floor(ceil(x)) => ceil(x)", {}, {}, kF},
    {"floor-round",
     "floor(round-nearest-even(x)) => round-nearest-even(x)",
     {},
     {},
     kF},
    {"floor-round-afz",
     "floor(round-nearest-afz(x)) => round-nearest-afz(x)",
     {},
     {},
     kF},
    {"ceil-twice", "ceil(ceil(x)) => ceil(x)", {}, {}, kF},
    {"ceil-floor", "ceil(floor(x)) => floor(x)", {}, {}, kF},
    {"ceil-round",
     "ceil(round-nearest-even(x)) => round-nearest-even(x)",
     {},
     {},
     kF},
    {"ceil-round-afz",
     "ceil(round-nearest-afz(x)) => round-nearest-afz(x)",
     {},
     {},
     kF},
    {"round-twice",
     "round-nearest-even(round-nearest-even(x)) => "
     "round-nearest-even(x)",
     {},
     {},
     kF},
    {"round-floor", "round-nearest-even(floor(x)) => floor(x)", {}, {}, kF},
    {"round-ceil", "round-nearest-even(ceil(x)) => ceil(x)", {}, {}, kF},
    {"round-afz-twice",
     "round-nearest-afz(round-nearest-afz(x)) => "
     "round-nearest-afz(x)",
     {},
     {},
     kF},
    {"round-afz-floor", "round-nearest-afz(floor(x)) => floor(x)", {}, {}, kF},
    {"round-afz-ceil", "round-nearest-afz(ceil(x)) => ceil(x)", {}, {}, kF},

    {"cosine-negated", "cosine(negate(x)) => cosine(x)", {}, {}, kF},
    {"cosine-abs", "cosine(abs(x)) => cosine(x)", {}, {}, kF},
    {"cosh-negated", "cosh(negate(x)) => cosh(x)", {}, {}, kF},
    {"cosh-abs", "cosh(abs(x)) => cosh(x)", {}, {}, kF},
    {"is-finite-negated", "is-finite(negate(x)) => is-finite(x)", {}, {}, kF},
    {"is-finite-abs", "is-finite(abs(x)) => is-finite(x)", {}, {}, kF},

    {"real-of-complex", "real(complex(x, y)) => x", {}, {}, kC},
    {"imag-of-complex", "imag(complex(x, y)) => y", {}, {}, kC},
    {"complex-of-parts", "complex(real(x), imag(x)) => x", {}, {}, kC},
    {"real-of-real", "real(x) => x", {}, {}, kF},
    {"imag-of-real", "imag(x) => 0", {}, {}, kF},

    {"add-zero-real", "add(x, 0) => x", {}, {}, kF, kReal},
    {"add-constants-real",
     "add(add(v, c1), c2) => add(v, add(c1, c2))",
     {},
     {},
     kF,
     kReal},
    {"multiply-constants-real",
     "multiply(multiply(v, c1), c2) => multiply(v, multiply(c1, c2))",
     {},
     {},
     kF,
     kReal},
    {"multiply-zero-real", "multiply(x, 0) => 0", {}, {}, kF, kReal},
    {"subtract-self-real", "subtract(x, x) => 0", {}, {}, kF, kReal},
    {"subtract-from-zero-real",
     "subtract(0, x) => negate(x)",
     {},
     {},
     kF,
     kReal},
    {"divide-constant-real",
     "divide(v, c) => multiply(v, divide(1, c))",
     {},
     {},
     kF,
     kReal},
    {"divide-self-real", "divide(x, x) => 1", {}, {}, kF, kReal},
    {"divide-square-root-real",
     "divide(x, sqrt(y)) => multiply(x, rsqrt(y))",
     {},
     {},
     kF,
     kReal},
    {"log-of-exponential-real", "log(exponential(x)) => x", {}, {}, kF, kReal},
    {"exponential-of-log-real", "exponential(log(x)) => x", {}, {}, kF, kReal},
    {"multiply-exponentials-real",
     "multiply(exponential(x), exponential(y)) => exponential(add(x, y))",
     {},
     {},
     kF,
     kReal},
    {"multiply-square-roots-real",
     "multiply(sqrt(x), sqrt(x)) => x",
     {},
     {},
     kF,
     kReal},
    {"square-root-of-square-real",
     "sqrt(multiply(x, x)) => abs(x)",
     {},
     {},
     kF,
     kReal},
    {"log-of-one-plus-real",
     "log(add(x, 1)) => log-plus-one(x)",
     {},
     {},
     kF,
     kReal},
    {"exponential-minus-one-real",
     "subtract(exponential(x), 1) => exponential-minus-one(x)",
     {},
     {},
     kF,
     kReal},
    {"logistic-real",
     "divide(1, add(exponential(negate(x)), 1)) => logistic(x)",
     {},
     {},
     kF,
     kReal},
});

}  // namespace

absl::Span<const Rule> ArithmeticRules() { return kArithmeticRules; }

}  // namespace hilo::passes
