// The floating-point element types of at most 16 bits, and their rounding.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace hilo {

// What the codes at the top of a format's range stand for.
enum class SmallFloatFamily : uint8_t {
  // Infinities and NaNs as in IEEE 754: f16, bf16, f8e5m2, f8e4m3, f8e3m4.
  kIeee,
  // No infinities; the two codes with all bits but the sign set are NaN.
  kFiniteNan,
  // No infinities, no negative zero; the code of negative zero is NaN.
  kUnsignedZero,
  // Neither infinities nor NaN: overflow saturates, NaN becomes -0.
  kSaturating,
  // An exponent alone, without sign and zero; all ones is NaN.
  kScale,
};

namespace internal {

// The value of each of the 256 bytes, of which only the low bits count. Every
// NaN is the default quiet one, with the sign of its code.
template <typename Float>
struct SmallFloatValues {
  static const std::array<float, 256> kTable;
};

}  // namespace internal

// A binary floating-point number of 4 to 16 bits, kept in the low bits of the
// smallest unsigned integer that holds it. Arithmetic is done in float.
//
// Conversions round to nearest, ties to even, once; subnormals are exact. A
// rounded magnitude above the largest finite one becomes what the family has:
// an infinity, a NaN of the same sign, or the largest finite value. The scale
// family rounds ties up, and makes NaN of every input that is not positive.
// f16 and bf16 keep the top bits of a NaN's payload and make it quiet; the
// others write their default NaN with the sign of the input.
template <int exponent_bits, int mantissa_bits, int bias,
          SmallFloatFamily family>
struct SmallFloat {
 public:
  static constexpr int kExponentBits = exponent_bits;
  static constexpr int kMantissaBits = mantissa_bits;
  static constexpr int kBias = bias;
  static constexpr SmallFloatFamily kFamily = family;
  static constexpr bool kHasSign = family != SmallFloatFamily::kScale;
  static constexpr int kBits =
      exponent_bits + mantissa_bits + (kHasSign ? 1 : 0);

  using Bits = std::conditional_t<(kBits > 8), uint16_t, uint8_t>;

  // All bits but the sign, and the sign (0 in formats without one).
  static constexpr Bits kMagnitudeMask =
      static_cast<Bits>((1U << (exponent_bits + mantissa_bits)) - 1);
  static constexpr Bits kSignMask =
      kHasSign ? static_cast<Bits>(1U << (kBits - 1)) : Bits{0};
  static constexpr Bits kMask = kMagnitudeMask | kSignMask;
  // The code of infinity in the IEEE family.
  static constexpr Bits kInfinityCode =
      static_cast<Bits>(((1U << exponent_bits) - 1) << mantissa_bits);
  // The code of the largest finite value.
  static constexpr Bits MaxFiniteCode() {
    switch (family) {
      case SmallFloatFamily::kIeee:
        return kInfinityCode - 1;
      case SmallFloatFamily::kFiniteNan:
      case SmallFloatFamily::kScale:
        return kMagnitudeMask - 1;
      case SmallFloatFamily::kUnsignedZero:
      case SmallFloatFamily::kSaturating:
        return kMagnitudeMask;
    }
    return 0;
  }
  // The code that a positive NaN becomes: -0 in the saturating family.
  static constexpr Bits QuietNanCode() {
    switch (family) {
      case SmallFloatFamily::kIeee:
        return kInfinityCode | static_cast<Bits>((1U << mantissa_bits) >> 1);
      case SmallFloatFamily::kFiniteNan:
      case SmallFloatFamily::kScale:
        return kMagnitudeMask;
      case SmallFloatFamily::kUnsignedZero:
      case SmallFloatFamily::kSaturating:
        return kSignMask;
    }
    return 0;
  }

  // Uninitialised, as a float is; `T{}` has all bits zero.
  SmallFloat() = default;

  // The number whose code is the low `kBits` of `bits`.
  static constexpr SmallFloat FromBits(Bits bits) {
    SmallFloat result{};
    result.bits_ = bits & kMask;
    return result;
  }

  // Rounds `value`, once.
  static constexpr SmallFloat FromFloat(float value) {
    const auto word = std::bit_cast<uint32_t>(value);
    if constexpr (kBits == 16 && mantissa_bits == 7) {
      return FromBits(BFloat16CodeOf(word));
    } else if constexpr (kBits == 16) {
      if (!std::is_constant_evaluated()) return FromBits(Float16CodeOf(word));
      return FromBits(Encode(word));
    } else {
      return FromBits(Encode(word));
    }
  }

