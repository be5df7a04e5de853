// What tests of structured operations share: computing results again.
#include "tests/hlo/eval/reference.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include <catch2/catch.hpp>

#include "hlo/eval/evaluator.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "tests/hlo/eval/evaluate_text.h"

namespace hilo::hlo {
namespace {

std::string ModuleText(absl::string_view computations,
                       absl::string_view instruction,
                       const std::vector<std::string>& shapes) {
  std::string text =
      absl::StrCat("HloModule test\n", computations, "\nENTRY entry {\n");
  for (size_t i = 0; i < shapes.size(); ++i) {
    absl::StrAppend(&text, "  ", std::string(1, "xyzuvw"[i]), " = ", shapes[i],
                    " parameter(", i, ")\n");
  }
  absl::StrAppend(&text, "  ROOT result = ", instruction, "\n}\n");
  return text;
}

std::string WithoutSpaces(absl::string_view text) {
  return absl::StrReplaceAll(text, {{" ", ""}});
}

}  // namespace

std::string ApplyWith(absl::string_view computations,
                      absl::string_view instruction,
                      const std::vector<std::string>& arguments) {
  std::vector<std::string> shapes;
  shapes.reserve(arguments.size());
  for (const std::string& argument : arguments) {
    shapes.push_back(argument.substr(0, argument.find(' ')));
  }
  return WithoutSpaces(
      EvaluateText(ModuleText(computations, instruction, shapes), arguments));
}

void CheckRows(absl::string_view computations,
               const std::vector<ApplyRow>& rows) {
  for (const ApplyRow& row : rows) {
    CAPTURE(row.instruction, row.operands);
    CHECK(ApplyWith(computations, row.instruction, row.operands) ==
          WithoutSpaces(row.expected));
  }
}

Literal RunInstruction(absl::string_view computations,
                       absl::string_view instruction,
                       const std::vector<Literal>& operands) {
  std::vector<std::string> shapes;
  shapes.reserve(operands.size());
  for (const Literal& operand : operands) {
    shapes.push_back(ToString(operand.shape()));
  }
  const std::string text = ModuleText(computations, instruction, shapes);
  const absl::StatusOr<std::unique_ptr<Module>> module = Parse(text);
  INFO(text);
  REQUIRE(module.ok());
  absl::StatusOr<Literal> result = Evaluate(**module, operands);
  REQUIRE(result.ok());
  return *std::move(result);
}

std::string Reducer(absl::string_view name, absl::string_view type,
                    absl::string_view opcode) {
  return absl::StrCat(name, " {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                      "[] parameter(1)\n  ROOT r = ", type, "[] ", opcode,
                      "(a, b)\n}\n");
}

int64_t Product(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

std::vector<int64_t> SomeNumbers(int64_t count, int64_t limit, int64_t seed) {
  std::vector<int64_t> numbers;
  uint64_t state = 2654435769U + static_cast<uint64_t>(seed);
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    numbers.push_back(
        static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(limit)));
  }
  return numbers;
}

Literal SomeBytes(const Shape& shape, int64_t seed) {
  Literal literal(shape);
  const std::vector<int64_t> bytes =
      SomeNumbers(literal.size_bytes(), 256, seed);
  std::byte* elements = literal.mutable_untyped_data();
  for (size_t i = 0; i < bytes.size(); ++i) {
    elements[i] = static_cast<std::byte>(bytes[i]);
  }
  return literal;
}

void ForEachIndex(absl::Span<const int64_t> dimensions,
                  absl::FunctionRef<void(absl::Span<const int64_t>)> f) {
  for (const int64_t dimension : dimensions) {
    if (dimension == 0) return;
  }
  std::vector<int64_t> index(dimensions.size(), 0);
  while (true) {
    f(index);
    size_t i = dimensions.size();
    while (i > 0 && ++index[i - 1] == dimensions[i - 1]) index[--i] = 0;
    if (i == 0) return;
  }
}

int64_t PositionOf(absl::Span<const int64_t> dimensions,
                   absl::Span<const int64_t> index) {
  int64_t position = 0;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (index[i] < 0 || index[i] >= dimensions[i]) return -1;
    position = position * dimensions[i] + index[i];
  }
  return position;
}

Literal MoveElements(
    const Shape& shape, const Literal& source, const Literal& otherwise,
    absl::FunctionRef<int64_t(absl::Span<const int64_t>)> position) {
  Literal result(shape);
  const int64_t bytes = StorageBytes(shape.element_type());
  std::byte* to = result.mutable_untyped_data();
  ForEachIndex(shape.dimensions(), [&](absl::Span<const int64_t> index) {
    const int64_t from = position(index);
    std::memcpy(to,
                from < 0 ? otherwise.untyped_data()
                         : source.untyped_data() + from * bytes,
                bytes);
    to += bytes;
  });
  return result;
}

}  // namespace hilo::hlo
