// Conversion between any two element types, as HLO's convert defines it.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/base/numeric_traits.h"

namespace hilo {
namespace internal {

// The C++ number with the same value: float for small floats, `Value` for
// small integers, the argument itself otherwise.
template <typename From>
constexpr auto NativeValueOf(From value) {
  if constexpr (kIsSmallFloat<From>) {
    return static_cast<float>(value);
  } else if constexpr (kIsSmallInt<From>) {
    return value.value();
  } else {
    return value;
  }
}

// Drops the fraction; saturates; NaN becomes 0.
template <typename Integer, typename Float>
constexpr Integer TruncateToInteger(Float value, Integer lowest,
                                    Integer highest) {
  // One more than `highest` is a power of two, hence exact in any Float.
  const auto half = static_cast<Integer>((highest / 2) + 1);
  const Float limit =
      highest == 0 ? Float{1} : static_cast<Float>(half) * Float{2};
  if (value >= limit) return highest;
  if (value > static_cast<Float>(lowest)) return static_cast<Integer>(value);
  return value <= static_cast<Float>(lowest) ? lowest : Integer{0};
}

template <typename To, typename Float>
constexpr To FloatToInteger(Float value) {
  if constexpr (kIsSmallInt<To>) {
    using Traits = NumericTraits<To>;
    return To::FromValue(TruncateToInteger<int>(value, Traits::lowest().value(),
                                                Traits::highest().value()));
  } else {
    return TruncateToInteger<To>(value, std::numeric_limits<To>::min(),
                                 std::numeric_limits<To>::max());
  }
}

// A double that rounds to at most 30 bits as `value` does: bits too low for a
// double are replaced by one sticky bit.
template <typename Integer>
constexpr double RoundToOdd(Integer value) {
  const bool negative = value < 0;
  auto magnitude = static_cast<uint64_t>(value);
  if (negative) magnitude = 0 - magnitude;
  if (magnitude >> 53 != 0) {
    const uint64_t sticky = (magnitude & 0x7FF) != 0 ? 0x800 : 0;
    magnitude = (magnitude & ~uint64_t{0x7FF}) | sticky;
  }
  const auto result = static_cast<double>(magnitude);
  return negative ? -result : result;
}

// To a small float. Integers go to f16 and bf16 through float, as in XLA, so
// they may round twice there; everything else rounds once. (XLA takes doubles
// to f16 and bf16 through float too; users count that as a bug, and we do not.)
template <typename To, typename Native>
constexpr To NativeToSmallFloat(Native value) {
  if constexpr (std::is_same_v<Native, float>) {
    return To::FromFloat(value);
  } else if constexpr (std::is_same_v<Native, double>) {
    return To::FromDouble(value);
  } else if constexpr (To::kBits == 16 || sizeof(Native) < 4) {
    return To::FromFloat(static_cast<float>(value));
  } else {
    return To::FromDouble(RoundToOdd(value));
  }
}

}  // namespace internal

// `value` as HLO's convert makes a To of it. Never traps.
//   integer to integer: modulo 2^bits; anything to pred: value != 0 (NaN: true)
//   float to integer: truncates, saturates, NaN becomes 0
//   to float: nearest, ties to even, with one rounding (integer to f16 and
//     bf16: through float); overflow and NaN as in class SmallFloat
//   real to complex: imaginary part 0; complex to real: the real part
template <class To, class From>
constexpr To ConvertElement(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (NumericTraits<From>::is_complex) {
    using Part = NumericTraits<To>::Part;
    if constexpr (NumericTraits<To>::is_complex) {
      return To(static_cast<Part>(value.real()),
                static_cast<Part>(value.imag()));
    } else {
      return ConvertElement<To>(value.real());
    }
  } else if constexpr (NumericTraits<To>::is_complex) {
    using Part = NumericTraits<To>::Part;
    return To(ConvertElement<Part>(value), Part{0});
  } else {
    const auto native = internal::NativeValueOf(value);
    if constexpr (std::is_same_v<To, bool>) {
      return native != 0;
    } else if constexpr (internal::kIsSmallFloat<To>) {
      return internal::NativeToSmallFloat<To>(native);
    } else if constexpr (NumericTraits<From>::is_float &&
                         NumericTraits<To>::is_integer) {
      return internal::FloatToInteger<To>(native);
    } else if constexpr (internal::kIsSmallInt<To>) {
      return To::FromValue(native);
    } else {
      return static_cast<To>(native);
    }
  }
}

}  // namespace hilo
