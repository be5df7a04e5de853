// Formulas on arrays, element by element.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::stablehlo {

// Appends element-wise operations on arrays of one shape to a computation.
class ElementMath {
 public:
  // An array under construction. Outlived by its ElementMath.
  class Term {
   public:
    Term() = default;
    Term(ElementMath* math, hlo::Instruction* value)
        : math_(math), value_(value) {}

    hlo::Instruction* value() const { return value_; }
    ElementMath* math() const { return math_; }

    friend Term operator+(Term a, Term b) {
      return a.math_->Binary(hlo::Opcode::kAdd, a, b);
    }
    friend Term operator-(Term a, Term b) {
      return a.math_->Binary(hlo::Opcode::kSubtract, a, b);
    }
    friend Term operator*(Term a, Term b) {
      return a.math_->Binary(hlo::Opcode::kMultiply, a, b);
    }
    friend Term operator/(Term a, Term b) {
      return a.math_->Binary(hlo::Opcode::kDivide, a, b);
    }
    friend Term operator+(Term a, double b) { return a + a.math_->Number(b); }
    friend Term operator-(Term a, double b) { return a - a.math_->Number(b); }
    friend Term operator*(Term a, double b) { return a * a.math_->Number(b); }
    friend Term operator/(Term a, double b) { return a / a.math_->Number(b); }
    friend Term operator-(double a, Term b) { return b.math_->Number(a) - b; }
    friend Term operator/(double a, Term b) { return b.math_->Number(a) / b; }
    Term operator-() const { return math_->Unary(hlo::Opcode::kNegate, *this); }
    friend Term operator<(Term a, double b) {
      return a.math_->Compare(hlo::ComparisonDirection::kLt, a,
                              a.math_->Number(b));
    }
    friend Term operator<=(Term a, double b) {
      return a.math_->Compare(hlo::ComparisonDirection::kLe, a,
                              a.math_->Number(b));
    }
    friend Term operator==(Term a, double b) { return a == a.math_->Number(b); }
    friend Term operator==(Term a, Term b) {
      return a.math_->Compare(hlo::ComparisonDirection::kEq, a, b);
    }
    friend Term operator!=(Term a, Term b) {
      return a.math_->Compare(hlo::ComparisonDirection::kNe, a, b);
    }

   private:
    ElementMath* math_ = nullptr;
    hlo::Instruction* value_ = nullptr;
  };

  // Numbers have the type and sizes of `shape`. `offset` is the place that
  // errors of the new instructions name.
  ElementMath(hlo::Computation* computation, hlo::Shape shape, int64_t offset)
      : computation_(computation), shape_(std::move(shape)), offset_(offset) {}

  hlo::ElementType type() const { return shape_.element_type(); }

  // The same number in all elements, rounded to the type.
  Term Number(double number);
  Term Unary(hlo::Opcode opcode, Term x);
  Term Binary(hlo::Opcode opcode, Term x, Term y);
  Term Compare(hlo::ComparisonDirection direction, Term x, Term y);
  Term Select(Term condition, Term x, Term y);
  Term IsFinite(Term x);
  Term And(Term x, Term y) { return Binary(hlo::Opcode::kAnd, x, y); }
  Term Or(Term x, Term y) { return Binary(hlo::Opcode::kOr, x, y); }
  hlo::Instruction* Add(hlo::Opcode opcode, const hlo::Shape& shape,
                        std::initializer_list<hlo::Instruction*> operands);

 private:
  hlo::Computation* computation_;
  hlo::Shape shape_;
  int64_t offset_;
};

using Term = ElementMath::Term;

inline Term Abs(Term x) { return x.math()->Unary(hlo::Opcode::kAbs, x); }
inline Term Floor(Term x) { return x.math()->Unary(hlo::Opcode::kFloor, x); }
inline Term Log(Term x) { return x.math()->Unary(hlo::Opcode::kLog, x); }
inline Term Log1p(Term x) {
  return x.math()->Unary(hlo::Opcode::kLogPlusOne, x);
}
inline Term Exp(Term x) {
  return x.math()->Unary(hlo::Opcode::kExponential, x);
}
inline Term Sqrt(Term x) { return x.math()->Unary(hlo::Opcode::kSqrt, x); }
inline Term Sin(Term x) { return x.math()->Unary(hlo::Opcode::kSine, x); }
inline Term Cos(Term x) { return x.math()->Unary(hlo::Opcode::kCosine, x); }
inline Term Power(Term x, Term y) {
  return x.math()->Binary(hlo::Opcode::kPower, x, y);
}
inline Term IsFinite(Term x) { return x.math()->IsFinite(x); }
inline Term Select(Term condition, Term x, Term y) {
  return x.math()->Select(condition, x, y);
}

// Of coefficients with the highest power first.
Term Polynomial(Term x, absl::Span<const double> coefficients);

}  // namespace hilo::stablehlo
