// Element-wise opcodes of real floats.
#include <array>
#include <optional>

#include "llvm/IR/Constant.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Casting.h"

#include "backends/codegen/element_opcodes.h"
#include "backends/codegen/lane_math.h"
#include "backends/codegen/lanes.h"
#include "hlo/ir/opcode.h"

namespace hilo::backends {
namespace {

using hlo::Opcode;

// A number with the sign of what x is in every lane, and 0 where that is; none
// if lanes differ or are NaN.
std::optional<double> NumberOf(const Lanes& x) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(x.value());
  if (constant == nullptr) return std::nullopt;
  if (x.count() > 1) constant = constant->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  if (number == nullptr || number->isNaN()) return std::nullopt;
  const double magnitude = number->isZero() ? 0.0 : 1.0;
  return number->isNegative() ? -magnitude : magnitude;
}

bool IsPositiveZero(double number) { return number == 0 && 1 / number > 0; }
bool IsNegativeZero(double number) { return number == 0 && 1 / number < 0; }

// maximum with a constant: only the sign of zeros needs care.
Lanes MaximumWith(const Lanes& x, const Lanes& constant, double number) {
  return Select(IsPositiveZero(number) ? x <= constant : x < constant, constant,
                x);
}
Lanes MinimumWith(const Lanes& x, const Lanes& constant, double number) {
  return Select(IsNegativeZero(number) ? x >= constant : x > constant, constant,
                x);
}

Lanes Sign(const Lanes& x) {
  const Lanes is_signed = Lanes(
      x.builder(), x.builder().CreateFCmpONE(x.value(), x.Constant(0).value()));
  return Select(is_signed, CopySign(x.Constant(1), x), x);
}

// The number below one half: adding one half would round up what is below it.
Lanes RoundAwayFromZero(const Lanes& x) {
  const double half = x.IsDouble() ? 0x1.fffffffffffffp-2 : 0x1.fffffep-2;
  return Truncate(x + CopySign(x.Constant(half), x));
}

struct FloatRow {
  Opcode opcode;
  Lanes (*emit)(const Lanes& x, const Lanes& y);
};

#define HILO_UNARY_ROW(opcode, expression) \
  {Opcode::opcode, [](const Lanes& x, const Lanes&) { return expression; }}
#define HILO_BINARY_ROW(opcode, expression) \
  {Opcode::opcode, [](const Lanes& x, const Lanes& y) { return expression; }}

constexpr auto kFloatRows = std::to_array<FloatRow>({
    HILO_UNARY_ROW(kAbs, Abs(x)),
    HILO_UNARY_ROW(kAcos, Acos(x)),
    HILO_UNARY_ROW(kAcosh, Acosh(x)),
    HILO_BINARY_ROW(kAdd, x + y),
    HILO_UNARY_ROW(kAsin, Asin(x)),
    HILO_UNARY_ROW(kAsinh, Asinh(x)),
    HILO_BINARY_ROW(kAtan2, Atan2(x, y)),
    HILO_UNARY_ROW(kAtanh, Atanh(x)),
    HILO_UNARY_ROW(kCbrt, Cbrt(x)),
    HILO_UNARY_ROW(kCeil, Ceil(x)),
    HILO_UNARY_ROW(kCosh, Cosh(x)),
    HILO_UNARY_ROW(kCosine, Cos(x)),
    HILO_BINARY_ROW(kDivide, x / y),
    HILO_UNARY_ROW(kErf, Erf(x)),
    HILO_UNARY_ROW(kExponential, Exp(x)),
    HILO_UNARY_ROW(kExponentialMinusOne, Expm1(x)),
    HILO_UNARY_ROW(kFloor, Floor(x)),
    HILO_UNARY_ROW(kImag, x.Constant(0)),
    HILO_UNARY_ROW(kIsFinite, Abs(x) < kInfinity),
    HILO_UNARY_ROW(kLog, Log(x)),
    HILO_UNARY_ROW(kLogPlusOne, Log1p(x)),
    HILO_UNARY_ROW(kLogistic, Logistic(x)),
    HILO_BINARY_ROW(kMaximum, Maximum(x, y)),
    HILO_BINARY_ROW(kMinimum, Minimum(x, y)),
    HILO_BINARY_ROW(kMultiply, x* y),
    HILO_UNARY_ROW(kNegate, -x),
    HILO_BINARY_ROW(kPower, Pow(x, y)),
    HILO_UNARY_ROW(kReal, x),
    HILO_BINARY_ROW(kRemainder, Remainder(x, y)),
    HILO_UNARY_ROW(kRoundNearestAfz, RoundAwayFromZero(x)),
    HILO_UNARY_ROW(kRoundNearestEven, RoundToEven(x)),
    HILO_UNARY_ROW(kRsqrt, Rsqrt(x)),
    HILO_UNARY_ROW(kSign, Sign(x)),
    HILO_UNARY_ROW(kSine, Sin(x)),
    HILO_UNARY_ROW(kSinh, Sinh(x)),
    HILO_UNARY_ROW(kSqrt, Sqrt(x)),
    HILO_BINARY_ROW(kSubtract, x - y),
    HILO_UNARY_ROW(kTan, Tan(x)),
    HILO_UNARY_ROW(kTanh, Tanh(x)),
});

#undef HILO_UNARY_ROW
#undef HILO_BINARY_ROW

}  // namespace

Lanes Maximum(const Lanes& x, const Lanes& y) {
  if (const auto number = NumberOf(y)) return MaximumWith(x, y, *number);
  if (const auto number = NumberOf(x)) return MaximumWith(y, x, *number);
  const Lanes larger = LargerOrSecond(x, y);
  // Equal operands are the same but for the signs of zeros.
  const Lanes zero = FloatOfBits(BitsOf(x) & BitsOf(y));
  return Select(IsNan(x), x, Select(x == y, zero, larger));
}

Lanes Minimum(const Lanes& x, const Lanes& y) {
  if (const auto number = NumberOf(y)) return MinimumWith(x, y, *number);
  if (const auto number = NumberOf(x)) return MinimumWith(y, x, *number);
  const Lanes smaller = SmallerOrSecond(x, y);
  const Lanes zero = FloatOfBits(BitsOf(x) | BitsOf(y));
  return Select(IsNan(x), x, Select(x == y, zero, smaller));
}

std::optional<Lanes> EmitFloat(Opcode opcode, const Lanes& x, const Lanes& y) {
  for (const FloatRow& row : kFloatRows) {
    if (row.opcode == opcode) return row.emit(x, y);
  }
  return std::nullopt;
}

}  // namespace hilo::backends
