// Writes the text of cases.
#include "tests/conformance/case.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "hlo/verify/verify.h"
#include "runtime/base/status.h"
#include "tests/conformance/computations.h"
#include "tests/conformance/inputs.h"
#include "tests/conformance/rows.h"

namespace hilo::tests {
namespace {

using hlo::ElementType;
using hlo::Shape;

constexpr std::array<absl::string_view, kShapeCount> kShapes = {
    "3,5", "17",   "",      "64",    "0",      "7",
    "1",   "4,32", "2,3,5", "2,0,3", "70,130", "5000"};

constexpr int kOtherParameters = 1;
constexpr int kOtherResults = 2;

std::string PartText(ElementType type) {
  return std::string(hlo::TextOf(hlo::ComponentType(type)));
}

std::string ComplexText(ElementType type) {
  return hlo::ComponentType(type) == ElementType::kF64 ? "c128" : "c64";
}

// The unsigned type of the same width.
std::string UnsignedText(ElementType type) {
  return absl::StrCat("u", hlo::InfoOf(type).bits);
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

absl::string_view WordAt(absl::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && IsWordCharacter(text[end])) ++end;
  return text.substr(at, end - at);
}

// Collects the parts of a module's text.
class ModuleWriter {
 public:
  explicit ModuleWriter(int layouts) : layouts_(layouts) {}

  // Errors: InvalidArgument for unknown computations; the parser's for shapes.
  absl::Status Add(const Case& test) {
    const std::string prefix = absl::StrCat("c", results_.size(), "_");
    std::vector<std::string> operands;
    for (size_t i = 0; i < test.row->operands.size(); ++i) {
      ASSIGN_OR_RETURN(std::string name, AddOperand(test, i));
      operands.push_back(std::move(name));
    }
    ASSIGN_OR_RETURN(const std::string body,
                     Replace(test, test.row->body, prefix, operands));
    const std::vector<std::string> lines = absl::StrSplit(body, '\n');
    for (size_t i = 0; i + 1 < lines.size(); ++i) {
      absl::StrAppend(&entry_, "  ", lines[i], "\n");
    }
    const std::string result = absl::StrCat(prefix, "result");
    absl::StrAppend(&entry_, "  ", result, " = ", lines.back(), "\n");
    results_.push_back(result);
    return absl::OkStatus();
  }

  std::string Text() const {
    return absl::StrCat("HloModule conformance\n", computations_, "ENTRY e {\n",
                        parameters_, entry_, "  ROOT root = tuple(",
                        absl::StrJoin(results_, ", "), ")\n}\n");
  }

  std::vector<hlo::Literal> TakeArguments() { return std::move(arguments_); }

 private:
  // The name of a parameter, which cases share that have the same operand.
  absl::StatusOr<std::string> AddOperand(const Case& test, size_t number) {
    ASSIGN_OR_RETURN(const std::string operand,
                     Replace(test, test.row->operands[number], "", {}));
    const std::vector<std::string> parts = absl::StrSplit(operand, ':');
    const std::string key = absl::StrCat(operand, "#", number);
    const auto [found, is_new] =
        names_.emplace(key, absl::StrCat("p", names_.size()));
    if (!is_new) return found->second;
    ASSIGN_OR_RETURN(Shape shape, hlo::ParseShape(parts[0]));
    if (!shape.IsArray()) return InvalidArgument(operand, " is no array");
    if ((layouts_ & kOtherParameters) != 0) ReverseLayout(shape);
    absl::StrAppend(&parameters_, "  ", found->second, " = ", ToString(shape),
                    " parameter(", names_.size() - 1, ")\n");
    arguments_.push_back(
        ConformanceInput(shape, parts.size() > 1 ? parts[1] : "", number + 1)
            .WithShape(shape));
    return found->second;
  }

  static void ReverseLayout(Shape& shape) {
    if (shape.rank() < 2) return;
    hlo::Layout layout;
    for (int64_t i = 0; i < shape.rank(); ++i) {
      layout.minor_to_major.push_back(i);
    }
    shape.set_layout(std::move(layout));
  }

