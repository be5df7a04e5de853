// Finds the shortest decimal of each element type.
#include "runtime/base/format_element.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"

#include "runtime/base/numeric_traits.h"
#include "runtime/base/small_float.h"

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

constexpr std::chars_format kScientific = std::chars_format::scientific;
// Digits after the point that identify every f32.
constexpr int kFloatPrecision = 8;

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

// Text is read as a double and then rounded, which makes another number of the
// shortest decimal of one f32, as a search through all of them shows:
// 7.038531e-26, as a double, is half-way between two.
template <typename Float>
bool ShortestIsReadAsAnother(Float magnitude) {
  return sizeof(Float) == sizeof(float) && magnitude == Float{0x1.5C87FAp-84};
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
  const Float magnitude = std::abs(value);
  std::array<char, 32> buffer;
  char* const begin = buffer.data();
  char* const limit = begin + buffer.size();
  // An integer token of 2^63 or more would be read as a negative number.
  char* end = magnitude >= Float{0x1p63}
                  ? std::to_chars(begin, limit, value, kScientific).ptr
                  : std::to_chars(begin, limit, value).ptr;
  if (ShortestIsReadAsAnother(magnitude)) {
    end = std::to_chars(begin, limit, value, kScientific, kFloatPrecision).ptr;
  }
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

// Half the distance to the next value, relative to the positive `value`: what
// rounds to `value` is no farther away.
template <typename Float>
double RelativeHalfStep(double value) {
  constexpr double kRelative = 1.0 / (1 << (Float::kMantissaBits + 1));
  if constexpr (Float::kFamily == SmallFloatFamily::kScale) return kRelative;
  const auto smallest = static_cast<double>(Float::FromBits(1));
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

// The exponent of the first decimal digit of `value`.
int LeadingExponent(double value) {
  const int exponent =
      static_cast<int>(std::bit_cast<uint64_t>(value) >> 52) - 1023;
  // 78913 / 2^18 is the logarithm of 2, and the shift rounds down; that is the
  // logarithm of the power of two below `value`.
  const int estimate = (exponent * 78913) >> 18;
  return Scale(value, estimate) < 10 ? estimate : estimate + 1;
}

Decimal WithoutTrailingZeros(Decimal decimal) {
  while (decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    ++decimal.exponent;
  }
  return decimal;
}

// The decimal of whole `digits` next to `scaled` that rounds to `number`, which
// is `scaled` times 10^exponent and has values half a step around it.
template <typename Float>
std::optional<Decimal> DecimalNear(double scaled, int exponent,
                                   double relative_half_step, Float number) {
  const auto below = static_cast<uint32_t>(scaled);
  const uint32_t nearest = below + (scaled - below >= 0.5 ? 1 : 0);
  if (std::abs(nearest - scaled) > scaled * relative_half_step) return {};
  // Below a power of two values are closer, so that the decimal on the other
  // side may round to `number` when the nearest does not.
  const uint32_t other = nearest == below ? below + 1 : below;
  for (const uint32_t digits : {nearest, other}) {
    const Decimal decimal = {.digits = digits, .exponent = exponent};
    if (digits != 0 && RoundsTo(ValueOf(decimal), number)) {
      return WithoutTrailingZeros(decimal);
    }
  }
  return {};
}

// The shortest decimal that rounds to the positive, finite `number`, and of
// those with as many digits one next to it.
template <typename Float>
Decimal ShortestDecimal(Float number) {
  // Covers the rounding of the distances; candidates are tested exactly.
  constexpr double kSlack = 1 + 1e-9;
  const auto value = static_cast<double>(number);
  const double half_step = RelativeHalfStep<Float>(value) * kSlack;
  int exponent = LeadingExponent(value);
  for (int count = 1; count <= kMaxDigits; ++count, --exponent) {
    const std::optional<Decimal> decimal =
        DecimalNear(Scale(value, exponent), exponent, half_step, number);
    if (decimal.has_value()) return *decimal;
  }
  return {};
}

// Appends `count` digits with a point after the first `point` of them.
void AppendWithPoint(const char* digits, int count, int point,
                     std::string* text) {
  text->append(digits, point);
  if (point == count) return;
  text->push_back('.');
  text->append(digits + point, count - point);
}

// Takes the shorter of the forms with and without exponent, the latter if they
// are equally long; integers are exact there. This is what std::to_chars does.
void AppendDecimal(Decimal decimal, double value, std::string* text) {
  // A larger integer is longer than the form with an exponent.
  constexpr double kIntegerLimit = 1e9;
  std::array<char, 12> digits;
  char* const begin = digits.data();
  char* const limit = begin + digits.size();
  const auto count =
      static_cast<int>(std::to_chars(begin, limit, decimal.digits).ptr - begin);
  const int leading = decimal.exponent + count - 1;
  const int scientific_size = (count > 1 ? count + 1 : 1) + 4;
  if (leading < 0 && 1 - leading + count <= scientific_size) {
    text->append("0.0000000", 1 - leading).append(begin, count);
    return;
  }
  if (decimal.exponent < 0 && leading >= 0) {
    AppendWithPoint(begin, count, leading + 1, text);
    return;
  }
  if (leading + 1 <= scientific_size && value < kIntegerLimit && leading >= 0) {
    AppendInteger(static_cast<uint32_t>(value), text);
    return;
  }
  AppendWithPoint(begin, count, 1, text);
  text->append(leading < 0 ? "e-" : "e+");
  const int magnitude = std::abs(leading);
  if (magnitude < 10) text->push_back('0');
  AppendInteger(magnitude, text);
}

template <typename Float>
void AppendSmallFloat(Float number, std::string* text) {
  using Bits = Float::Bits;
  constexpr Bits kMantissaMask =
      static_cast<Bits>((1U << Float::kMantissaBits) - 1);
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
