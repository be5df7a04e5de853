// Evaluates modules and instructions given as text.
#include "tests/hlo/eval/evaluate_text.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "hlo/eval/evaluator.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "hlo/text/printer.h"
#include "runtime/base/check.h"

namespace hilo::hlo {

Literal ParseTyped(absl::string_view text) {
  const size_t space = text.find(' ');
  HILO_CHECK(space != absl::string_view::npos) << "no value in " << text;
  const absl::StatusOr<Shape> shape = ParseShape(text.substr(0, space));
  HILO_CHECK(shape.ok()) << shape.status();
  absl::StatusOr<Literal> literal =
      ParseLiteral(text.substr(space + 1), *shape);
  HILO_CHECK(literal.ok()) << literal.status();
  return *std::move(literal);
}

std::string EvaluateText(absl::string_view text,
                         const std::vector<std::string>& arguments,
                         const EvaluatorOptions& options) {
  const absl::StatusOr<std::unique_ptr<Module>> module = Parse(text);
  if (!module.ok()) {
    return absl::StrCat("parse error: ", module.status().message());
  }
  std::vector<Literal> values;
  values.reserve(arguments.size());
  for (const std::string& argument : arguments) {
    values.push_back(ParseTyped(argument));
  }
  const absl::StatusOr<Literal> result =
      Evaluate(**module, std::move(values), options);
  if (!result.ok()) return absl::StrCat("error: ", result.status().message());
  return absl::StrReplaceAll(Print(*result), {{"-nan", "nan"}});
}

std::string Apply(absl::string_view instruction,
                  const std::vector<std::string>& arguments) {
  std::string text = "HloModule test\nENTRY entry {\n";
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string shape = arguments[i].substr(0, arguments[i].find(' '));
    absl::StrAppend(&text, "  ", std::string(1, "xyzuvw"[i]), " = ", shape,
                    " parameter(", i, ")\n");
  }
  absl::StrAppend(&text, "  ROOT result = ", instruction, "\n}\n");
  return EvaluateText(text, arguments);
}

void CheckApply(const std::vector<ApplyRow>& rows) {
  for (const ApplyRow& row : rows) {
    CAPTURE(row.instruction, row.operands);
    CHECK(Apply(row.instruction, row.operands) == row.expected);
  }
}

}  // namespace hilo::hlo