  // `text` with the case's choices in place of $ and @.
  absl::StatusOr<std::string> Replace(const Case& test, absl::string_view text,
                                      absl::string_view prefix,
                                      absl::Span<const std::string> operands) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '$' && text[i] != '@') {
        result.push_back(text[i]);
        continue;
      }
      const absl::string_view word = WordAt(text, i + 1);
      if (text[i] == '@') {
        ASSIGN_OR_RETURN(const std::string name, AddComputation(test, word));
        result += name;
      } else {
        absl::StrAppend(&result, Meaning(test, word, prefix, operands));
      }
      i += word.size();
    }
    return result;
  }

  static std::string Meaning(const Case& test, absl::string_view word,
                             absl::string_view prefix,
                             absl::Span<const std::string> operands) {
    if (word == "T") return std::string(hlo::TextOf(test.type));
    if (word == "P") return PartText(test.type);
    if (word == "C") return ComplexText(test.type);
    if (word == "R") return UnsignedText(test.type);
    if (word == "S") return std::string(kShapes[test.shape]);
    const auto number = static_cast<size_t>(word[0] - '0');
    if (number < operands.size()) return operands[number];
    return absl::StrCat(prefix, word);
  }

  absl::StatusOr<std::string> AddComputation(const Case& test,
                                             absl::string_view word) {
    std::string name = absl::StrCat(word, "_", hlo::TextOf(test.type));
    if (!written_.insert(name).second) return name;
    const std::optional<std::string> body = ComputationBody(word);
    if (!body) return InvalidArgument("no computation '", word, "'");
    ASSIGN_OR_RETURN(const std::string lines, Replace(test, *body, "", {}));
    absl::StrAppend(&computations_, name, " {\n", lines, "\n}\n");
    return name;
  }

  int layouts_;
  std::string computations_;
  std::string parameters_;
  std::string entry_;
  std::vector<std::string> results_;
  std::vector<hlo::Literal> arguments_;
  std::map<std::string, std::string> names_;
  std::set<std::string> written_;
};

void ReverseResultLayouts(Shape& shape) {
  for (Shape& element : shape.mutable_elements()) ReverseResultLayouts(element);
  if (!shape.IsArray() || shape.rank() < 2) return;
  hlo::Layout layout;
  for (int64_t i = 0; i < shape.rank(); ++i) layout.minor_to_major.push_back(i);
  shape.set_layout(std::move(layout));
}

bool Mentions(const Row& row, absl::string_view placeholder) {
  for (const std::string& operand : row.operands) {
    if (absl::StrContains(operand, placeholder)) return true;
  }
  return absl::StrContains(row.body, placeholder);
}

}  // namespace

bool HasShapes(const Row& row) { return Mentions(row, "$S"); }

bool HasTypes(const Row& row) {
  return Mentions(row, "$T") || Mentions(row, "$R") || Mentions(row, "@");
}

std::string NameOf(const Case& test) {
  std::string name = absl::StrCat(hlo::TextOf(test.type), ": ", test.row->body);
  for (const std::string& operand : test.row->operands) {
    absl::StrAppend(&name, " ", operand);
  }
  if (HasShapes(*test.row)) absl::StrAppend(&name, " $S=", kShapes[test.shape]);
  absl::StrAppend(&name, " layouts ", test.layouts);
  return name;
}

absl::StatusOr<CaseModule> MakeModule(absl::Span<const Case> cases) {
  ModuleWriter writer(cases.front().layouts);
  for (const Case& test : cases) RETURN_IF_ERROR(writer.Add(test));
  CaseModule made;
  made.text = writer.Text();
  made.arguments = writer.TakeArguments();
  ASSIGN_OR_RETURN(made.module, hlo::Parse(made.text));
  if ((cases.front().layouts & kOtherResults) != 0) {
    hlo::EntryComputationLayout layout = made.module->entry_layout();
    ReverseResultLayouts(layout.result);
    made.module->header().entry_computation_layout = layout;
  }
  RETURN_IF_ERROR(hlo::Verify(*made.module));
  return made;
}

}  // namespace hilo::tests
