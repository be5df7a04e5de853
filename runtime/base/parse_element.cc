// Reads each element type from a token and checks that it fits.
#include "runtime/base/parse_element.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "runtime/base/format_element.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/small_float.h"
#include "runtime/base/status.h"

namespace hilo {
namespace {

// The token for a message: long ones are cut.
std::string Quoted(absl::string_view token) {
  constexpr size_t kLongest = 60;
  if (token.size() <= kLongest) return absl::StrCat("'", token, "'");
  return absl::StrCat("'", token.substr(0, kLongest), "...'");
}

template <typename T>
absl::Status WrongForm(absl::string_view token, absl::string_view expected) {
  return InvalidArgument(kNumericName<T>, ": expected ", expected, ", got ",
                         Quoted(token));
}

template <typename T>
absl::Status OutOfRange(absl::string_view token) {
  using Traits = NumericTraits<T>;
  return InvalidArgument(kNumericName<T>, ": ", Quoted(token),
                         " is out of range, the limits are ",
                         FormatElement(Traits::lowest()), " and ",
                         FormatElement(Traits::highest()));
}

bool IsDigit(char c) { return '0' <= c && c <= '9'; }

bool IsIntegerToken(absl::string_view token) {
  if (!token.empty() && token[0] == '-') token.remove_prefix(1);
  return !token.empty() && std::ranges::all_of(token, IsDigit);
}

// Reads all of `token` as a Number.
template <typename Number>
std::errc ReadAll(absl::string_view token, Number& number) {
  const char* const end = token.data() + token.size();
  const auto result = std::from_chars(token.data(), end, number);
  if (result.ec == std::errc() && result.ptr != end) {
    return std::errc::invalid_argument;
  }
  return result.ec;
}

// Reads an integer token as the lexer does: from -2^63 to 2^64 - 1, as the
// bits of an int64.
template <typename T>
absl::StatusOr<int64_t> ReadInteger(absl::string_view token) {
  const bool negative = !token.empty() && token[0] == '-';
  int64_t value = 0;
  uint64_t magnitude = 0;
  const std::errc error =
      negative ? ReadAll(token, value) : ReadAll(token, magnitude);
  if (error == std::errc()) {
    return negative ? value : static_cast<int64_t>(magnitude);
  }
  if (error == std::errc::result_out_of_range && IsIntegerToken(token)) {
    return OutOfRange<T>(token);
  }
  return WrongForm<T>(token, "an integer");
}

template <typename T>
absl::StatusOr<T> ParseInteger(absl::string_view token) {
  const absl::StatusOr<int64_t> integer = ReadInteger<T>(token);
  if (!integer.ok()) return integer.status();
  using Wide = std::conditional_t<NumericTraits<T>::is_signed_integer, int64_t,
                                  uint64_t>;
  const Wide value = static_cast<Wide>(*integer);
  if (value < static_cast<Wide>(NumericTraits<T>::lowest()) ||
      value > static_cast<Wide>(NumericTraits<T>::highest())) {
    return OutOfRange<T>(token);
  }
  if constexpr (internal::kIsSmallInt<T>) {
    return T::FromValue(value);
  } else {
    return static_cast<T>(value);
  }
}

absl::StatusOr<bool> ParsePred(absl::string_view token) {
  if (token == "true") return true;
  if (token == "false") return false;
  int64_t value = 0;
  if (!IsIntegerToken(token) || ReadAll(token, value) != std::errc() ||
      value < 0 || value > 1) {
    return WrongForm<bool>(token, "true, false, 0 or 1");
  }
  return value == 1;
}

// Rounds a finite number; an error if the result has no finite value.
template <typename T>
absl::StatusOr<T> NarrowFinite(double value, absl::string_view token) {
  if constexpr (internal::kIsSmallFloat<T>) {
    if (T::kFamily == SmallFloatFamily::kScale && !(value > 0)) {
      return WrongForm<T>(token, "a number above 0");
    }
    const T result = T::FromDouble(value);
    const bool is_infinite =
        T::kFamily == SmallFloatFamily::kIeee &&
        (result.bits() & T::kMagnitudeMask) == T::kInfinityCode;
    if (result.is_nan() || is_infinite) return OutOfRange<T>(token);
    return result;
  } else {
    const T result = static_cast<T>(value);
    if (std::isinf(result)) return OutOfRange<T>(token);
    return result;
  }
}

// Reads a number that is too large or too small for a double, where
// std::from_chars leaves no value: small ones become 0 or subnormal.
absl::StatusOr<double> ReadExtreme(absl::string_view token) {
  double value = 0;
  absl::from_chars(token.data(), token.data() + token.size(), value);
  if (std::abs(value) > 1) return absl::OutOfRangeError("");
  return value;
}

template <typename T>
absl::StatusOr<T> ParseFiniteFloat(absl::string_view token) {
  double value = 0;
  const std::errc error = ReadAll(token, value);
  if (error == std::errc::invalid_argument) {
    return WrongForm<T>(token, "a number");
  }
  // Only here can an integer token differ from the same decimal: -0 is +0.
  const bool may_wrap =
      std::abs(value) >= 0x1p63 || (value == 0 && std::signbit(value));
  if ((may_wrap || error != std::errc()) && IsIntegerToken(token)) {
    const absl::StatusOr<int64_t> integer = ReadInteger<T>(token);
    if (!integer.ok()) return integer.status();
    return NarrowFinite<T>(static_cast<double>(*integer), token);
  }
  if (error == std::errc::result_out_of_range) {
    const absl::StatusOr<double> extreme = ReadExtreme(token);
    if (!extreme.ok()) return OutOfRange<T>(token);
    value = *extreme;
  }
  // Too large for a double is too large even for types that saturate.
  if (std::isinf(value)) return OutOfRange<T>(token);
  return NarrowFinite<T>(value, token);
}

template <typename T>
T InfinityOf(bool negative) {
  const float infinity = std::numeric_limits<float>::infinity();
  if constexpr (internal::kIsSmallFloat<T>) {
    return T::FromFloat(negative ? -infinity : infinity);
  } else {
    return static_cast<T>(negative ? -infinity : infinity);
  }
}

// The NaN with the given payload. Types without NaN have -0 for a positive one
// and +0 for a negative one.
template <typename T>
T NanOf(bool negative, uint64_t payload) {
  if constexpr (!internal::kIsSmallFloat<T>) {
    using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const Word sign = Word{negative} << ((8 * sizeof(T)) - 1);
    const Word infinity = std::bit_cast<Word>(NumericTraits<T>::infinity());
    return std::bit_cast<T>(sign | infinity | static_cast<Word>(payload));
  } else if constexpr (T::kFamily == SmallFloatFamily::kIeee) {
    const unsigned sign = negative ? T::kSignMask : 0;
    return T::FromBits(T::kInfinityCode | sign | static_cast<T::Bits>(payload));
  } else if constexpr (T::kFamily == SmallFloatFamily::kSaturating) {
    return T::FromBits(negative ? 0 : T::kSignMask);
  } else if constexpr (T::kFamily == SmallFloatFamily::kFiniteNan) {
    return T::FromBits(T::kMagnitudeMask | (negative ? T::kSignMask : 0));
  } else {
    return T::FromBits(T::QuietNanCode());
  }
}

template <typename T>
constexpr bool HasNanPayload() {
  if constexpr (internal::kIsSmallFloat<T>) {
    return T::kFamily == SmallFloatFamily::kIeee;
  } else {
    return true;
  }
}

// Reads `nan` or `nan(0x5)`; `word` is `token` without its sign.
template <typename T>
absl::StatusOr<T> ParseNan(absl::string_view token, absl::string_view word,
                           bool negative) {
  constexpr int kMantissaBits = NumericTraits<T>::mantissa_bits;
  if (word == "nan") {
    const uint64_t quiet = (uint64_t{1} << kMantissaBits) >> 1;
    return NanOf<T>(negative, quiet);
  }
  constexpr absl::string_view kPrefix = "nan(0x";
  if (word.substr(0, kPrefix.size()) != kPrefix || word.back() != ')') {
    return WrongForm<T>(token, "a number");
  }
  if constexpr (!HasNanPayload<T>()) {
    return WrongForm<T>(token, "nan without a payload, as the type has none");
  } else {
    constexpr uint64_t kMaxPayload = (uint64_t{1} << kMantissaBits) - 1;
    const char* const begin = word.data() + kPrefix.size();
    const char* const end = word.data() + word.size() - 1;
    uint64_t payload = 0;
    const auto result = std::from_chars(begin, end, payload, 16);
    if (result.ptr != end || result.ec == std::errc::invalid_argument) {
      return WrongForm<T>(token, "a hexadecimal NaN payload");
    }
    if (result.ec != std::errc() || payload == 0 || payload > kMaxPayload) {
      return InvalidArgument(kNumericName<T>, ": NaN payload of ",
                             Quoted(token), " is out of range, the limits are ",
                             "0x1 and 0x", absl::Hex(kMaxPayload));
    }
    return NanOf<T>(negative, payload);
  }
}

template <typename T>
absl::StatusOr<T> ParseFloat(absl::string_view token) {
  absl::string_view word = token;
  const bool negative = !word.empty() && word[0] == '-';
  if (negative) word.remove_prefix(1);
  if (word.empty()) return WrongForm<T>(token, "a number");
  if (IsDigit(word[0]) || (negative && word[0] == '.')) {
    return ParseFiniteFloat<T>(token);
  }
  if (word == "inf") return InfinityOf<T>(negative);
  return ParseNan<T>(token, word, negative);
}

template <typename T>
absl::StatusOr<T> ParseComplex(absl::string_view token) {
  using Part = T::value_type;
  const size_t comma = token.find(',');
  if (token.empty() || token.front() != '(' || token.back() != ')' ||
      comma == absl::string_view::npos) {
    return WrongForm<T>(token, "a pair (real, imaginary)");
  }
  ASSIGN_OR_RETURN(const Part real,
                   ParseElement<Part>(
                       absl::StripAsciiWhitespace(token.substr(1, comma - 1))));
  ASSIGN_OR_RETURN(const Part imaginary,
                   ParseElement<Part>(absl::StripAsciiWhitespace(
                       token.substr(comma + 1, token.size() - comma - 2))));
  return T(real, imaginary);
}

}  // namespace

template <typename T>
absl::StatusOr<T> ParseElement(absl::string_view token) {
  if constexpr (std::is_same_v<T, bool>) {
    return ParsePred(token);
  } else if constexpr (NumericTraits<T>::is_complex) {
    return ParseComplex<T>(token);
  } else if constexpr (NumericTraits<T>::is_float) {
    return ParseFloat<T>(token);
  } else {
    return ParseInteger<T>(token);
  }
}

#define HILO_INSTANTIATE_PARSE(type, name) \
  template absl::StatusOr<type> ParseElement<type>(absl::string_view token);
HILO_NUMERIC_TYPES(HILO_INSTANTIATE_PARSE)
#undef HILO_INSTANTIATE_PARSE

}  // namespace hilo
