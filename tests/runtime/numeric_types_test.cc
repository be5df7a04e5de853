// Tests of the small element types: codes, rounding and traits.
#include "runtime/base/numeric_types.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include <catch2/catch.hpp>

namespace hilo {
namespace {

constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
constexpr float kFloatNan = std::numeric_limits<float>::quiet_NaN();

template <typename T>
uint32_t CodeOf(float value) {
  return T::FromFloat(value).bits();
}

// The value of a code by the formula of the format, NaN and infinity apart.
template <typename T>
double FormulaValue(uint32_t code) {
  if (T::kFamily == SmallFloatFamily::kScale) {
    return std::ldexp(1.0, static_cast<int>(code) - 127);
  }
  const int exponent = static_cast<int>(code >> T::kMantissaBits);
  const int fraction = static_cast<int>(code & ((1U << T::kMantissaBits) - 1));
  const int implicit = exponent > 0 ? 1 << T::kMantissaBits : 0;
  const int scale = (exponent > 0 ? exponent : 1) - T::kBias - T::kMantissaBits;
  return std::ldexp(implicit + fraction, scale);
}

// The code of the value nearest to a finite `value`, found by looking at all
// of them; one code above the largest finite one stands for overflow.
template <typename T>
uint32_t NearestMagnitudeCode(double value) {
  // Beyond the code above the largest one, differences of doubles round.
  const double magnitude =
      std::min(std::abs(value), FormulaValue<T>(T::MaxFiniteCode() + 1U));
  uint32_t best = 0;
  double best_distance = magnitude;
  for (uint32_t code = 1; code <= T::MaxFiniteCode() + 1U; ++code) {
    const double distance = std::abs(FormulaValue<T>(code) - magnitude);
    const bool is_tie_to_even = distance == best_distance && code % 2 == 0;
    if (distance < best_distance || is_tie_to_even) {
      best = code;
      best_distance = distance;
    }
  }
  return best;
}

// What the table of the language reference says about a rounded magnitude.
template <typename T>
uint32_t ExpectedCode(double value) {
  const uint32_t sign = std::signbit(value) ? T::kSignMask : 0;
  const uint32_t code = NearestMagnitudeCode<T>(value);
  const bool overflows = code > T::MaxFiniteCode();
  switch (T::kFamily) {
    case SmallFloatFamily::kIeee:
    case SmallFloatFamily::kFiniteNan:
      return code | sign;
    case SmallFloatFamily::kUnsignedZero:
      if (overflows) return T::kSignMask;
      return code == 0 ? 0 : code | sign;
    case SmallFloatFamily::kSaturating:
      return (overflows ? T::MaxFiniteCode() : code) | sign;
    case SmallFloatFamily::kScale:
      break;
  }
  return 0;
}

// Values around every code and every midpoint, and random ones.
template <typename T>
std::vector<float> InterestingFloats() {
  std::vector<float> values = {0.0F, 1e-45F, 1e-40F, 1e38F, 3e38F};
  for (uint32_t code = 0; code <= T::MaxFiniteCode(); ++code) {
    const double value = FormulaValue<T>(code);
    const double next = FormulaValue<T>(code + 1);
    for (const double center : {value, (value + next) / 2}) {
      const auto near = static_cast<float>(center);
      values.push_back(near);
      values.push_back(std::nextafter(near, 0.0F));
      values.push_back(std::nextafter(near, kFloatInfinity));
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isfinite(value)) values.push_back(std::abs(value));
    values.push_back(
        std::ldexp(1.0F + (static_cast<float>(random() >> 8) * 0x1p-24F),
                   static_cast<int>(random() % 40) - 22));
  }
  return values;
}

TEMPLATE_TEST_CASE("small floats round to the nearest code", "", Float8E5M2,
                   Float8E4M3, Float8E3M4, Float8E4M3FN, Float8E4M3B11FNUZ,
                   Float8E4M3FNUZ, Float8E5M2FNUZ, Float4E2M1FN, Float6E3M2FN,
                   Float6E2M3FN) {
  for (const float magnitude : InterestingFloats<TestType>()) {
    for (const float value : {magnitude, -magnitude}) {
      const uint32_t expected = ExpectedCode<TestType>(value);
      if (CodeOf<TestType>(value) == expected &&
          TestType::FromDouble(value).bits() == expected) {
        continue;
      }
      CAPTURE(value, std::bit_cast<uint32_t>(value));
      CHECK(CodeOf<TestType>(value) == expected);
      CHECK(TestType::FromDouble(value).bits() == expected);
    }
  }
}

TEMPLATE_TEST_CASE("doubles round to small floats once", "", Float16, BFloat16,
                   Float8E5M2, Float8E4M3, Float8E3M4, Float8E4M3FN,
                   Float8E4M3B11FNUZ, Float8E4M3FNUZ, Float8E5M2FNUZ,
                   Float4E2M1FN, Float6E3M2FN, Float6E2M3FN) {
  for (uint32_t code = 0; code < TestType::MaxFiniteCode(); ++code) {
    const double below = FormulaValue<TestType>(code);
    const double above = FormulaValue<TestType>(code + 1);
    const double middle = (below + above) / 2;
    const uint32_t even = code % 2 == 0 ? code : code + 1;
    const uint32_t down =
        TestType::FromDouble(std::nextafter(middle, 0)).bits();
    const uint32_t up =
        TestType::FromDouble(std::nextafter(middle, 1e300)).bits();
    const uint32_t tie = TestType::FromDouble(middle).bits();
    if (down == code && up == code + 1 && tie == even) continue;
    CAPTURE(code, middle);
    CHECK(down == code);
    CHECK(tie == even);
    CHECK(up == code + 1);
  }
}

TEMPLATE_TEST_CASE("every code has the value of its formula and comes back", "",
                   Float16, BFloat16, Float8E5M2, Float8E4M3, Float8E3M4,
                   Float8E4M3FN, Float8E4M3B11FNUZ, Float8E4M3FNUZ,
                   Float8E5M2FNUZ, Float8E8M0FNU, Float4E2M1FN, Float6E3M2FN,
                   Float6E2M3FN) {
  using Bits = TestType::Bits;
  for (uint32_t code = 0; code <= TestType::kMask; ++code) {
    const TestType number = TestType::FromBits(static_cast<Bits>(code));
    const auto value = static_cast<float>(number);
    REQUIRE(number.bits() == code);
    REQUIRE(std::isnan(value) == number.is_nan());
    if (number.is_nan()) continue;
    const uint32_t magnitude = code & TestType::kMagnitudeMask;
    REQUIRE(std::signbit(value) == number.sign_bit());
    if (magnitude <= TestType::MaxFiniteCode()) {
      REQUIRE(std::abs(value) == FormulaValue<TestType>(magnitude));
    } else {
      REQUIRE(std::isinf(value));
    }
    REQUIRE(static_cast<double>(number) == value);
    REQUIRE(CodeOf<TestType>(value) == code);
    REQUIRE(TestType::FromDouble(value).bits() == code);
  }
}

TEST_CASE("overflow starts half a step above the largest finite value") {
  CHECK(CodeOf<Float16>(65519.0F) == 0x7BFF);
  CHECK(CodeOf<Float16>(65520.0F) == 0x7C00);
  CHECK(CodeOf<BFloat16>(std::bit_cast<float>(0x7F7F7FFFU)) == 0x7F7F);
  CHECK(CodeOf<BFloat16>(std::bit_cast<float>(0x7F7F8000U)) == 0x7F80);
  CHECK(CodeOf<Float8E5M2>(61439.0F) == 0x7B);
  CHECK(CodeOf<Float8E5M2>(61440.0F) == 0x7C);
  CHECK(CodeOf<Float8E4M3>(247.9F) == 0x77);
  CHECK(CodeOf<Float8E4M3>(-248.0F) == 0xF8);
  CHECK(CodeOf<Float8E3M4>(15.7F) == 0x6F);
  CHECK(CodeOf<Float8E3M4>(15.75F) == 0x70);
  CHECK(CodeOf<Float8E4M3FN>(464.0F) == 0x7E);
  CHECK(CodeOf<Float8E4M3FN>(std::nextafter(464.0F, 465.0F)) == 0x7F);
  CHECK(CodeOf<Float8E4M3FN>(-1e9F) == 0xFF);
  CHECK(CodeOf<Float8E4M3FNUZ>(247.9F) == 0x7F);
  CHECK(CodeOf<Float8E4M3FNUZ>(248.0F) == 0x80);
  CHECK(CodeOf<Float8E4M3B11FNUZ>(30.9F) == 0x7F);
  CHECK(CodeOf<Float8E4M3B11FNUZ>(31.0F) == 0x80);
  CHECK(CodeOf<Float8E5M2FNUZ>(61439.0F) == 0x7F);
  CHECK(CodeOf<Float8E5M2FNUZ>(61440.0F) == 0x80);
  CHECK(CodeOf<Float4E2M1FN>(1e6F) == 0x7);
  CHECK(CodeOf<Float4E2M1FN>(-kFloatInfinity) == 0xF);
  CHECK(CodeOf<Float6E3M2FN>(1e6F) == 0x1F);
  CHECK(CodeOf<Float6E2M3FN>(-1e6F) == 0x3F);
}

TEST_CASE("f4e2m1fn ties go to the even code") {
  struct Row {
    float value;
    uint32_t code;
  };
  for (const Row& row :
       {Row{0.25F, 0}, Row{0.75F, 2}, Row{1.25F, 2}, Row{1.75F, 4},
        Row{2.5F, 4}, Row{3.5F, 6}, Row{5.0F, 6}, Row{5.1F, 7}}) {
    CAPTURE(row.value);
    CHECK(CodeOf<Float4E2M1FN>(row.value) == row.code);
  }
}

TEST_CASE("f8e8m0fnu rounds ties up and has neither zero nor sign") {
  struct Row {
    double value;
    uint32_t code;
  };
  for (const Row& row :
       std::vector<Row>{{1.0, 127},
                        {1.49, 127},
                        {1.5, 128},
                        {0.0, 0xFF},
                        {-0.0, 0xFF},
                        {-1.0, 0xFF},
                        {static_cast<double>(kFloatNan), 0xFF},
                        {static_cast<double>(kFloatInfinity), 0xFF},
                        {static_cast<double>(-kFloatInfinity), 0xFF},
                        {0x1.7FFFFEp127, 0xFE},
                        {0x1.8p127, 0xFF},
                        {0x1p-149, 0x00},
                        {0x1p-127, 0x00},
                        {0x1.00001p-127, 0x01},
                        {0x1p-126, 0x01},
                        {0x1.7FFFFEp-126, 0x01},
                        {0x1.8p-126, 0x02}}) {
    CAPTURE(row.value);
    CHECK(Float8E8M0FNU::FromDouble(row.value).bits() == row.code);
    CHECK(CodeOf<Float8E8M0FNU>(static_cast<float>(row.value)) == row.code);
  }
  CHECK(Float8E8M0FNU::FromDouble(1e-300).bits() == 0x00);
  CHECK(Float8E8M0FNU::FromDouble(1e300).bits() == 0xFF);
}

TEST_CASE("NaN becomes the default NaN with its sign") {
  CHECK(CodeOf<Float8E5M2>(kFloatNan) == 0x7E);
  CHECK(CodeOf<Float8E5M2>(-kFloatNan) == 0xFE);
  CHECK(CodeOf<Float8E4M3>(kFloatNan) == 0x7C);
  CHECK(CodeOf<Float8E3M4>(-kFloatNan) == 0xF8);
  CHECK(CodeOf<Float8E4M3FN>(kFloatNan) == 0x7F);
  CHECK(CodeOf<Float8E4M3FN>(-kFloatNan) == 0xFF);
  CHECK(CodeOf<Float8E4M3FNUZ>(kFloatNan) == 0x80);
  CHECK(CodeOf<Float8E5M2FNUZ>(-kFloatNan) == 0x80);
  CHECK(CodeOf<Float4E2M1FN>(kFloatNan) == 0x8);
  CHECK(CodeOf<Float4E2M1FN>(-kFloatNan) == 0x8);
  CHECK(CodeOf<Float6E3M2FN>(kFloatNan) == 0x20);
  CHECK(CodeOf<Float6E2M3FN>(-kFloatNan) == 0x20);
  CHECK(CodeOf<Float8E4M3FNUZ>(-0.0F) == 0);
  CHECK_FALSE(std::signbit(static_cast<float>(Float8E4M3FNUZ::FromBits(0x80))));
  CHECK(std::signbit(static_cast<float>(Float8E4M3FN::FromBits(0xFF))));
}

TEST_CASE("f16 and bf16 keep the top of a NaN's payload and make it quiet") {
  const auto float_of = [](uint32_t word) {
    return std::bit_cast<float>(word);
  };
  CHECK(CodeOf<Float16>(float_of(0x7FC00000)) == 0x7E00);
  CHECK(CodeOf<Float16>(float_of(0xFFC00000)) == 0xFE00);
  CHECK(CodeOf<Float16>(float_of(0x7FFFFFFF)) == 0x7FFF);
  CHECK(CodeOf<Float16>(float_of(0x7F800001)) == 0x7E00);
  CHECK(CodeOf<BFloat16>(float_of(0x7F800001)) == 0x7FC0);
  CHECK(CodeOf<BFloat16>(float_of(0xFFFFFFFF)) == 0xFFFF);
  CHECK(CodeOf<BFloat16>(float_of(0x7FFFFFFF)) == 0x7FFF);
  CHECK(Float16::FromDouble(std::numeric_limits<double>::quiet_NaN()).bits() ==
        0x7E00);
  CHECK(
      BFloat16::FromDouble(-std::numeric_limits<double>::quiet_NaN()).bits() ==
      0xFFC0);
}

TEMPLATE_TEST_CASE("the fast float path agrees with the double path", "",
                   Float16, BFloat16) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isnan(value)) continue;
    if (CodeOf<TestType>(value) == TestType::FromDouble(value).bits()) continue;
    CAPTURE(value);
    REQUIRE(CodeOf<TestType>(value) == TestType::FromDouble(value).bits());
  }
}

