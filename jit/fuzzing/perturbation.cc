// Adds the errors that operations may have to their results.
#include "jit/fuzzing/perturbation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/module.h"
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

constexpr std::array kFolds = {Opcode::kReduce, Opcode::kReduceWindow,
                               Opcode::kScatter, Opcode::kSelectAndScatter};
constexpr std::array kAppliers = {
    Opcode::kReduce,           Opcode::kReduceWindow, Opcode::kScatter,
    Opcode::kSelectAndScatter, Opcode::kSort,         Opcode::kAllReduce,
    Opcode::kReduceScatter};
constexpr std::array kProducts = {Opcode::kDot, Opcode::kConvolution,
                                  Opcode::kRaggedDot, Opcode::kScaledDot};
constexpr std::array kNormalizations = {Opcode::kBatchNormInference,
                                        Opcode::kBatchNormTraining,
                                        Opcode::kBatchNormGrad};

bool Contains(absl::Span<const Opcode> opcodes, Opcode opcode) {
  return std::ranges::find(opcodes, opcode) != opcodes.end();
}

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

class Perturbation {
 public:
  Perturbation(hlo::Module& module, int way) : module_(module), noise_(way) {}

  // Whether nothing but NaNs was perturbed.
  bool Run() {
    FindAppliedComputations();
    for (const auto& computation : module_.computations()) {
      if (applied_.contains(computation.get())) continue;
      computations_.push_back(computation.get());
    }
    for (Computation* computation : computations_) {
      std::vector<Instruction*> instructions;
      for (const auto& instruction : computation->instructions()) {
        instructions.push_back(instruction.get());
      }
      for (Instruction* instruction : instructions) Perturb(instruction);
    }
    return is_exact_;
  }

