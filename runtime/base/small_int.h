// The integer element types of one, two and four bits.
#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

namespace hilo {

// An integer of 1, 2 or 4 bits, one per byte. The byte is always canonical:
// sign-extended if signed, with zeros above the value if not. Arithmetic is
// done in `Value`, and `FromValue` wraps the result.
template <int bit_count, bool is_signed>
struct SmallInt {
 public:
  static constexpr int kBits = bit_count;
  static constexpr bool kIsSigned = is_signed;
  static constexpr uint8_t kMask = (1U << bit_count) - 1;
  static constexpr uint8_t kSignMask = 1U << (bit_count - 1);

  using Value = std::conditional_t<is_signed, int8_t, uint8_t>;

  // Uninitialised, as an int is; `T{}` is zero.
  SmallInt() = default;

  // The integer whose code is the low `kBits` of `bits`; the rest is ignored.
  static constexpr SmallInt FromBits(uint8_t bits) {
    SmallInt result{};
    const int low = bits & kMask;
    result.value_ =
        static_cast<Value>(is_signed ? (low ^ kSignMask) - kSignMask : low);
    return result;
  }

  // `value` modulo 2^kBits.
  template <typename Integer>
    requires std::is_integral_v<Integer>
  static constexpr SmallInt FromValue(Integer value) {
    return FromBits(static_cast<uint8_t>(value));
  }

  // The code in the low `kBits`, zeros above, as packed arrays hold it.
  constexpr uint8_t bits() const {
    return static_cast<uint8_t>(value_) & kMask;
  }
  constexpr Value value() const { return value_; }

  template <typename Number>
    requires std::is_arithmetic_v<Number>
  constexpr explicit operator Number() const {
    return static_cast<Number>(value_);
  }

  friend constexpr auto operator<=>(SmallInt lhs, SmallInt rhs) = default;

 private:
  Value value_;
};

using Int1 = SmallInt<1, true>;
using Int2 = SmallInt<2, true>;
using Int4 = SmallInt<4, true>;
using UInt1 = SmallInt<1, false>;
using UInt2 = SmallInt<2, false>;
using UInt4 = SmallInt<4, false>;

}  // namespace hilo
