// Tests of the comparison with stored arrays: wrong results must fail.
#include "tests/support/compare_arrays.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "jit/npy.h"
#include "jit/npz.h"
#include "tests/support/paths.h"

namespace hilo::tests {
namespace {

// `type`: numpy's kind and bytes of an element, as in "f4".
template <typename T>
NpyArray ArrayOf(const std::string& type, const std::vector<T>& values) {
  NpyArray array{.kind = type[0],
                 .element_bytes = sizeof(T),
                 .dimensions = {static_cast<int64_t>(values.size())},
                 .bytes = std::string(values.size() * sizeof(T), '\0')};
  if (!values.empty()) {
    std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  }
  return array;
}

bool Match(const NpyArray& got, const NpyArray& want,
           const ArrayTolerance& tolerance) {
  return CompareArrays({{"output0", got}}, {{"output0", want}}, tolerance)
      .empty();
}

TEST_CASE("stored floats match within their tolerance") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  struct Row {
    std::vector<float> got;
    std::vector<float> want;
    bool matches;
  };
  for (const Row& row : {
           Row{{1, 2, 3}, {1, 2, 3}, true},
           Row{{1.00001F, 2, 3}, {1, 2, 3}, true},
           Row{{1.001F, 2, 3}, {1, 2, 3}, false},
           Row{{1e-6F, 2, 3}, {0, 2, 3}, true},
           Row{{1e-3F, 2, 3}, {0, 2, 3}, false},
           Row{{kNan, 2, kInf}, {kNan, 2, kInf}, true},
           Row{{1, 2, 3}, {kNan, 2, 3}, false},
           Row{{kNan, 2, 3}, {1, 2, 3}, false},
           Row{{-kInf, 2, 3}, {kInf, 2, 3}, false},
           Row{{kInf, 2, 3}, {1, 2, 3}, false},
           Row{{1, 2}, {1, 2, 3}, false},
           Row{{}, {}, true},
       }) {
    CAPTURE(row.got, row.want);
    CHECK(Match(ArrayOf("f4", row.got), ArrayOf("f4", row.want), {}) ==
          row.matches);
  }
}

TEST_CASE("stored integers match exactly, up to the share allowed") {
  const NpyArray want = ArrayOf<int32_t>("i4", {1, 2, 3, 4});
  const NpyArray got = ArrayOf<int32_t>("i4", {1, 2, 3, 5});
  CHECK(Match(want, want, {}));
  CHECK_FALSE(Match(got, want, {}));
  CHECK(Match(got, want, {.error = {}, .wrong_share = 0.25}));
  CHECK_FALSE(Match(got, want, {.error = {}, .wrong_share = 0.2}));
  CHECK_FALSE(Match(ArrayOf<uint32_t>("u4", {1, 2, 3, 4}), want, {}));
}

TEST_CASE("stored half floats and bf16 are read as such") {
  // 1.0, 1.0009765625 (f16); 1.0, 1.0078125 (bf16).
  CHECK(Match(ArrayOf<uint16_t>("f2", {0x3c01}),
              ArrayOf<uint16_t>("f2", {0x3c00}), {}));
  CHECK_FALSE(Match(ArrayOf<uint16_t>("f2", {0x3d00}),
                    ArrayOf<uint16_t>("f2", {0x3c00}), {}));
  const NpyArray got = ArrayOf<uint16_t>("u2", {0x3f81});
  const NpyArray want = ArrayOf<uint16_t>("u2", {0x3f80});
  CHECK(Match(got, want, {.error = {}, .has_bf16 = true}));
  CHECK_FALSE(Match(got, want, {.error = 1e-3, .has_bf16 = true}));
  CHECK_FALSE(Match(got, want, {}));
}

TEST_CASE("thinned expectations are compared with every n-th element") {
  const NamedArrays got = {
      {"output0", ArrayOf<int8_t>("i1", {1, 9, 9, 4, 9, 9, 7})}};
  const NpyArray want = ArrayOf<int8_t>("i1", {1, 4, 7});
  CHECK(CompareArrays(got, {{"output0_every_3", want}}, {}).empty());
  CHECK_FALSE(CompareArrays(got, {{"output0_every_2", want}}, {}).empty());
  CHECK_FALSE(CompareArrays(got, {{"output1_every_3", want}}, {}).empty());
  CHECK_FALSE(CompareArrays(got, {{"output0_every_0", want}}, {}).empty());
  CHECK_FALSE(CompareArrays(got, {}, {}).empty());
}

TEST_CASE("array files are compared, and unreadable ones are differences") {
  const TemporaryDirectory scratch;
  const std::string got = (scratch.path() / "got.npz").string();
  const std::string want = (scratch.path() / "want.npz").string();
  const NpyArray array = ArrayOf<float>("f4", {1, 2, 3});
  REQUIRE(WriteNpz(got, {{"output0", array}}).ok());
  CHECK(CompareArrayFiles(got, want, {}).size() == 1);
  REQUIRE(
      WriteNpz(want, {{"output0_every_2", ArrayOf<float>("f4", {1, 3})}}).ok());
  CHECK(CompareArrayFiles(got, want, {}).empty());
  REQUIRE(WriteNpz(want, {{"output0", ArrayOf<float>("f4", {1, 2, 4})}}).ok());
  CHECK(CompareArrayFiles(got, want, {}).size() == 1);
}

}  // namespace
}  // namespace hilo::tests
