// Tests of the opcodes that change types or bits, with the answers of the
// language reference.
#include <vector>

#include <catch2/catch.hpp>

#include "tests/hlo/eval/evaluate_text.h"

namespace hilo::hlo {
namespace {

TEST_CASE("convert between element types") {
  CheckApply({
      {"s32[5] convert(x)",
       {"f32[5] {nan, 3e9, -3e9, 2.5, -2.7}"},
       "{0, 2147483647, -2147483648, 2, -2}"},
      {"u8[2] convert(x)", {"f32[2] {-0.9, 300.7}"}, "{0, 255}"},
      {"pred[4] convert(x)", {"f32[4] {1e10, nan, -0.0, 0}"}, "{1, 1, 0, 0}"},
      {"f32[1] convert(x)", {"s32[1] {16777217}"}, "{16777216}"},
      {"bf16[2] convert(x)", {"s32[2] {257, 1077936129}"}, "{256, 1.074e+09}"},
      {"f16[2] convert(x)", {"f32[2] {65519, 65520}"}, "{65504, inf}"},
      {"f8e4m3fn[3] convert(x)",
       {"f32[3] {464, 465, -1e9}"},
       "{448, nan, nan}"},
      {"f8e4m3fnuz[1] convert(x)", {"f32[1] {-0.0}"}, "{0}"},
      {"f4e2m1fn[2] convert(x)", {"f32[2] {1e6, 0.75}"}, "{6, 1}"},
      {"s4[3] convert(x)", {"s32[3] {7, 8, -9}"}, "{7, -8, 7}"},
      {"s4[2] convert(x)", {"f32[2] {100, -100}"}, "{7, -8}"},
      {"u32[1] convert(x)", {"s4[1] {-1}"}, "{4294967295}"},
      {"f64[2] convert(x)", {"pred[2] {true, false}"}, "{1, 0}"},
      {"c64[2] convert(x)", {"s32[2] {3, -1}"}, "{(3, 0), (-1, 0)}"},
      {"c128[1] convert(x)", {"c64[1] {(1, 2)}"}, "{(1, 2)}"},
      {"bf16[1] convert(x)", {"f16[1] {nan}"}, "{nan}"},
      {"f32[1] convert(x)", {"bf16[1] {3.140625}"}, "{3.140625}"},
  });
}

TEST_CASE("bitcast-convert keeps bits, low ones first") {
  CheckApply({
      {"u8[4] bitcast-convert(x)", {"u32[] 67305985"}, "{1, 2, 3, 4}"},
      {"u32[] bitcast-convert(x)", {"u8[4] {1, 2, 3, 4}"}, "67305985"},
      {"s32[1] bitcast-convert(x)", {"f32[1] {1}"}, "{1065353216}"},
      {"u4[1,2] bitcast-convert(x)", {"u8[1] {33}"}, "{ { 1, 2 } }"},
      {"u2[4] bitcast-convert(x)", {"u8[] 228"}, "{0, 1, 2, 3}"},
      {"s8[] bitcast-convert(x)", {"s4[2] {-1, -8}"}, "-113"},
      {"s4[1] bitcast-convert(x)", {"u4[1] {15}"}, "{-1}"},
      {"f16[2] bitcast-convert(x)", {"u32[] 1006632960"}, "{0, 1}"},
  });
}

TEST_CASE("bitcast reads the buffer under another layout") {
  CheckApply({
      {"f32[3,2]{0,1} bitcast(x)",
       {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}"},
       "{ { 1, 4 }, { 2, 5 }, { 3, 6 } }"},
      {"f32[6] bitcast(x)",
       {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}"},
       "{1, 2, 3, 4, 5, 6}"},
      {"s32[2] bitcast(x)", {"f32[2] {1, 0}"}, "{1065353216, 0}"},
  });
}

TEST_CASE("reduce-precision rounds the pattern") {
  CheckApply({
      {"f32[3] reduce-precision(x), exponent_bits=5, mantissa_bits=10",
       {"f32[3] {65520, 6e-5, 6.10351562e-05}"},
       "{inf, 0, 6.1035156e-05}"},
      {"f32[4] reduce-precision(x), exponent_bits=1, mantissa_bits=0",
       {"f32[4] {1, 1.5, -1.5, nan}"},
       "{0, inf, -inf, nan}"},
      {"f32[6] reduce-precision(x), exponent_bits=2, mantissa_bits=1",
       {"f32[6] {0.5, 1, 1.5, 2, 3, 4}"},
       "{0, 1, 1.5, 2, 3, inf}"},
      {"f32[1] reduce-precision(x), exponent_bits=8, mantissa_bits=7",
       {"f32[1] {3.14159274}"},
       "{3.140625}"},
      {"f32[1] reduce-precision(x), exponent_bits=8, mantissa_bits=7",
       {"f32[1] {1e-40}"},
       "{9.1835e-41}"},
      {"f64[1] reduce-precision(x), exponent_bits=8, mantissa_bits=23",
       {"f64[1] {0.1}"},
       "{0.10000000149011612}"},
      {"f16[1] reduce-precision(x), exponent_bits=5, mantissa_bits=2",
       {"f16[1] {1.2}"},
       "{1.25}"},
  });
}

TEST_CASE("stochastic-convert rounds by the random number") {
  CheckApply({
      {"s32[3] stochastic-convert(x, y)",
       {"f32[3] {1.25, 1.25, -0.5}", "u32[3] {1073741823, 1073741824, 0}"},
       "{2, 1, -1}"},
      {"s8[4] stochastic-convert(x, y)",
       {"f32[4] {nan, inf, -inf, 127.5}", "u32[4] {0, 0, 0, 0}"},
       "{0, 127, -128, 127}"},
      {"s32[1] stochastic-convert(x, y)",
       {"bf16[1] {2.5}", "u16[1] {32767}"},
       "{3}"},
  });
}

}  // namespace
}  // namespace hilo::hlo
