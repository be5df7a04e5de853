// Tests of element-wise opcodes on complex numbers, with the answers of the
// language reference.
#include <vector>

#include <catch2/catch.hpp>

#include "tests/hlo/eval/evaluate_text.h"

namespace hilo::hlo {
namespace {

TEST_CASE("complex arithmetic") {
  CheckApply({
      {"c64[] multiply(x, y)",
       {"c64[] (inf, inf)", "c64[] (1, 1)"},
       "(nan, inf)"},
      {"c64[] multiply(x, y)", {"c64[] (1, 2)", "c64[] (3, 4)"}, "(-5, 10)"},
      {"c64[] divide(x, y)", {"c64[] (1, 0)", "c64[] (0, 0)"}, "(inf, nan)"},
      {"c64[] divide(x, y)", {"c64[] (1, 1)", "c64[] (inf, 0)"}, "(0, 0)"},
      {"c64[] divide(x, y)",
       {"c64[] (1e38, 1e38)", "c64[] (1e38, 1e38)"},
       "(1, 0)"},
      {"c128[] divide(x, y)", {"c128[] (5, 10)", "c128[] (1, 2)"}, "(5, 0)"},
      {"c128[] divide(x, y)",
       {"c128[] (1e308, 1e308)", "c128[] (4, 4)"},
       "(2.5e+307, 0)"},
      {"c128[] divide(x, y)",
       {"c128[] (1e-320, 0)", "c128[] (1e-320, 0)"},
       "(1, 0)"},
      {"c64[] negate(x)", {"c64[] (1, -2)"}, "(-1, 2)"},
      {"c64[] complex(x, y)", {"f32[] 1", "f32[] -2"}, "(1, -2)"},
      {"c128[] complex(x, y)", {"f64[] 1", "f64[] -2"}, "(1, -2)"},
      {"f32[] real(x)", {"c64[] (1, -2)"}, "1"},
      {"f32[] imag(x)", {"c64[] (1, -2)"}, "-2"},
  });
}

TEST_CASE("complex modulus and sign do not overflow") {
  CheckApply({
      {"f32[] abs(x)", {"c64[] (3e38, 0)"}, "3e+38"},
      {"f32[] abs(x)", {"c64[] (3, 4)"}, "5"},
      {"f32[] abs(x)", {"c64[] (inf, nan)"}, "inf"},
      {"c64[] sign(x)", {"c64[] (0, 0)"}, "(0, 0)"},
      {"c64[] sign(x)", {"c64[] (0, -2)"}, "(0, -1)"},
      {"c64[] sign(x)", {"c64[] (3e38, 0)"}, "(1, 0)"},
  });
}

TEST_CASE("complex functions take principal branches") {
  CheckApply({
      {"c64[] sqrt(x)", {"c64[] (-4, -0.0)"}, "(0, 2)"},
      {"c64[] sqrt(x)", {"c64[] (-4, 0)"}, "(0, 2)"},
      {"c64[] log(x)", {"c64[] (-1, -0.0)"}, "(0, -3.1415927)"},
      {"c64[] exponential(x)", {"c64[] (1, 0)"}, "(2.7182817, 0)"},
      {"c64[] exponential(x)", {"c64[] (-inf, 2)"}, "(-0.0, 0)"},
      {"c64[] exponential(x)", {"c64[] (-inf, inf)"}, "(nan, nan)"},
      {"c64[] exponential-minus-one(x)", {"c64[] (0, 0)"}, "(0, 0)"},
      {"c64[] log-plus-one(x)", {"c64[] (0, 0)"}, "(0, 0)"},
      {"c64[] logistic(x)", {"c64[] (1000, 0)"}, "(1, 0)"},
      {"c64[] logistic(x)", {"c64[] (-1000, 0)"}, "(0, 0)"},
      {"c64[] power(x, y)", {"c64[] (0, 0)", "c64[] (0, 0)"}, "(1, 0)"},
      {"c64[] power(x, y)", {"c64[] (0, 0)", "c64[] (2, 1)"}, "(0, 0)"},
      {"c128[] power(x, y)", {"c128[] (2, 0)", "c128[] (10, 0)"}, "(1024, 0)"},
      {"c64[] atan2(x, y)",
       {"c64[] (0, 0)", "c64[] (-1, 0)"},
       "(3.1415927, 0)"},
      {"c64[] rsqrt(x)", {"c64[] (4, 0)"}, "(0.5, 0)"},
      {"c64[] tanh(x)", {"c64[] (0, 0)"}, "(0, 0)"},
  });
}

TEST_CASE("complex comparisons") {
  CheckApply({
      {"pred[] compare(x, y), direction=EQ",
       {"c64[] (0, 1)", "c64[] (-0.0, 1)"},
       "true"},
      {"pred[] compare(x, y), direction=EQ",
       {"c64[] (nan, 1)", "c64[] (nan, 1)"},
       "false"},
      {"pred[] compare(x, y), direction=NE",
       {"c64[] (nan, 1)", "c64[] (nan, 1)"},
       "true"},
      {"pred[] compare(x, y), direction=LT",
       {"c64[] (1, 1)", "c64[] (1, 2)"},
       "true"},
  });
}

}  // namespace
}  // namespace hilo::hlo
