// The errors of folds: sums, products, and whatever else has no roundings.
#include "jit/fuzzing/fold_perturbation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "jit/fuzzing/float_noise.h"
#include "jit/fuzzing/rounding_errors.h"
#include "passes/rewriter.h"

namespace hilo::fuzzing {
namespace {

using hlo::Computation;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using passes::Rewriter;

constexpr std::array kFolds = {Opcode::kReduce, Opcode::kReduceWindow,
                               Opcode::kScatter, Opcode::kSelectAndScatter};

// The opcode of a reducer's root, when it is of its two parameters.
std::optional<Opcode> FoldOpcode(const Computation* reducer) {
  if (reducer == nullptr || reducer->parameter_count() != 2) return {};
  const Instruction* root = reducer->root();
  if (root->operand_count() != 2) return {};
  for (int64_t i = 0; i < 2; ++i) {
    if (root->operand(i)->opcode() != Opcode::kParameter) return {};
  }
  return root->opcode();
}

// The same operation on magnitudes.
Instruction* OnMagnitudes(Rewriter& rewriter, const Instruction& instruction,
                          absl::Span<const int64_t> operands) {
  std::vector<Instruction*> magnitudes = instruction.operands();
  for (const int64_t i : operands) {
    magnitudes[static_cast<size_t>(i)] =
        FiniteMagnitude(rewriter, magnitudes[static_cast<size_t>(i)]);
  }
  return rewriter.Like(instruction, WithoutLayout(instruction.shape()),
                       magnitudes);
}

int64_t TermCount(const Instruction& fold) {
  int64_t count = 0;
  for (const Instruction* operand : fold.operands()) {
    count += operand->shape().ElementCount();
  }
  return count;
}

// Few windows of a select-and-scatter overlap: as if folds in narrow types
// had that many roundings.
double FoldUlps(const Instruction& fold) {
  constexpr double kOverlaps = 8;
  const ElementType type = fold.shape().element_type();
  if (fold.opcode() == Opcode::kSelectAndScatter && IsNarrow(type)) {
    return kOverlaps;
  }
  return SumUlps(type, TermCount(fold));
}

// The operands whose elements are folded, and initial values.
std::vector<int64_t> FoldedOperands(const Instruction& fold) {
  if (fold.opcode() == Opcode::kSelectAndScatter) return {1, 2};
  if (fold.opcode() == Opcode::kScatter) return {0, 2};
  return {0, 1};
}

// Narrow products round after every step, in any order. Such errors grow as
// the root of their number. Source: Higham and Mary, A new approach to
// probabilistic rounding error analysis, 2019.
double FactorUlps(const Instruction& fold) {
  if (!IsNarrow(fold.shape().element_type()) ||
      fold.opcode() == Opcode::kSelectAndScatter) {
    return FoldUlps(fold);
  }
  constexpr int64_t kMostTerms = 1000;
  return 1 + std::sqrt(std::clamp<int64_t>(TermCount(fold), 1, kMostTerms));
}

// Folds in narrow types round after every step, or are done in f32.
bool IsFoldedInSingles(const Instruction& fold, const RoundingErrors& errors) {
  return IsNarrow(fold.shape().element_type()) &&
         fold.opcode() != Opcode::kSelectAndScatter && errors.way() % 4 < 2;
}

// The same fold in f32.
Instruction* FoldInSingles(Rewriter& rewriter, const Instruction& fold,
                           Opcode opcode, absl::Span<const int64_t> folded,
                           RoundingErrors& errors) {
  std::vector<Instruction*> operands = fold.operands();
  for (const int64_t i : folded) {
    Instruction*& operand = operands[static_cast<size_t>(i)];
    operand = rewriter.Convert(operand, ElementType::kF32);
  }
  Instruction* wide = rewriter.Like(
      fold, WithElementType(WithoutLayout(fold.shape()), ElementType::kF32),
      operands);
  Computation* reducer =
      passes::MakeScalarComputation(errors.module(), opcode, ElementType::kF32);
  wide->set_to_apply(reducer);
  return wide;
}

void PerturbFactors(Instruction* instruction, RoundingErrors& errors) {
  Rewriter rewriter(*instruction);
  Instruction* base = nullptr;
  if (IsFoldedInSingles(*instruction, errors)) {
    base = FoldInSingles(rewriter, *instruction, Opcode::kMultiply,
                         FoldedOperands(*instruction), errors);
  }
  errors.Add(instruction, {.ulps = FactorUlps(*instruction), .base = base});
}

void PerturbSum(Instruction* instruction, RoundingErrors& errors) {
  Rewriter rewriter(*instruction);
  const ElementType type = instruction->shape().element_type();
  const double ulps = FoldUlps(*instruction);
  const std::vector<int64_t> summed = FoldedOperands(*instruction);
  if (instruction->opcode() == Opcode::kSelectAndScatter) {
    Instruction* scale = OnMagnitudes(rewriter, *instruction, summed);
    errors.Add(
        instruction,
        {.ulps = ulps, .scale = rewriter.Convert(scale, ErrorType(type))});
    return;
  }
  if (!IsNarrow(type)) {
    errors.Add(
        instruction,
        {.ulps = ulps, .scale = OnMagnitudes(rewriter, *instruction, summed)});
    return;
  }
  Instruction* wide =
      FoldInSingles(rewriter, *instruction, Opcode::kAdd, summed, errors);
  Instruction* scale = OnMagnitudes(rewriter, *wide, summed);
  errors.Add(
      instruction,
      {.ulps = ulps,
       .scale = scale,
       .base = IsFoldedInSingles(*instruction, errors) ? wide : nullptr});
}

// Partial products of another order may overflow or underflow where those of
// this one do not: where some could, the result is NaN one way and 0 another.
void PoisonLargeProducts(Instruction* instruction, RoundingErrors& errors) {
  Rewriter rewriter(*instruction);
  const ElementType type = instruction->shape().element_type();
  if (hlo::IsComplex(type)) return;
  const auto product = [&](Opcode bound) {
    std::vector<Instruction*> operands = instruction->operands();
    for (Instruction*& operand : operands) {
      if (operand->shape().element_type() != type) continue;
      Instruction* one = rewriter.Splat(rewriter.Scalar(type, 1),
                                        WithoutLayout(operand->shape()));
      operand = rewriter.Binary(bound, Magnitude(rewriter, operand), one);
    }
    return rewriter.Like(*instruction, WithoutLayout(instruction->shape()),
                         operands);
  };
  const Shape shape = WithoutLayout(instruction->shape());
  Instruction* least =
      rewriter.Splat(rewriter.Scalar(type, FactsOf(type).min_normal), shape);
  Instruction* is_normal = rewriter.Compare(hlo::ComparisonDirection::kGe,
                                            product(Opcode::kMinimum), least);
  Instruction* is_finite =
      rewriter.Unary(Opcode::kIsFinite, product(Opcode::kMaximum));
  errors.Forget(instruction,
                rewriter.Binary(Opcode::kAnd, is_normal, is_finite));
}

}  // namespace

bool IsFold(Opcode opcode) {
  return std::ranges::find(kFolds, opcode) != kFolds.end();
}

void PerturbFold(Instruction* instruction, RoundingErrors& errors) {
  const Shape& shape = instruction->shape();
  if (!shape.IsArray() || !HasErrors(shape.element_type())) return;
  const Computation* reducer =
      instruction->opcode() == Opcode::kSelectAndScatter
          ? instruction->scatter()
          : instruction->to_apply();
  const std::optional<Opcode> opcode = FoldOpcode(reducer);
  if (opcode == Opcode::kAdd) {
    PerturbSum(instruction, errors);
  } else if (opcode == Opcode::kMultiply) {
    PoisonLargeProducts(instruction, errors);
    PerturbFactors(instruction, errors);
  } else {
    errors.FlipNans(instruction);
  }
}

}  // namespace hilo::fuzzing