TEST_CASE("sub-byte integers are canonical and wrap") {
  CHECK(Int4::FromBits(0x0F).value() == -1);
  CHECK(Int4::FromBits(0xF7).value() == 7);
  CHECK(Int4::FromValue(8).value() == -8);
  CHECK(Int4::FromValue(-9).bits() == 7);
  CHECK(UInt4::FromValue(-1).value() == 15);
  CHECK(Int2::FromValue(2).value() == -2);
  CHECK(Int1::FromValue(1).value() == -1);
  CHECK(UInt1::FromValue(3).value() == 1);
  CHECK(UInt2::FromBits(0xFE).value() == 2);
  CHECK(Int4::FromValue(-3) < Int4::FromValue(2));
}

TEST_CASE("traits know the limits of each type") {
  CHECK(NumericTraits<Int4>::lowest().value() == -8);
  CHECK(NumericTraits<Int4>::highest().value() == 7);
  CHECK(NumericTraits<Int1>::highest().value() == 0);
  CHECK(NumericTraits<UInt2>::highest().value() == 3);
  CHECK(static_cast<float>(NumericTraits<Float8E4M3FN>::highest()) == 448);
  CHECK(static_cast<float>(NumericTraits<Float8E5M2FNUZ>::lowest()) == -57344);
  CHECK(static_cast<float>(NumericTraits<Float8E8M0FNU>::highest()) == 0x1p127);
  CHECK(static_cast<float>(NumericTraits<Float8E8M0FNU>::lowest()) == 0x1p-127);
  CHECK(static_cast<float>(NumericTraits<Float16>::infinity()) ==
        kFloatInfinity);
  CHECK(static_cast<float>(NumericTraits<Float4E2M1FN>::infinity()) == 6);
  CHECK(NumericTraits<Float4E2M1FN>::quiet_nan().bits() == 0x8);
  CHECK(NumericTraits<BFloat16>::quiet_nan().bits() == 0x7FC0);
  CHECK(NumericTraits<float>::exponent_bits == 8);
  CHECK(NumericTraits<double>::exponent_bits == 11);
  CHECK(NumericTraits<bool>::kBits == 8);
  CHECK(NumericTraits<std::complex<float>>::kBits == 64);
  CHECK(std::is_same_v<NumericTraits<UInt4>::Compute, uint8_t>);
  CHECK(std::is_same_v<NumericTraits<Float6E2M3FN>::Compute, float>);
}

}  // namespace
}  // namespace hilo
