// Builds noise out of iotas and integer arithmetic.
#include "jit/fuzzing/float_noise.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/rewriter.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::fuzzing {

using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using passes::Rewriter;

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
      facts.largest = static_cast<double>(Traits::highest());
    }
    return facts;
  });
}

bool HasErrors(ElementType type) {
  return (hlo::IsFloat(type) || hlo::IsComplex(type)) &&
         type != ElementType::kF8E8M0FNU;
}

bool IsNarrow(ElementType type) {
  return hlo::IsFloat(type) && hlo::InfoOf(type).bits < 32;
}

Instruction* Magnitude(Rewriter& rewriter, Instruction* value) {
  Instruction* magnitude = rewriter.Unary(Opcode::kAbs, value);
  const ElementType type = value->shape().element_type();
  if (!hlo::IsComplex(type)) return magnitude;
  return rewriter.Binary(Opcode::kComplex, magnitude, magnitude);
}

namespace {

// Signs of NaNs, by the way modulo the number of kinds: that of the number that
// a NaN is made of, or always one; NaNs of operands are handed on then. Others
// are random.
constexpr int kNanKinds = 8;
constexpr int kNanOfSign = 2;
constexpr int kNegativeNan = 4;
constexpr int kPositiveNan = 6;

bool HandsNansOn(int way) {
  const int kind = way % kNanKinds;
  return kind == kNanOfSign || kind == kNegativeNan || kind == kPositiveNan;
}

// Finite floats, and 0 for others.
Instruction* OrZero(Rewriter& rewriter, Instruction* value) {
  const Shape shape = WithoutLayout(value->shape());
  return rewriter.Select(
      rewriter.Unary(Opcode::kIsFinite, value), value,
      rewriter.Splat(rewriter.Scalar(shape.element_type(), 0), shape));
}

}  // namespace

Instruction* FiniteMagnitude(Rewriter& rewriter, Instruction* value) {
  const ElementType type = value->shape().element_type();
  if (!HasErrors(type)) {
    // An operand of a product with results of another type.
    if (!hlo::IsSignedInteger(type)) return value;
    return rewriter.Unary(Opcode::kAbs, value);
  }
  if (!hlo::IsComplex(type)) {
    return OrZero(rewriter, rewriter.Unary(Opcode::kAbs, value));
  }
  // An infinite part hides neither the other one nor what it overflows to.
  return Magnitude(
      rewriter,
      rewriter.Binary(Opcode::kComplex,
                      OrZero(rewriter, rewriter.Unary(Opcode::kReal, value)),
                      OrZero(rewriter, rewriter.Unary(Opcode::kImag, value))));
}

// The index in row-major order, or a sum like it, times a large odd number,
// mixed. Source of the mixing: Wellons, lowbias32.
Instruction* FloatNoise::Words(Rewriter& rewriter, const Shape& shape) {
  const Shape words = WithoutLayout(WithElementType(shape, ElementType::kU32));
  const auto splat = [&](uint64_t value) {
    return rewriter.Splat(rewriter.IntegerScalar(ElementType::kU32, value),
                          words);
  };
  Instruction* sum = splat(random_.Next());
  for (int64_t d = 0; d < shape.rank(); ++d) {
    sum = rewriter.Binary(
        Opcode::kAdd, sum,
        rewriter.Binary(Opcode::kMultiply, rewriter.Iota(words, d),
                        splat(random_.Next() | 1)));
  }
  const auto mix = [&](uint64_t shift) {
    sum = rewriter.Binary(
        Opcode::kXor, sum,
        rewriter.Binary(Opcode::kShiftRightLogical, sum, splat(shift)));
  };
  mix(16);
  sum = rewriter.Binary(Opcode::kMultiply, sum, splat(0x7FEB352D));
  mix(15);
  return sum;
}

// Words are turned into steps from -1; those of 64 bits take a second word for
// the bits that the first one leaves.
Instruction* FloatNoise::Fractions(Rewriter& rewriter, const Shape& shape) {
  const bool is_double = shape.element_type() == ElementType::kF64;
  const ElementType type = is_double ? ElementType::kF64 : ElementType::kF32;
  const Shape fractions = WithElementType(shape, type);
  const auto splat = [&](double value) {
    return rewriter.Splat(rewriter.Scalar(type, value), fractions);
  };
  const auto steps = [&](double size) {
    return rewriter.Binary(Opcode::kMultiply,
                           rewriter.Convert(Words(rewriter, shape), type),
                           splat(size));
  };
  Instruction* fraction =
      rewriter.Binary(Opcode::kSubtract, steps(0x1p-31), splat(1));
  if (!is_double) return fraction;
  return rewriter.Binary(Opcode::kAdd, fraction, steps(0x1p-63));
}

