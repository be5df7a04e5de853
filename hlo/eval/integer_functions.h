// Element-wise functions of integers and pred.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace hilo::hlo::scalar {

template <typename T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

// Unsigned, and at least as wide as an int: arithmetic in it wraps.
template <Integer T>
using Word = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

// The low `bits` of x; kBits may be less than T has.
template <int bits, Integer T>
constexpr uint64_t BitsOf(T x) {
  return static_cast<uint64_t>(x) & (~uint64_t{0} >> (64 - bits));
}

// The signed number whose two's complement is the low `bits` of x.
template <int bits, Integer T>
constexpr int64_t SignExtended(T x) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) << (64 - bits)) >>
         (64 - bits);
}

template <Integer T>
constexpr T Add(T x, T y) {
  return static_cast<T>(static_cast<Word<T>>(x) + static_cast<Word<T>>(y));
}
template <Integer T>
constexpr T Subtract(T x, T y) {
  return static_cast<T>(static_cast<Word<T>>(x) - static_cast<Word<T>>(y));
}
template <Integer T>
constexpr T Multiply(T x, T y) {
  return static_cast<T>(static_cast<Word<T>>(x) * static_cast<Word<T>>(y));
}
template <Integer T>
constexpr T Negate(T x) {
  return Subtract(T{0}, x);
}
template <Integer T>
constexpr T Abs(T x) {
  return x < 0 ? Negate(x) : x;
}
template <Integer T>
constexpr T Sign(T x) {
  return static_cast<T>((x > 0) - (x < 0));
}
template <Integer T>
constexpr T Not(T x) {
  return static_cast<T>(~x);
}

// Truncates; all ones for a zero divisor.
template <Integer T>
constexpr T Divide(T x, T y) {
  if (y == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return Negate(x);
  }
  return static_cast<T>(x / y);
}

// With the sign of x; x itself for a zero divisor.
template <Integer T>
constexpr T Remainder(T x, T y) {
  if (y == 0) return x;
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return 0;
  }
  return static_cast<T>(x % y);
}

template <Integer T>
constexpr T Maximum(T x, T y) {
  return x < y ? y : x;
}
template <Integer T>
constexpr T Minimum(T x, T y) {
  return y < x ? y : x;
}

// Squares and multiplies; wraps. Negative exponents give the truncated
// quotient 1 / x^-y, and 0 for x = 0.
template <Integer T>
constexpr T Power(T x, T y) {
  if constexpr (std::is_signed_v<T>) {
    if (y < 0) {
      if (x == 1) return 1;
      if (x == -1) return (y & 1) != 0 ? T{-1} : T{1};
      return 0;
    }
  }
  T result = 1;
  for (T exponent = y; exponent != 0;
       exponent = static_cast<T>(exponent >> 1)) {
    if ((exponent & 1) != 0) result = Multiply(result, x);
    x = Multiply(x, x);
  }
  return result;
}

// The upper `bits` of the product of 2 * bits.
template <int bits, Integer T>
constexpr T MultiplyHigh(T x, T y) {
  if constexpr (bits < 64) {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return static_cast<T>((static_cast<Wide>(x) * static_cast<Wide>(y)) >>
                          bits);
  } else {
    using Wide =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Wide>(x) * static_cast<Wide>(y)) >> 64);
  }
}

template <int bits, Integer T>
constexpr T CountLeadingZeros(T x) {
  return static_cast<T>(std::countl_zero(BitsOf<bits>(x)) - (64 - bits));
}
template <int bits, Integer T>
constexpr T PopulationCount(T x) {
  return static_cast<T>(std::popcount(BitsOf<bits>(x)));
}

template <int bits, Integer T>
constexpr T ShiftLeft(T x, T amount) {
  const uint64_t count = BitsOf<bits>(amount);
  return count >= uint64_t{bits} ? T{0}
                                 : static_cast<T>(BitsOf<bits>(x) << count);
}
template <int bits, Integer T>
constexpr T ShiftRightLogical(T x, T amount) {
  const uint64_t count = BitsOf<bits>(amount);
  return count >= uint64_t{bits} ? T{0}
                                 : static_cast<T>(BitsOf<bits>(x) >> count);
}
// The top bit is the sign, also of unsigned types.
template <int bits, Integer T>
constexpr T ShiftRightArithmetic(T x, T amount) {
  const uint64_t count = BitsOf<bits>(amount);
  return static_cast<T>(SignExtended<bits>(x) >>
                        (count >= uint64_t{bits} ? bits - 1 : count));
}

template <std::same_as<bool> T>
constexpr bool Add(T x, T y) {
  return x | y;
}
template <std::same_as<bool> T>
constexpr bool Multiply(T x, T y) {
  return x & y;
}
template <std::same_as<bool> T>
constexpr bool Maximum(T x, T y) {
  return x | y;
}
template <std::same_as<bool> T>
constexpr bool Minimum(T x, T y) {
  return x & y;
}
template <std::same_as<bool> T>
constexpr bool Not(T x) {
  return !x;
}

}  // namespace hilo::hlo::scalar
