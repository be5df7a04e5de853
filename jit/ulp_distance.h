// Distances between floats in units in the last place.
#pragma once

#include <cstdint>
#include <cstring>

#include "runtime/base/numeric_traits.h"

namespace hilo {

// How many numbers of the type lie between two that are no NaNs, one of them
// included; both zeros are one.
template <typename T>
uint64_t UlpDistance(T a, T b) {
  // Sign and magnitude as a number that grows with the value.
  const auto in_order = [](T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    if constexpr (requires { T::kHasSign; }) {
      if (!T::kHasSign) return static_cast<int64_t>(bits);
    }
    const uint64_t sign = uint64_t{1} << (NumericTraits<T>::kBits - 1);
    const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
  };
  const int64_t x = in_order(a);
  const int64_t y = in_order(b);
  return x < y ? static_cast<uint64_t>(y) - static_cast<uint64_t>(x)
               : static_cast<uint64_t>(x) - static_cast<uint64_t>(y);
}

}  // namespace hilo
