// Tests that generated inputs have the values that Python gives them.
#include "jit/generated_inputs.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "runtime/base/small_float.h"

namespace hilo {
namespace {

constexpr int64_t kCount = 3000;

// Codes of the elements, computed with numpy and ml_dtypes.
struct Row {
  const char* type;
  // Leaf 3, seed 5, scale 3.7, offset -1.25, range 70 instead of leaf 0, seed 0
  // and nothing set.
  bool has_settings;
  // The first four; of complex types the first eight bytes each.
  std::array<uint64_t, 4> first;
  // FNV-1a over the bytes of 3000 elements.
  uint64_t hash;
};

constexpr auto kGeneratedRows = std::to_array<Row>({
    {"pred", false, {0x0, 0x1, 0x0, 0x0}, 0x54aca454e703ad26},
    {"pred", true, {0x0, 0x1, 0x0, 0x0}, 0xa9f7f80fdde077fb},
    {"s1", false, {0x0, 0x0, 0x0, 0x0}, 0x0e9154a5da464b85},
    {"s1", true, {0x0, 0x1, 0x0, 0x0}, 0x1625b28201b168af},
    {"s2", false, {0x0, 0x1, 0x1, 0x0}, 0x48d1960d846ba71b},
    {"s2", true, {0x0, 0x3, 0x0, 0x2}, 0x96576b3080d79a47},
    {"s4", false, {0x0, 0x1, 0x3, 0x6}, 0x3931aa4569bb6693},
    {"s4", true, {0xc, 0x3, 0x8, 0x2}, 0xe2f269a8ae392973},
    {"s8", false, {0x0, 0x29, 0x4b, 0x2e}, 0x1dcb3e8f7bf30c37},
    {"s8", true, {0xc, 0x43, 0x8, 0x12}, 0xc1f0ea4cbbef9a83},
    {"s16", false, {0x0, 0x29, 0x4b, 0x2e}, 0x6e7f31e3b60508a5},
    {"s16", true, {0xc, 0x43, 0x8, 0x12}, 0x9e559c97c51805e4},
    {"s32", false, {0x0, 0x29, 0x4b, 0x2e}, 0xbb3b2592d5456c0d},
    {"s32", true, {0xc, 0x43, 0x8, 0x12}, 0x457fa9d333c078c2},
    {"s64", false, {0x0, 0x29, 0x4b, 0x2e}, 0x08e59690b3d762bd},
    {"s64", true, {0xc, 0x43, 0x8, 0x12}, 0xf30b5faea24a62b6},
    {"u1", false, {0x0, 0x1, 0x1, 0x0}, 0x48d1960d846ba71b},
    {"u1", true, {0x0, 0x1, 0x0, 0x0}, 0x1625b28201b168af},
    {"u2", false, {0x0, 0x1, 0x3, 0x2}, 0x732769265df934bf},
    {"u2", true, {0x0, 0x3, 0x0, 0x2}, 0x96576b3080d79a47},
    {"u4", false, {0x0, 0x1, 0x3, 0xe}, 0xda0b60ea10adfb2b},
    {"u4", true, {0xc, 0x3, 0x8, 0x2}, 0xe2f269a8ae392973},
    {"u8", false, {0x0, 0x29, 0x4b, 0x2e}, 0x1dcb3e8f7bf30c37},
    {"u8", true, {0xc, 0x43, 0x8, 0x12}, 0xc1f0ea4cbbef9a83},
    {"u16", false, {0x0, 0x29, 0x4b, 0x2e}, 0x6e7f31e3b60508a5},
    {"u16", true, {0xc, 0x43, 0x8, 0x12}, 0x9e559c97c51805e4},
    {"u32", false, {0x0, 0x29, 0x4b, 0x2e}, 0xbb3b2592d5456c0d},
    {"u32", true, {0xc, 0x43, 0x8, 0x12}, 0x457fa9d333c078c2},
    {"u64", false, {0x0, 0x29, 0x4b, 0x2e}, 0x08e59690b3d762bd},
    {"u64", true, {0xc, 0x43, 0x8, 0x12}, 0xf30b5faea24a62b6},
    {"f16", false, {0xbc00, 0x314c, 0xb95a, 0xb87a}, 0x6ac5d02220377abf},
    {"f16", true, {0xbd8a, 0xbbca, 0xc480, 0xc0c9}, 0xeb3b0700334ee735},
    {"bf16", false, {0xbf80, 0x3e29, 0xbf2b, 0xbf0f}, 0xb6f903e8dcd50b9b},
    {"bf16", true, {0xbfb1, 0xbf79, 0xc090, 0xc019}, 0x3828f949bc2f9b60},
    {"f32",
     false,
     {0xbf800000, 0x3e2978a8, 0xbf2b43ac, 0xbf0f3ede},
     0xadcee67e4cae4026},
    {"f32",
     true,
     {0xbfb1374f, 0xbf794f95, 0xc08ff045, 0xc01913fe},
     0xb4795297f0991a9b},
    {"f64",
     false,
     {0xbff0000000000000, 0x3fc52f14f1e8ddc0, 0xbfe56875878b911e,
      0xbfe1e7dbc23a8860},
     0xaca0781dcc678214},
    {"f64",
     true,
     {0xbff626e9ebcf238f, 0xbfef29f2930440da, 0xc011fe08a67bd02e,
      0xc003227fb349b2c2},
     0x37137ae0baed4cee},
    {"f8e5m2", false, {0xbc, 0x31, 0xb9, 0xb8}, 0xae2ffde60762bff1},
    {"f8e5m2", true, {0xbe, 0xbc, 0xc4, 0xc1}, 0x0e302c1e1bedd056},
    {"f8e4m3", false, {0xb8, 0x23, 0xb3, 0xb1}, 0xa42faedafb22c45a},
    {"f8e4m3", true, {0xbb, 0xb8, 0xc9, 0xc2}, 0x503681714d8494a9},
    {"f8e4m3fn", false, {0xb8, 0x23, 0xb3, 0xb1}, 0xa42faedafb22c45a},
    {"f8e4m3fn", true, {0xbb, 0xb8, 0xc9, 0xc2}, 0x503681714d8494a9},
    {"f8e4m3b11fnuz", false, {0xd8, 0x43, 0xd3, 0xd1}, 0x28ebb8b52d7b5a65},
    {"f8e4m3b11fnuz", true, {0xdb, 0xd8, 0xe9, 0xe2}, 0xc07566fcb923a355},
    {"f8e3m4", false, {0xb0, 0xb, 0xa5, 0xa2}, 0xddfd3358caa6d3e4},
    {"f8e3m4", true, {0xb6, 0xaf, 0xd2, 0xc3}, 0xf6e0e49ade8c2c93},
    {"f8e5m2fnuz", false, {0xc0, 0x35, 0xbd, 0xbc}, 0x25d5f7c693b138e6},
    {"f8e5m2fnuz", true, {0xc2, 0xc0, 0xc8, 0xc5}, 0xf1ba7c8c8ed6af26},
    {"f8e4m3fnuz", false, {0xc0, 0x2b, 0xbb, 0xb9}, 0x1cd3bc9691f3e92f},
    {"f8e4m3fnuz", true, {0xc3, 0xc0, 0xd1, 0xca}, 0x93af4cc8bb8136a0},
    {"f8e8m0fnu", false, {0x7f, 0x80, 0x82, 0x81}, 0x615bcd8ffb3adfab},
    {"f8e8m0fnu", true, {0x82, 0x81, 0x82, 0x80}, 0xc42442efa32a705d},
    {"f4e2m1fn", false, {0xa, 0x0, 0x9, 0x9}, 0xed16f5f04a97692a},
    {"f4e2m1fn", true, {0xb, 0xa, 0xe, 0xc}, 0x9576591a9e8aac5e},
    {"f6e3m2fn", false, {0x2c, 0x3, 0x29, 0x28}, 0xbf56452000735ae9},
    {"f6e3m2fn", true, {0x2e, 0x2c, 0x34, 0x31}, 0x1670e96557d4c991},
    {"f6e2m3fn", false, {0x28, 0x1, 0x25, 0x24}, 0x3f52cdfac40dfbbb},
    {"f6e2m3fn", true, {0x2b, 0x28, 0x39, 0x32}, 0xcc79d1b08fcffdec},
    {"c64",
     false,
     {0x3e2978a8bf800000, 0xbf0f3edebf2b43ac, 0xbf2210923cda9808,
      0xbeffdee4bf5050cb},
     0x0802ec612f2791a4},
    {"c64",
     true,
     {0xbf794f95bfb1374f, 0xc01913fec08ff045, 0xc006dc2dc098c32d,
      0xc0532d8ec09c4184},
     0x9dcc128735923f32},
    {"c128",
     false,
     {0xbff0000000000000, 0xbfe56875878b911e, 0x3f9b5300f8dca000,
      0xbfea0a195cf26030},
     0xbe6c08b95b6b38c9},
    {"c128",
     true,
     {0xbff626e9ebcf238f, 0xc011fe08a67bd02e, 0xc01318659d8a2720,
      0xc013883071edfc66},
     0xa3bf013d7e3d20ae},
});

hlo::Literal Generate(const Row& row) {
  const hlo::Shape shape =
      hlo::ParseShape(absl::StrCat(row.type, "[", kCount, "]")).value();
  if (!row.has_settings) return GenerateInput(shape, 0, 0, {});
  return GenerateInput(shape, 3, 5,
                       {.scale = 3.7, .offset = -1.25, .range = 70});
}

// The literal's bytes with zeros above the type's bits.
std::string Codes(const hlo::Literal& literal) {
  std::string bytes(reinterpret_cast<const char*>(literal.untyped_data()),
                    literal.size_bytes());
  const int bits = hlo::InfoOf(literal.shape().element_type()).bits;
  if (bits >= 8) return bytes;
  for (char& byte : bytes) byte = static_cast<char>(byte & ((1 << bits) - 1));
  return bytes;
}

uint64_t HashOf(const std::string& bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  }
  return hash;
}

TEST_CASE("generated inputs are those of generated_inputs.py") {
  for (const Row& row : kGeneratedRows) {
    CAPTURE(row.type, row.has_settings);
    const hlo::Literal literal = Generate(row);
    const std::string codes = Codes(literal);
    const size_t element_bytes = codes.size() / kCount;
    for (size_t i = 0; i < row.first.size(); ++i) {
      uint64_t code = 0;
      std::memcpy(&code, codes.data() + i * element_bytes,
                  std::min(element_bytes, sizeof(code)));
      CHECK(code == row.first[i]);
    }
    CHECK(HashOf(codes) == row.hash);
  }
}

TEST_CASE("generated bf16 is rounded by way of f32") {
  const hlo::Literal literal = GenerateInput(
      hlo::Shape::Array(hlo::ElementType::kBF16, {kCount}), 9, 0, {});
  CHECK(literal.data<BFloat16>()[1062].bits() == 0xbeb2);
}

TEST_CASE("generated inputs do not depend on the layout") {
  hlo::Shape shape = hlo::Shape::Array(hlo::ElementType::kF32, {3, 5});
  const hlo::Literal row_major = GenerateInput(shape, 1, 2, {});
  shape.set_layout({.minor_to_major = {0, 1}, .properties = {}});
  CHECK(GenerateInput(shape, 1, 2, {}) == row_major);
}

TEST_CASE("settings are read from comment lines") {
  const auto settings = ReadInputSettings(
      "// INPUT 3: scale=0.02 offset=1\n"
      "  // INPUT 4: scale=9\n"
      "// INPUT 0: range=30522\nHloModule m\n");
  REQUIRE(settings.ok());
  CHECK(settings->size() == 2);
  CHECK(settings->at(3).scale == 0.02);
  CHECK(settings->at(3).offset == 1);
  CHECK(settings->at(0).range == 30522);
  for (const char* text : {"// INPUT 3: scale\n", "// INPUT 3 scale=1\n",
                           "// INPUT 3: size=4\n", "// INPUT 3: range=0\n"}) {
    CAPTURE(text);
    CHECK_FALSE(ReadInputSettings(text).ok());
  }
}

TEST_CASE("iota and edge inputs fill every type") {
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    const auto type = static_cast<hlo::ElementType>(i);
    if (!hlo::IsArrayType(type)) continue;
    CAPTURE(hlo::TextOf(type));
    const hlo::Shape shape = hlo::Shape::Array(type, {5, 7});
    CHECK(IotaInput(shape).element_count() == 35);
    CHECK(EdgeInput(shape).element_count() == 35);
  }
  const hlo::Literal edges =
      EdgeInput(hlo::Shape::Array(hlo::ElementType::kF32, {7}));
  CHECK(edges.data<float>()[0] != edges.data<float>()[0]);
  CHECK(edges.data<float>()[5] == 3.40282347e38F);
}

}  // namespace
}  // namespace hilo
