// Between the bits in memory and values in registers.
#include "backends/codegen/stored_form.h"

#include <cmath>
#include <cstdint>

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Type.h"

#include "backends/codegen/lanes.h"
#include "backends/codegen/target_facts.h"
#include "hlo/ir/element_type.h"
#include "runtime/base/numeric_types.h"

namespace hilo::backends {
namespace {

using hlo::ElementType;

// What a narrow float format is, from SmallFloat's constants.
struct NarrowFormat {
  int bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  SmallFloatFamily family = SmallFloatFamily::kIeee;
  uint32_t magnitude_mask = 0;
  uint32_t sign_mask = 0;
  uint32_t infinity_code = 0;
  double highest = 0;
};

bool IsNarrowFloat(ElementType type) {
  return hlo::IsFloat(type) && type != ElementType::kF32 &&
         type != ElementType::kF64;
}

NarrowFormat FormatOf(ElementType type) {
  return hlo::DispatchElementType(type, [](auto tag) -> NarrowFormat {
    using T = decltype(tag)::type;
    if constexpr (internal::kIsSmallFloat<T>) {
      return {.bits = T::kBits,
              .mantissa_bits = T::kMantissaBits,
              .bias = T::kBias,
              .family = T::kFamily,
              .magnitude_mask = T::kMagnitudeMask,
              .sign_mask = T::kSignMask,
              .infinity_code = T::kInfinityCode,
              .highest = static_cast<double>(NumericTraits<T>::highest())};
    } else {
      return {};
    }
  });
}

// The source of a rounding: float or double.
struct SourceFormat {
  int mantissa_bits = 0;
  int bias = 0;
  uint64_t exponent_mask = 0;
};

SourceFormat SourceOf(const Lanes& x) {
  if (x.IsDouble()) return {52, 1023, uint64_t{0x7FF} << 52};
  return {23, 127, uint64_t{0xFF} << 23};
}

// Adds just under half of the last place kept, so that the carry rounds.
constexpr uint32_t kBFloat16Bits = 0xFFFF0000U;

// x must not be a NaN with low bits, which would carry into the high ones.
Lanes RoundShortNanToBFloat16(const Lanes& x) {
  const Lanes bits = BitsOf(x);
  const Lanes odd = (bits >> 16) & 1;
  return FloatOfBits((bits + 0x7FFF + odd) & kBFloat16Bits);
}

Lanes RoundToBFloat16(const Lanes& x) {
  // The sum quiets a NaN.
  const Lanes nan = FloatOfBits(BitsOf(x + x) & kBFloat16Bits);
  return Select(IsNan(x), nan, RoundShortNanToBFloat16(x));
}

// An exponent alone; ties up. Between 2^-127 and 2^-126 all goes up.
Lanes RoundToScale(const Lanes& x) {
  const SourceFormat source = SourceOf(x);
  const Lanes bits = BitsOf(x);
  const uint64_t half = uint64_t{1} << (source.mantissa_bits - 1);
  const Lanes smallest = BitsOf(x.Constant(0x1p-127));
  Lanes rounded = (bits + half) & source.exponent_mask;
  rounded = LargerSigned(rounded, BitsOf(x.Constant(0x1p-126)));
  rounded = Select(bits <= smallest, smallest, rounded);
  const Lanes value = FloatOfBits(rounded);
  const Lanes is_scale = (x > 0.0) & (x < 0x1.8p+127);
  return Select(is_scale, value, kNotANumber);
}

// A number whose last place is that of the result, added and taken away again.
Lanes RoundMagnitude(const NarrowFormat& format, const Lanes& x) {
  const SourceFormat source = SourceOf(x);
  const Lanes magnitude = Abs(x);
  const auto exponent_field = [&](int exponent) {
    return static_cast<uint64_t>(exponent + source.bias)
           << source.mantissa_bits;
  };
  const int largest = std::ilogb(format.highest) + 1;
  Lanes exponent = BitsOf(x) & source.exponent_mask;
  exponent = LargerSigned(exponent,
                          exponent.Constant(exponent_field(1 - format.bias)));
  exponent =
      SmallerSigned(exponent, exponent.Constant(exponent_field(largest)));
  const Lanes magic = FloatOfBits(
      exponent +
      (static_cast<uint64_t>(source.mantissa_bits - format.mantissa_bits)
       << source.mantissa_bits));
  return (magnitude + magic) - magic;
}

Lanes RoundToFormat(const NarrowFormat& format, const Lanes& x) {
  if (format.family == SmallFloatFamily::kScale) return RoundToScale(x);
  const Lanes rounded = RoundMagnitude(format, x);
  const Lanes is_large = rounded > format.highest;
  switch (format.family) {
    case SmallFloatFamily::kIeee:
      return CopySign(Select(is_large, kInfinity, rounded), x);
    case SmallFloatFamily::kFiniteNan:
      return CopySign(Select(is_large, kNotANumber, rounded), x);
    case SmallFloatFamily::kUnsignedZero:
      // The sum makes +0 of -0.
      return CopySign(Select(is_large, kNotANumber, rounded), x) + 0.0;
    case SmallFloatFamily::kSaturating: {
      const Lanes value =
          CopySign(Select(is_large, format.highest, rounded), x);
      return Select(IsNan(x), -0.0, value);
    }
    case SmallFloatFamily::kScale:
      break;
  }
  return rounded;
}

// The codes of x, a vector of i32, to floats. A code moved to the top of a
// float's mantissa has the right value but for the bias; a multiplication
// corrects that, subnormals included.
Lanes Decode(const NarrowFormat& format, const Lanes& code) {
  const int shift = 23 - format.mantissa_bits;
  if (format.bits == 16 && format.bias == 127) return FloatOfBits(code << 16);
  if (format.family == SmallFloatFamily::kScale) {
    const Lanes value =
        FloatOfBits(Select(code == 0, 0x00400000, code << shift));
    return Select(code == format.magnitude_mask, kNotANumber, value);
  }
  const Lanes magnitude = code & format.magnitude_mask;
  const Lanes shifted = magnitude << shift;
  Lanes value = FloatOfBits(shifted) * std::ldexp(1.0, 127 - format.bias);
  switch (format.family) {
    case SmallFloatFamily::kIeee:
      value = Select(magnitude >= format.infinity_code,
                     FloatOfBits(shifted | 0x7F800000), value);
      break;
    case SmallFloatFamily::kFiniteNan:
      value = Select(magnitude == format.magnitude_mask, kNotANumber, value);
      break;
    case SmallFloatFamily::kUnsignedZero:
    case SmallFloatFamily::kSaturating:
    case SmallFloatFamily::kScale:
      break;
  }
  const Lanes sign = (code & format.sign_mask) << (32 - format.bits);
  value = FloatOfBits(BitsOf(value) | sign);
  if (format.family != SmallFloatFamily::kUnsignedZero) return value;
  return Select(code == format.sign_mask, kNotANumber, value);
}

// The codes, in i32, of floats that are values of the format: Decode backwards.
Lanes Encode(const NarrowFormat& format, const Lanes& x) {
  const int shift = 23 - format.mantissa_bits;
  const Lanes bits = BitsOf(x);
  if (format.bits == 16 && format.bias == 127) return bits >> 16;
  if (format.family == SmallFloatFamily::kScale) return (bits >> 23) & 0xFF;
  const Lanes magnitude = Abs(x);
  Lanes code = BitsOf(magnitude * std::ldexp(1.0, format.bias - 127)) >> shift;
  switch (format.family) {
    case SmallFloatFamily::kIeee: {
      const Lanes top = (bits >> shift) & format.magnitude_mask;
      code = Select(magnitude < kInfinity, code, top);
      break;
    }
    case SmallFloatFamily::kFiniteNan:
      code = SmallerUnsigned(code, code.Constant(format.magnitude_mask));
      break;
    case SmallFloatFamily::kUnsignedZero:
      code = Select(IsNan(x), format.sign_mask, code);
      break;
    case SmallFloatFamily::kSaturating:
    case SmallFloatFamily::kScale:
      break;
  }
  const Lanes sign = (bits >> (32 - format.bits)) & format.sign_mask;
  return code | sign;
}

}  // namespace

llvm::Type* StoredType(llvm::LLVMContext& context, ElementType type) {
  const ElementType part = hlo::ComponentType(type);
  if (part == ElementType::kF32) return llvm::Type::getFloatTy(context);
  if (part == ElementType::kF64) return llvm::Type::getDoubleTy(context);
  return llvm::Type::getIntNTy(
      context, 8U * static_cast<unsigned>(hlo::StorageBytes(part)));
}

Lanes FromStored(ElementType type, const Lanes& stored, TargetFacts facts) {
  if (type == ElementType::kPred) return stored != 0;
  if (!IsNarrowFloat(type)) return stored;
  if (type == ElementType::kF16 && facts.has_f16c) {
    return FloatOfHalfBits(stored);
  }
  return Decode(FormatOf(type), ResizeUnsigned(stored, 32));
}

Lanes ToStored(ElementType type, const Lanes& value, TargetFacts facts) {
  if (type == ElementType::kPred) return AsInteger(value, 8);
  if (!IsNarrowFloat(type)) return value;
  if (type == ElementType::kF16 && facts.has_f16c) return HalfBitsOf(value);
  const NarrowFormat format = FormatOf(type);
  return ResizeUnsigned(Encode(format, value),
                        8U * static_cast<unsigned>(hlo::StorageBytes(type)));
}

Lanes RoundTo(ElementType type, const Lanes& x, TargetFacts facts) {
  if (!IsNarrowFloat(type)) return x;
  if (type == ElementType::kF16 && facts.has_f16c && !x.IsDouble()) {
    return FloatOfHalfBits(HalfBitsOf(x));
  }
  if (type == ElementType::kBF16 && !x.IsDouble()) return RoundToBFloat16(x);
  return RoundToFormat(FormatOf(type), x);
}

Lanes RoundResultTo(ElementType type, const Lanes& x, TargetFacts facts) {
  if (type == ElementType::kBF16) return RoundShortNanToBFloat16(x);
  return RoundTo(type, x, facts);
}

Lanes Wrap(ElementType type, const Lanes& x) {
  const auto bits = static_cast<unsigned>(hlo::InfoOf(type).bits);
  if (!hlo::IsInteger(type) || bits >= x.bits()) return x;
  const unsigned unused = x.bits() - bits;
  if (hlo::IsUnsignedInteger(type)) return x & ((1U << bits) - 1);
  return ShiftArithmetic(x << unused, x.Constant(unused));
}

Lanes TotalOrderKey(ElementType type, const Lanes& x) {
  const Lanes bits = BitsOf(x);
  const unsigned sign = bits.bits() - 1;
  const uint64_t largest = (uint64_t{1} << sign) - 1;
  const Lanes negative = ShiftArithmetic(bits, bits.Constant(sign));
  const Lanes key = bits ^ (negative & largest);
  if (!IsNarrowFloat(type) ||
      FormatOf(type).family != SmallFloatFamily::kUnsignedZero) {
    return key;
  }
  // The one NaN of types without -0 counts as negative.
  return Select(IsNan(x), largest + 1, key);
}

}  // namespace hilo::backends