 private:
  // Reducers, comparators and the like stay as they are.
  void FindAppliedComputations() {
    for (const auto& computation : module_.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (!Contains(kAppliers, instruction->opcode())) continue;
        for (Computation* called : instruction->called_computations()) {
          applied_.insert(called);
        }
      }
    }
  }

  void Perturb(Instruction* instruction) {
    const Shape& shape = instruction->shape();
    const Opcode opcode = instruction->opcode();
    if (Contains(kFolds, opcode)) {
      PerturbFold(instruction);
    } else if (Contains(kProducts, opcode)) {
      if (HasErrors(shape.element_type())) PerturbProduct(instruction);
    } else if (opcode == Opcode::kFft) {
      PerturbTransform(instruction);
    } else if (Contains(kNormalizations, opcode)) {
      PerturbNormalization(instruction);
    } else if (opcode == Opcode::kTriangularSolve) {
      PerturbSolve(instruction);
    } else if (opcode == Opcode::kCholesky) {
      PerturbOperands(instruction);
    } else {
      PerturbElements(instruction);
    }
  }

  void PerturbElements(Instruction* instruction) {
    const Shape& shape = instruction->shape();
    const hlo::OpcodeInfo& info = hlo::InfoOf(instruction->opcode());
    const bool is_row = hlo::IsElementwiseUnary(instruction->opcode()) ||
                        hlo::IsElementwiseBinary(instruction->opcode());
    if (!shape.IsArray() || !HasErrors(shape.element_type())) return;
    const bool is_complex =
        hlo::IsComplex(shape.element_type()) ||
        (instruction->operand_count() > 0 &&
         hlo::IsComplex(instruction->operand_shape(0).element_type()));
    double ulps = is_row ? info.max_ulps : 0;
    // Products of complex numbers are sums.
    if (is_row && is_complex && !IsExactForComplex(instruction->opcode())) {
      ulps = std::max(ulps, 4.0);
    }
    if (is_complex && instruction->opcode() == Opcode::kPower) {
      PerturbComplexPower(instruction, ulps + 1);
    } else if (ulps > 0) {
      AddError(instruction, {.ulps = ulps + 1});
    } else if (is_row || instruction->opcode() == Opcode::kConvert ||
               instruction->opcode() == Opcode::kClamp ||
               instruction->opcode() == Opcode::kReducePrecision) {
      FlipNans(instruction);
    }
  }

  static bool IsExactForComplex(Opcode opcode) {
    return opcode == Opcode::kAdd || opcode == Opcode::kSubtract ||
           opcode == Opcode::kNegate || opcode == Opcode::kReal ||
           opcode == Opcode::kImag;
  }

  // What is known of an operation's errors.
  struct Bound {
    // Roundings: units in the last place of `scale`.
    double ulps = 0;
    // Magnitudes that the roundings are relative to, as sums of magnitudes are
    // for sums: f32 for narrow types. Null: the result's own magnitudes.
    Instruction* scale = nullptr;
    // Magnitudes that occur on the way. Where they overflow, the result is not
    // known. Null: those of the scale.
    Instruction* peak = nullptr;
    // What the result's own magnitudes are multiplied by; null: 1.
    Instruction* growth = nullptr;
    // Another way to compute the result; null: the instruction itself.
    Instruction* base = nullptr;
  };

  // The type in which errors are added to results of `type`.
  static ElementType ErrorType(ElementType type) {
    return IsNarrow(type) ? ElementType::kF32 : type;
  }

  // base + noise * (ulps * epsilon * scale + smallest number).
  void AddError(Instruction* instruction, const Bound& bound) {
    is_exact_ = false;
    std::vector<Instruction::Use> uses(instruction->uses().begin(),
                                       instruction->uses().end());
    Rewriter rewriter(*instruction);
    const Shape shape = WithoutLayout(instruction->shape());
    const ElementType type = shape.element_type();
    const Shape wide = WithElementType(shape, ErrorType(type));
    const FloatFacts facts = FactsOf(type);
    Instruction* base = rewriter.Convert(
        bound.base == nullptr ? instruction : bound.base, wide.element_type());
    Instruction* scale =
        bound.scale == nullptr ? Magnitude(rewriter, base) : bound.scale;
    if (bound.growth != nullptr) {
      scale = rewriter.Binary(Opcode::kMultiply, scale, bound.growth);
    }
    Instruction* error = rewriter.Binary(
        Opcode::kMultiply, scale,
        rewriter.Splat(
            rewriter.Scalar(wide.element_type(),
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
        rewriter.Binary(Opcode::kAdd, base,
                        rewriter.Binary(Opcode::kMultiply,
                                        noise_.Noise(rewriter, wide), error)),
        type);
    if (bound.scale != nullptr) {
      if (noise_.way() % 4 == 3) sum = OrNothing(rewriter, base, error, sum);
      Instruction* peak = bound.peak == nullptr ? scale : bound.peak;
      sum = noise_.OrAnything(rewriter, IsInRange(rewriter, peak, facts), sum);
    }
    Replace(instruction, uses, noise_.OtherNan(rewriter, sum));
  }

  // Zero where the error is as large as the value: terms that cancel leave
  // nothing in one order, and a rest in another, which errors hardly make 0.
  static Instruction* OrNothing(Rewriter& rewriter, Instruction* base,
                                Instruction* error, Instruction* sum) {
    const Shape& shape = sum->shape();
    if (hlo::IsComplex(shape.element_type())) return sum;
    return rewriter.Select(
        rewriter.Compare(hlo::ComparisonDirection::kLe,
                         rewriter.Unary(Opcode::kAbs, base), error),
        rewriter.Splat(rewriter.Scalar(shape.element_type(), 0),
                       WithoutLayout(shape)),
        sum);
  }

  // Whether each magnitude is a finite number of the type.
  static Instruction* IsInRange(Rewriter& rewriter, Instruction* scale,
                                const FloatFacts& facts) {
    Instruction* magnitude = rewriter.Unary(Opcode::kAbs, scale);
    const Shape& shape = magnitude->shape();
    return rewriter.Compare(
        hlo::ComparisonDirection::kLe, magnitude,
        rewriter.Splat(rewriter.Scalar(shape.element_type(), facts.largest),
                       shape));
  }

  void FlipNans(Instruction* instruction) {
    if (hlo::IsComplex(instruction->shape().element_type())) return;
    std::vector<Instruction::Use> uses(instruction->uses().begin(),
                                       instruction->uses().end());
    Rewriter rewriter(*instruction);
    Replace(instruction, uses, noise_.OtherNan(rewriter, instruction));
  }

  static void Replace(Instruction* instruction,
                      absl::Span<const Instruction::Use> uses,
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

  // The same operation on magnitudes.
  static Instruction* OnMagnitudes(Rewriter& rewriter,
                                   const Instruction& instruction,
                                   absl::Span<const int64_t> operands) {
    std::vector<Instruction*> magnitudes = instruction.operands();
    for (const int64_t i : operands) {
      magnitudes[static_cast<size_t>(i)] =
          FiniteMagnitude(rewriter, magnitudes[static_cast<size_t>(i)]);
    }
    return rewriter.Like(instruction, WithoutLayout(instruction.shape()),
                         magnitudes);
  }

  // How many roundings a result takes at most, as it were: those of types
  // below 32 bits are of f32, and one of the type.
  static double SumUlps(ElementType type, int64_t count) {
    const auto terms = static_cast<double>(std::clamp<int64_t>(count, 1, 1000));
    const int bits = hlo::InfoOf(hlo::ComponentType(type)).bits;
    if (bits >= 32) return 2 + terms;
    return 1.5 + terms * 0x1p-23 / FactsOf(type).epsilon;
  }

  void PerturbFold(Instruction* instruction) {
    const Shape& shape = instruction->shape();
    if (!shape.IsArray() || !HasErrors(shape.element_type())) return;
    const Computation* reducer =
        instruction->opcode() == Opcode::kSelectAndScatter
            ? instruction->scatter()
            : instruction->to_apply();
    const std::optional<Opcode> opcode = FoldOpcode(reducer);
    if (opcode == Opcode::kAdd) {
      PerturbSum(instruction);
    } else if (opcode == Opcode::kMultiply) {
      PoisonLargeProducts(instruction);
      PerturbFactors(instruction);
    } else {
      FlipNans(instruction);
    }
  }

  static int64_t TermCount(const Instruction& fold) {
    int64_t count = 0;
    for (const Instruction* operand : fold.operands()) {
      count += operand->shape().ElementCount();
    }
    return count;
  }

  // Few windows of a select-and-scatter overlap: as if folds in narrow types
  // had that many roundings.
  static double FoldUlps(const Instruction& fold) {
    constexpr double kOverlaps = 8;
    const ElementType type = fold.shape().element_type();
    if (fold.opcode() == Opcode::kSelectAndScatter && IsNarrow(type)) {
      return kOverlaps;
    }
    return SumUlps(type, TermCount(fold));
  }

  // The operands whose elements are folded, and initial values.
  static std::vector<int64_t> FoldedOperands(const Instruction& fold) {
    if (fold.opcode() == Opcode::kSelectAndScatter) return {1, 2};
    if (fold.opcode() == Opcode::kScatter) return {0, 2};
    return {0, 1};
  }

  // Narrow products round after every step, in any order. Such errors grow as
  // the root of their number. Source: Higham and Mary, A new approach to
  // probabilistic rounding error analysis, 2019.
  static double FactorUlps(const Instruction& fold) {
    if (!IsNarrow(fold.shape().element_type()) ||
        fold.opcode() == Opcode::kSelectAndScatter) {
      return FoldUlps(fold);
    }
    constexpr int64_t kMostTerms = 1000;
    return 1 + std::sqrt(std::clamp<int64_t>(TermCount(fold), 1, kMostTerms));
  }

  // Folds in narrow types round after every step, or are done in f32.
  bool IsFoldedInSingles(const Instruction& fold) const {
    return IsNarrow(fold.shape().element_type()) &&
           fold.opcode() != Opcode::kSelectAndScatter && noise_.way() % 4 < 2;
  }

  void PerturbFactors(Instruction* instruction) {
    Rewriter rewriter(*instruction);
    Instruction* base = nullptr;
    if (IsFoldedInSingles(*instruction)) {
      base = FoldInSingles(rewriter, *instruction, Opcode::kMultiply,
                           FoldedOperands(*instruction));
    }
    AddError(instruction, {.ulps = FactorUlps(*instruction), .base = base});
  }

  void PerturbSum(Instruction* instruction) {
    Rewriter rewriter(*instruction);
    const ElementType type = instruction->shape().element_type();
    const double ulps = FoldUlps(*instruction);
    const std::vector<int64_t> summed = FoldedOperands(*instruction);
    if (instruction->opcode() == Opcode::kSelectAndScatter) {
      Instruction* scale = OnMagnitudes(rewriter, *instruction, summed);
      AddError(
          instruction,
          {.ulps = ulps, .scale = rewriter.Convert(scale, ErrorType(type))});
      return;
    }
    if (!IsNarrow(type)) {
      AddError(instruction,
               {.ulps = ulps,
                .scale = OnMagnitudes(rewriter, *instruction, summed)});
      return;
    }
    Instruction* wide =
        FoldInSingles(rewriter, *instruction, Opcode::kAdd, summed);
    Instruction* scale = OnMagnitudes(rewriter, *wide, summed);
    AddError(instruction,
             {.ulps = ulps,
              .scale = scale,
              .base = IsFoldedInSingles(*instruction) ? wide : nullptr});
  }

  // The same fold in f32.
  Instruction* FoldInSingles(Rewriter& rewriter, const Instruction& fold,
                             Opcode opcode, absl::Span<const int64_t> folded) {
    std::vector<Instruction*> operands = fold.operands();
    for (const int64_t i : folded) {
      Instruction*& operand = operands[static_cast<size_t>(i)];
      operand = rewriter.Convert(operand, ElementType::kF32);
    }
    Instruction* wide = rewriter.Like(
        fold, WithElementType(WithoutLayout(fold.shape()), ElementType::kF32),
        operands);
    Computation* reducer =
        passes::MakeScalarComputation(module_, opcode, ElementType::kF32);
    applied_.insert(reducer);
    wide->set_to_apply(reducer);
    return wide;
  }

  // Partial products of another order may overflow or underflow where those of
  // this one do not: where some could, the result is NaN one way and 0 another.
  void PoisonLargeProducts(Instruction* instruction) {
    std::vector<Instruction::Use> uses(instruction->uses().begin(),
                                       instruction->uses().end());
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
    Replace(instruction, uses,
            noise_.OrAnything(
                rewriter, rewriter.Binary(Opcode::kAnd, is_normal, is_finite),
                instruction));
  }

  void PerturbProduct(Instruction* instruction) {
    Rewriter rewriter(*instruction);
    const int64_t count = instruction->operand_shape(0).ElementCount();
    const ElementType type = instruction->shape().element_type();
    // The operands of a scaled product have types of their own.
    const bool is_widened =
        IsNarrow(type) && instruction->opcode() != Opcode::kScaledDot;
    std::vector<Instruction*> magnitudes = instruction->operands();
    for (size_t i = 0; i < 2; ++i) {
      magnitudes[i] = FiniteMagnitude(rewriter, magnitudes[i]);
      const ElementType operand_type = magnitudes[i]->shape().element_type();
      if (hlo::IsComplex(operand_type)) {
        magnitudes[i] = rewriter.Convert(
            rewriter.Unary(Opcode::kReal, magnitudes[i]), operand_type);
      } else if (is_widened) {
        magnitudes[i] = rewriter.Convert(magnitudes[i], ElementType::kF32);
      }
    }
    Instruction* scale =
        rewriter.Like(*instruction,
                      WithElementType(WithoutLayout(instruction->shape()),
                                      is_widened ? ElementType::kF32 : type),
                      magnitudes);
    scale = rewriter.Convert(scale, ErrorType(type));
    double ulps = SumUlps(type, count);
    if (hlo::IsComplex(type)) {
      scale = Magnitude(rewriter, scale);
      ulps *= 2;
    }
    AddError(instruction, {.ulps = ulps, .scale = scale});
  }

  // Every result depends on every element of a row: the scale is the sum of
  // all.
  void PerturbTransform(Instruction* instruction) {
    Rewriter rewriter(*instruction);
    Instruction* operand = instruction->operand(0);
    Instruction* magnitude = rewriter.Unary(Opcode::kAbs, operand);
    const ElementType part = magnitude->shape().element_type();
    hlo::DimensionVector all;
    for (int64_t i = 0; i < magnitude->shape().rank(); ++i) all.push_back(i);
    Computation* add =
        passes::MakeScalarComputation(module_, Opcode::kAdd, part);
    applied_.insert(add);
    Instruction* sum =
        rewriter.Reduce(magnitude, rewriter.Scalar(part, 0), all, add);
    const ElementType type = instruction->shape().element_type();
    if (hlo::IsComplex(type)) {
      sum = rewriter.Binary(Opcode::kComplex, sum, sum);
    }
    AddError(instruction, {.ulps = 16,
                           .scale = rewriter.Splat(
                               sum, WithoutLayout(instruction->shape()))});
  }

  // The errors of long computations are like those of their operands.
  void PerturbOperands(Instruction* instruction) {
    for (int64_t i = 0; i < instruction->operand_count(); ++i) {
      Instruction* operand = instruction->operand(i);
      if (!HasErrors(operand->shape().element_type())) continue;
      is_exact_ = false;
      Rewriter rewriter(*instruction);
      const Shape shape = WithoutLayout(operand->shape());
      const ElementType type = shape.element_type();
      Instruction* error = rewriter.Binary(
          Opcode::kMultiply, operand,
          rewriter.Splat(rewriter.Scalar(type, 64 * FactsOf(type).epsilon),
                         shape));
      instruction->ReplaceOperand(
          i, rewriter.Binary(
                 Opcode::kAdd, operand,
                 rewriter.Binary(Opcode::kMultiply,
                                 noise_.Noise(rewriter, shape), error)));
    }
    if (instruction->shape().IsArray()) AddError(instruction, {.ulps = 64});
  }

  // Squares and products of operands that overflow one way need not another
  // way: nothing is known about the results then.
  void PerturbNormalization(Instruction* instruction) {
    Rewriter rewriter(*instruction);
    const ElementType type =
        ErrorType(instruction->operand_shape(0).element_type());
    Computation* add =
        passes::MakeScalarComputation(module_, Opcode::kAdd, type);
    applied_.insert(add);
    Instruction* sum = rewriter.Scalar(type, 0);
    for (Instruction* operand : instruction->operands()) {
      Instruction* magnitude =
          rewriter.Convert(FiniteMagnitude(rewriter, operand), type);
      hlo::DimensionVector all;
      for (int64_t i = 0; i < operand->shape().rank(); ++i) all.push_back(i);
      sum = rewriter.Reduce(
          rewriter.Binary(Opcode::kMultiply, magnitude, magnitude), sum, all,
          add);
    }
    Instruction* values = instruction->operand(0);
    Instruction* is_known = rewriter.Splat(
        rewriter.Unary(Opcode::kIsFinite, sum),
        WithElementType(WithoutLayout(values->shape()), ElementType::kPred));
    instruction->ReplaceOperand(0,
                                noise_.OrAnything(rewriter, is_known, values));
    PerturbOperands(instruction);
  }

  // The errors of substitution are at most a small multiple of the solution for
  // magnitudes on the right and magnitudes, negative off the diagonal, on the
  // left. Source: Higham, Accuracy and Stability, theorem 8.10.
  void PerturbSolve(Instruction* instruction) {
    Rewriter rewriter(*instruction);
    const ElementType type = instruction->shape().element_type();
    const ElementType wide = ErrorType(type);
    const Shape matrix = WithElementType(
        WithoutLayout(instruction->operand_shape(0)), ElementType::kS32);
    const int64_t rank = matrix.rank();
    Instruction* is_diagonal = rewriter.Compare(
        hlo::ComparisonDirection::kEq, rewriter.Iota(matrix, rank - 2),
        rewriter.Iota(matrix, rank - 1));
    const auto real = [&](Instruction* value) {
      if (!hlo::IsComplex(value->shape().element_type())) return value;
      return rewriter.Unary(Opcode::kReal, value);
    };
    Instruction* diagonal =
        rewriter.Unary(Opcode::kAbs, instruction->operand(0));
    Instruction* others = rewriter.Unary(
        Opcode::kNegate,
        real(FiniteMagnitude(rewriter, instruction->operand(0))));
    Instruction* left =
        rewriter.Convert(rewriter.Select(is_diagonal, diagonal, others), wide);
    Instruction* right = rewriter.Convert(
        real(FiniteMagnitude(rewriter, instruction->operand(1))), wide);
    Instruction* scale = rewriter.Like(
        *instruction,
        WithElementType(WithoutLayout(instruction->shape()), wide),
        {left, right});
    const auto size = static_cast<double>(matrix.dimension(rank - 1));
    // Sums are divided by diagonal elements last: before, they are larger. One
    // that overflows reaches all that follow in its row or column.
    hlo::DimensionVector all;
    for (int64_t i = 0; i < rank; ++i) all.push_back(i);
    const int64_t solved = instruction->left_side() ? rank - 2 : rank - 1;
    Instruction* factor =
        LargestAlong(rewriter, rewriter.Convert(diagonal, wide), all);
    Instruction* peak =
        rewriter.Binary(Opcode::kMultiply, scale,
                        rewriter.Splat(factor, WithoutLayout(scale->shape())));
    hlo::DimensionVector kept = all;
    kept.erase(kept.begin() + solved);
    const hlo::Shape& shape = instruction->shape();
    peak = rewriter.Broadcast(LargestAlong(rewriter, peak, {solved}),
                              shape.dimensions(), kept);
    AddError(instruction, {.ulps = 4 * (size * size + size + 1),
                           .scale = Magnitude(rewriter, scale),
                           .peak = peak});
  }

  // The largest of magnitudes along dimensions, at least 1.
  Instruction* LargestAlong(Rewriter& rewriter, Instruction* magnitudes,
                            absl::Span<const int64_t> dimensions) {
    const ElementType type = magnitudes->shape().element_type();
    if (hlo::IsComplex(type)) {
      magnitudes = rewriter.Unary(Opcode::kReal, magnitudes);
    }
    const ElementType part = hlo::ComponentType(type);
    Computation* maximum =
        passes::MakeScalarComputation(module_, Opcode::kMaximum, part);
    applied_.insert(maximum);
    return rewriter.Convert(
        rewriter.Reduce(magnitudes, rewriter.Scalar(part, 1), dimensions,
                        maximum),
        type);
  }

  // e^(w log z): what the exponent is off by, the power is off by relatively.
  void PerturbComplexPower(Instruction* instruction, double ulps) {
    Rewriter rewriter(*instruction);
    Instruction* exponent =
        rewriter.Binary(Opcode::kMultiply, instruction->operand(1),
                        rewriter.Unary(Opcode::kLog, instruction->operand(0)));
    const Shape shape = WithoutLayout(instruction->shape());
    const ElementType type = shape.element_type();
    Instruction* growth =
        rewriter.Unary(Opcode::kReal, FiniteMagnitude(rewriter, exponent));
    growth = rewriter.Binary(Opcode::kAdd, rewriter.Convert(growth, type),
                             rewriter.Splat(rewriter.Scalar(type, 1), shape));
    AddError(instruction, {.ulps = ulps, .growth = growth});
  }

  hlo::Module& module_;
  FloatNoise noise_;
  bool is_exact_ = true;
  std::set<const Computation*> applied_;
  std::vector<Computation*> computations_;
};

}  // namespace

std::unique_ptr<hlo::Module> PerturbRoundings(const hlo::Module& module,
                                              int way, bool* is_exact) {
  std::unique_ptr<hlo::Module> perturbed = module.Clone();
  perturbed->header().input_output_alias.clear();
  *is_exact = Perturbation(*perturbed, way).Run();
  perturbed->UniquifyNames();
  return perturbed;
}

}  // namespace hilo::fuzzing
