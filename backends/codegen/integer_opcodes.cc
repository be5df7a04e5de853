// Element-wise opcodes of integers and pred.
#include <array>
#include <cstdint>
#include <optional>

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/Casting.h"

#include "backends/codegen/element_opcodes.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/stored_form.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"

namespace hilo::backends {
namespace {

using hlo::ElementType;
using hlo::Opcode;

bool IsSigned(ElementType type) { return hlo::IsSignedInteger(type); }

unsigned WidthOf(ElementType type) {
  return static_cast<unsigned>(hlo::InfoOf(type).bits);
}

// The low bits of x, zeros above: codes of the narrow types.
Lanes CodeOf(ElementType type, const Lanes& x) {
  const unsigned width = WidthOf(type);
  return width < x.bits() ? x & ((1U << width) - 1) : x;
}

Lanes Count(llvm::Intrinsic::ID id, const Lanes& x) {
  llvm::IRBuilderBase& builder = x.builder();
  if (id == llvm::Intrinsic::ctpop) {
    return {builder, builder.CreateUnaryIntrinsic(id, x.value())};
  }
  return {builder,
          builder.CreateBinaryIntrinsic(id, x.value(), builder.getFalse())};
}

bool IsConstant(const Lanes& x) { return llvm::isa<llvm::Constant>(x.value()); }

// The truncated quotient; the divisor is not 0, and -1 only if x > MIN.
// Vectors of up to 32 bits divide as floats, which processors do by lane: the
// distance of a quotient from the next integer is more than the error.
Lanes Quotient(ElementType type, const Lanes& x, const Lanes& divisor) {
  llvm::IRBuilderBase& builder = x.builder();
  const bool is_signed = IsSigned(type);
  if (x.count() == 1 || x.bits() == 64 || IsConstant(divisor)) {
    return {builder, is_signed
                         ? builder.CreateSDiv(x.value(), divisor.value())
                         : builder.CreateUDiv(x.value(), divisor.value())};
  }
  const bool in_double = x.bits() == 32;
  if (!is_signed) {
    const Lanes quotient =
        UnsignedToFloat(x, in_double) / UnsignedToFloat(divisor, in_double);
    if (in_double) return FloatToUnsigned(quotient, 32);
    return ResizeUnsigned(FloatToSigned(quotient, 32), x.bits());
  }
  const Lanes quotient =
      SignedToFloat(x, in_double) / SignedToFloat(divisor, in_double);
  return ResizeSigned(FloatToSigned(quotient, 32), x.bits());
}

// The divisor, or 1 where dividing by it would trap.
Lanes SafeDivisor(ElementType type, const Lanes& y) {
  if (!IsSigned(type)) return Select(y == 0, 1, y);
  return Select((y == 0) | (y == -1), 1, y);
}

Lanes Divide(ElementType type, const Lanes& x, const Lanes& y) {
  Lanes quotient = Quotient(type, x, SafeDivisor(type, y));
  if (IsSigned(type)) quotient = Select(y == -1, -x, quotient);
  return Select(y == 0, -1, quotient);
}

Lanes Remainder(ElementType type, const Lanes& x, const Lanes& y) {
  const Lanes divisor = SafeDivisor(type, y);
  const Lanes remainder = x - Quotient(type, x, divisor) * divisor;
  return Select(y == 0, x, remainder);
}

// The exponent when it is the same constant in all lanes.
std::optional<uint64_t> SplatOf(ElementType type, const Lanes& y) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(y.value());
  if (constant == nullptr) return std::nullopt;
  if (y.count() > 1) constant = constant->getSplatValue();
  const auto* integer = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant);
  if (integer == nullptr || (IsSigned(type) && integer->isNegative())) {
    return std::nullopt;
  }
  return integer->getZExtValue();
}

Lanes ConstantPower(const Lanes& x, uint64_t exponent) {
  std::optional<Lanes> result;
  Lanes square = x;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result ? *result * square : square;
    if (exponent > 1) square = square * square;
  }
  return result ? *result : x.Constant(1);
}

// Squares and multiplies, a step per bit of the exponent.
Lanes Power(ElementType type, const Lanes& x, const Lanes& y) {
  if (const std::optional<uint64_t> exponent = SplatOf(type, y)) {
    return ConstantPower(x, *exponent);
  }
  Lanes result = x.Constant(1);
  Lanes square = x;
  const unsigned width = WidthOf(type);
  for (unsigned bit = 0; bit < width; ++bit) {
    const Lanes factor = Select((y & (uint64_t{1} << bit)) != 0, square, 1);
    result = result * factor;
    if (bit + 1 < width) square = square * square;
  }
  if (!IsSigned(type)) return result;
  // A negative exponent: the truncated reciprocal.
  const Lanes sign = Select((y & 1) != 0, -1, x.Constant(1));
  const Lanes reciprocal = Select(x == 1, x, Select(x == -1, sign, 0));
  return Select(y < 0, reciprocal, result);
}

Lanes MultiplyHigh(ElementType type, const Lanes& x, const Lanes& y) {
  const unsigned wide = 2 * x.bits();
  const unsigned width = WidthOf(type);
  if (IsSigned(type)) {
    const Lanes product = ResizeSigned(x, wide) * ResizeSigned(y, wide);
    return ResizeSigned(product >> width, x.bits());
  }
  const Lanes product = ResizeUnsigned(x, wide) * ResizeUnsigned(y, wide);
  return ResizeUnsigned(product >> width, x.bits());
}

