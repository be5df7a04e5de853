// Pieces that several math functions are made of.
#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/codegen/lanes.h"

namespace hilo::backends {

// Polynomial coefficients, highest power first, for both formats. Those of
// this directory's files are minimax: found by Remez's exchange algorithm in
// 50 digits, for the relative error of the function that they are part of.
struct Coefficients {
  std::initializer_list<double> single;
  std::initializer_list<double> full;
};
inline Lanes Polynomial(const Lanes& x, const Coefficients& coefficients) {
  return Polynomial(x, x.IsDouble() ? coefficients.full : coefficients.single);
}

// One of two numbers, by the format of x.
inline Lanes ByFormat(const Lanes& x, double single, double full) {
  return x.Constant(x.IsDouble() ? full : single);
}

// Facts of a format as x has it.
inline unsigned MantissaBits(const Lanes& x) { return x.IsDouble() ? 52 : 23; }
inline int ExponentBias(const Lanes& x) { return x.IsDouble() ? 1023 : 127; }
// 1.5 * 2^(mantissa bits): adding it rounds numbers of up to 2^(mantissa bits -
// 1) to integers, whose two's complement the sum's low bits hold.
inline double RoundingNumber(const Lanes& x) {
  return x.IsDouble() ? 0x1.8p+52 : 0x1.8p+23;
}

// 2^n for an integer-valued n with a normal result.
Lanes PowerOfTwo(const Lanes& n);

// e^(x + correction) for a correction that is small against 1.
Lanes ExpOfSum(const Lanes& x, const Lanes& correction);
// e^x where 1 / e^x and e^x are normal numbers.
Lanes ModerateExp(const Lanes& x);
// e^x / 2: does not overflow before e^x / 2 does.
Lanes HalfOfExp(const Lanes& x);

// x = 2^exponent * (1 + fraction) for positive finite x, fraction between
// sqrt(1/2) - 1 and sqrt(2) - 1.
struct Decomposed {
  Lanes exponent;
  Lanes fraction;
};
Decomposed Decompose(const Lanes& x);

// A number as the sum of two, the second small against the first's last place.
struct DoubledLanes {
  Lanes high;
  Lanes low;
};
// a + b, exactly, when |a| >= |b| or a = 0.
DoubledLanes ExactSum(const Lanes& a, const Lanes& b);
// The same for any a and b.
DoubledLanes ExactSumOfAny(const Lanes& a, const Lanes& b);
DoubledLanes ExactProduct(const Lanes& a, const Lanes& b);

// Calls a function of the current module, which is made at its first use: its
// body is what `emit` appends from the arguments, and may have branches. The
// results have the types that `emit` returns.
std::vector<Lanes> CallOutlined(
    absl::string_view name, absl::Span<const Lanes> arguments,
    const std::function<std::vector<Lanes>(absl::Span<const Lanes>)>& emit);

// Whether the condition holds in any lane, as an i1.
Lanes AnyLane(const Lanes& condition);

// `fast`, but what `emit_slow` appends and returns where `is_slow` holds in any
// lane: in those lanes, the others keep what is fast. Branches: for functions
// of their own only.
std::vector<Lanes> WithSlowPath(
    const Lanes& is_slow, const std::vector<Lanes>& fast,
    const std::function<std::vector<Lanes>()>& emit_slow);

}  // namespace hilo::backends