  // Rounds `value`, once: not by way of float.
  static constexpr SmallFloat FromDouble(double value) {
    return FromBits(Encode(std::bit_cast<uint64_t>(value)));
  }

  constexpr Bits bits() const { return bits_; }
  constexpr bool is_nan() const {
    switch (family) {
      case SmallFloatFamily::kIeee:
        return (bits_ & kMagnitudeMask) > kInfinityCode;
      case SmallFloatFamily::kFiniteNan:
      case SmallFloatFamily::kScale:
        return (bits_ & kMagnitudeMask) == kMagnitudeMask;
      case SmallFloatFamily::kUnsignedZero:
        return bits_ == kSignMask;
      case SmallFloatFamily::kSaturating:
        return false;
    }
    return false;
  }
  constexpr bool sign_bit() const { return (bits_ & kSignMask) != 0; }

  // Exact.
  constexpr explicit operator float() const {
    if constexpr (kBits == 16 && mantissa_bits == 7) {
      return std::bit_cast<float>(static_cast<uint32_t>(bits_) << 16);
    } else if constexpr (kBits == 16) {
      return Float16ValueOf(bits_);
    } else {
      if (std::is_constant_evaluated()) return Decode();
      return internal::SmallFloatValues<SmallFloat>::kTable[bits_];
    }
  }
  constexpr explicit operator double() const {
    return static_cast<double>(static_cast<float>(*this));
  }

  // The value by bit arithmetic; what the table of values is made with.
  constexpr float Decode() const;

 private:
  template <typename Word>
  static constexpr Bits Encode(Word word);
  template <typename Word>
  static constexpr Bits EncodeScale(Word word);
  template <typename Word>
  static constexpr Bits EncodeNan(Word magnitude, Bits sign);
  template <typename Word>
  static constexpr uint32_t RoundMagnitude(Word magnitude);

  static constexpr Bits BFloat16CodeOf(uint32_t word);
  static constexpr Bits Float16CodeOf(uint32_t word);
  static constexpr float Float16ValueOf(Bits bits);

  Bits bits_;
};

using Float16 = SmallFloat<5, 10, 15, SmallFloatFamily::kIeee>;
using BFloat16 = SmallFloat<8, 7, 127, SmallFloatFamily::kIeee>;
using Float8E5M2 = SmallFloat<5, 2, 15, SmallFloatFamily::kIeee>;
using Float8E4M3 = SmallFloat<4, 3, 7, SmallFloatFamily::kIeee>;
using Float8E3M4 = SmallFloat<3, 4, 3, SmallFloatFamily::kIeee>;
using Float8E4M3FN = SmallFloat<4, 3, 7, SmallFloatFamily::kFiniteNan>;
using Float8E4M3B11FNUZ = SmallFloat<4, 3, 11, SmallFloatFamily::kUnsignedZero>;
using Float8E4M3FNUZ = SmallFloat<4, 3, 8, SmallFloatFamily::kUnsignedZero>;
using Float8E5M2FNUZ = SmallFloat<5, 2, 16, SmallFloatFamily::kUnsignedZero>;
using Float8E8M0FNU = SmallFloat<8, 0, 127, SmallFloatFamily::kScale>;
using Float4E2M1FN = SmallFloat<2, 1, 1, SmallFloatFamily::kSaturating>;
using Float6E3M2FN = SmallFloat<3, 2, 3, SmallFloatFamily::kSaturating>;
using Float6E2M3FN = SmallFloat<2, 3, 1, SmallFloatFamily::kSaturating>;

namespace internal {

using FloatTable = std::array<float, 256>;
template <>
const FloatTable SmallFloatValues<Float8E5M2>::kTable;
template <>
const FloatTable SmallFloatValues<Float8E4M3>::kTable;
template <>
const FloatTable SmallFloatValues<Float8E3M4>::kTable;
template <>
const FloatTable SmallFloatValues<Float8E4M3FN>::kTable;
template <>
const FloatTable SmallFloatValues<Float8E4M3B11FNUZ>::kTable;
template <>
const FloatTable SmallFloatValues<Float8E4M3FNUZ>::kTable;
template <>
const FloatTable SmallFloatValues<Float8E5M2FNUZ>::kTable;
template <>
const FloatTable SmallFloatValues<Float8E8M0FNU>::kTable;
template <>
const FloatTable SmallFloatValues<Float4E2M1FN>::kTable;
template <>
const FloatTable SmallFloatValues<Float6E3M2FN>::kTable;
template <>
const FloatTable SmallFloatValues<Float6E2M3FN>::kTable;

// The IEEE format whose codes are held in `Word`: float or double.
template <typename Word>
struct SourceFormat {
  static constexpr int kMantissaBits = sizeof(Word) == 4 ? 23 : 52;
  static constexpr int kBias = sizeof(Word) == 4 ? 127 : 1023;
  static constexpr Word kSign = Word{1} << ((8 * sizeof(Word)) - 1);
  static constexpr Word kInfinity = static_cast<Word>((2 * kBias) + 1)
                                    << kMantissaBits;
};

}  // namespace internal

