// Fills arrays with special and ordinary values.
#include "tests/conformance/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "jit/fuzzing/random_source.h"
#include "jit/generated_inputs.h"
#include "runtime/base/numeric_types.h"

namespace hilo::tests {
namespace {

using fuzzing::RandomSource;
using hlo::Literal;
using hlo::Shape;

// A number of any magnitude.
template <typename T>
T AnyNumber(RandomSource& random) {
  using Traits = NumericTraits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return random.Chance(50);
  } else if constexpr (Traits::is_complex) {
    using Part = T::value_type;
    const Part real = AnyNumber<Part>(random);
    return {real, AnyNumber<Part>(random)};
  } else if constexpr (Traits::is_integer) {
    return ConvertElement<T>(random.Next() >> random.Below(61));
  } else {
    const int64_t exponents =
        std::min<int64_t>(int64_t{1} << Traits::exponent_bits, 2000);
    const auto exponent =
        static_cast<int>(random.Below(exponents) - exponents / 2);
    const double unit = static_cast<double>(random.Next() >> 11) * 0x1p-52 - 1;
    return ConvertElement<T>(std::ldexp(unit, exponent));
  }
}

Literal SpecialInput(const Shape& shape, uint64_t seed) {
  Literal literal = GenerateInput(
      shape, 0, seed, InputSettings{.scale = 4, .offset = 0, .range = {}});
  hlo::DispatchElementType(shape.element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    constexpr int64_t kEdges = 144;
    const Literal edges =
        EdgeInput(Shape::Array(shape.element_type(), {kEdges}));
    RandomSource random(seed);
    for (T& element : literal.mutable_data<T>()) {
      const int64_t kind = random.Below(3);
      if (kind == 0) element = edges.data<T>()[random.Below(kEdges)];
      if (kind == 1) element = AnyNumber<T>(random);
    }
  });
  return literal;
}

template <typename T>
T ConjugateOf(T value) {
  if constexpr (NumericTraits<T>::is_complex) {
    return std::conj(value);
  } else {
    return value;
  }
}

// Adds the conjugate transpose and the size to each matrix of a row-major
// batch.
template <typename T>
void MakeDefinite(absl::Span<T> elements, int64_t size) {
  const int64_t area = size * size;
  for (int64_t at = 0; at + area <= static_cast<int64_t>(elements.size());
       at += std::max<int64_t>(area, 1)) {
    const auto matrix = elements.subspan(at, area);
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        matrix[j * size + i] = ConjugateOf(matrix[i * size + j]);
      }
      matrix[i * size + i] = ConvertElement<T>(static_cast<double>(2 * size));
    }
    if (area == 0) return;
  }
}

Literal DefiniteInput(const Shape& shape, uint64_t seed) {
  Literal literal = GenerateInput(
      shape, 0, seed, InputSettings{.scale = 1, .offset = 0, .range = {}});
  hlo::DispatchElementType(shape.element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    MakeDefinite(literal.mutable_data<T>(), shape.dimensions().back());
  });
  return literal;
}

}  // namespace

Literal ConformanceInput(const Shape& shape, absl::string_view kind,
                         uint64_t seed) {
  if (kind.empty()) return SpecialInput(shape, seed);
  if (kind == "definite") return DefiniteInput(shape, seed);
  InputSettings settings;
  const bool is_wide = hlo::InfoOf(shape.element_type()).bits >= 8;
  double number = 0;
  if (kind == "plain") {
    settings.scale = 2;
    if (is_wide) settings.range = 10;
  } else if (kind == "unit") {
    settings.scale = 0.5;
    settings.offset = 1;
    settings.range = is_wide ? 3 : 1;
  } else if (absl::ConsumePrefix(&kind, "index") &&
             absl::SimpleAtod(kind, &number)) {
    settings.offset = -2;
    settings.range = number + 4;
  } else if (absl::ConsumePrefix(&kind, "below") &&
             absl::SimpleAtod(kind, &number)) {
    settings.range = number;
  }
  return GenerateInput(shape, 0, seed, settings);
}

}  // namespace hilo::tests
