// Tests of elements as text: shortest forms, exact reading, and its errors.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "runtime/base/numeric_types.h"

namespace hilo {
namespace {

template <typename T>
uint64_t BitsOf(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<uint64_t>(value);
  } else {
    return value.bits();
  }
}

template <typename T>
void CheckRoundTrip(T value) {
  const std::string text = FormatElement(value);
  const absl::StatusOr<T> parsed = ParseElement<T>(text);
  if (parsed.ok() && BitsOf(*parsed) == BitsOf(value)) return;
  CAPTURE(text, BitsOf(value), parsed.status().ToString());
  REQUIRE(parsed.ok());
  REQUIRE(BitsOf(*parsed) == BitsOf(value));
}

TEMPLATE_TEST_CASE("every value of a small type comes back from its text", "",
                   Float8E5M2, Float8E4M3, Float8E3M4, Float8E4M3FN,
                   Float8E4M3B11FNUZ, Float8E4M3FNUZ, Float8E5M2FNUZ,
                   Float8E8M0FNU, Float4E2M1FN, Float6E3M2FN, Float6E2M3FN,
                   Float16, BFloat16, Int1, Int2, Int4, UInt1, UInt2, UInt4) {
  for (uint32_t code = 0; code <= TestType::kMask; ++code) {
    CheckRoundTrip(TestType::FromBits(code));
  }
}

// The number of digits of a decimal, without zeros at its start.
int DigitCount(absl::string_view text) {
  text = text.substr(0, text.find('e'));
  int count = 0;
  for (const char c : text) {
    if (c == '-' || c == '.' || (c == '0' && count == 0)) continue;
    ++count;
  }
  return count;
}

TEMPLATE_TEST_CASE("no decimal with fewer digits denotes the same value", "",
                   Float16, BFloat16, Float8E5M2, Float8E4M3FN, Float8E8M0FNU) {
  for (uint32_t code = 1; code <= TestType::MaxFiniteCode(); ++code) {
    const TestType value = TestType::FromBits(code);
    const std::string text = FormatElement(value);
    // Integers are written exactly where that makes them no longer.
    if (text.find_first_of(".e") == std::string::npos) continue;
    const int fewer = DigitCount(text) - 1;
    if (fewer < 1) continue;
    const auto number = static_cast<double>(value);
    const double step =
        std::pow(10.0, std::floor(std::log10(number)) - (fewer - 1));
    for (const double near :
         {std::floor(number / step) * step, std::ceil(number / step) * step}) {
      CAPTURE(text, near);
      CHECK(TestType::FromDouble(near).bits() != code);
    }
  }
}

TEST_CASE("f32, f64 and 64-bit integers come back from their text") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300000; ++i) {
    const uint64_t bits = random();
    CheckRoundTrip(std::bit_cast<double>(bits));
    CheckRoundTrip(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    CheckRoundTrip(static_cast<int64_t>(bits));
    CheckRoundTrip(bits);
    CheckRoundTrip(static_cast<double>(bits));
    CheckRoundTrip(static_cast<float>(bits));
  }
}

TEST_CASE("f32 elements are written in the shortest form") {
  struct Row {
    uint32_t bits;
    absl::string_view text;
  };
  const auto of = [](float value) { return std::bit_cast<uint32_t>(value); };
  for (const Row& row : std::vector<Row>{{of(1.0F), "1"},
                                         {of(0.1F), "0.1"},
                                         {of(1e-5F), "1e-05"},
                                         {of(100000.0F), "1e+05"},
                                         {of(123456.0F), "123456"},
                                         {of(0.0F), "0"},
                                         {of(-0.0F), "-0.0"},
                                         {of(16777216.0F), "16777216"},
                                         {0x7F800000, "inf"},
                                         {0xFF800000, "-inf"},
                                         {0x7FC00000, "nan"},
                                         {0xFFC00000, "-nan"},
                                         {0x7F800005, "nan(0x5)"},
                                         {0xFFC00001, "-nan(0x400001)"}}) {
    const auto value = std::bit_cast<float>(row.bits);
    CAPTURE(row.bits);
    CHECK(FormatElement(value) == row.text);
    CHECK(BitsOf(ParseElement<float>(row.text).value()) == row.bits);
  }
  // Read as a double, 7.038531e-26 is half-way between two f32.
  CHECK(FormatElement(std::bit_cast<float>(0x15AE43FDU)) == "7.03853069e-26");
  CHECK(FormatElement(0x1p64) == "1.8446744073709552e+19");
  CHECK(FormatElement(0.1) == "0.1");
  CHECK(FormatElement(std::complex<float>(1, -0.0F)) == "(1, -0.0)");
}

