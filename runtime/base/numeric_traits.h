// Facts about every C++ type that an array element can have.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/base/small_float.h"
#include "runtime/base/small_int.h"

// Calls X(C++ type, name in HLO text) for each element type.
#define HILO_NUMERIC_TYPES(X)           \
  X(bool, "pred")                       \
  X(Int1, "s1")                         \
  X(Int2, "s2")                         \
  X(Int4, "s4")                         \
  X(int8_t, "s8")                       \
  X(int16_t, "s16")                     \
  X(int32_t, "s32")                     \
  X(int64_t, "s64")                     \
  X(UInt1, "u1")                        \
  X(UInt2, "u2")                        \
  X(UInt4, "u4")                        \
  X(uint8_t, "u8")                      \
  X(uint16_t, "u16")                    \
  X(uint32_t, "u32")                    \
  X(uint64_t, "u64")                    \
  X(Float16, "f16")                     \
  X(BFloat16, "bf16")                   \
  X(float, "f32")                       \
  X(double, "f64")                      \
  X(Float8E5M2, "f8e5m2")               \
  X(Float8E4M3, "f8e4m3")               \
  X(Float8E4M3FN, "f8e4m3fn")           \
  X(Float8E4M3B11FNUZ, "f8e4m3b11fnuz") \
  X(Float8E3M4, "f8e3m4")               \
  X(Float8E5M2FNUZ, "f8e5m2fnuz")       \
  X(Float8E4M3FNUZ, "f8e4m3fnuz")       \
  X(Float8E8M0FNU, "f8e8m0fnu")         \
  X(Float4E2M1FN, "f4e2m1fn")           \
  X(Float6E3M2FN, "f6e3m2fn")           \
  X(Float6E2M3FN, "f6e2m3fn")           \
  X(std::complex<float>, "c64")         \
  X(std::complex<double>, "c128")