template <int exponent_bits, int mantissa_bits, int bias,
          SmallFloatFamily family>
constexpr float SmallFloat<exponent_bits, mantissa_bits, bias, family>::Decode()
    const {
  const uint32_t magnitude = bits_ & kMagnitudeMask;
  const uint32_t exponent = magnitude >> mantissa_bits;
  const uint32_t fraction = magnitude & ((1U << mantissa_bits) - 1);
  const uint32_t sign = sign_bit() ? 0x80000000U : 0;
  if (is_nan()) {
    const bool negative =
        sign_bit() && family != SmallFloatFamily::kUnsignedZero;
    return std::bit_cast<float>(0x7FC00000U | (negative ? sign : 0));
  }
  if (family == SmallFloatFamily::kIeee && magnitude == kInfinityCode) {
    return std::bit_cast<float>(0x7F800000U | sign);
  }
  if (family == SmallFloatFamily::kScale) {
    return std::bit_cast<float>(magnitude == 0 ? 0x00400000U : magnitude << 23);
  }
  if (exponent == 0) {
    const auto unit = std::bit_cast<float>(
        static_cast<uint32_t>(128 - bias - mantissa_bits) << 23);
    const auto value = static_cast<float>(fraction) * unit;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }
  return std::bit_cast<float>(sign | ((exponent + 127 - bias) << 23) |
                              (fraction << (23 - mantissa_bits)));
}

// Rounds a finite or infinite magnitude to a code as if the exponent had no
// upper limit. Source subnormals are below every half of a smallest value.
template <int exponent_bits, int mantissa_bits, int bias,
          SmallFloatFamily family>
template <typename Word>
constexpr uint32_t SmallFloat<exponent_bits, mantissa_bits, bias,
                              family>::RoundMagnitude(Word magnitude) {
  using Source = internal::SourceFormat<Word>;
  constexpr Word kImplicitBit = Word{1} << Source::kMantissaBits;
  const int exponent = static_cast<int>(magnitude >> Source::kMantissaBits) -
                       Source::kBias + bias;
  const Word significand = (magnitude & (kImplicitBit - 1)) | kImplicitBit;
  int shift = Source::kMantissaBits - mantissa_bits;
  uint32_t base = 0;
  if (exponent >= 1) {
    base = static_cast<uint32_t>(exponent - 1) << mantissa_bits;
  } else {
    shift += 1 - exponent;
    if (shift > Source::kMantissaBits + 1) return 0;
  }
  const Word half_below = (Word{1} << (shift - 1)) - 1;
  const Word odd = (significand >> shift) & 1;
  return base +
         static_cast<uint32_t>((significand + half_below + odd) >> shift);
}

template <int exponent_bits, int mantissa_bits, int bias,
          SmallFloatFamily family>
template <typename Word>
constexpr auto SmallFloat<exponent_bits, mantissa_bits, bias,
                          family>::EncodeNan(Word magnitude, Bits sign)
    -> Bits {
  if (kBits == 16) {
    const Word payload =
        magnitude >>
        (internal::SourceFormat<Word>::kMantissaBits - mantissa_bits);
    return static_cast<Bits>((payload & ((1U << mantissa_bits) - 1)) |
                             QuietNanCode() | sign);
  }
  return QuietNanCode() | sign;
}

template <int exponent_bits, int mantissa_bits, int bias,
          SmallFloatFamily family>
template <typename Word>
constexpr auto SmallFloat<exponent_bits, mantissa_bits, bias, family>::Encode(
    Word word) -> Bits {
  using Source = internal::SourceFormat<Word>;
  if constexpr (family == SmallFloatFamily::kScale) {
    return EncodeScale(word);
  } else {
    const Bits sign = (word & Source::kSign) != 0 ? kSignMask : Bits{0};
    const Word magnitude = word & ~Source::kSign;
    if (magnitude > Source::kInfinity) return EncodeNan(magnitude, sign);
    const uint32_t code = RoundMagnitude(magnitude);
    switch (family) {
      case SmallFloatFamily::kIeee:
        return (code < kInfinityCode ? code : kInfinityCode) | sign;
      case SmallFloatFamily::kFiniteNan:
      case SmallFloatFamily::kSaturating:
        return (code < kMagnitudeMask ? code : kMagnitudeMask) | sign;
      case SmallFloatFamily::kUnsignedZero:
        if (code == 0) return 0;
        return code > kMagnitudeMask ? kSignMask : code | sign;
      case SmallFloatFamily::kScale:
        break;
    }
    return 0;
  }
}