Lanes SignOfInteger(const Lanes& x) {
  return Select(x > 0, 1, Select(x < 0, -1, x.Constant(0)));
}

Lanes ShiftLeft(ElementType type, const Lanes& x, const Lanes& y) {
  const Lanes amount = CodeOf(type, y);
  return Select(Below(amount, amount.Constant(WidthOf(type))), x << amount, 0);
}

Lanes ShiftRightLogical(ElementType type, const Lanes& x, const Lanes& y) {
  const Lanes amount = CodeOf(type, y);
  return Select(Below(amount, amount.Constant(WidthOf(type))),
                CodeOf(type, x) >> amount, 0);
}

// The top bit is the sign, also of unsigned types.
Lanes ShiftRightArithmetic(ElementType type, const Lanes& x, const Lanes& y) {
  const unsigned width = WidthOf(type);
  const unsigned unused = x.bits() - width;
  const Lanes amount = SmallerUnsigned(CodeOf(type, y), y.Constant(width - 1));
  const Lanes extended =
      unused == 0 ? x : ShiftArithmetic(x << unused, x.Constant(unused));
  return ShiftArithmetic(extended, amount);
}

Lanes Larger(ElementType type, const Lanes& x, const Lanes& y) {
  if (IsSigned(type)) return LargerSigned(x, y);
  return Select(Below(x, y), y, x);
}

Lanes Smaller(ElementType type, const Lanes& x, const Lanes& y) {
  return IsSigned(type) ? SmallerSigned(x, y) : SmallerUnsigned(x, y);
}

struct IntegerRow {
  Opcode opcode;
  Lanes (*emit)(ElementType type, const Lanes& x, const Lanes& y);
};

constexpr auto kIntegerRows = std::to_array<IntegerRow>({
    {Opcode::kAbs, [](ElementType, const Lanes& x,
                      const Lanes&) { return LargerSigned(x, -x); }},
    {Opcode::kAdd,
     [](ElementType, const Lanes& x, const Lanes& y) { return x + y; }},
    {Opcode::kAnd,
     [](ElementType, const Lanes& x, const Lanes& y) { return x & y; }},
    {Opcode::kCountLeadingZeros,
     [](ElementType type, const Lanes& x, const Lanes&) {
       return Count(llvm::Intrinsic::ctlz, CodeOf(type, x)) -
              (x.bits() - WidthOf(type));
     }},
    {Opcode::kDivide, &Divide},
    {Opcode::kMaximum, &Larger},
    {Opcode::kMinimum, &Smaller},
    {Opcode::kMultiply,
     [](ElementType, const Lanes& x, const Lanes& y) { return x * y; }},
    {Opcode::kMultiplyHigh, &MultiplyHigh},
    {Opcode::kNegate,
     [](ElementType, const Lanes& x, const Lanes&) { return -x; }},
    {Opcode::kNot,
     [](ElementType, const Lanes& x, const Lanes&) { return ~x; }},
    {Opcode::kOr,
     [](ElementType, const Lanes& x, const Lanes& y) { return x | y; }},
    {Opcode::kPopulationCount,
     [](ElementType type, const Lanes& x, const Lanes&) {
       return Count(llvm::Intrinsic::ctpop, CodeOf(type, x));
     }},
    {Opcode::kPower, &Power},
    {Opcode::kRemainder, &Remainder},
    {Opcode::kShiftLeft, &ShiftLeft},
    {Opcode::kShiftRightArithmetic, &ShiftRightArithmetic},
    {Opcode::kShiftRightLogical, &ShiftRightLogical},
    {Opcode::kSign, [](ElementType, const Lanes& x,
                       const Lanes&) { return SignOfInteger(x); }},
    {Opcode::kSubtract,
     [](ElementType, const Lanes& x, const Lanes& y) { return x - y; }},
    {Opcode::kXor,
     [](ElementType, const Lanes& x, const Lanes& y) { return x ^ y; }},
});

struct PredicateRow {
  Opcode opcode;
  Lanes (*emit)(const Lanes& x, const Lanes& y);
};

constexpr auto kPredicateRows = std::to_array<PredicateRow>({
    {Opcode::kAdd, [](const Lanes& x, const Lanes& y) { return x | y; }},
    {Opcode::kAnd, [](const Lanes& x, const Lanes& y) { return x & y; }},
    {Opcode::kMaximum, [](const Lanes& x, const Lanes& y) { return x | y; }},
    {Opcode::kMinimum, [](const Lanes& x, const Lanes& y) { return x & y; }},
    {Opcode::kMultiply, [](const Lanes& x, const Lanes& y) { return x & y; }},
    {Opcode::kNot, [](const Lanes& x, const Lanes&) { return ~x; }},
    {Opcode::kOr, [](const Lanes& x, const Lanes& y) { return x | y; }},
    {Opcode::kXor, [](const Lanes& x, const Lanes& y) { return x ^ y; }},
});

}  // namespace

std::optional<Lanes> EmitInteger(Opcode opcode, ElementType type,
                                 const Lanes& x, const Lanes& y) {
  for (const IntegerRow& row : kIntegerRows) {
    if (row.opcode == opcode) return Wrap(type, row.emit(type, x, y));
  }
  return std::nullopt;
}

std::optional<Lanes> EmitPredicate(Opcode opcode, const Lanes& x,
                                   const Lanes& y) {
  for (const PredicateRow& row : kPredicateRows) {
    if (row.opcode == opcode) return row.emit(x, y);
  }
  return std::nullopt;
}

}  // namespace hilo::backends
