// Tests of element-wise opcodes on floats, with the answers of the language
// reference.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/hlo/eval/evaluate_text.h"

namespace hilo::hlo {
namespace {

TEST_CASE("maximum and minimum keep NaN and order zeros") {
  const std::vector<std::string> operands = {
      "f32[6] {nan, 1, -0.0, 0, 3, -inf}", "f32[6] {1, nan, 0, -0.0, 2, inf}"};
  CheckApply({
      {"f32[6] maximum(x, y)", operands, "{nan, nan, 0, 0, 3, inf}"},
      {"f32[6] minimum(x, y)", operands, "{nan, nan, -0.0, -0.0, 2, -inf}"},
      {"bf16[2] maximum(x, y)",
       {"bf16[2] {nan, -0.0}", "bf16[2] {3, 0}"},
       "{nan, 0}"},
      {"f64[1] minimum(x, y)", {"f64[1] {3}", "f64[1] {nan}"}, "{nan}"},
      {"f32[3] clamp(x, y, z)",
       {"f32[3] {2, 0, nan}", "f32[3] {5, nan, 1}", "f32[3] {1, 1, 2}"},
       "{1, nan, nan}"},
  });
}

TEST_CASE("float remainder and power follow C") {
  CheckApply({
      {"f32[4] remainder(x, y)",
       {"f32[4] {-0.0, 7, 1, 5}", "f32[4] {1, -3, 0, inf}"},
       "{-0.0, 1, nan, 5}"},
      {"f32[7] power(x, y)",
       {"f32[7] {-8, 0, 1, nan, -0.0, -1, -inf}",
        "f32[7] {0.333333343, -1, nan, 0, -1, inf, 0.5}"},
       "{nan, inf, 1, 1, -inf, 1, inf}"},
      {"f32[4] atan2(x, y)",
       {"f32[4] {0, -0.0, 0, -0.0}", "f32[4] {0, 0, -0.0, -0.0}"},
       "{0, -0.0, 3.1415927, -3.1415927}"},
  });
}

TEST_CASE("signs, rounding and special values") {
  CheckApply({
      {"f32[4] sign(x)", {"f32[4] {nan, -0.0, -3, inf}"}, "{nan, -0.0, -1, 1}"},
      {"f32[3] abs(x)", {"f32[3] {-0.0, -inf, -2}"}, "{0, inf, 2}"},
      {"f32[3] negate(x)", {"f32[3] {0, -inf, 2}"}, "{-0.0, inf, -2}"},
      {"f32[4] round-nearest-afz(x)",
       {"f32[4] {0.5, -2.5, -0.0, -0.4}"},
       "{1, -3, -0.0, -0.0}"},
      {"f32[4] round-nearest-even(x)",
       {"f32[4] {0.5, 1.5, 2.5, -0.4}"},
       "{0, 2, 2, -0.0}"},
      {"f32[3] floor(x)", {"f32[3] {-0.5, -0.0, inf}"}, "{-1, -0.0, inf}"},
      {"f32[2] ceil(x)", {"f32[2] {-0.5, 1.5}"}, "{-0.0, 2}"},
      {"f32[4] rsqrt(x)", {"f32[4] {0, -0.0, inf, -1}"}, "{inf, -inf, 0, nan}"},
      {"f32[3] sqrt(x)", {"f32[3] {-0.0, 4, -1}"}, "{-0.0, 2, nan}"},
      {"f32[3] log(x)", {"f32[3] {0, -1, 1}"}, "{-inf, nan, 0}"},
      {"f32[2] log-plus-one(x)", {"f32[2] {-1, -2}"}, "{-inf, nan}"},
      {"f32[3] exponential(x)", {"f32[3] {-inf, 0, 100}"}, "{0, 1, inf}"},
      {"f32[2] exponential-minus-one(x)",
       {"f32[2] {-0.0, -inf}"},
       "{-0.0, -1}"},
      {"f32[4] logistic(x)",
       {"f32[4] {-1000, 0, 1000, -inf}"},
       "{0, 0.5, 1, 0}"},
      {"f32[2] sine(x)", {"f32[2] {inf, -0.0}"}, "{nan, -0.0}"},
      {"f32[2] cbrt(x)", {"f32[2] {-27, 0.125}"}, "{-3, 0.5}"},
      {"f32[2] erf(x)", {"f32[2] {4.5, -inf}"}, "{1, -1}"},
      {"f32[2] tanh(x)", {"f32[2] {inf, -20}"}, "{1, -1}"},
      {"pred[4] is-finite(x)", {"f32[4] {inf, nan, 1, -inf}"}, "{0, 0, 1, 0}"},
      {"pred[2] is-finite(x)", {"f4e2m1fn[2] {6, -6}"}, "{1, 1}"},
      {"f32[2] imag(x)", {"f32[2] {3, -4}"}, "{0, 0}"},
      {"f32[2] real(x)", {"f32[2] {3, -4}"}, "{3, -4}"},
  });
}

TEST_CASE("domains of the inverse functions") {
  CheckApply({
      {"f32[2] acos(x)", {"f32[2] {1, 2}"}, "{0, nan}"},
      {"f32[2] asin(x)", {"f32[2] {0, -2}"}, "{0, nan}"},
      {"f32[2] acosh(x)", {"f32[2] {1, 0}"}, "{0, nan}"},
      {"f32[2] asinh(x)", {"f32[2] {-0.0, inf}"}, "{-0.0, inf}"},
      {"f32[3] atanh(x)", {"f32[3] {1, -1, 2}"}, "{inf, -inf, nan}"},
      {"f64[2] cosh(x)", {"f64[2] {0, -inf}"}, "{1, inf}"},
      {"f64[2] sinh(x)", {"f64[2] {-0.0, -inf}"}, "{-0.0, -inf}"},
      {"f64[1] tan(x)", {"f64[1] {inf}"}, "{nan}"},
  });
}

TEST_CASE("floats compare as IEEE 754 says, or totally") {
  const std::vector<std::string> operands = {"f32[4] {nan, nan, -0.0, 2}",
                                             "f32[4] {1, nan, 0, 1}"};
  CheckApply({
      {"pred[4] compare(x, y), direction=NE", operands, "{1, 1, 0, 1}"},
      {"pred[4] compare(x, y), direction=EQ", operands, "{0, 0, 1, 0}"},
      {"pred[4] compare(x, y), direction=GT", operands, "{0, 0, 0, 1}"},
      {"pred[4] compare(x, y), direction=GE", operands, "{0, 0, 1, 1}"},
      {"pred[4] compare(x, y), direction=LT, type=TOTALORDER",
       {"f32[4] {-0.0, nan, -nan, 1}", "f32[4] {0, inf, -inf, 1}"},
       "{1, 0, 1, 0}"},
      {"pred[3] compare(x, y), direction=LT, type=TOTALORDER",
       {"bf16[3] {-0.0, -nan, 1}", "bf16[3] {0, -inf, 2}"},
       "{1, 1, 1}"},
      {"pred[2] compare(x, y), direction=LT, type=TOTALORDER",
       {"f8e4m3fnuz[2] {nan, 0}", "f8e4m3fnuz[2] {-240, nan}"},
       "{1, 0}"},
      {"pred[2] compare(x, y), direction=EQ, type=TOTALORDER",
       {"f64[2] {-0.0, 1}", "f64[2] {0, 1}"},
       "{0, 1}"},
  });
}

TEST_CASE("narrow floats round after every operation") {
  CheckApply({
      {"bf16[2] add(x, y)", {"bf16[2] {256, 1}", "bf16[2] {1, 2}"}, "{256, 3}"},
      {"f16[2] multiply(x, y)",
       {"f16[2] {60000, 1}", "f16[2] {2, 3}"},
       "{inf, 3}"},
      {"f8e4m3fn[3] add(x, y)",
       {"f8e4m3fn[3] {448, 448, -448}", "f8e4m3fn[3] {16, 18, -448}"},
       "{448, nan, nan}"},
      {"f8e5m2[1] multiply(x, y)",
       {"f8e5m2[1] {57344}", "f8e5m2[1] {57344}"},
       "{inf}"},
      {"f4e2m1fn[2] add(x, y)",
       {"f4e2m1fn[2] {6, 1}", "f4e2m1fn[2] {6, 0.5}"},
       "{6, 1.5}"},
      {"f8e4m3fnuz[1] negate(x)", {"f8e4m3fnuz[1] {0}"}, "{0}"},
      {"f8e8m0fnu[1] add(x, y)",
       {"f8e8m0fnu[1] {5.87747175e-39}", "f8e8m0fnu[1] {5.87747175e-39}"},
       "{1e-38}"},
  });
}

TEST_CASE("subnormals are kept, products are not fused") {
  CheckApply({
      {"f32[1] add(x, y)", {"f32[1] {1e-40}", "f32[1] {0}"}, "{1e-40}"},
      {"pred[1] compare(x, y), direction=EQ",
       {"f32[1] {1e-45}", "f32[1] {0}"},
       "{0}"},
      {"f32[1] log(x)", {"f32[1] {1e-45}"}, "{-103.27893}"},
      {"f64[1] multiply(x, y)",
       {"f64[1] {1e-200}", "f64[1] {1e-110}"},
       "{1e-310}"},
  });
  const std::string module = R"(
HloModule m
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  square = f32[] multiply(x, x)
  ROOT r = f32[] subtract(square, y)
})";
  CHECK(EvaluateText(module, {"f32[] 1.00024414", "f32[] 1.00048828"}) == "0");
}

TEST_CASE("results do not depend on the size") {
  const std::string module = R"(
HloModule m
ENTRY e {
  x = f32[] parameter(0)
  wide = f32[1031] broadcast(x), dimensions={}
  y = f32[1031] tanh(wide)
  low = f32[1031] slice(y), slice={[0:1031]}
  one = f32[] tanh(x)
  again = f32[1031] broadcast(one), dimensions={}
  ROOT r = f32[1031] subtract(low, again)
})";
  const std::string zeros = EvaluateText(module, {"f32[] 0.7"});
  CHECK(zeros.find_first_of("123456789n") == std::string::npos);
}

}  // namespace
}  // namespace hilo::hlo
