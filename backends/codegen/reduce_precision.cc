// Rounds to fewer exponent and mantissa bits.
#include "backends/codegen/reduce_precision.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "backends/codegen/lanes.h"
#include "backends/codegen/stored_form.h"
#include "hlo/ir/element_type.h"
#include "runtime/base/numeric_types.h"

namespace hilo::backends {
namespace {

// The codes of a format, the sign apart.
struct CodeFormat {
  int mantissa_bits = 0;
  int exponent_bits = 0;
  int bias = 0;
  uint64_t highest_code = 0;
  // The largest finite code in types without infinity.
  uint64_t infinity_code = 0;
  bool has_infinity = false;
};

template <typename T>
uint64_t CodeOf(T x) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(x);
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(x);
  } else {
    return x.bits();
  }
}

template <typename T>
constexpr int BiasOf() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::max_exponent - 1;
  } else {
    return T::kBias;
  }
}

CodeFormat CodeFormatOf(hlo::ElementType type) {
  return hlo::DispatchElementType(type, [](auto tag) -> CodeFormat {
    using T = decltype(tag)::type;
    using Traits = NumericTraits<T>;
    if constexpr (Traits::is_float) {
      return {.mantissa_bits = Traits::mantissa_bits,
              .exponent_bits = Traits::exponent_bits,
              .bias = BiasOf<T>(),
              .highest_code = CodeOf(Traits::highest()),
              .infinity_code = CodeOf(Traits::infinity()),
              .has_infinity = Traits::has_infinity};
    } else {
      return {};
    }
  });
}

// A multiple of 2^dropped, ties to even.
Lanes RoundCode(const Lanes& magnitude, int dropped) {
  if (dropped <= 0) return magnitude;
  const uint64_t unit = uint64_t{1} << dropped;
  const Lanes odd = (magnitude >> dropped) & 1;
  return (magnitude + (unit / 2 - 1) + odd) & ~(unit - 1);
}

// Exponents above `largest` become infinity, those of subnormals zero.
Lanes LimitExponent(const CodeFormat& format, const Lanes& magnitude,
                    int exponent_bits) {
  if (exponent_bits >= format.exponent_bits) return magnitude;
  const int largest = (1 << (exponent_bits - 1)) - 1;
  const Lanes exponent = magnitude >> format.mantissa_bits;
  const Lanes limited =
      Select(exponent > largest + format.bias, format.infinity_code, magnitude);
  return Select(exponent <= format.bias - largest, 0, limited);
}

Lanes ReduceCode(const CodeFormat& format, const Lanes& code, int exponent_bits,
                 int mantissa_bits) {
  const uint64_t mask =
      (uint64_t{1} << (format.mantissa_bits + format.exponent_bits)) - 1;
  const Lanes magnitude = code & mask;
  Lanes reduced = RoundCode(magnitude, format.mantissa_bits - mantissa_bits);
  reduced =
      Select(reduced > format.highest_code, format.infinity_code, reduced);
  reduced = LimitExponent(format, reduced, exponent_bits);
  if (format.has_infinity) {
    reduced = Select(magnitude == format.infinity_code, magnitude, reduced);
  }
  return (code & ~mask) | reduced;
}

}  // namespace

Lanes ReducePrecision(hlo::ElementType type, const Lanes& x, int exponent_bits,
                      int mantissa_bits) {
  const CodeFormat format = CodeFormatOf(type);
  if (format.exponent_bits >= 8 && format.mantissa_bits > 7) {
    const Lanes reduced =
        ReduceCode(format, BitsOf(x), exponent_bits, mantissa_bits);
    return Select(IsNan(x), x, FloatOfBits(reduced));
  }
  const Lanes stored = ToStored(type, x);
  const Lanes reduced = ReduceCode(format, ResizeUnsigned(stored, 32),
                                   exponent_bits, mantissa_bits);
  const Lanes value = FromStored(type, ResizeUnsigned(reduced, stored.bits()));
  return Select(IsNan(x), x, value);
}

}  // namespace hilo::backends
