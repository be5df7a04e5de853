// Makes errors, and puts results with them in the place of exact ones.
#include "jit/fuzzing/rounding_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "jit/fuzzing/float_noise.h"
#include "passes/rewriter.h"

namespace hilo::fuzzing {
namespace {

using hlo::Computation;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using passes::Rewriter;

std::vector<Instruction::Use> UsesOf(const Instruction& instruction) {
  return {instruction.uses().begin(), instruction.uses().end()};
}

// Products of parts, for complex numbers: each part has an error of its own.
Instruction* MultiplyParts(Rewriter& rewriter, Instruction* lhs,
                           Instruction* rhs) {
  if (!hlo::IsComplex(lhs->shape().element_type())) {
    return rewriter.Binary(Opcode::kMultiply, lhs, rhs);
  }
  const auto of_part = [&](Opcode part) {
    return rewriter.Binary(Opcode::kMultiply, rewriter.Unary(part, lhs),
                           rewriter.Unary(part, rhs));
  };
  Instruction* real = of_part(Opcode::kReal);
  return rewriter.Binary(Opcode::kComplex, real, of_part(Opcode::kImag));
}

// Zero where the error is as large as the value: terms that cancel leave
// nothing in one order, and a rest in another, which errors hardly make 0. A
// complex number one part of which vanishes is else as it is: it may be a pole.
Instruction* OrNothing(Rewriter& rewriter, Instruction* base,
                       Instruction* error, Instruction* sum) {
  const Shape shape = WithoutLayout(sum->shape());
  const auto zero = [&](Instruction* value) {
    return rewriter.Splat(rewriter.Scalar(value->shape().element_type(), 0),
                          WithoutLayout(value->shape()));
  };
  if (!hlo::IsComplex(shape.element_type())) {
    return rewriter.Select(
        rewriter.Compare(hlo::ComparisonDirection::kLe,
                         rewriter.Unary(Opcode::kAbs, base), error),
        zero(sum), sum);
  }
  const auto vanishes = [&](Opcode part) {
    return rewriter.Compare(
        hlo::ComparisonDirection::kLt,
        rewriter.Unary(Opcode::kAbs, rewriter.Unary(part, base)),
        rewriter.Unary(part, error));
  };
  Instruction* is_imaginary = vanishes(Opcode::kReal);
  Instruction* is_real = vanishes(Opcode::kImag);
  Instruction* real = rewriter.Unary(Opcode::kReal, base);
  Instruction* imag = rewriter.Unary(Opcode::kImag, base);
  Instruction* rest = rewriter.Binary(
      Opcode::kComplex, rewriter.Select(is_imaginary, zero(real), real),
      rewriter.Select(is_real, zero(imag), imag));
  return rewriter.Select(rewriter.Binary(Opcode::kOr, is_imaginary, is_real),
                         rest, sum);
}

// Whether each magnitude is a finite number of the type.
Instruction* IsInRange(Rewriter& rewriter, Instruction* scale,
                       const FloatFacts& facts) {
  Instruction* magnitude = rewriter.Unary(Opcode::kAbs, scale);
  const Shape& shape = magnitude->shape();
  return rewriter.Compare(
      hlo::ComparisonDirection::kLe, magnitude,
      rewriter.Splat(rewriter.Scalar(shape.element_type(), facts.largest),
                     shape));
}

void Replace(Instruction* instruction, absl::Span<const Instruction::Use> uses,
             Instruction* replacement) {
  if (replacement->shape() != instruction->shape()) {
    Rewriter rewriter(*instruction);
    replacement =
        rewriter.Add(Opcode::kCopy, instruction->shape(), {replacement});
  }
  for (const Instruction::Use& use : uses) {
    use.user->ReplaceOperand(use.operand_index, replacement);
  }
  Computation* computation = instruction->parent();
  if (computation->root() == instruction) computation->set_root(replacement);
}

}  // namespace

ElementType ErrorType(ElementType type) {
  return IsNarrow(type) ? ElementType::kF32 : type;
}

double SumUlps(ElementType type, int64_t count) {
  const auto terms = static_cast<double>(std::clamp<int64_t>(count, 1, 1000));
  const int bits = hlo::InfoOf(hlo::ComponentType(type)).bits;
  if (bits >= 32) return 2 + terms;
  return 1.5 + terms * 0x1p-23 / FactsOf(type).epsilon;
}

void RoundingErrors::Add(Instruction* instruction, const ErrorBound& bound) {
  is_exact_ = false;
  const std::vector<Instruction::Use> uses = UsesOf(*instruction);
  Rewriter rewriter(*instruction);
  const Shape shape = WithoutLayout(instruction->shape());
  const ElementType type = shape.element_type();
  const Shape wide = WithElementType(shape, ErrorType(type));
  const FloatFacts facts = FactsOf(type);
  Instruction* base = rewriter.Convert(
      bound.base == nullptr ? instruction : bound.base, wide.element_type());
  // An infinity has no error. Of complex numbers, nothing is known then: which
  // part is infinite depends on how functions are computed.
  Instruction* scale = bound.scale;
  if (scale == nullptr) {
    scale = hlo::IsComplex(type) ? Magnitude(rewriter, base)
                                 : FiniteMagnitude(rewriter, base);
  }
  if (bound.growth != nullptr) {
    scale = rewriter.Binary(Opcode::kMultiply, scale, bound.growth);
  }
  Instruction* error = rewriter.Binary(
      Opcode::kMultiply, scale,
      rewriter.Splat(rewriter.Scalar(wide.element_type(),
                                     std::min(bound.ulps * facts.epsilon, 0.5)),
                     wide));
  const ElementType part = hlo::ComponentType(wide.element_type());
  Instruction* least = rewriter.Splat(
      rewriter.Scalar(part, std::ceil(bound.ulps) * facts.min_subnormal),
      WithElementType(shape, part));
  if (hlo::IsComplex(type)) {
    least = rewriter.Binary(Opcode::kComplex, least, least);
  }
  error = rewriter.Binary(Opcode::kAdd, error, least);
  Instruction* sum = rewriter.Convert(
      rewriter.Binary(
          Opcode::kAdd, base,
          MultiplyParts(rewriter, noise_.Noise(rewriter, wide), error)),
      type);
  const bool may_cancel = bound.scale != nullptr || hlo::IsComplex(type);
  if (may_cancel && noise_.way() % 4 == 3) {
    sum = OrNothing(rewriter, base, error, sum);
  }
  if (bound.scale != nullptr) {
    Instruction* peak = bound.peak == nullptr ? scale : bound.peak;
    sum = noise_.OrAnything(rewriter, IsInRange(rewriter, peak, facts), sum);
  }
  Replace(instruction, uses,
          noise_.OtherNan(rewriter, sum, instruction->operands()));
}

void RoundingErrors::FlipNans(Instruction* instruction) {
  if (hlo::IsComplex(instruction->shape().element_type())) return;
  const std::vector<Instruction::Use> uses = UsesOf(*instruction);
  Rewriter rewriter(*instruction);
  Replace(instruction, uses,
          noise_.OtherNan(rewriter, instruction, instruction->operands()));
}

void RoundingErrors::AddToOperand(Instruction* instruction, int64_t operand,
                                  double ulps) {
  is_exact_ = false;
  Rewriter rewriter(*instruction);
  Instruction* value = instruction->operand(operand);
  const Shape shape = WithoutLayout(value->shape());
  const ElementType type = shape.element_type();
  Instruction* error = rewriter.Binary(
      Opcode::kMultiply, FiniteMagnitude(rewriter, value),
      rewriter.Splat(rewriter.Scalar(type, ulps * FactsOf(type).epsilon),
                     shape));
  instruction->ReplaceOperand(
      operand,
      rewriter.Binary(
          Opcode::kAdd, value,
          MultiplyParts(rewriter, noise_.Noise(rewriter, shape), error)));
}

void RoundingErrors::Forget(Instruction* instruction, Instruction* is_known) {
  const std::vector<Instruction::Use> uses = UsesOf(*instruction);
  Rewriter rewriter(*instruction);
  Replace(instruction, uses,
          noise_.OrAnything(rewriter, is_known, instruction));
}

void RoundingErrors::ForgetOperand(Instruction* instruction, int64_t operand,
                                   Instruction* is_known) {
  Rewriter rewriter(*instruction);
  instruction->ReplaceOperand(
      operand,
      noise_.OrAnything(rewriter, is_known, instruction->operand(operand)));
}

}  // namespace hilo::fuzzing
