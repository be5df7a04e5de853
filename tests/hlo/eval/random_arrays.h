// Arrays for tests of numeric operations, and evaluation of one instruction.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "hlo/eval/evaluator.h"
#include "hlo/ir/literal.h"
#include "hlo/text/parser.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo {

// splitmix64.
class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  // lowest ... highest.
  int64_t Integer(int64_t lowest, int64_t highest) {
    return lowest + static_cast<int64_t>(Next() % (highest - lowest + 1));
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53 * 2 - 1; }

 private:
  uint64_t state_;
};

// Small integers, which most element types hold exactly.
template <typename T>
std::vector<T> SmallIntegers(int64_t count, RandomNumbers& random) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (NumericTraits<T>::is_complex) {
      const auto real = static_cast<double>(random.Integer(-2, 2));
      const auto imaginary = static_cast<double>(random.Integer(-2, 2));
      values.push_back(
          ConvertElement<T>(std::complex<double>(real, imaginary)));
    } else {
      values.push_back(
          ConvertElement<T>(static_cast<float>(random.Integer(-2, 2))));
    }
  }
  return values;
}

// Numbers in [-1, 1), and for complex types in both parts.
template <typename T>
std::vector<T> UnitNumbers(int64_t count, RandomNumbers& random) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (NumericTraits<T>::is_complex) {
      using Part = NumericTraits<T>::Part;
      const auto real = static_cast<Part>(random.Unit());
      values.push_back({real, static_cast<Part>(random.Unit())});
    } else {
      values.push_back(static_cast<T>(random.Unit()));
    }
  }
  return values;
}

// An array of the values; std::vector<bool> too.
template <typename T>
Literal ArrayOf(absl::Span<const int64_t> dimensions,
                const std::vector<T>& values) {
  Literal literal(Shape::Array(ElementTypeOf<T>(), dimensions));
  const absl::Span<T> data = literal.mutable_data<T>();
  REQUIRE(data.size() == values.size());
  for (size_t i = 0; i < data.size(); ++i) data[i] = values[i];
  return literal;
}

// The value of an instruction such as "f32[2] add(x, y)" whose operands x, y,
// z and u are the arguments.
inline absl::StatusOr<Literal> TryInstruction(absl::string_view instruction,
                                              std::vector<Literal> arguments) {
  std::string text = "HloModule m\nENTRY e {\n";
  constexpr absl::string_view kNames = "xyzu";
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::StrAppend(&text, kNames.substr(i, 1), " = ",
                    ToString(arguments[i].shape()), " parameter(", i, ")\n");
  }
  absl::StrAppend(&text, "ROOT r = ", instruction, "\n}\n");
  absl::StatusOr<std::unique_ptr<Module>> module = Parse(text);
  if (!module.ok()) return module.status();
  return Evaluate(**module, std::move(arguments));
}

inline Literal RunInstruction(absl::string_view instruction,
                              std::vector<Literal> arguments) {
  absl::StatusOr<Literal> result =
      TryInstruction(instruction, std::move(arguments));
  INFO(instruction);
  INFO(result.status().ToString());
  REQUIRE(result.ok());
  return *std::move(result);
}

}  // namespace hilo::hlo
