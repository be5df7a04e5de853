// Numbers in registers, one a lane, with operators that append instructions.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>

namespace llvm {
class Constant;
class IRBuilderBase;
class Type;
class Value;
}  // namespace llvm

namespace hilo::backends {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// A scalar or vector of integers, floats or doubles, and the builder that
// computes with it. Operators take operands of one type, or a number that
// stands for itself in every lane, and append one instruction at the builder's
// insertion point; constants fold.
class Lanes {
 public:
  Lanes(llvm::IRBuilderBase& builder, llvm::Value* value)
      : builder_(&builder), value_(value) {}

  llvm::Value* value() const { return value_; }
  llvm::IRBuilderBase& builder() const { return *builder_; }
  llvm::Type* type() const;
  // The type of one lane.
  llvm::Type* scalar_type() const;
  // As many lanes, each of type `scalar`.
  llvm::Type* WithScalar(llvm::Type* scalar) const;
  bool IsFloat() const;  // float or double
  bool IsDouble() const;
  // Bits of a lane, and lanes (1 for scalars).
  unsigned bits() const;
  unsigned count() const;

  // `number` in every lane of this type.
  template <typename Number>
    requires std::is_arithmetic_v<Number>
  Lanes Constant(Number number) const {
    if (IsFloat()) return FloatConstant(static_cast<double>(number));
    return IntegerConstant(static_cast<uint64_t>(number));
  }

 private:
  Lanes FloatConstant(double number) const;
  // Reduced modulo 2^bits.
  Lanes IntegerConstant(uint64_t number) const;

  llvm::IRBuilderBase* builder_;
  llvm::Value* value_;
};

template <typename T>
concept Arithmetic = std::is_arithmetic_v<T>;

// What an operator can be applied to: lanes, or lanes and a number.
template <typename A, typename B>
concept LaneOperands =
    (std::same_as<A, Lanes> && (std::same_as<B, Lanes> || Arithmetic<B>)) ||
    (Arithmetic<A> && std::same_as<B, Lanes>);

enum class LaneOperator : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kEqual,
  kNotEqual,
};
Lanes ApplyOperator(LaneOperator op, const Lanes& a, const Lanes& b);
template <typename A, typename B>
Lanes ApplyOperator(LaneOperator op, const A& a, const B& b) {
  if constexpr (Arithmetic<A>) {
    return ApplyOperator(op, b.Constant(a), b);
  } else {
    return ApplyOperator(op, a, a.Constant(b));
  }
}

// Arithmetic. Integers wrap and are not divided; `>>` fills with zeros; `&`,
// `|` and `^` take integers and conditions.
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator+(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kAdd, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator-(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kSubtract, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator*(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kMultiply, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator/(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kDivide, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator&(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kAnd, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator|(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kOr, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator^(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kXor, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator<<(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kShiftLeft, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator>>(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kShiftRight, a, b);
}
Lanes operator-(const Lanes& a);
Lanes operator~(const Lanes& a);
// Fills with the sign.
Lanes ShiftArithmetic(const Lanes& a, const Lanes& amount);

// Conditions: i1 a lane. Integers compare signed; floats are ordered, so that
// NaN makes all but `!=` false.
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator<(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kLess, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator<=(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kLessOrEqual, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator>(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kGreater, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator>=(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kGreaterOrEqual, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator==(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kEqual, a, b);
}
template <typename A, typename B>
  requires LaneOperands<A, B>
Lanes operator!=(const A& a, const B& b) {
  return ApplyOperator(LaneOperator::kNotEqual, a, b);
}
Lanes Below(const Lanes& a, const Lanes& b);  // integers, unsigned <
Lanes IsNan(const Lanes& x);
Lanes Select(const Lanes& condition, const Lanes& a, const Lanes& b);
template <Arithmetic T>
Lanes Select(const Lanes& condition, T a, const Lanes& b) {
  return Select(condition, b.Constant(a), b);
}
template <Arithmetic T>
Lanes Select(const Lanes& condition, const Lanes& a, T b) {
  return Select(condition, a, a.Constant(b));
}

// Floats. Fma rounds once.
Lanes Fma(const Lanes& a, const Lanes& b, const Lanes& c);
template <Arithmetic T>
Lanes Fma(const Lanes& a, T b, const Lanes& c) {
  return Fma(a, a.Constant(b), c);
}
template <Arithmetic T>
Lanes Fma(const Lanes& a, const Lanes& b, T c) {
  return Fma(a, b, a.Constant(c));
}
template <Arithmetic T, Arithmetic U>
Lanes Fma(const Lanes& a, T b, U c) {
  return Fma(a, a.Constant(b), a.Constant(c));
}
Lanes Abs(const Lanes& x);
Lanes Sqrt(const Lanes& x);
Lanes Floor(const Lanes& x);
Lanes Ceil(const Lanes& x);
Lanes Truncate(const Lanes& x);
Lanes RoundToEven(const Lanes& x);
Lanes CopySign(const Lanes& magnitude, const Lanes& sign);
// One instruction each: `b` when the operands are equal or one is NaN.
Lanes LargerOrSecond(const Lanes& a, const Lanes& b);
Lanes SmallerOrSecond(const Lanes& a, const Lanes& b);

// Integers.
Lanes SmallerSigned(const Lanes& a, const Lanes& b);
Lanes LargerSigned(const Lanes& a, const Lanes& b);
Lanes SmallerUnsigned(const Lanes& a, const Lanes& b);

// The bits of a float as an integer of its width, and back.
Lanes BitsOf(const Lanes& x);
Lanes FloatOfBits(const Lanes& x);
// Integers to and from another width.
Lanes ResizeSigned(const Lanes& x, unsigned bits);
Lanes ResizeUnsigned(const Lanes& x, unsigned bits);
// A condition as an integer of 0 and 1.
Lanes AsInteger(const Lanes& condition, unsigned bits);
// Numbers between integers and floats; floats in range, fractions dropped.
Lanes SignedToFloat(const Lanes& x, bool to_double);
Lanes UnsignedToFloat(const Lanes& x, bool to_double);
Lanes FloatToSigned(const Lanes& x, unsigned bits);
Lanes FloatToUnsigned(const Lanes& x, unsigned bits);
// Floats to and from the bits of IEEE half precision, as integers of 16 bits:
// one instruction with F16C, a call of a missing function without.
Lanes HalfBitsOf(const Lanes& x);
Lanes FloatOfHalfBits(const Lanes& x);
// Between float and double.
Lanes ToDouble(const Lanes& x);
Lanes ToFloat(const Lanes& x);

// A mask of `lanes` lanes, the first `active` of which are set.
llvm::Constant* FirstLanes(llvm::IRBuilderBase& builder, int64_t lanes,
                           int64_t active);

// coefficients[0] x^n + ... + coefficients[n], by Horner's rule.
Lanes Polynomial(const Lanes& x, std::initializer_list<double> coefficients);

}  // namespace hilo::backends
