// Adds the errors that operations may have to their results.
#include "jit/fuzzing/perturbation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "jit/fuzzing/random_source.h"
#include "passes/rewriter.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::fuzzing {
namespace {

using hlo::Computation;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using passes::Rewriter;

// Facts about a float type.
struct FloatFacts {
  // The distance from 1 to the next number.
  double epsilon = 0;
  double min_normal = 0;
  double min_subnormal = 0;
};

FloatFacts FactsOf(ElementType type) {
  return hlo::DispatchElementType(hlo::ComponentType(type), [](auto tag) {
    using T = decltype(tag)::type;
    FloatFacts facts;
    if constexpr (NumericTraits<T>::is_float) {
      using Traits = NumericTraits<T>;
      const int min_exponent = 2 - (1 << (Traits::exponent_bits - 1));
      facts.epsilon = std::ldexp(1.0, -Traits::mantissa_bits);
      facts.min_normal = std::ldexp(1.0, min_exponent);
      facts.min_subnormal =
          std::ldexp(1.0, min_exponent - Traits::mantissa_bits);
    }
    return facts;
  });
}

bool HasErrors(ElementType type) {
  return (hlo::IsFloat(type) || hlo::IsComplex(type)) &&
         type != ElementType::kF8E8M0FNU;
}

constexpr Opcode kFolds[] = {Opcode::kReduce, Opcode::kReduceWindow,
                             Opcode::kScatter, Opcode::kSelectAndScatter};
constexpr Opcode kAppliers[] = {
    Opcode::kReduce,           Opcode::kReduceWindow, Opcode::kScatter,
    Opcode::kSelectAndScatter, Opcode::kSort,         Opcode::kAllReduce,
    Opcode::kReduceScatter};
constexpr Opcode kProducts[] = {Opcode::kDot, Opcode::kConvolution,
                                Opcode::kRaggedDot, Opcode::kScaledDot};
constexpr Opcode kLongComputations[] = {
    Opcode::kTriangularSolve, Opcode::kCholesky, Opcode::kBatchNormInference,
    Opcode::kBatchNormTraining, Opcode::kBatchNormGrad};

bool Contains(absl::Span<const Opcode> opcodes, Opcode opcode) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
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
  Perturbation(hlo::Module& module, int way)
      : module_(module), way_(way), random_(static_cast<uint64_t>(way)) {}

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
    } else if (Contains(kLongComputations, opcode)) {
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
    if (ulps > 0) {
      AddError(instruction, nullptr, ulps + 1);
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

  // +1 or -1 for each element. In the random ways instructions and neighbours
  // differ, so that errors do not cancel.
  Instruction* Noise(Rewriter& rewriter, const Shape& shape) {
    const ElementType type = shape.element_type();
    const auto splat = [&](double value) {
      return rewriter.Splat(rewriter.Scalar(type, value), shape);
    };
    if (way_ < 2) return splat(way_ == 0 ? 1 : -1);
    const double sign = random_.Chance(50) ? 1 : -1;
    if (shape.rank() == 0 || random_.Chance(50)) return splat(sign);
    const Shape whole = WithElementType(shape, ElementType::kU32);
    Instruction* sum = rewriter.Iota(whole, 0);
    for (int64_t d = 1; d < shape.rank(); ++d) {
      sum = rewriter.Binary(Opcode::kAdd, sum, rewriter.Iota(whole, d));
    }
    Instruction* one =
        rewriter.Splat(rewriter.IntegerScalar(ElementType::kU32, 1), whole);
    Instruction* is_odd = rewriter.Convert(
        rewriter.Binary(Opcode::kAnd, sum, one), ElementType::kPred);
    return rewriter.Select(is_odd, splat(sign), splat(-sign));
  }

  // The magnitude of each part, in the type itself.
  static Instruction* Magnitude(Rewriter& rewriter, Instruction* value) {
    Instruction* magnitude = rewriter.Unary(Opcode::kAbs, value);
    const ElementType type = value->shape().element_type();
    if (!hlo::IsComplex(type)) return magnitude;
    return rewriter.Binary(Opcode::kComplex, magnitude, magnitude);
  }

  // For operands of products with results of another type.
  static Instruction* IntegerMagnitude(Rewriter& rewriter, Instruction* value) {
    if (!hlo::IsSignedInteger(value->shape().element_type())) return value;
    return rewriter.Unary(Opcode::kAbs, value);
  }

  // The magnitude of each finite part, and 0 for others.
  static Instruction* FiniteMagnitude(Rewriter& rewriter, Instruction* value) {
    if (!HasErrors(value->shape().element_type()))
      return IntegerMagnitude(rewriter, value);
    Instruction* magnitude = rewriter.Unary(Opcode::kAbs, value);
    const ElementType part = magnitude->shape().element_type();
    magnitude =
        rewriter.Select(rewriter.Unary(Opcode::kIsFinite, magnitude), magnitude,
                        rewriter.Splat(rewriter.Scalar(part, 0),
                                       WithoutLayout(magnitude->shape())));
    const ElementType type = value->shape().element_type();
    if (!hlo::IsComplex(type)) return magnitude;
    return rewriter.Binary(Opcode::kComplex, magnitude, magnitude);
  }

  // Where sums of magnitudes overflow, those of another order may: the result
  // is NaN one way and 0 another.
  Instruction* PoisonOverflow(Rewriter& rewriter, Instruction* scale,
                              Instruction* result) {
    const ElementType type = result->shape().element_type();
    const Shape shape = WithoutLayout(result->shape());
    Instruction* magnitude = rewriter.Unary(Opcode::kAbs, scale);
    Instruction* poison = rewriter.Splat(
        rewriter.Scalar(
            type, way_ % 2 == 0 ? 0 : std::numeric_limits<double>::quiet_NaN()),
        shape);
    return rewriter.Select(rewriter.Unary(Opcode::kIsFinite, magnitude), result,
                           poison);
  }

  // result + noise * (ulps * epsilon * scale + smallest number). `scale` is the
  // sum of magnitudes of a sum; null: the magnitude of the result.
  void AddError(Instruction* instruction, Instruction* scale, double ulps) {
    is_exact_ = false;
    std::vector<Instruction::Use> uses(instruction->uses().begin(),
                                       instruction->uses().end());
    Rewriter rewriter(*instruction);
    const Shape shape = WithoutLayout(instruction->shape());
    const ElementType type = shape.element_type();
    const FloatFacts facts = FactsOf(type);
    Instruction* sum_scale = scale;
    if (scale == nullptr) scale = Magnitude(rewriter, instruction);
    const auto splat = [&](double value) {
      return rewriter.Splat(rewriter.Scalar(type, value), shape);
    };
    Instruction* error = rewriter.Binary(
        Opcode::kMultiply, scale, splat(std::min(ulps * facts.epsilon, 0.5)));
    Instruction* least =
        rewriter.Splat(rewriter.Scalar(hlo::ComponentType(type),
                                       std::ceil(ulps) * facts.min_subnormal),
                       WithElementType(shape, hlo::ComponentType(type)));
    if (hlo::IsComplex(type)) {
      least = rewriter.Binary(Opcode::kComplex, least, least);
    }
    error = rewriter.Binary(Opcode::kAdd, error, least);
    Instruction* sum = rewriter.Binary(
        Opcode::kAdd, instruction,
        rewriter.Binary(Opcode::kMultiply, Noise(rewriter, shape), error));
    if (sum_scale != nullptr) sum = PoisonOverflow(rewriter, sum_scale, sum);
    Replace(instruction, uses, OtherNan(rewriter, sum));
  }

  // NaNs get other bits, in turn.
  Instruction* OtherNan(Rewriter& rewriter, Instruction* value) {
    const ElementType type = value->shape().element_type();
    if (hlo::IsComplex(type)) return value;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Instruction* scalar = rewriter.Scalar(type, nan);
    if (way_ % 2 == 1) scalar = rewriter.Unary(Opcode::kNegate, scalar);
    Instruction* is_nan =
        rewriter.Compare(hlo::ComparisonDirection::kNe, value, value);
    return rewriter.Select(
        is_nan, rewriter.Splat(scalar, WithoutLayout(value->shape())), value);
  }

  void FlipNans(Instruction* instruction) {
    if (hlo::IsComplex(instruction->shape().element_type())) return;
    std::vector<Instruction::Use> uses(instruction->uses().begin(),
                                       instruction->uses().end());
    Rewriter rewriter(*instruction);
    Replace(instruction, uses, OtherNan(rewriter, instruction));
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
    int64_t count = 0;
    for (const Instruction* operand : instruction->operands()) {
      count += operand->shape().ElementCount();
    }
    if (opcode == Opcode::kAdd) {
      Rewriter rewriter(*instruction);
      std::vector<int64_t> summed = {0, 1};
      if (instruction->opcode() == Opcode::kScatter) summed = {0, 2};
      if (instruction->opcode() == Opcode::kSelectAndScatter) summed = {1, 2};
      AddError(instruction, OnMagnitudes(rewriter, *instruction, summed),
               SumUlps(shape.element_type(), count));
      return;
    }
    if (opcode == Opcode::kMultiply) {
      PoisonLargeProducts(instruction);
      AddError(instruction, nullptr, SumUlps(shape.element_type(), count));
      return;
    }
    FlipNans(instruction);
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
    Instruction* may_underflow = rewriter.Compare(
        hlo::ComparisonDirection::kLt, product(Opcode::kMinimum), least);
    Instruction* zero = rewriter.Splat(rewriter.Scalar(type, 0), shape);
    Instruction* is_finite =
        rewriter.Unary(Opcode::kIsFinite, product(Opcode::kMaximum));
    Instruction* may_overflow = rewriter.Unary(Opcode::kNot, is_finite);
    Instruction* poison =
        way_ % 2 == 0 ? zero : rewriter.Binary(Opcode::kDivide, zero, zero);
    Replace(instruction, uses,
            rewriter.Select(
                rewriter.Binary(Opcode::kOr, may_underflow, may_overflow),
                poison, instruction));
  }

  void PerturbProduct(Instruction* instruction) {
    Rewriter rewriter(*instruction);
    const int64_t count = instruction->operand_shape(0).ElementCount();
    const ElementType type = instruction->shape().element_type();
    std::vector<Instruction*> magnitudes = instruction->operands();
    for (size_t i = 0; i < 2; ++i) {
      magnitudes[i] = FiniteMagnitude(rewriter, magnitudes[i]);
      if (!hlo::IsComplex(magnitudes[i]->shape().element_type())) continue;
      magnitudes[i] = rewriter.Convert(
          rewriter.Unary(Opcode::kReal, magnitudes[i]),
          instruction->operand_shape(static_cast<int64_t>(i)).element_type());
    }
    Instruction* scale = rewriter.Like(
        *instruction, WithoutLayout(instruction->shape()), magnitudes);
    double ulps = SumUlps(type, count);
    if (hlo::IsComplex(type)) {
      scale = Magnitude(rewriter, scale);
      ulps *= 2;
    }
    AddError(instruction, scale, ulps);
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
    AddError(instruction,
             rewriter.Splat(sum, WithoutLayout(instruction->shape())), 16);
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
          i, rewriter.Binary(Opcode::kAdd, operand,
                             rewriter.Binary(Opcode::kMultiply,
                                             Noise(rewriter, shape), error)));
    }
    if (instruction->shape().IsArray()) AddError(instruction, nullptr, 64);
  }

  hlo::Module& module_;
  int way_;
  RandomSource random_;
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
