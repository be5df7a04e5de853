// Tests of conversion between element types, with the answers of the language
// reference.
#include "runtime/base/convert_element.h"

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include <catch2/catch.hpp>

#include "runtime/base/small_float.h"
#include "runtime/base/small_int.h"

namespace hilo {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr int32_t kMinInt32 = std::numeric_limits<int32_t>::min();
constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();
constexpr int64_t kMinInt64 = std::numeric_limits<int64_t>::min();

TEST_CASE("floats become integers by truncation and saturation") {
  CHECK(ConvertElement<int32_t>(kNan) == 0);
  CHECK(ConvertElement<int32_t>(-kNan) == 0);
  CHECK(ConvertElement<int32_t>(3e9F) == kMaxInt32);
  CHECK(ConvertElement<int32_t>(-3e9F) == kMinInt32);
  CHECK(ConvertElement<int32_t>(2.5F) == 2);
  CHECK(ConvertElement<int32_t>(-2.7F) == -2);
  CHECK(ConvertElement<int32_t>(2147483520.0F) == 2147483520);
  CHECK(ConvertElement<int32_t>(2147483648.0F) == kMaxInt32);
  CHECK(ConvertElement<int32_t>(2147483647.5) == kMaxInt32);
  CHECK(ConvertElement<uint8_t>(-0.9F) == 0);
  CHECK(ConvertElement<uint8_t>(-5.0F) == 0);
  CHECK(ConvertElement<uint8_t>(300.7F) == 255);
  CHECK(ConvertElement<uint8_t>(255.9F) == 255);
  CHECK(ConvertElement<int8_t>(-128.9F) == -128);
  CHECK(ConvertElement<int64_t>(0x1p63) == kMaxInt64);
  CHECK(ConvertElement<int64_t>(-kInfinity) == kMinInt64);
  CHECK(ConvertElement<uint64_t>(0x1p63) == uint64_t{1} << 63);
  CHECK(ConvertElement<uint64_t>(kInfinity) == ~uint64_t{0});
  CHECK(ConvertElement<uint64_t>(-2.0F) == 0);
  CHECK(ConvertElement<Int4>(100.0F).value() == 7);
  CHECK(ConvertElement<Int4>(-100.0F).value() == -8);
  CHECK(ConvertElement<Int4>(-1.9F).value() == -1);
  CHECK(ConvertElement<Int1>(1.5F).value() == 0);
  CHECK(ConvertElement<Int1>(-3.0F).value() == -1);
  CHECK(ConvertElement<UInt1>(1.5F).value() == 1);
  CHECK(ConvertElement<UInt1>(7.0).value() == 1);
  CHECK(ConvertElement<UInt4>(kNan).value() == 0);
  CHECK(ConvertElement<int32_t>(Float4E2M1FN::FromFloat(6)) == 6);
  CHECK(ConvertElement<int8_t>(Float16::FromFloat(-kInfinity)) == -128);
}

TEST_CASE("everything but zero becomes true") {
  CHECK(ConvertElement<bool>(1e10F));
  CHECK(ConvertElement<bool>(kNan));
  CHECK_FALSE(ConvertElement<bool>(-0.0F));
  CHECK(ConvertElement<bool>(256));
  CHECK(ConvertElement<bool>(Int4::FromValue(-8)));
  CHECK(ConvertElement<bool>(Float8E4M3FN::FromBits(0x7F)));
  CHECK_FALSE(ConvertElement<bool>(BFloat16::FromBits(0x8000)));
  CHECK(ConvertElement<bool>(std::complex<float>(2, 0)));
  CHECK(ConvertElement<float>(true) == 1.0F);
  CHECK(ConvertElement<Int4>(true).value() == 1);
  CHECK(ConvertElement<Int1>(true).value() == -1);
  CHECK(ConvertElement<Float8E5M2>(true).bits() == 0x3C);
}

TEST_CASE("integers wrap modulo the width of the target") {
  CHECK(ConvertElement<int8_t>(300) == 44);
  CHECK(ConvertElement<uint8_t>(int32_t{-1}) == 255);
  CHECK(ConvertElement<uint64_t>(int8_t{-1}) == ~uint64_t{0});
  CHECK(ConvertElement<int32_t>(uint8_t{255}) == 255);
  CHECK(ConvertElement<Int4>(24).value() == -8);
  CHECK(ConvertElement<UInt4>(int64_t{-1}).value() == 15);
  CHECK(ConvertElement<uint16_t>(Int4::FromValue(-1)) == 0xFFFF);
  CHECK(ConvertElement<UInt2>(Int4::FromValue(-2)).value() == 2);
  CHECK(ConvertElement<int64_t>(UInt4::FromValue(15)) == 15);
}

TEST_CASE("integers round to f32 and f64 once, to f16 and bf16 through f32") {
  CHECK(ConvertElement<float>(int32_t{16777217}) == 16777216.0F);
  CHECK(ConvertElement<double>((int64_t{1} << 53) + 1) == 0x1p53);
  CHECK(ConvertElement<float>(~uint64_t{0}) == 0x1p64F);
  CHECK(ConvertElement<double>(kMinInt64) == -0x1p63);
  CHECK(static_cast<float>(ConvertElement<BFloat16>(int32_t{257})) == 256.0F);
  CHECK(static_cast<float>(ConvertElement<BFloat16>(int32_t{1077936129})) ==
        1073741824.0F);
  CHECK(static_cast<float>(ConvertElement<Float16>(int32_t{65519})) ==
        65504.0F);
  CHECK(ConvertElement<Float16>(int32_t{65520}).bits() == 0x7C00);
}

TEST_CASE("integers round to the smallest floats once") {
  CHECK(ConvertElement<Float8E4M3FN>(int32_t{464}).bits() == 0x7E);
  CHECK(ConvertElement<Float8E4M3FN>(int32_t{465}).bits() == 0x7F);
  CHECK(ConvertElement<Float8E5M2>(int64_t{-61439}).bits() == 0xFB);
  CHECK(ConvertElement<Float8E5M2>(kMaxInt64).bits() == 0x7C);
  CHECK(ConvertElement<Float4E2M1FN>(int8_t{-5}).bits() == 0xE);
  CHECK(ConvertElement<Float8E8M0FNU>(int32_t{0}).bits() == 0xFF);
  CHECK(ConvertElement<Float8E8M0FNU>(int32_t{-4}).bits() == 0xFF);
  const int64_t tie = int64_t{3} << 59;
  CHECK(ConvertElement<Float8E8M0FNU>(tie).bits() == 127 + 61);
  CHECK(ConvertElement<Float8E8M0FNU>(tie - 1).bits() == 127 + 60);
  CHECK(ConvertElement<Float8E8M0FNU>(~uint64_t{0}).bits() == 127 + 64);
}

TEST_CASE("floats round once to narrower floats") {
  CHECK(ConvertElement<Float16>(65519.0F).bits() == 0x7BFF);
  CHECK(ConvertElement<Float16>(65520.0F).bits() == 0x7C00);
  CHECK(ConvertElement<Float16>(65519.999).bits() == 0x7BFF);
  CHECK(ConvertElement<Float16>(1 + 0x1p-11 + 0x1p-40).bits() == 0x3C01);
  CHECK(ConvertElement<BFloat16>(1 + 0x1p-8 + 0x1p-40).bits() == 0x3F81);
  CHECK(ConvertElement<BFloat16>(std::bit_cast<float>(0x7F800001U)).bits() ==
        0x7FC0);
  CHECK(static_cast<float>(ConvertElement<BFloat16>(3.14159265F)) == 3.140625F);
  CHECK(ConvertElement<Float8E4M3FN>(464.0F).bits() == 0x7E);
  CHECK(ConvertElement<Float8E4M3FN>(465.0F).bits() == 0x7F);
  CHECK(ConvertElement<Float8E4M3FN>(-1e9F).bits() == 0xFF);
  CHECK(ConvertElement<Float8E5M2>(61440.0F).bits() == 0x7C);
  CHECK(ConvertElement<Float8E4M3FNUZ>(-0.0F).bits() == 0);
  CHECK(ConvertElement<Float4E2M1FN>(1e6F).bits() == 7);
  CHECK(ConvertElement<float>(1e300) == kInfinity);
  CHECK(ConvertElement<float>(0x1.000001p0) == 1.0F);
}

TEST_CASE("a NaN keeps its sign between small floats") {
  CHECK(ConvertElement<Float8E5M2>(Float16::FromBits(0xFE01)).bits() == 0xFE);
  CHECK(ConvertElement<Float8E4M3FN>(Float8E5M2::FromBits(0xFD)).bits() ==
        0xFF);
  CHECK(ConvertElement<BFloat16>(Float8E4M3FNUZ::FromBits(0x80)).bits() ==
        0x7FC0);
  CHECK(ConvertElement<Float16>(Float8E8M0FNU::FromBits(0xFF)).bits() ==
        0x7E00);
  CHECK(std::signbit(ConvertElement<double>(Float8E4M3::FromBits(0xF9))));
  CHECK(ConvertElement<Float16>(Float8E8M0FNU::FromBits(0)).bits() == 0);
}

TEST_CASE("complex numbers convert by part") {
  using Complex64 = std::complex<float>;
  using Complex128 = std::complex<double>;
  CHECK(ConvertElement<Complex64>(int32_t{3}) == Complex64(3, 0));
  CHECK(ConvertElement<Complex64>(BFloat16::FromFloat(0.5F)) ==
        Complex64(0.5F, 0));
  CHECK(ConvertElement<Complex64>(Complex128(0.1, 1e300)) ==
        Complex64(0.1F, kInfinity));
  CHECK(ConvertElement<Complex128>(Complex64(0.5F, -2)) == Complex128(0.5, -2));
  CHECK(ConvertElement<int32_t>(Complex64(-2.7F, 9)) == -2);
  CHECK(ConvertElement<Float16>(Complex128(1.5, 9)).bits() == 0x3E00);
}

}  // namespace
}  // namespace hilo