TEST_CASE("small floats are written in the shortest form") {
  CHECK(FormatElement(BFloat16::FromFloat(0.1F)) == "0.1");
  CHECK(FormatElement(BFloat16::FromFloat(3.140625F)) == "3.14");
  CHECK(FormatElement(BFloat16::FromFloat(65280.0F)) == "65280");
  CHECK(FormatElement(BFloat16::FromFloat(1e30F)) == "1e+30");
  CHECK(FormatElement(BFloat16::FromFloat(-1e-38F)) == "-1e-38");
  CHECK(FormatElement(Float16::FromFloat(65504.0F)) == "65504");
  CHECK(FormatElement(Float16::FromFloat(-2.5F)) == "-2.5");
  CHECK(FormatElement(Float16::FromBits(1)) == "6e-08");
  CHECK(FormatElement(Float16::FromBits(0x7C01)) == "nan(0x1)");
  CHECK(FormatElement(Float16::FromBits(0xFE00)) == "-nan");
  CHECK(FormatElement(Float8E4M3FN::FromFloat(448)) == "448");
  CHECK(FormatElement(Float8E5M2::FromFloat(57344)) == "57344");
  CHECK(FormatElement(Float8E5M2::FromBits(0x7D)) == "nan(0x1)");
  CHECK(FormatElement(Float8E4M3FNUZ::FromBits(0x80)) == "-nan");
  CHECK(FormatElement(Float8E8M0FNU::FromBits(0xFF)) == "nan");
  CHECK(FormatElement(Float8E8M0FNU::FromBits(134)) == "128");
  CHECK(FormatElement(Float4E2M1FN::FromBits(0x8)) == "-0.0");
  CHECK(FormatElement(Float4E2M1FN::FromBits(0xF)) == "-6");
  CHECK(FormatElement(Float6E2M3FN::FromFloat(7.5F)) == "7.5");
  CHECK(FormatElement(Float6E3M2FN::FromFloat(28)) == "28");
}

TEST_CASE("integers and pred are written plainly") {
  CHECK(FormatElement(true) == "true");
  CHECK(FormatElement(int8_t{-128}) == "-128");
  CHECK(FormatElement(uint8_t{65}) == "65");
  CHECK(FormatElement(Int4::FromValue(-8)) == "-8");
  CHECK(FormatElement(~uint64_t{0}) == "18446744073709551615");
}

TEST_CASE("integers are read within their limits") {
  CHECK(ParseElement<uint64_t>("-1").value() == ~uint64_t{0});
  CHECK(ParseElement<uint64_t>("18446744073709551615").value() == ~uint64_t{0});
  CHECK(ParseElement<int64_t>("18446744073709551615").value() == -1);
  CHECK(ParseElement<int32_t>("-0").value() == 0);
  CHECK(ParseElement<int32_t>("007").value() == 7);
  CHECK(ParseElement<Int4>("-8").value().value() == -8);
  CHECK(ParseElement<bool>("true").value());
  CHECK_FALSE(ParseElement<bool>("0").value());
  CHECK(ParseElement<uint32_t>("4294967296").status().message() ==
        "u32: '4294967296' is out of range, the limits are 0 and 4294967295");
  CHECK(ParseElement<int32_t>("1.5").status().message() ==
        "s32: expected an integer, got '1.5'");
  CHECK(ParseElement<bool>("2").status().message() ==
        "pred: expected true, false, 0 or 1, got '2'");
  for (const absl::string_view token :
       {"-1", "256", "1e3", "inf", "nan", "true", "", "-", "+1", "0x1", " 1",
        "99999999999999999999"}) {
    CAPTURE(token);
    CHECK_FALSE(ParseElement<uint8_t>(token).ok());
  }
  CHECK_FALSE(ParseElement<Int4>("8").ok());
  CHECK_FALSE(ParseElement<UInt1>("2").ok());
  CHECK_FALSE(ParseElement<int64_t>("-9223372036854775809").ok());
}

