// That an element-wise result does not depend on the size of its array (case
// 84 of the bug reports): vector bodies and remainders must agree.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "backends/registry.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "jit/client.h"

namespace hilo {
namespace {

// Numbers around 0, with fractions and of all sizes that functions tell apart.
float Number(int64_t i) {
  const float number = static_cast<float>(i % 23 - 11) / 4;
  return i % 7 == 3 ? number * 1000 : number;
}

std::vector<hlo::Literal> Arguments(absl::Span<const int64_t> sizes) {
  std::vector<hlo::Literal> arguments;
  for (const int64_t size : sizes) {
    std::vector<float> numbers;
    numbers.reserve(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) numbers.push_back(Number(i));
    arguments.push_back(hlo::Literal::Array<float>({size}, numbers));
  }
  return arguments;
}

// Applies `expression`, of an operand's name, to arrays of all the sizes.
template <typename Expression>
std::string ModuleText(absl::Span<const int64_t> sizes,
                       const Expression& expression) {
  std::string text = "HloModule m\nENTRY e {\n";
  std::vector<std::string> shapes;
  std::vector<std::string> names;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const std::string shape = absl::StrCat("f32[", sizes[i], "]");
    const std::string operand = absl::StrCat("x", i);
    names.push_back(absl::StrCat("r", i));
    shapes.push_back(shape);
    absl::StrAppend(&text, "  ", operand, " = ", shape, " parameter(", i,
                    ")\n  ", names.back(), " = ", shape, " ",
                    expression(operand), "\n");
  }
  absl::StrAppend(&text, "  ROOT r = (", absl::StrJoin(shapes, ", "),
                  ") tuple(", absl::StrJoin(names, ", "), ")\n}\n");
  return text;
}

// The same bits, but any two NaN are equal.
bool AreEqual(float a, float b) {
  if (std::isnan(a)) return std::isnan(b);
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

// Whether each result is the beginning of the last.
bool AreBeginningsOfTheLast(const std::vector<hlo::Literal>& results) {
  const absl::Span<const float> longest = results.back().data<float>();
  return std::ranges::all_of(results, [longest](const hlo::Literal& result) {
    const absl::Span<const float> values = result.data<float>();
    return std::equal(values.begin(), values.end(), longest.begin(), AreEqual);
  });
}

std::vector<hlo::Literal> Run(absl::string_view backend,
                              const std::string& text,
                              absl::Span<const int64_t> sizes) {
  const auto client = Client::Create({.backend = std::string(backend)}).value();
  const auto executable = client->Compile(text).value();
  return executable->RunLiterals(Arguments(sizes)).value();
}

bool IsFunctionOfFloats(hlo::Opcode opcode) {
  const hlo::OpcodeInfo& info = hlo::InfoOf(opcode);
  return hlo::IsElementwiseUnary(opcode) &&
         hlo::Contains(info.types, hlo::ElementType::kF32) &&
         !info.Has(hlo::kPredicateResult);
}

TEST_CASE("unary functions do not depend on the size of the array") {
  const std::vector<int64_t> sizes = {1,  2,  3,  4,   5,   7,  8,
                                      9,  15, 16, 17,  31,  33, 49,
                                      50, 64, 65, 127, 199, 200};
  for (const backends::BackendInfo& backend : backends::Backends()) {
    CAPTURE(backend.name);
    for (int i = 0; i < hlo::kOpcodeCount; ++i) {
      const auto opcode = static_cast<hlo::Opcode>(i);
      if (!IsFunctionOfFloats(opcode)) continue;
      CAPTURE(hlo::TextOf(opcode));
      const std::string text =
          ModuleText(sizes, [opcode](absl::string_view operand) {
            return absl::StrCat(hlo::TextOf(opcode), "(", operand, ")");
          });
      CHECK(AreBeginningsOfTheLast(Run(backend.name, text, sizes)));
    }
  }
}

TEST_CASE("arc tangents are the same in arrays of all sizes up to 200") {
  std::vector<int64_t> sizes(200);
  std::iota(sizes.begin(), sizes.end(), 1);
  const std::string text = ModuleText(sizes, [](absl::string_view operand) {
    return absl::StrCat("atan2(", operand, ", exponential(", operand, "))");
  });
  for (const backends::BackendInfo& backend : backends::Backends()) {
    CAPTURE(backend.name);
    CHECK(AreBeginningsOfTheLast(Run(backend.name, text, sizes)));
  }
}

}  // namespace
}  // namespace hilo
