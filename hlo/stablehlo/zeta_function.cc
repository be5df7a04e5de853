// The zeta function of Hurwitz, and derivatives of digamma.
//
// Sources: the summation formula of Euler and Maclaurin, as in NIST Digital
// Library of Mathematical Functions, 25.11.28; for polygamma, 5.15.1.
#include <array>
#include <cstddef>
#include <limits>

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/opcode.h"
#include "hlo/stablehlo/element_math.h"
#include "hlo/stablehlo/special_functions.h"

namespace hilo::stablehlo {
namespace {

using hlo::Opcode;

// B(2j) / (2j)!, with Bernoulli numbers, for j from 1.
constexpr std::array kBernoulli = {
    0.08333333333333333,    -0.001388888888888889,   3.306878306878307e-05,
    -8.267195767195768e-07, 2.08767569878681e-08,    -5.284190138687493e-10,
    1.3382536530684679e-11, -3.3896802963225827e-13, 8.586062056277845e-15,
    -2.174868698558062e-16, 5.5090028283602295e-18,  -1.3954464685812522e-19};

// How many terms are added one by one.
constexpr int kTerms = 10;

Term Remainder(Term x, double divisor) {
  return x.math()->Binary(Opcode::kRemainder, x, x.math()->Number(divisor));
}

}  // namespace

Term HurwitzZeta(Term x, Term q) {
  ElementMath* math = x.math();
  const Term exponent = -x;
  Term sum = Power(q, exponent);
  for (int i = 1; i < kTerms; ++i) {
    sum = sum + Power(q + static_cast<double>(i), exponent);
  }
  // What is left: an integral, half of its first term, and corrections.
  const Term a = q + static_cast<double>(kTerms);
  const Term scale = Power(a, exponent);
  const Term inverse_square = 1.0 / (a * a);
  Term corrections = math->Number(kBernoulli.back());
  for (size_t j = kBernoulli.size() - 1; j > 0; --j) {
    const auto twice = static_cast<double>(2 * j);
    corrections =
        corrections * ((x + (twice - 1)) * (x + twice)) * inverse_square +
        kBernoulli[j - 1];
  }
  const Term rest = scale * (a / (x - 1.0) + 0.5 + x / a * corrections);
  // Where terms have become nothing, corrections may overflow.
  const double smallest =
      math->type() == hlo::ElementType::kF64
          ? std::numeric_limits<double>::epsilon()
          : static_cast<double>(std::numeric_limits<float>::epsilon());
  const Term is_done = math->Compare(hlo::ComparisonDirection::kLt, Abs(scale),
                                     Abs(sum) * smallest);
  Term result = Select(is_done, sum, sum + rest);
  const Term nan = math->Number(std::numeric_limits<double>::quiet_NaN());
  const Term infinity = math->Number(std::numeric_limits<double>::infinity());
  const Term is_low = q <= 0.0;
  result =
      Select(math->Or(x < 1.0, math->And(is_low, x != Floor(x))), nan, result);
  // Only even powers have the same infinity on both sides of a pole.
  const Term pole = Select(Remainder(x, 2) == 0.0, infinity, nan);
  result = Select(math->And(is_low, q == Floor(q)), pole, result);
  return Select(x == 1.0, infinity, result);
}

Term Polygamma(Term n, Term x) {
  ElementMath* math = n.math();
  const Term next = n + 1.0;
  const Term sign =
      Select(Remainder(n, 2) == 0.0, math->Number(-1), math->Number(1));
  const Term derivative = sign * Exp(LogGamma(next)) * HurwitzZeta(next, x);
  const Term result = Select(n == 0.0, Digamma(x), derivative);
  const Term is_wrong = math->Or(n < 0.0, n != Floor(n));
  return Select(is_wrong,
                math->Number(std::numeric_limits<double>::quiet_NaN()), result);
}

}  // namespace hilo::stablehlo