// Between 2^-127 and 2^-126 every value goes up, with no test of the halfway
// point: this is what XLA does.
template <int exponent_bits, int mantissa_bits, int bias,
          SmallFloatFamily family>
template <typename Word>
constexpr auto
SmallFloat<exponent_bits, mantissa_bits, bias, family>::EncodeScale(Word word)
    -> Bits {
  using Source = internal::SourceFormat<Word>;
  constexpr Word kSmallest =
      sizeof(Word) == 4 ? Word{0x00400000}
                        : static_cast<Word>(uint64_t{1023 - 127} << 52);
  if (word == 0 || word >= Source::kInfinity) return kMagnitudeMask;
  if (word <= kSmallest) return 0;
  const int exponent =
      static_cast<int>(word >> Source::kMantissaBits) - Source::kBias + bias;
  if (exponent < 1) return 1;
  const int half = static_cast<int>(word >> (Source::kMantissaBits - 1)) & 1;
  const int code = exponent + half;
  return static_cast<Bits>(code < kMagnitudeMask ? code : kMagnitudeMask);
}

// Adds just under half of the last place kept, so that the carry rounds.
template <int exponent_bits, int mantissa_bits, int bias,
          SmallFloatFamily family>
constexpr auto SmallFloat<exponent_bits, mantissa_bits, bias,
                          family>::BFloat16CodeOf(uint32_t word) -> Bits {
  const uint32_t rounded = (word + 0x7FFF + ((word >> 16) & 1)) >> 16;
  const uint32_t quiet = (word >> 16) | 0x40;
  const bool is_nan = (word & 0x7FFFFFFF) > 0x7F800000;
  return static_cast<Bits>(is_nan ? quiet : rounded);
}

// Lets a float addition do the rounding: the addend's exponent puts the last
// place of the sum at the last place of the f16 result.
// Source: M. Dukhan, FP16 library, fp16_ieee_from_fp32_value.
template <int exponent_bits, int mantissa_bits, int bias,
          SmallFloatFamily family>
constexpr auto SmallFloat<exponent_bits, mantissa_bits, bias,
                          family>::Float16CodeOf(uint32_t word) -> Bits {
  const uint32_t magnitude = word & 0x7FFFFFFF;
  const uint32_t sign = (word >> 16) & 0x8000;
  const float scaled =
      (std::bit_cast<float>(magnitude) * 0x1.0p+112F) * 0x1.0p-110F;
  const uint32_t exponent = magnitude & 0x7F800000;
  const uint32_t floor = exponent < 0x38800000 ? 0x38800000 : exponent;
  const auto sum = std::bit_cast<uint32_t>(
      std::bit_cast<float>(floor + 0x07800000) + scaled);
  const uint32_t rounded = ((sum >> 13) & 0x7C00) + (sum & 0x0FFF);
  const uint32_t quiet = 0x7E00 | ((magnitude >> 13) & 0x3FF);
  return static_cast<Bits>(sign | (magnitude > 0x7F800000 ? quiet : rounded));
}

// Normal codes are rescaled by a multiplication, subnormal ones placed below
// 0.5 and freed of it by a subtraction; both are exact.
// Source: M. Dukhan, FP16 library, fp16_ieee_to_fp32_value.
template <int exponent_bits, int mantissa_bits, int bias,
          SmallFloatFamily family>
constexpr float SmallFloat<exponent_bits, mantissa_bits, bias,
                           family>::Float16ValueOf(Bits bits) {
  const auto sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t magnitude = bits & 0x7FFF;
  const auto normal = std::bit_cast<uint32_t>(
      std::bit_cast<float>((magnitude << 13) + 0x70000000U) * 0x1.0p-112F);
  const auto subnormal = std::bit_cast<uint32_t>(
      std::bit_cast<float>(magnitude | 0x3F000000U) - 0.5F);
  const uint32_t value = magnitude < 0x0400 ? subnormal : normal;
  return std::bit_cast<float>(sign | value);
}

}  // namespace hilo