Instruction* FloatNoise::Noise(Rewriter& rewriter, const Shape& shape) {
  const ElementType type = shape.element_type();
  if (hlo::IsComplex(type)) {
    const Shape parts = WithElementType(shape, hlo::ComponentType(type));
    Instruction* real = Noise(rewriter, parts);
    return rewriter.Binary(Opcode::kComplex, real, Noise(rewriter, parts));
  }
  const auto splat = [&](double value) {
    return rewriter.Splat(rewriter.Scalar(type, value), shape);
  };
  if (way_ < 2) return splat(way_ == 0 ? 1 : -1);
  const bool is_sign = way_ % 2 == 0;
  if (shape.rank() == 0 || random_.Chance(50)) {
    const double fraction =
        static_cast<double>(static_cast<int64_t>(random_.Next())) * 0x1p-63;
    if (is_sign) return splat(fraction < 0 ? -1 : 1);
    return splat(fraction);
  }
  Instruction* fraction = Fractions(rewriter, shape);
  if (is_sign) fraction = rewriter.Unary(Opcode::kSign, fraction);
  return rewriter.Convert(fraction, type);
}

Instruction* FloatNoise::NewNans(Rewriter& rewriter, const Shape& shape,
                                 absl::Span<Instruction* const> sources) {
  const ElementType type = shape.element_type();
  Instruction* positive =
      rewriter.Scalar(type, std::numeric_limits<double>::quiet_NaN());
  Instruction* negative = rewriter.Unary(Opcode::kNegate, positive);
  const auto splat = [&](bool is_negative) {
    return rewriter.Splat(is_negative ? negative : positive, shape);
  };
  if (way_ < 2) return splat(way_ == 1);
  Instruction* is_negative = nullptr;
  switch (way_ % kNanKinds) {
    case kNanOfSign:
      if (sources.empty()) return splat(false);
      is_negative =
          rewriter.Compare(hlo::ComparisonDirection::kLt, sources[0],
                           rewriter.Splat(rewriter.Scalar(type, 0), shape));
      break;
    case kNegativeNan:
      return splat(true);
    case kPositiveNan:
      return splat(false);
    default:
      if (shape.rank() == 0) return splat(random_.Chance(50));
      is_negative = rewriter.Compare(
          hlo::ComparisonDirection::kLt, Words(rewriter, shape),
          rewriter.Splat(
              rewriter.IntegerScalar(ElementType::kU32, uint64_t{1} << 31),
              WithElementType(shape, ElementType::kU32)));
  }
  return rewriter.Select(is_negative, splat(true), splat(false));
}

Instruction* FloatNoise::OtherNan(Rewriter& rewriter, Instruction* value,
                                  absl::Span<Instruction* const> operands) {
  if (hlo::IsComplex(value->shape().element_type())) return value;
  const Shape shape = WithoutLayout(value->shape());
  std::vector<Instruction*> sources;
  for (Instruction* operand : operands) {
    if (WithoutLayout(operand->shape()) == shape) sources.push_back(operand);
  }
  const auto is_nan = [&](Instruction* number) {
    return rewriter.Compare(hlo::ComparisonDirection::kNe, number, number);
  };
  Instruction* nan = NewNans(rewriter, shape, sources);
  if (HandsNansOn(way_)) {
    for (Instruction* source : sources) {
      nan = rewriter.Select(is_nan(source), value, nan);
    }
  }
  return rewriter.Select(is_nan(value), nan, value);
}

Instruction* FloatNoise::OrAnything(Rewriter& rewriter, Instruction* is_known,
                                    Instruction* value) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::array kAnything = {0.0,       kNan, 1.0,
                                    kInfinity, -2.5, -kInfinity};
  const Shape shape = WithoutLayout(value->shape());
  const ElementType type = shape.element_type();
  const double something =
      kAnything[static_cast<size_t>(way_) % kAnything.size()];
  return rewriter.Select(
      is_known, value, rewriter.Splat(rewriter.Scalar(type, something), shape));
}

}  // namespace hilo::fuzzing