namespace hilo {

enum class NumericKind : uint8_t {
  kPred,
  kSignedInteger,
  kUnsignedInteger,
  kFloat,
  kComplex,
};

namespace internal {

template <typename T>
inline constexpr bool kIsSmallFloat = false;
template <int exponent_bits, int mantissa_bits, int bias,
          SmallFloatFamily family>
inline constexpr bool
    kIsSmallFloat<SmallFloat<exponent_bits, mantissa_bits, bias, family>> =
        true;

template <typename T>
inline constexpr bool kIsSmallInt = false;
template <int bit_count, bool is_signed>
inline constexpr bool kIsSmallInt<SmallInt<bit_count, is_signed>> = true;

// NOLINTBEGIN(readability-identifier-naming): named as in std::numeric_limits.

// What the traits of all types share, derived from the kind.
template <NumericKind numeric_kind>
struct NumericTraitsBase {
  static constexpr NumericKind kind = numeric_kind;
  static constexpr bool is_pred = kind == NumericKind::kPred;
  static constexpr bool is_signed_integer = kind == NumericKind::kSignedInteger;
  static constexpr bool is_unsigned_integer =
      kind == NumericKind::kUnsignedInteger;
  // Signed or unsigned, but not pred.
  static constexpr bool is_integer = is_signed_integer || is_unsigned_integer;
  static constexpr bool is_float = kind == NumericKind::kFloat;
  static constexpr bool is_complex = kind == NumericKind::kComplex;
};

template <bool is_signed>
using IntegerTraitsBase =
    NumericTraitsBase<is_signed ? NumericKind::kSignedInteger
                                : NumericKind::kUnsignedInteger>;

// Integers of at least eight bits.
template <typename T>
struct NativeIntegerTraits : IntegerTraitsBase<std::is_signed_v<T>> {
  using Compute = T;
  using Part = T;
  static constexpr int kBits = 8 * sizeof(T);
  static constexpr bool has_infinity = false;
  static constexpr bool has_nan = false;
  static constexpr int mantissa_bits = 0;
  static constexpr int exponent_bits = 0;
  static constexpr T highest() { return std::numeric_limits<T>::max(); }
  static constexpr T lowest() { return std::numeric_limits<T>::min(); }
  static constexpr T infinity() { return highest(); }
  static constexpr T quiet_nan() { return 0; }
};

template <typename T>
struct SmallIntegerTraits : IntegerTraitsBase<T::kIsSigned> {
  using Compute = T::Value;
  using Part = T;
  static constexpr int kBits = T::kBits;
  static constexpr bool has_infinity = false;
  static constexpr bool has_nan = false;
  static constexpr int mantissa_bits = 0;
  static constexpr int exponent_bits = 0;
  static constexpr T highest() {
    return T::FromBits(T::kIsSigned ? T::kMask >> 1 : T::kMask);
  }
  static constexpr T lowest() {
    return T::FromBits(T::kIsSigned ? T::kSignMask : 0);
  }
  static constexpr T infinity() { return highest(); }
  static constexpr T quiet_nan() { return T{}; }
};

template <typename T>
struct SmallFloatTraits : NumericTraitsBase<NumericKind::kFloat> {
  using Compute = float;
  using Part = T;
  static constexpr int kBits = T::kBits;
  static constexpr bool has_infinity = T::kFamily == SmallFloatFamily::kIeee;
  static constexpr bool has_nan = T::kFamily != SmallFloatFamily::kSaturating;
  static constexpr int mantissa_bits = T::kMantissaBits;
  static constexpr int exponent_bits = T::kExponentBits;
  static constexpr T highest() { return T::FromBits(T::MaxFiniteCode()); }
  static constexpr T lowest() {
    if (!T::kHasSign) return T::FromBits(0);
    return T::FromBits(T::MaxFiniteCode() | T::kSignMask);
  }
  static constexpr T infinity() {
    return has_infinity ? T::FromBits(T::kInfinityCode) : highest();
  }
  static constexpr T quiet_nan() { return T::FromBits(T::QuietNanCode()); }
};

template <typename T>
struct NativeFloatTraits : NumericTraitsBase<NumericKind::kFloat> {
  using Compute = T;
  using Part = T;
  static constexpr int kBits = 8 * sizeof(T);
  static constexpr bool has_infinity = true;
  static constexpr bool has_nan = true;
  static constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
  static constexpr int exponent_bits = kBits - 1 - mantissa_bits;
  static constexpr T highest() { return std::numeric_limits<T>::max(); }
  static constexpr T lowest() { return std::numeric_limits<T>::lowest(); }
  static constexpr T infinity() { return std::numeric_limits<T>::infinity(); }
  static constexpr T quiet_nan() { return std::numeric_limits<T>::quiet_NaN(); }
};

template <typename T>
struct ComplexTraits : NumericTraitsBase<NumericKind::kComplex> {
  using Compute = std::complex<T>;
  using Part = T;
  static constexpr int kBits = 16 * sizeof(T);
  static constexpr bool has_infinity = true;
  static constexpr bool has_nan = true;
  static constexpr int mantissa_bits = NativeFloatTraits<T>::mantissa_bits;
  static constexpr int exponent_bits = NativeFloatTraits<T>::exponent_bits;
  static constexpr Compute highest() { return std::numeric_limits<T>::max(); }
  static constexpr Compute lowest() { return std::numeric_limits<T>::lowest(); }
  static constexpr Compute infinity() {
    return std::numeric_limits<T>::infinity();
  }
  static constexpr Compute quiet_nan() {
    return std::numeric_limits<T>::quiet_NaN();
  }
};

struct PredTraits : NumericTraitsBase<NumericKind::kPred> {
  using Compute = bool;
  using Part = bool;
  static constexpr int kBits = 8;
  static constexpr bool has_infinity = false;
  static constexpr bool has_nan = false;
  static constexpr int mantissa_bits = 0;
  static constexpr int exponent_bits = 0;
  static constexpr bool highest() { return true; }
  static constexpr bool lowest() { return false; }
  static constexpr bool infinity() { return true; }
  static constexpr bool quiet_nan() { return true; }
};

// NOLINTEND(readability-identifier-naming)

template <typename T>
constexpr auto NumericTraitsOf() {
  if constexpr (std::is_same_v<T, bool>) {
    return std::type_identity<PredTraits>{};
  } else if constexpr (std::is_integral_v<T>) {
    return std::type_identity<NativeIntegerTraits<T>>{};
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::type_identity<NativeFloatTraits<T>>{};
  } else if constexpr (kIsSmallInt<T>) {
    return std::type_identity<SmallIntegerTraits<T>>{};
  } else if constexpr (kIsSmallFloat<T>) {
    return std::type_identity<SmallFloatTraits<T>>{};
  } else {
    return std::type_identity<ComplexTraits<typename T::value_type>>{};
  }
}

}  // namespace internal

// Facts about element type T. Members:
//   kind, is_pred, is_integer (not pred), is_signed_integer,
//   is_unsigned_integer, is_float, is_complex;
//   kBits: bits of a value (pred counts as 8, complex as both parts);
//   has_infinity, has_nan, mantissa_bits (stored ones), exponent_bits: of the
//     parts for complex, 0 for integers;
//   highest(), lowest(): the largest and smallest finite value;
//   infinity(): positive infinity, or highest() in types without;
//   quiet_nan(): the default NaN, or what a NaN is converted to;
//   Compute: the type in which arithmetic is done;
//   Part: the type of the real part for complex, else T.
template <typename T>
struct NumericTraits : decltype(internal::NumericTraitsOf<T>())::type {};

// The element type's name in HLO text, for messages.
template <typename T>
inline constexpr const char* kNumericName = nullptr;
#define HILO_DEFINE_NUMERIC_NAME(type, text) \
  template <>                                \
  inline constexpr const char* kNumericName<type> = text;
HILO_NUMERIC_TYPES(HILO_DEFINE_NUMERIC_NAME)
#undef HILO_DEFINE_NUMERIC_NAME

}  // namespace hilo
