// Tests of element-wise opcodes on integers and pred, with the answers of the
// language reference.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/hlo/eval/evaluate_text.h"

namespace hilo::hlo {
namespace {

TEST_CASE("integer arithmetic wraps") {
  CheckApply({
      {"s8[3] add(x, y)",
       {"s8[3] {127, -128, 5}", "s8[3] {1, -1, 6}"},
       "{-128, 127, 11}"},
      {"u8[2] subtract(x, y)", {"u8[2] {0, 9}", "u8[2] {1, 4}"}, "{255, 5}"},
      {"s4[3] add(x, y)",
       {"s4[3] {7, -8, 1}", "s4[3] {1, -1, 2}"},
       "{-8, 7, 3}"},
      {"u4[2] multiply(x, y)", {"u4[2] {15, 3}", "u4[2] {15, 5}"}, "{1, 15}"},
      {"u16[1] multiply(x, y)", {"u16[1] {65535}", "u16[1] {65535}"}, "{1}"},
      {"s2[2] multiply(x, y)", {"s2[2] {-2, 1}", "s2[2] {-2, 1}"}, "{0, 1}"},
      {"s64[1] multiply(x, y)",
       {"s64[1] {4294967296}", "s64[1] {4294967296}"},
       "{0}"},
      {"u32[2] negate(x)", {"u32[2] {1, 0}"}, "{4294967295, 0}"},
      {"s8[2] negate(x)", {"s8[2] {-128, 5}"}, "{-128, -5}"},
      {"s32[2] abs(x)", {"s32[2] {-2147483648, -7}"}, "{-2147483648, 7}"},
      {"s4[2] abs(x)", {"s4[2] {-8, -7}"}, "{-8, 7}"},
      {"s16[3] sign(x)", {"s16[3] {-5, 0, 9}"}, "{-1, 0, 1}"},
  });
}

TEST_CASE("integer division never traps") {
  CheckApply({
      {"s32[4] divide(x, y)",
       {"s32[4] {1, -2147483648, -7, 7}", "s32[4] {0, -1, 3, -3}"},
       "{-1, -2147483648, -2, -2}"},
      {"u8[2] divide(x, y)", {"u8[2] {9, 9}", "u8[2] {0, 2}"}, "{255, 4}"},
      {"u4[2] divide(x, y)", {"u4[2] {9, 9}", "u4[2] {0, 2}"}, "{15, 4}"},
      {"s4[2] divide(x, y)", {"s4[2] {-8, 3}", "s4[2] {-1, 0}"}, "{-8, -1}"},
      {"u64[1] divide(x, y)",
       {"u64[1] {1}", "u64[1] {0}"},
       "{18446744073709551615}"},
      {"s32[5] remainder(x, y)",
       {"s32[5] {7, -2147483648, -7, 7, 0}", "s32[5] {0, -1, 3, -3, 0}"},
       "{7, 0, -1, 1, 0}"},
      {"u8[2] remainder(x, y)", {"u8[2] {7, 200}", "u8[2] {0, 7}"}, "{7, 4}"},
      {"s64[1] divide(x, y)",
       {"s64[1] {-9223372036854775808}", "s64[1] {-1}"},
       "{-9223372036854775808}"},
  });
}

TEST_CASE("integer powers wrap and truncate") {
  CheckApply({
      {"s32[7] power(x, y)",
       {"s32[7] {2, 1, -1, -1, 0, 0, 3}", "s32[7] {-1, -5, -1, -2, 0, -1, 40}"},
       "{0, 1, -1, 1, 1, 0, 689956897}"},
      {"s32[2] power(x, y)", {"s32[2] {2, 2}", "s32[2] {64, 70}"}, "{0, 0}"},
      {"u8[2] power(x, y)", {"u8[2] {3, 255}", "u8[2] {5, 255}"}, "{243, 255}"},
      {"s4[2] power(x, y)", {"s4[2] {2, 3}", "s4[2] {3, 2}"}, "{-8, -7}"},
  });
}

TEST_CASE("shifts read amounts as unsigned and know the width") {
  CheckApply({
      {"s32[4] shift-left(x, y)",
       {"s32[4] {1, 1, 1, 1}", "s32[4] {31, 32, 255, -1}"},
       "{-2147483648, 0, 0, 0}"},
      {"s32[4] shift-right-logical(x, y)",
       {"s32[4] {-1, -1, -1, -1}", "s32[4] {31, 32, 33, -1}"},
       "{1, 0, 0, 0}"},
      {"s32[4] shift-right-arithmetic(x, y)",
       {"s32[4] {-8, -8, 8, 8}", "s32[4] {1, 32, 33, -1}"},
       "{-4, -1, 0, 0}"},
      {"u8[3] shift-right-arithmetic(x, y)",
       {"u8[3] {200, 200, 100}", "u8[3] {1, 200, 200}"},
       "{228, 255, 0}"},
      {"s4[2] shift-right-logical(x, y)",
       {"s4[2] {-8, -1}", "s4[2] {1, 3}"},
       "{4, 1}"},
      {"u4[2] shift-right-arithmetic(x, y)",
       {"u4[2] {8, 7}", "u4[2] {1, 1}"},
       "{12, 3}"},
      {"s8[2] shift-left(x, y)", {"s8[2] {1, 3}", "s8[2] {7, 8}"}, "{-128, 0}"},
      {"u64[2] shift-right-logical(x, y)",
       {"u64[2] {9223372036854775808, 5}", "u64[2] {63, 64}"},
       "{1, 0}"},
  });
}

TEST_CASE("bits are counted within the width") {
  CheckApply({
      {"s8[3] count-leading-zeros(x)", {"s8[3] {0, 1, -1}"}, "{8, 7, 0}"},
      {"s2[1] count-leading-zeros(x)", {"s2[1] {0}"}, "{-2}"},
      {"u4[2] count-leading-zeros(x)", {"u4[2] {0, 3}"}, "{4, 2}"},
      {"s16[2] popcnt(x)", {"s16[2] {-1, 5}"}, "{16, 2}"},
      {"s4[2] popcnt(x)", {"s4[2] {-8, 7}"}, "{1, 3}"},
      {"u64[1] popcnt(x)", {"u64[1] {18446744073709551615}"}, "{64}"},
      {"u8[2] not(x)", {"u8[2] {0, 170}"}, "{255, 85}"},
      {"s4[2] not(x)", {"s4[2] {0, 7}"}, "{-1, -8}"},
  });
}

TEST_CASE("the upper half of a product") {
  CheckApply({
      {"s32[2] mulhi(x, y)",
       {"s32[2] {-2147483648, 65536}", "s32[2] {-2147483648, 65536}"},
       "{1073741824, 1}"},
      {"u64[1] mulhi(x, y)",
       {"u64[1] {18446744073709551615}", "u64[1] {18446744073709551615}"},
       "{18446744073709551614}"},
      {"s64[1] mulhi(x, y)", {"s64[1] {-1}", "s64[1] {1}"}, "{-1}"},
      {"u4[1] mulhi(x, y)", {"u4[1] {15}", "u4[1] {15}"}, "{14}"},
      {"s8[1] mulhi(x, y)", {"s8[1] {-128}", "s8[1] {2}"}, "{-1}"},
  });
}

TEST_CASE("pred arithmetic is logic") {
  const std::vector<std::string> operands = {
      "pred[4] {false, false, true, true}",
      "pred[4] {false, true, false, true}"};
  const std::string either = "{0, 1, 1, 1}";
  const std::string both = "{0, 0, 0, 1}";
  CheckApply({
      {"pred[4] add(x, y)", operands, either},
      {"pred[4] multiply(x, y)", operands, both},
      {"pred[4] maximum(x, y)", operands, either},
      {"pred[4] minimum(x, y)", operands, both},
      {"pred[4] xor(x, y)", operands, "{0, 1, 1, 0}"},
      {"pred[4] not(x)", {operands[0]}, "{1, 1, 0, 0}"},
      {"pred[4] compare(x, y), direction=LT", operands, "{0, 1, 0, 0}"},
  });
}

TEST_CASE("integers compare by their signedness") {
  CheckApply({
      {"pred[2] compare(x, y), direction=LT",
       {"s8[2] {-1, 3}", "s8[2] {1, 3}"},
       "{1, 0}"},
      {"pred[2] compare(x, y), direction=GT",
       {"u8[2] {255, 3}", "u8[2] {1, 3}"},
       "{1, 0}"},
      {"pred[2] compare(x, y), direction=GE",
       {"s4[2] {-8, 7}", "s4[2] {7, 7}"},
       "{0, 1}"},
  });
}

TEST_CASE("integers are selected and clamped") {
  CheckApply({
      {"s32[3] clamp(x, y, z)",
       {"s32[] 2", "s32[3] {5, 0, 3}", "s32[] 4"},
       "{4, 2, 3}"},
      {"s32[] clamp(x, y, z)", {"s32[] 2", "s32[] 5", "s32[] 1"}, "1"},
      {"s32[2] select(x, y, z)",
       {"pred[2] {true, false}", "s32[2] {1, 2}", "s32[2] {3, 4}"},
       "{1, 4}"},
      {"s4[2] select(x, y, z)",
       {"pred[] false", "s4[2] {1, 2}", "s4[2] {3, 4}"},
       "{3, 4}"},
  });
}

}  // namespace
}  // namespace hilo::hlo