TEST_CASE("floats are read from decimals, integers and special values") {
  CHECK(ParseElement<float>("1.").value() == 1.0F);
  CHECK(ParseElement<float>("-.5").value() == -0.5F);
  CHECK(ParseElement<float>("1e5").value() == 1e5F);
  CHECK_FALSE(std::signbit(ParseElement<float>("-0").value()));
  CHECK(std::signbit(ParseElement<float>("-0.0").value()));
  CHECK(ParseElement<float>("18446744073709551615").value() == -1.0F);
  CHECK(ParseElement<double>("9223372036854775807").value() == 0x1p63);
  CHECK(ParseElement<double>("1e-400").value() == 0.0);
  CHECK(ParseElement<double>("5e-324").value() == 5e-324);
  CHECK(ParseElement<float>("1e-60").value() == 0.0F);
  CHECK(BitsOf(ParseElement<double>("nan(0x5)").value()) == 0x7FF0000000000005);
  for (const absl::string_view token : {"1e400",
                                        "-1e400",
                                        "3.5e38",
                                        "1e",
                                        ".5",
                                        "-",
                                        "",
                                        "+1",
                                        "infinity",
                                        "nan(",
                                        "nan()",
                                        "nan(0x)",
                                        "nan(0x0)",
                                        "nan(0x800000)",
                                        "nan(5)",
                                        "nan(0x1",
                                        "0x1p3",
                                        "true",
                                        "1 ",
                                        "1f",
                                        "99999999999999999999"}) {
    CAPTURE(token);
    CHECK_FALSE(ParseElement<float>(token).ok());
  }
  CHECK(ParseElement<float>("1e39").status().message() ==
        "f32: '1e39' is out of range, the limits are -3.4028235e+38 and "
        "3.4028235e+38");
}

TEST_CASE("small floats are read by the rules of their family") {
  CHECK(ParseElement<Float16>("65519").value().bits() == 0x7BFF);
  CHECK_FALSE(ParseElement<Float16>("65520").ok());
  CHECK_FALSE(ParseElement<Float16>("nan(0x400)").ok());
  CHECK(ParseElement<Float8E5M2>("nan(0x3)").value().bits() == 0x7F);
  CHECK(ParseElement<Float8E4M3FN>("464").value().bits() == 0x7E);
  CHECK_FALSE(ParseElement<Float8E4M3FN>("465").ok());
  CHECK(ParseElement<Float8E4M3FN>("-inf").value().bits() == 0xFF);
  CHECK_FALSE(ParseElement<Float8E4M3FN>("nan(0x7)").ok());
  CHECK(ParseElement<Float8E4M3FNUZ>("nan").value().bits() == 0x80);
  CHECK(ParseElement<Float8E4M3FNUZ>("-0.0").value().bits() == 0);
  CHECK(ParseElement<Float8E4M3FNUZ>("inf").value().bits() == 0x80);
  CHECK_FALSE(ParseElement<Float8E4M3FNUZ>("248").ok());
  CHECK(ParseElement<Float4E2M1FN>("1e30").value().bits() == 7);
  CHECK(ParseElement<Float4E2M1FN>("-inf").value().bits() == 0xF);
  CHECK(ParseElement<Float4E2M1FN>("nan").value().bits() == 0x8);
  CHECK(ParseElement<Float4E2M1FN>("-nan").value().bits() == 0x0);
  CHECK_FALSE(ParseElement<Float4E2M1FN>("1e400").ok());
  CHECK(ParseElement<Float8E8M0FNU>("1e-40").value().bits() == 0);
  CHECK(ParseElement<Float8E8M0FNU>("inf").value().bits() == 0xFF);
  for (const absl::string_view token : {"0", "-0.0", "-1", "1e39"}) {
    CAPTURE(token);
    CHECK_FALSE(ParseElement<Float8E8M0FNU>(token).ok());
  }
}

TEST_CASE("complex numbers are read from pairs") {
  using Complex64 = std::complex<float>;
  CHECK(ParseElement<Complex64>("(1, -2.5)").value() == Complex64(1, -2.5F));
  CHECK(ParseElement<Complex64>("( 1 ,2 )").value() == Complex64(1, 2));
  const Complex64 with_nan = ParseElement<Complex64>("(nan(0x5), 1)").value();
  CHECK(BitsOf(with_nan.real()) == 0x7F800005);
  CHECK(with_nan.imag() == 1);
  for (const absl::string_view token : {"1", "(1 2)", "(1, 2", "(, 2)", "()"}) {
    CAPTURE(token);
    CHECK_FALSE(ParseElement<Complex64>(token).ok());
  }
}

}  // namespace
}  // namespace hilo
