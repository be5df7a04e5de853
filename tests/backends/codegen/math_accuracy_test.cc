// Math functions stay within their opcodes' error bounds.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "catch2/catch.hpp"

#include "backends/codegen/element_value.h"
#include "backends/codegen/math_functions.h"
#include "backends/codegen/scalar_emitter.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/numeric_types.h"
#include "tests/backends/codegen/compiled_element.h"

namespace hilo::backends {
namespace {

using hlo::ElementType;
using hlo::Opcode;

// NOLINTBEGIN(google-runtime-float): nothing else is wider than double.

// A function, and what the C library computes in a wider type.
struct UnaryRow {
  Opcode opcode;
  llvm::Value* (*emit)(llvm::IRBuilderBase& builder, llvm::Value* x);
  double (*in_double)(double x);
  long double (*in_extended)(long double x);
};

#define HILO_ROW(opcode, Function, call)                           \
  {Opcode::opcode, &Emit##Function, [](double x) { return call; }, \
   [](long double x) { return call; }}

constexpr auto kUnaryRows = std::to_array<UnaryRow>({
    HILO_ROW(kAcos, Acos, std::acos(x)),
    HILO_ROW(kAcosh, Acosh, std::acosh(x)),
    HILO_ROW(kAsin, Asin, std::asin(x)),
    HILO_ROW(kAsinh, Asinh, std::asinh(x)),
    HILO_ROW(kAtanh, Atanh, std::atanh(x)),
    HILO_ROW(kCbrt, Cbrt, std::cbrt(x)),
    HILO_ROW(kCosh, Cosh, std::cosh(x)),
    HILO_ROW(kCosine, Cos, std::cos(x)),
    HILO_ROW(kErf, Erf, std::erf(x)),
    HILO_ROW(kExponential, Exp, std::exp(x)),
    HILO_ROW(kExponentialMinusOne, Expm1, std::expm1(x)),
    HILO_ROW(kLog, Log, std::log(x)),
    HILO_ROW(kLogPlusOne, Log1p, std::log1p(x)),
    HILO_ROW(kLogistic, Logistic, 1 / (1 + std::exp(-x))),
    HILO_ROW(kRsqrt, Rsqrt, 1 / std::sqrt(x)),
    HILO_ROW(kSine, Sin, std::sin(x)),
    HILO_ROW(kSinh, Sinh, std::sinh(x)),
    HILO_ROW(kTan, Tan, std::tan(x)),
    HILO_ROW(kTanh, Tanh, std::tanh(x)),
});

#undef HILO_ROW

struct BinaryRow {
  Opcode opcode;
  llvm::Value* (*emit)(llvm::IRBuilderBase& builder, llvm::Value* x,
                       llvm::Value* y);
  long double (*reference)(long double x, long double y);
};

constexpr auto kBinaryRows = std::to_array<BinaryRow>({
    {Opcode::kAtan2, &EmitAtan2,
     [](long double x, long double y) { return std::atan2(x, y); }},
    {Opcode::kPower, &EmitPow,
     [](long double x, long double y) { return std::pow(x, y); }},
    {Opcode::kRemainder, &EmitRemainder,
     [](long double x, long double y) { return std::fmod(x, y); }},
});

// NOLINTEND(google-runtime-float)

constexpr double kWrong = 1e30;

// |got - want| in units in the last place of `want` in T; kWrong when one is
// NaN, or zeros differ in sign.
template <typename T, typename Wide>
double ErrorInUlps(T got, Wide want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : kWrong;
  const T rounded = static_cast<T>(want);
  if (got == rounded) {
    return got == 0 && std::signbit(got) != std::signbit(want) ? kWrong : 0;
  }
  if (!std::isfinite(got) || !std::isfinite(rounded)) {
    // The largest finite number is next to infinity.
    return std::nextafter(rounded, got) == got ? 1 : kWrong;
  }
  int exponent = 0;
  std::frexp(want, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  const Wide unit =
      std::ldexp(Wide{1}, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(got - want) / unit);
}

// The largest error, and where.
template <typename T>
struct WorstError {
  double ulps = 0;
  T x = 0;
  T y = 0;
  T got = 0;

  std::string Text() const {
    return absl::StrCat(ulps, " ulps at ", x, ", ", y, ": ", got);
  }
  void Note(double error, T at_x, T at_y, T value) {
    if (error > ulps) *this = {error, at_x, at_y, value};
  }
};

// Numbers of all sizes and signs, then numbers near 1.
template <typename T>
hlo::Literal Samples(int64_t count, uint64_t seed) {
  using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr auto kEdges = std::to_array<double>(
      {0,       -0.0,    1,       -1,    2,     0.5,
       -0.5,    0.25,    1e-8,    -1e-8, 1e-30, 1e-40,
       -1e-320, 0x1p+21, 0x1p+30, 88.7,  -87.4, -104,
       709.7,   -745,    -708.5,  710.4, 20,    1.5707963267948966,
       0.35,    -0.35,   3e38,    1e308, -17,   -38,
       0.99999, 1.00001});
  hlo::Literal literal(hlo::Shape::Array(hlo::ElementTypeOf<T>(), {count}));
  const auto values = literal.mutable_data<T>();
  std::mt19937_64 random(seed);
  std::normal_distribution<double> near(0, 1);
  std::normal_distribution<double> far(0, 30);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t kind = random() % 4;
    if (kind == 0) values[i] = std::bit_cast<T>(static_cast<Word>(random()));
    if (kind == 1) values[i] = static_cast<T>(far(random));
    if (kind >= 2) values[i] = static_cast<T>(near(random));
  }
  for (size_t i = 0; i < kEdges.size(); ++i) {
    values[i] = static_cast<T>(kEdges[i]);
  }
  values[kEdges.size()] = std::numeric_limits<T>::infinity();
  values[kEdges.size() + 1] = -std::numeric_limits<T>::infinity();
  values[kEdges.size() + 2] = std::numeric_limits<T>::quiet_NaN();
  return literal;
}

std::string NameOf(Opcode opcode) { return std::string(hlo::TextOf(opcode)); }

// All functions for one type of the form in registers.
CompiledElements CompileRows(ElementType type, int lanes) {
  CompiledElements compiled;
  for (const UnaryRow& row : kUnaryRows) {
    compiled.Add(NameOf(row.opcode), {type}, type, lanes,
                 [&](ScalarEmitter&, llvm::IRBuilderBase& builder,
                     absl::Span<const ElementValue> operands) -> ElementValue {
                   return {row.emit(builder, operands[0].real), nullptr};
                 });
  }
  for (const BinaryRow& row : kBinaryRows) {
    compiled.Add(NameOf(row.opcode), {type, type}, type, lanes,
                 [&](ScalarEmitter&, llvm::IRBuilderBase& builder,
                     absl::Span<const ElementValue> operands) -> ElementValue {
                   return {
                       row.emit(builder, operands[0].real, operands[1].real),
                       nullptr};
                 });
  }
  compiled.Compile();
  return compiled;
}

template <typename T>
void CheckRows(int lanes, int64_t count, uint64_t seed) {
  const ElementType type = hlo::ElementTypeOf<T>();
  const CompiledElements compiled = CompileRows(type, lanes);
  const hlo::Literal x = Samples<T>(count, seed);
  const hlo::Literal y = Samples<T>(count, seed + 1);
  const auto xs = x.data<T>();
  const auto ys = y.data<T>();
  for (const UnaryRow& row : kUnaryRows) {
    const hlo::Literal result = compiled.Run(NameOf(row.opcode), {x}, type);
    const auto got = result.data<T>();
    WorstError<T> worst;
    for (size_t i = 0; i < xs.size(); ++i) {
      const double error = sizeof(T) == 4
                               ? ErrorInUlps(got[i], row.in_double(xs[i]))
                               : ErrorInUlps(got[i], row.in_extended(xs[i]));
      worst.Note(error, xs[i], 0, got[i]);
    }
    INFO(NameOf(row.opcode) << ": " << worst.Text());
    CHECK(worst.ulps <= hlo::InfoOf(row.opcode).max_ulps);
  }
  for (const BinaryRow& row : kBinaryRows) {
    const hlo::Literal result = compiled.Run(NameOf(row.opcode), {x, y}, type);
    const auto got = result.data<T>();
    WorstError<T> worst;
    // Extended precision is slow.
    for (size_t i = 0; i < std::min<size_t>(xs.size(), 200000); ++i) {
      worst.Note(ErrorInUlps(got[i], row.reference(xs[i], ys[i])), xs[i], ys[i],
                 got[i]);
    }
    INFO(NameOf(row.opcode) << ": " << worst.Text());
    CHECK(worst.ulps <= hlo::InfoOf(row.opcode).max_ulps);
  }
}

// All numbers of a 16-bit type, in one array.
template <typename T>
hlo::Literal AllNumbers() {
  hlo::Literal literal(hlo::Shape::Array(hlo::ElementTypeOf<T>(), {65536}));
  const auto values = literal.mutable_data<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = T::FromBits(static_cast<uint16_t>(i));
  }
  return literal;
}

// The result is the nearest number, or next to it where float's error decides.
template <typename T>
bool IsNearest(T got, double want) {
  const T rounded = T::FromDouble(want);
  if (rounded.is_nan() || got.is_nan()) return rounded.is_nan() && got.is_nan();
  if (rounded.bits() == got.bits()) return true;
  const int distance = int{rounded.bits()} - int{got.bits()};
  return std::abs(distance) == 1;
}

template <typename T>
void CheckNarrowRows() {
  const ElementType type = hlo::ElementTypeOf<T>();
  CompiledElements compiled;
  for (const UnaryRow& row : kUnaryRows) {
    compiled.Add(NameOf(row.opcode), {type}, type, 16,
                 [&](ScalarEmitter& emitter, llvm::IRBuilderBase& builder,
                     absl::Span<const ElementValue> operands) {
                   const ElementValue value = {
                       row.emit(builder, operands[0].real), nullptr};
                   return emitter.Convert(value, ElementType::kF32, type);
                 });
  }
  compiled.Compile();
  const hlo::Literal x = AllNumbers<T>();
  const auto xs = x.data<T>();
  for (const UnaryRow& row : kUnaryRows) {
    const hlo::Literal result = compiled.Run(NameOf(row.opcode), {x}, type);
    const auto got = result.data<T>();
    size_t wrong = 0;
    size_t first = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      if (IsNearest(got[i], row.in_double(static_cast<double>(xs[i]))))
        continue;
      if (wrong++ == 0) first = i;
    }
    INFO(NameOf(row.opcode) << " at " << static_cast<double>(xs[first]) << ": "
                            << static_cast<double>(got[first]));
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("codegen: math functions of f32 keep their error bounds") {
  CheckRows<float>(16, 1 << 20, 1);
}

TEST_CASE("codegen: math functions of f64 keep their error bounds") {
  CheckRows<double>(8, 100000, 2);
}

TEST_CASE("codegen: math functions of scalars keep their error bounds") {
  CheckRows<float>(1, 20000, 3);
  CheckRows<double>(1, 20000, 4);
}

TEST_CASE("codegen: math functions of 16-bit floats take all numbers") {
  CheckNarrowRows<Float16>();
  CheckNarrowRows<BFloat16>();
}

TEST_CASE("codegen: math functions keep their error bounds at length",
          "[.slow]") {
  for (uint64_t seed = 10; seed < 40; seed += 2) {
    CheckRows<float>(16, 1 << 22, seed);
    CheckRows<double>(4, 1 << 21, seed);
  }
}

}  // namespace hilo::backends
