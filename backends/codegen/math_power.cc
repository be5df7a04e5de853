// Powers, roots and the remainder.
#include <array>
#include <vector>

#include "absl/types/span.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"

#include "backends/codegen/lane_math.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/math_pieces.h"

namespace hilo::backends {
namespace {

// log(1 + f) in two doubles: with s = f / (2 + f), s (2 + z (2/3 + z P(z))) for
// z = s^2. Relative error below 2^-64.
DoubledLanes PreciseLog(const Lanes& f) {
  const DoubledLanes divisor = ExactSum(f.Constant(2), f);
  const Lanes s = f / divisor.high;
  const Lanes s_low =
      (Fma(-s, divisor.high, f) - s * divisor.low) / divisor.high;
  DoubledLanes z = ExactProduct(s, s);
  z.low = Fma(s + s, s_low, z.low);
  const Lanes tail =
      z.high * Polynomial(z.high, {0x1.0e4a349279d9fp-3, 0x1.0f7f20341281dp-3,
                                   0x1.3b1ef466aa54cp-3, 0x1.745ce9b6a22b5p-3,
                                   0x1.c71c722de3da1p-3, 0x1.24924924577fep-2,
                                   0x1.9999999999b33p-2});
  DoubledLanes factor = ExactSum(f.Constant(0x1.5555555555555p-1), tail);
  factor.low = factor.low + 0x1.5555555555555p-55;
  DoubledLanes product = ExactProduct(z.high, factor.high);
  product.low = Fma(z.high, factor.low, Fma(z.low, factor.high, product.low));
  DoubledLanes sum = ExactSum(f.Constant(2), product.high);
  sum.low = sum.low + product.low;
  DoubledLanes result = ExactProduct(s, sum.high);
  result.low = Fma(s, sum.low, Fma(s_low, sum.high, result.low));
  return result;
}

// x^y for positive finite doubles x.
Lanes PositivePower(const Lanes& x, const Lanes& y) {
  const Decomposed decomposed = Decompose(x);
  const DoubledLanes fraction = PreciseLog(decomposed.fraction);
  // ln 2 in 42 bits, so that the product is exact, and the rest.
  const Lanes whole = decomposed.exponent * 0x1.62e42fefa3800p-1;
  const DoubledLanes sum = ExactSum(whole, fraction.high);
  const Lanes low =
      Fma(decomposed.exponent, 0x1.ef35793c76730p-45, sum.low + fraction.low);
  const DoubledLanes logarithm = ExactSum(sum.high, low);
  const DoubledLanes product = ExactProduct(y, logarithm.high);
  const Lanes correction = Fma(y, logarithm.low, product.low);
  const Lanes is_moderate = Abs(product.high) < 1000;
  return ExpOfSum(product.high, Select(is_moderate, correction, 0));
}

// x^y for positive finite floats x, in double: a logarithm with a relative
// error of 2^-37 is enough.
Lanes PositivePowerOfFloat(const Lanes& x, const Lanes& y) {
  const Decomposed decomposed = Decompose(x);
  const Lanes f = ToDouble(decomposed.fraction);
  const Lanes s = f / (f + 2);
  const Lanes z = s * s;
  const Lanes series =
      Polynomial(z, {0x1.e2fdd4aaa090fp-3, 0x1.2438a8618fbb9p-2,
                     0x1.999a7b3c05389p-2, 0x1.555554fd40d2dp-1});
  const Lanes fraction_log = Fma(s * z, series, s + s);
  const Lanes logarithm =
      Fma(ToDouble(decomposed.exponent), 0x1.62e42fefa39efp-1, fraction_log);
  // Far beyond float's range on both sides.
  const Lanes product = ToDouble(y) * logarithm;
  const Lanes above = LargerOrSecond(product, product.Constant(-200));
  const Lanes bounded = SmallerOrSecond(above, product.Constant(200));
  return ToFloat(ModerateExp(bounded));
}

Lanes IsInteger(const Lanes& y) { return Truncate(y) == y; }

// With the sign of a negative x to an odd power; NaN for a fractional one.
Lanes WithSign(const Lanes& power, const Lanes& x, const Lanes& y) {
  const Lanes is_integer = IsInteger(y);
  const Lanes is_odd = is_integer & ~IsInteger(y * 0.5);
  const Lanes is_negative = BitsOf(x) < 0;
  const Lanes with_sign = Select(is_negative & is_odd, -power, power);
  const Lanes has_value = is_integer | (x >= 0) | (x == -kInfinity);
  return Select(has_value, with_sign, kNotANumber);
}

// fmod of magnitudes, y > 0, in the lanes of one function of its own: y times a
// power of two is subtracted wherever it fits, from the largest power down. All
// steps are exact.
std::vector<Lanes> EmitRemainder(const Lanes& x, const Lanes& y) {
  llvm::IRBuilderBase& builder = x.builder();
  llvm::LLVMContext& context = builder.getContext();
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  llvm::BasicBlock* start = builder.GetInsertBlock();
  auto* grow = llvm::BasicBlock::Create(context, "grow", function);
  auto* shrink = llvm::BasicBlock::Create(context, "shrink", function);
  auto* end = llvm::BasicBlock::Create(context, "end", function);
  builder.CreateBr(grow);

  builder.SetInsertPoint(grow);
  llvm::PHINode* grown = builder.CreatePHI(y.type(), 2);
  const Lanes scaled(builder, grown);
  const Lanes fits = scaled <= x * 0.5;
  const Lanes doubled = Select(fits, scaled + scaled, scaled);
  grown->addIncoming(y.value(), start);
  grown->addIncoming(doubled.value(), grow);
  builder.CreateCondBr(AnyLane(fits).value(), grow, shrink);

  builder.SetInsertPoint(shrink);
  llvm::PHINode* rest = builder.CreatePHI(x.type(), 2);
  llvm::PHINode* multiple = builder.CreatePHI(y.type(), 2);
  const Lanes r(builder, rest);
  const Lanes m(builder, multiple);
  const Lanes next = Select(r >= m, r - m, r);
  const Lanes is_multiple = m > y;
  const Lanes halved = Select(is_multiple, m * 0.5, m);
  rest->addIncoming(x.value(), grow);
  rest->addIncoming(next.value(), shrink);
  multiple->addIncoming(doubled.value(), grow);
  multiple->addIncoming(halved.value(), shrink);
  builder.CreateCondBr(AnyLane(is_multiple).value(), shrink, end);

  builder.SetInsertPoint(end);
  return {next};
}

}  // namespace

Lanes Pow(const Lanes& x, const Lanes& y) {
  const Lanes magnitude = Abs(x);
  const Lanes is_limit = (magnitude == 0) | (magnitude == kInfinity);
  const Lanes base = Select(is_limit, 1, magnitude);
  const Lanes finite =
      x.IsDouble() ? PositivePower(base, y) : PositivePowerOfFloat(base, y);
  const Lanes becomes_zero = (magnitude == 0) ^ (y < 0);
  const Lanes limit = Select(becomes_zero, 0, x.Constant(kInfinity));
  const Lanes power = Select(is_limit, limit, finite);
  const Lanes one = x.Constant(1);
  const Lanes positive = Select(magnitude == 1, one, power);
  const Lanes result = WithSign(positive, x, y);
  const Lanes with_nan = Select(IsNan(x) | IsNan(y), x + y, result);
  return Select((y == 0) | (x == 1), one, with_nan);
}

// With x = 8^n z: a polynomial, Halley's and Newton's method for z.
Lanes Cbrt(const Lanes& x) {
  const Decomposed decomposed = Decompose(Abs(x));
  const Lanes third = RoundToEven(decomposed.exponent * (1.0 / 3.0));
  const Lanes rest = Fma(third, -3.0, decomposed.exponent);
  const Lanes z = (decomposed.fraction + 1) * PowerOfTwo(rest);
  Lanes root = Polynomial(
      z, {0x1.7652cb5469d36p-7, -0x1.b0bf2ad7b46f8p-4, 0x1.8fff81fdea1a1p-2,
          -0x1.88518c5ad2440p-1, 0x1.0e3debb5c9208p+0, 0x1.a85b704a88e0bp-2});
  const Lanes cube = root * root * root;
  root = root * ((cube + (z + z)) / (cube + cube + z));
  const Lanes square = root * root;
  const Lanes excess = Fma(square, root, -z);
  root = root - excess / (square * 3);
  const Lanes result = CopySign(root * PowerOfTwo(third), x);
  const Lanes is_number = (x != 0) & (Abs(x) < kInfinity);
  return Select(is_number, result, x);
}

Lanes Rsqrt(const Lanes& x) { return 1 / Sqrt(x); }

Lanes Remainder(const Lanes& x, const Lanes& y) {
  const Lanes has_value = (Abs(x) < kInfinity) & (Abs(y) > 0);
  const std::array arguments = {Select(has_value, Abs(x), 0),
                                Select(has_value, Abs(y), 1)};
  const std::vector<Lanes> results = CallOutlined(
      "remainder", arguments, [](absl::Span<const Lanes> parameters) {
        return EmitRemainder(parameters[0], parameters[1]);
      });
  return Select(has_value, CopySign(results[0], x), kNotANumber);
}

}  // namespace hilo::backends
