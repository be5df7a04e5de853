// Finds the shortest decimal of each element type.
#include "runtime/base/format_element.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"

namespace hilo {
namespace {

// A positive number: digits times 10^exponent. The last digit is not 0.
struct Decimal {
  uint32_t digits = 0;
  int exponent = 0;
};

// Powers of ten that a double holds exactly.
constexpr int kMaxExactPower = 22;
constexpr std::array<double, kMaxExactPower + 1> kExactPowers = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// No element type of at most 16 bits needs more digits.
constexpr int kMaxDigits = 5;

void AppendNan(bool negative, uint64_t payload, uint64_t default_payload,
               std::string* text) {
  text->append(negative ? "-nan" : "nan");
  if (payload == default_payload) return;
  std::array<char, 16> hex;
  char* const begin = hex.data();
  char* const end = std::to_chars(begin, begin + hex.size(), payload, 16).ptr;
  text->append("(0x").append(begin, end).append(")");
}

template <typename Integer>
void AppendInteger(Integer value, std::string* text) {
  std::array<char, 24> buffer;
  char* const begin = buffer.data();
  char* const end = std::to_chars(begin, begin + buffer.size(), value).ptr;
  text->append(begin, end);
}

template <typename Float>
void AppendNativeFloat(Float value, std::string* text) {
  using Traits = NumericTraits<Float>;
  using Word = std::conditional_t<sizeof(Float) == 4, uint32_t, uint64_t>;
  constexpr Word kMantissaMask = (Word{1} << Traits::mantissa_bits) - 1;
  if (value == 0) {
    text->append(std::signbit(value) ? "-0.0" : "0");
    return;
  }
  if (std::isnan(value)) {
    AppendNan(std::signbit(value), std::bit_cast<Word>(value) & kMantissaMask,
              Word{1} << (Traits::mantissa_bits - 1), text);
    return;
  }
  std::array<char, 32> buffer;
  char* const begin = buffer.data();
  char* const limit = begin + buffer.size();
  // An integer token of 2^63 or more would be read as a negative number.
  char* const end =
      std::abs(value) >= Float{0x1p63}
          ? std::to_chars(begin, limit, value, std::chars_format::scientific)
                .ptr
          : std::to_chars(begin, limit, value).ptr;
  text->append(begin, end);
}

// The double that the text of `decimal` is read as.
double ValueOf(Decimal decimal) {
  const double digits = decimal.digits;
  const int exponent = decimal.exponent;
  // Exact factors make a correctly rounded result.
  if (0 <= exponent && exponent <= kMaxExactPower) {
    return digits * kExactPowers[exponent];
  }
  if (-kMaxExactPower <= exponent && exponent < 0) {
    return digits / kExactPowers[-exponent];
  }
  const std::string text = absl::StrCat(decimal.digits, "e", exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Whether a text of `value` is read as `expected`. A value above the largest
// finite one would saturate to it, but is not used to denote it.
template <typename Float>
bool RoundsTo(double value, Float expected) {
  if (Float::kFamily == SmallFloatFamily::kSaturating &&
      value > static_cast<double>(NumericTraits<Float>::highest())) {
    return false;
  }
  return Float::FromDouble(value).bits() == expected.bits();
}

// The exponent of the decimal's first digit, exact or one too small.
int LeadingExponent(double value) {
  const int exponent =
      static_cast<int>(std::bit_cast<uint64_t>(value) >> 52) - 1023;
  // 78913 / 2^18 is the logarithm of 2, and the shift rounds down.
  return (exponent * 78913) >> 18;
}

// Half the distance to the next value, relative to the positive `value`: what
// rounds to `value` is no farther away.
template <typename Float>
double RelativeHalfStep(double value) {
  constexpr double kRelative = 1.0 / (1 << (Float::kMantissaBits + 1));
  if constexpr (Float::kFamily == SmallFloatFamily::kScale) return kRelative;
  const double smallest = static_cast<double>(Float::FromBits(1));
  return std::max(kRelative, smallest / 2 / value);
}

// About value / 10^exponent.
double Scale(double value, int exponent) {
  if (0 <= exponent && exponent <= kMaxExactPower) {
    return value / kExactPowers[exponent];
  }
  if (-kMaxExactPower <= exponent && exponent < 0) {
    return value * kExactPowers[-exponent];
  }
  return value * std::pow(10.0, -exponent);
}

Decimal WithoutTrailingZeros(Decimal decimal) {
  while (decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    ++decimal.exponent;
  }
  return decimal;
}

// The shortest decimal that rounds to the positive, finite `number`, and of
// those with as many digits one next to it.
template <typename Float>
Decimal ShortestDecimal(Float number) {
  // Covers the rounding of the distances; candidates are tested exactly.
  constexpr double kSlack = 1 + 1e-9;
  const double value = static_cast<double>(number);
  const double half_step = RelativeHalfStep<Float>(value) * kSlack;
  const int leading = LeadingExponent(value);
  for (int count = 1; count <= kMaxDigits + 1; ++count) {
    const int exponent = leading - (count - 1);
    const double scaled = Scale(value, exponent);
    const uint32_t below = static_cast<uint32_t>(scaled);
    const bool nearest_is_below = scaled - below < 0.5;
    for (const bool take_below : {nearest_is_below, !nearest_is_below}) {
      const Decimal decimal = {take_below ? below : below + 1, exponent};
      if (decimal.digits == 0 ||
          std::abs(decimal.digits - scaled) > scaled * half_step) {
        continue;
      }
      if (RoundsTo(ValueOf(decimal), number)) {
        return WithoutTrailingZeros(decimal);
      }
    }
  }
  return {};
}

// Writes `decimal` with an exponent of at least two digits: 1.5e+10.
void AppendScientific(const std::string& digits, int exponent,
                      std::string* text) {
  text->push_back(digits[0]);
  if (digits.size() > 1) text->append(".").append(digits, 1);
  text->append(exponent < 0 ? "e-" : "e+");
  const int magnitude = std::abs(exponent);
  if (magnitude < 10) text->push_back('0');
  AppendInteger(magnitude, text);
}

// Writes digits times 10^exponent, for exponent < 0, without an exponent.
void AppendFixed(const std::string& digits, int exponent, std::string* text) {
  const int point = static_cast<int>(digits.size()) + exponent;
  if (point > 0) {
    text->append(digits, 0, point).append(".").append(digits, point);
    return;
  }
  text->append("0.").append(-point, '0').append(digits);
}

// Takes the shorter of the two forms, and prefers the one without exponent;
// integers are written exactly there. This is what std::to_chars does.
void AppendDecimal(Decimal decimal, double value, std::string* text) {
  // Integers of at most this size can be shorter than any other form.
  constexpr double kIntegerLimit = 1e9;
  std::string digits;
  AppendInteger(decimal.digits, &digits);
  const int count = static_cast<int>(digits.size());
  const int leading = decimal.exponent + count - 1;
  const int scientific_size = count + (count > 1 ? 1 : 0) + 4;
  if (decimal.exponent >= 0) {
    std::string integer;
    if (value < kIntegerLimit) {
      AppendInteger(static_cast<uint32_t>(value), &integer);
    }
    if (!integer.empty() &&
        static_cast<int>(integer.size()) <= scientific_size) {
      text->append(integer);
      return;
    }
    AppendScientific(digits, leading, text);
    return;
  }
  const int fixed_size = leading >= 0 ? count + 1 : 1 - leading + count;
  if (fixed_size <= scientific_size) {
    AppendFixed(digits, decimal.exponent, text);
  } else {
    AppendScientific(digits, leading, text);
  }
}

template <typename Float>
void AppendSmallFloat(Float number, std::string* text) {
  using Bits = typename Float::Bits;
  constexpr Bits kMantissaMask =
      static_cast<Bits>((1u << Float::kMantissaBits) - 1);
  if (number.is_nan()) {
    const uint64_t default_payload = Float::QuietNanCode() & kMantissaMask;
    AppendNan(number.sign_bit(), number.bits() & kMantissaMask, default_payload,
              text);
    return;
  }
  if (number.sign_bit()) text->push_back('-');
  const Bits magnitude = number.bits() & Float::kMagnitudeMask;
  const Float positive = Float::FromBits(magnitude);
  if (magnitude == 0 && Float::kFamily != SmallFloatFamily::kScale) {
    text->append(number.sign_bit() ? "0.0" : "0");
  } else if (Float::kFamily == SmallFloatFamily::kIeee &&
             magnitude == Float::kInfinityCode) {
    text->append("inf");
  } else {
    AppendDecimal(ShortestDecimal(positive), static_cast<double>(positive),
                  text);
  }
}

}  // namespace

template <typename T>
void AppendElement(T value, std::string* text) {
  if constexpr (std::is_same_v<T, bool>) {
    text->append(value ? "true" : "false");
  } else if constexpr (NumericTraits<T>::is_complex) {
    text->push_back('(');
    AppendNativeFloat(value.real(), text);
    text->append(", ");
    AppendNativeFloat(value.imag(), text);
    text->push_back(')');
  } else if constexpr (internal::kIsSmallFloat<T>) {
    AppendSmallFloat(value, text);
  } else if constexpr (NumericTraits<T>::is_float) {
    AppendNativeFloat(value, text);
  } else if constexpr (internal::kIsSmallInt<T>) {
    AppendInteger(static_cast<int>(value.value()), text);
  } else {
    AppendInteger(value, text);
  }
}

#define HILO_INSTANTIATE_APPEND(type, name) \
  template void AppendElement<type>(type value, std::string * text);
HILO_NUMERIC_TYPES(HILO_INSTANTIATE_APPEND)
#undef HILO_INSTANTIATE_APPEND

}  // namespace hilo
