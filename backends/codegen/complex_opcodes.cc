// Element-wise opcodes of complex numbers.
#include <array>
#include <optional>

#include "backends/codegen/complex_math.h"
#include "backends/codegen/element_opcodes.h"
#include "backends/codegen/lanes.h"
#include "hlo/ir/opcode.h"

namespace hilo::backends {
namespace {

using hlo::Opcode;

// NaN if either is; ordered by real parts, then by imaginary ones.
ComplexLanes Larger(const ComplexLanes& x, const ComplexLanes& y) {
  return Select(IsNan(x) | ~(IsNan(y) | IsLess(x, y)), x, y);
}
ComplexLanes Smaller(const ComplexLanes& x, const ComplexLanes& y) {
  return Select(IsNan(x) | ~(IsNan(y) | IsLess(y, x)), x, y);
}

struct ComplexRow {
  Opcode opcode;
  // Whether parts of type float are computed in double.
  bool in_double;
  ComplexLanes (*emit)(const ComplexLanes& x, const ComplexLanes& y);
};

#define HILO_ROW(opcode, in_double, expression)                      \
  {Opcode::opcode, in_double,                                        \
   [](const ComplexLanes& x, [[maybe_unused]] const ComplexLanes& y) \
       -> ComplexLanes { return expression; }}

constexpr auto kRows = std::to_array<ComplexRow>({
    HILO_ROW(kAbs, false, (ComplexLanes{Modulus(x), x.imag})),
    HILO_ROW(kAcos, true, ComplexAcos(x)),
    HILO_ROW(kAcosh, true, ComplexAcosh(x)),
    HILO_ROW(kAdd, false, x + y),
    HILO_ROW(kAsin, true, ComplexAsin(x)),
    HILO_ROW(kAsinh, true, ComplexAsinh(x)),
    HILO_ROW(kAtan2, true, ComplexAtan2(x, y)),
    HILO_ROW(kAtanh, true, ComplexAtanh(x)),
    HILO_ROW(kCosh, true, ComplexCosh(x)),
    HILO_ROW(kCosine, true, ComplexCos(x)),
    HILO_ROW(kDivide, false, Divide(x, y)),
    HILO_ROW(kExponential, true, ComplexExp(x)),
    HILO_ROW(kExponentialMinusOne, true, ComplexExpm1(x)),
    HILO_ROW(kImag, false, (ComplexLanes{x.imag, x.imag})),
    HILO_ROW(kLog, true, ComplexLog(x)),
    HILO_ROW(kLogPlusOne, true, ComplexLog1p(x)),
    HILO_ROW(kLogistic, true, ComplexLogistic(x)),
    HILO_ROW(kMaximum, false, Larger(x, y)),
    HILO_ROW(kMinimum, false, Smaller(x, y)),
    HILO_ROW(kMultiply, false, Multiply(x, y)),
    HILO_ROW(kNegate, false, -x),
    HILO_ROW(kPower, true, ComplexPow(x, y)),
    HILO_ROW(kReal, false, x),
    HILO_ROW(kRsqrt, true, ComplexRsqrt(x)),
    HILO_ROW(kSign, false, Direction(x)),
    HILO_ROW(kSine, true, ComplexSin(x)),
    HILO_ROW(kSinh, true, ComplexSinh(x)),
    HILO_ROW(kSqrt, true, ComplexSqrt(x)),
    HILO_ROW(kSubtract, false, x - y),
    HILO_ROW(kTan, true, ComplexTan(x)),
    HILO_ROW(kTanh, true, ComplexTanh(x)),
});

#undef HILO_ROW

ComplexLanes Widen(const ComplexLanes& z) {
  return {ToDouble(z.real), ToDouble(z.imag)};
}

ComplexLanes EmitComplexRow(const ComplexRow& row, const ComplexLanes& x,
                            const ComplexLanes& y) {
  if (!row.in_double || x.real.IsDouble()) return row.emit(x, y);
  const ComplexLanes result = row.emit(Widen(x), Widen(y));
  return {ToFloat(result.real), ToFloat(result.imag)};
}

}  // namespace

std::optional<ComplexLanes> EmitComplex(Opcode opcode, const ComplexLanes& x,
                                        const ComplexLanes& y) {
  for (const ComplexRow& row : kRows) {
    if (row.opcode == opcode) return EmitComplexRow(row, x, y);
  }
  return std::nullopt;
}

}  // namespace hilo::backends
