// Adds the errors that operations may have to their results.
#include "jit/fuzzing/perturbation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
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
#include "jit/fuzzing/fold_perturbation.h"
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

class Perturbation {
 public:
  Perturbation(hlo::Module& module, int way) : errors_(module, way) {}

  // Whether nothing but NaNs was perturbed.
  bool Run() {
    const std::set<const Computation*> applied = AppliedComputations();
    std::vector<Computation*> computations;
    for (const auto& computation : errors_.module().computations()) {
      if (applied.contains(computation.get())) continue;
      computations.push_back(computation.get());
    }
    for (Computation* computation : computations) {
      std::vector<Instruction*> instructions;
      for (const auto& instruction : computation->instructions()) {
        instructions.push_back(instruction.get());
      }
      for (Instruction* instruction : instructions) Perturb(instruction);
    }
    return errors_.is_exact();
  }

 private:
  // Reducers, comparators and the like, which stay as they are.
  std::set<const Computation*> AppliedComputations() {
    std::set<const Computation*> applied;
    for (const auto& computation : errors_.module().computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (!Contains(kAppliers, instruction->opcode())) continue;
        for (Computation* called : instruction->called_computations()) {
          applied.insert(called);
        }
      }
    }
    return applied;
  }

  void Perturb(Instruction* instruction) {
    const Shape& shape = instruction->shape();
    const Opcode opcode = instruction->opcode();
    if (IsFold(opcode)) {
      PerturbFold(instruction, errors_);
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
    } else if (opcode == Opcode::kGetTupleElement &&
               Contains(kNormalizations, instruction->operand(0)->opcode())) {
      if (HasErrors(shape.element_type())) errors_.FlipNans(instruction);
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
    } else if (is_complex && instruction->opcode() == Opcode::kAtan2) {
      PerturbComplexAngle(instruction, ulps + 1);
    } else if (ulps > 0) {
      errors_.Add(instruction, {.ulps = ulps + 1});
    } else if (is_row || instruction->opcode() == Opcode::kConvert ||
               instruction->opcode() == Opcode::kClamp ||
               instruction->opcode() == Opcode::kMap ||
               instruction->opcode() == Opcode::kReducePrecision) {
      errors_.FlipNans(instruction);
    }
  }

  static bool IsExactForComplex(Opcode opcode) {
    return opcode == Opcode::kAdd || opcode == Opcode::kSubtract ||
           opcode == Opcode::kNegate || opcode == Opcode::kReal ||
           opcode == Opcode::kImag;
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
    errors_.Add(instruction, {.ulps = ulps, .scale = scale});
  }

  // A result is a sum over the block that is transformed, through a tree with
  // few levels: its error is relative to the magnitudes of the whole block.
  void PerturbTransform(Instruction* instruction) {
    Rewriter rewriter(*instruction);
    Instruction* magnitude =
        rewriter.Unary(Opcode::kAbs, instruction->operand(0));
    const ElementType part = magnitude->shape().element_type();
    const int64_t rank = magnitude->shape().rank();
    hlo::DimensionVector batches;
    hlo::DimensionVector transformed;
    const absl::Span<const int64_t> lengths = instruction->fft_length();
    for (int64_t i = 0; i < rank; ++i) {
      const bool is_batch = i + std::ssize(lengths) < rank;
      (is_batch ? batches : transformed).push_back(i);
    }
    double points = 1;
    for (const int64_t length : lengths) {
      points *= static_cast<double>(std::max<int64_t>(length, 1));
    }
    const hlo::FftType kind = instruction->fft_type();
    // The operand of a real inverse is half of what is summed.
    if (kind == hlo::FftType::kIrfft) {
      magnitude = rewriter.Binary(Opcode::kAdd, magnitude, magnitude);
    }
    Computation* add =
        passes::MakeScalarComputation(errors_.module(), Opcode::kAdd, part);
    Instruction* sum =
        rewriter.Reduce(magnitude, rewriter.Scalar(part, 0), transformed, add);
    const bool is_inverse =
        kind == hlo::FftType::kIfft || kind == hlo::FftType::kIrfft;
    // Sums may overflow before they are divided.
    const auto divided_by = [&](double divisor) {
      Instruction* quotient = rewriter.Binary(
          Opcode::kDivide, sum,
          rewriter.Splat(rewriter.Scalar(part, divisor), sum->shape()));
      if (hlo::IsComplex(instruction->shape().element_type())) {
        quotient = rewriter.Binary(Opcode::kComplex, quotient, quotient);
      }
      return rewriter.Broadcast(quotient, instruction->shape().dimensions(),
                                batches);
    };
    constexpr double kUlps = 8;
    constexpr double kUlpsPerLevel = 2;
    errors_.Add(instruction, {.ulps = kUlps + kUlpsPerLevel * std::log2(points),
                              .scale = divided_by(is_inverse ? points : 1),
                              .peak = divided_by(1)});
  }

  // The errors of long computations are like those of their operands.
  void PerturbOperands(Instruction* instruction) {
    constexpr double kUlps = 64;
    for (int64_t i = 0; i < instruction->operand_count(); ++i) {
      if (!HasErrors(instruction->operand_shape(i).element_type())) continue;
      errors_.AddToOperand(instruction, i, kUlps);
    }
    if (instruction->shape().IsArray()) {
      errors_.Add(instruction, {.ulps = kUlps});
    }
  }

  // Squares and products of operands that overflow one way need not another
  // way: nothing is known about the results then.
  void PerturbNormalization(Instruction* instruction) {
    Rewriter rewriter(*instruction);
    const ElementType type =
        ErrorType(instruction->operand_shape(0).element_type());
    Computation* add =
        passes::MakeScalarComputation(errors_.module(), Opcode::kAdd, type);
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
    Instruction* is_finite = rewriter.Unary(Opcode::kIsFinite, sum);
    const auto is_known = [&](const Shape& shape) {
      return rewriter.Splat(
          is_finite, WithElementType(WithoutLayout(shape), ElementType::kPred));
    };
    // Equal operands have no variance, whatever they are.
    const std::vector<Instruction::Use> uses(instruction->uses().begin(),
                                             instruction->uses().end());
    for (const Instruction::Use& use : uses) {
      if (use.user->opcode() != Opcode::kGetTupleElement) continue;
      errors_.Forget(use.user, is_known(use.user->shape()));
    }
    errors_.ForgetOperand(instruction, 0,
                          is_known(instruction->operand_shape(0)));
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
    errors_.Add(instruction, {.ulps = 4 * (size * size + size + 1),
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
        passes::MakeScalarComputation(errors_.module(), Opcode::kMaximum, part);
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
    errors_.Add(instruction, {.ulps = ulps, .growth = growth});
  }

  // -i log((x + i y) / sqrt(x^2 + y^2)), in c128: the squares cancel, so does
  // what the quotient is off by where it is near 1, and where it is near -1 it
  // may be on either side of the branch cut.
  void PerturbComplexAngle(Instruction* instruction, double ulps) {
    Rewriter rewriter(*instruction);
    const ElementType type = instruction->shape().element_type();
    Instruction* y =
        rewriter.Convert(instruction->operand(0), ElementType::kC128);
    Instruction* x =
        rewriter.Convert(instruction->operand(1), ElementType::kC128);
    const Shape shape = WithoutLayout(x->shape());
    const Shape parts = WithElementType(shape, ElementType::kF64);
    const auto splat = [&](double number) {
      return rewriter.Splat(rewriter.Scalar(ElementType::kF64, number), parts);
    };
    const auto real = [&](Instruction* number) {
      return rewriter.Unary(Opcode::kReal, number);
    };
    const auto imag = [&](Instruction* number) {
      return rewriter.Unary(Opcode::kImag, number);
    };
    const auto sum_of_squares = [&](Instruction* a, Instruction* b) {
      return rewriter.Binary(Opcode::kAdd,
                             rewriter.Binary(Opcode::kMultiply, a, a),
                             rewriter.Binary(Opcode::kMultiply, b, b));
    };
    Instruction* i = rewriter.Binary(Opcode::kComplex, splat(0), splat(1));
    Instruction* point = rewriter.Binary(
        Opcode::kAdd, x, rewriter.Binary(Opcode::kMultiply, i, y));
    Instruction* squares = sum_of_squares(x, y);
    Instruction* quotient = rewriter.Binary(
        Opcode::kDivide, point, rewriter.Unary(Opcode::kSqrt, squares));
    Instruction* logarithm = rewriter.Unary(Opcode::kLog, quotient);
    Instruction* angle =
        rewriter.Binary(Opcode::kComplex, imag(logarithm),
                        rewriter.Unary(Opcode::kNegate, real(logarithm)));
    // Real numbers have a function of their own.
    const auto is_real = [&](Instruction* number) {
      return rewriter.Compare(hlo::ComparisonDirection::kEq, imag(number),
                              splat(0));
    };
    Instruction* base = rewriter.Select(
        rewriter.Binary(Opcode::kAnd, is_real(x), is_real(y)),
        rewriter.Binary(Opcode::kComplex,
                        rewriter.Binary(Opcode::kAtan2, real(y), real(x)),
                        splat(0)),
        angle);
    Instruction* scale = sum_of_squares(rewriter.Unary(Opcode::kAbs, x),
                                        rewriter.Unary(Opcode::kAbs, y));
    scale = rewriter.Binary(Opcode::kComplex, scale, scale);
    errors_.Add(squares, {.ulps = ulps, .scale = scale});
    errors_.Add(quotient, {.ulps = ulps});
    errors_.Add(instruction,
                {.ulps = ulps, .base = rewriter.Convert(base, type)});
  }

  RoundingErrors errors_;
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
