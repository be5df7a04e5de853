// Names, types and layout of operations.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/print_table.h"
#include "hlo/stablehlo/print_values.h"
#include "hlo/stablehlo/printer.h"
#include "hlo/text/print_attribute.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {
namespace {

using hlo::Instruction;
using hlo::Shape;

// What may stand behind "%".
std::string ValueName(absl::string_view wanted) {
  std::string name;
  if (wanted.empty() ||
      absl::ascii_isdigit(static_cast<unsigned char>(wanted[0]))) {
    name = "v";
  }
  for (const char c : wanted) {
    const bool is_good =
        absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
        absl::string_view("$._-").find(c) != absl::string_view::npos;
    name.push_back(is_good ? c : '_');
  }
  return name;
}

// "(tensor<f32>, tensor<i32>) -> tensor<f32>".
std::string FunctionTypeText(const std::vector<std::string>& operands,
                             const std::vector<std::string>& results) {
  const bool is_bare = results.size() == 1;
  return absl::StrCat("(", absl::StrJoin(operands, ", "), ") -> ",
                      is_bare ? "" : "(", absl::StrJoin(results, ", "),
                      is_bare ? "" : ")");
}

std::string DictionaryText(absl::string_view open,
                           std::vector<std::string> entries,
                           absl::string_view close) {
  if (entries.empty()) return "";
  std::ranges::sort(entries);
  return absl::StrCat(open, absl::StrJoin(entries, ", "), close);
}

}  // namespace

void Printer::Error(const Instruction& instruction, absl::string_view reason) {
  diagnostics_->Error(
      instruction.source_offset(),
      absl::StrCat(TextOf(instruction.opcode()), " '", instruction.name(),
                   "' of ", ToString(instruction.shape(), false),
                   " has no form in StableHLO: ", reason));
}

void Printer::Refuse(const Instruction& instruction, absl::string_view reason) {
  Error(instruction, reason);
  SetValues(instruction, NoValues(LeafTypes(instruction.shape())));
}

std::string Printer::NewName(absl::string_view wanted) {
  const std::string name = ValueName(wanted);
  std::string unique = name;
  while (!names_.try_emplace(unique, 0).second) {
    unique = absl::StrCat(name, "_", names_[name]++);
  }
  return unique;
}

Printer::Values Printer::NewValues(absl::string_view wanted,
                                   absl::Span<const std::string> types) {
  Values values;
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string suffix = types.size() == 1 ? "" : absl::StrCat("_", i);
    values.push_back(
        {.name = absl::StrCat("%", NewName(absl::StrCat(wanted, suffix))),
         .type = types[i]});
  }
  return values;
}

Printer::Values Printer::NoValues(const std::vector<std::string>& types) {
  Values values;
  for (const std::string& type : types) {
    values.push_back({.name = "", .type = type});
  }
  return values;
}

std::vector<std::string> Printer::LeafTypes(const Shape& shape) {
  if (!shape.IsTuple()) return {TypeText(shape)};
  std::vector<std::string> types;
  for (const Shape* leaf : shape.Leaves()) types.push_back(TypeText(*leaf));
  return types;
}

int64_t Printer::LeafCount(const Shape& shape) {
  return shape.IsTuple() ? static_cast<int64_t>(shape.Leaves().size()) : 1;
}

Printer::Values Printer::ElementOf(const Instruction& tuple,
                                   int64_t index) const {
  const Shape& shape = tuple.shape();
  int64_t first = 0;
  for (int64_t i = 0; i < index; ++i) first += LeafCount(shape.element(i));
  const auto begin = ValuesOf(tuple).begin() + first;
  return {begin, begin + LeafCount(shape.element(index))};
}

Printer::Values Printer::OperandsOf(const Instruction& instruction) const {
  Values operands;
  for (const Instruction* operand : instruction.operands()) {
    const Values& leaves = ValuesOf(*operand);
    operands.insert(operands.end(), leaves.begin(), leaves.end());
  }
  return operands;
}

std::vector<std::string> Printer::NotesOf(const Instruction& instruction) {
  std::vector<std::string> notes;
  if (instruction.has_sharding()) {
    std::string text;
    hlo::AppendSharding(instruction.sharding(), &text);
    notes.push_back(absl::StrCat("mhlo.sharding = ", StringText(text)));
  }
  if (instruction.has_frontend_attributes()) {
    std::vector<std::string> entries;
    for (const auto& [key, value] : instruction.frontend_attributes()) {
      entries.push_back(absl::StrCat(KeyText(key), " = ", StringText(value)));
    }
    notes.push_back(absl::StrCat("mhlo.frontend_attributes = {",
                                 absl::StrJoin(entries, ", "), "}"));
  }
  return notes;
}

Printer::Operation Printer::OperationOf(const Instruction& instruction,
                                        std::string name,
                                        OperationForm form) const {
  return {.instruction = &instruction,
          .name = std::move(name),
          .form = form,
          .notes = NotesOf(instruction),
          .operands = OperandsOf(instruction),
          .result_name = instruction.name(),
          .result_types = LeafTypes(instruction.shape())};
}

bool Printer::CanPrint(const Operation& operation) {
  // After another error, or of what async-start and the like give besides
  // results.
  if (!std::ranges::all_of(operation.operands, [](const Value& operand) {
        return !operand.name.empty();
      })) {
    if (!diagnostics_->has_errors()) {
      Error(*operation.instruction,
            "it has no contexts of asynchronous operations");
    }
    return false;
  }
  if (std::ranges::count(operation.result_types, "") > 0) {
    Error(*operation.instruction, "it has no such type");
    return false;
  }
  return true;
}

Printer::Values Printer::Print(const Operation& operation) {
  if (!CanPrint(operation)) return NoValues(operation.result_types);
  Values results = PrintResultNames(operation);
  const OperationDetails& details = operation.details;
  if (operation.form == OperationForm::kGeneric) {
    absl::StrAppend(&text_, "\"", operation.name, "\"(",
                    absl::StrJoin(operation.operands, ", ",
                                  [](std::string* out, const Value& operand) {
                                    out->append(operand.name);
                                  }),
                    ")", DictionaryText(" <{", details.entries, "}>"));
    PrintRegions(operation.regions);
    text_.append(DictionaryText(" {", operation.notes, "}"));
  } else {
    PrintPretty(operation);
  }
  text_.append(" : ");
  PrintTypes(operation);
  EndLine(*operation.instruction);
  return results;
}

// name BEFORE operands AFTER {attributes}
void Printer::PrintPretty(const Operation& operation) {
  const OperationDetails& details = operation.details;
  std::string operands = absl::StrJoin(
      operation.operands, ", ", [](std::string* out, const Value& operand) {
        out->append(operand.name);
      });
  if (details.has_parentheses) operands = absl::StrCat("(", operands, ")");
  const std::string body = absl::StrCat(details.before, operands);
  const bool is_close = body.empty() || body[0] == '(';
  std::vector<std::string> entries = details.entries;
  entries.insert(entries.end(), operation.notes.begin(), operation.notes.end());
  absl::StrAppend(&text_, operation.name, is_close ? "" : " ", body,
                  details.after, DictionaryText(" {", std::move(entries), "}"));
}

Printer::Value Printer::PrintStep(const Instruction& instruction,
                                  std::string name, const Value& operand,
                                  std::string after, const Shape& result) {
  return Print({.instruction = &instruction,
                .name = std::move(name),
                .form = OperationForm::kFunctionType,
                .details = {.before = "", .after = std::move(after)},
                .operands = {operand},
                .result_name = instruction.name(),
                .result_types = {TypeText(result)}})[0];
}

Printer::Values Printer::PrintResultNames(const Operation& operation) {
  StartLine();
  const size_t count = operation.result_types.size();
  if (count == 0) return {};
  const std::string name = NewName(operation.result_name);
  Values results = NoValues(operation.result_types);
  for (size_t i = 0; i < count; ++i) {
    results[i].name =
        count == 1 ? absl::StrCat("%", name) : absl::StrCat("%", name, "#", i);
  }
  absl::StrAppend(&text_, "%", name, count == 1 ? "" : absl::StrCat(":", count),
                  " = ");
  return results;
}

void Printer::PrintRegions(const std::vector<Region>& regions) {
  if (regions.empty()) return;
  text_.append(" (");
  for (const Region& region : regions) {
    if (&region != &regions.front()) text_.append(", ");
    text_.append("{\n");
    PrintRegion(region);
    StartLine();
    text_.push_back('}');
  }
  text_.push_back(')');
}

// What stands between the braces.
void Printer::PrintRegion(const Region& region) {
  // Readers do not nest deeper.
  constexpr int kMaxDepth = 60;
  const hlo::Computation& computation = *region.computation;
  if (depth_ >= kMaxDepth) {
    if (!has_given_up_) {
      Error(*computation.root(),
            absl::StrCat("regions are nested more than ", kMaxDepth, " deep"));
    }
    has_given_up_ = true;
    return;
  }
  std::vector<Values> arguments;
  if (region.parameters == nullptr) {
    std::vector<std::string> texts;
    for (const Instruction* parameter : computation.parameters()) {
      arguments.push_back(
          NewValues(parameter->name(), LeafTypes(parameter->shape())));
      for (const Value& leaf : arguments.back()) {
        texts.push_back(absl::StrCat(leaf.name, ": ", leaf.type));
      }
    }
    if (!texts.empty()) {
      StartLine();
      absl::StrAppend(&text_, "^bb0(", absl::StrJoin(texts, ", "), "):\n");
    }
  }
  ++depth_;
  PrintBody(computation,
            region.parameters == nullptr ? arguments : *region.parameters,
            "stablehlo.return");
  --depth_;
}

void Printer::PrintTypes(const Operation& operation) {
  std::vector<std::string> operands;
  for (const Value& operand : operation.operands) {
    operands.push_back(operand.type);
  }
  const std::vector<std::string>& results = operation.result_types;
  const bool is_one_type =
      results.size() == 1 && std::ranges::all_of(operands, [&](const auto& t) {
        return t == results[0];
      });
  switch (operation.form) {
    case OperationForm::kOneType:
      text_.append(is_one_type ? results[0]
                               : FunctionTypeText(operands, results));
      return;
    case OperationForm::kFunctionType:
    case OperationForm::kGeneric:
      text_.append(FunctionTypeText(operands, results));
      return;
    case OperationForm::kFirstAndResult:
      absl::StrAppend(&text_, operands[0], ", ", results[0]);
      return;
    case OperationForm::kResultTypes:
      text_.append(absl::StrJoin(results, ", "));
      return;
    case OperationForm::kArrow:
      absl::StrAppend(&text_, absl::StrJoin(operands, ", "), " -> ",
                      results.size() == 1 ? "" : "(",
                      absl::StrJoin(results, ", "),
                      results.size() == 1 ? "" : ")");
      return;
  }
}

void Printer::StartLine() {
  // Modules and functions are two levels.
  text_.append(2 * static_cast<size_t>(depth_ + 2), ' ');
}

void Printer::EndLine(const Instruction& instruction) {
  absl::StrAppend(&text_, LocationText(instruction), "\n");
}

// "op_type:"("op_name"("file":1:2)).
std::string Printer::LocationText(const Instruction& instruction) const {
  if (!options_.metadata || !instruction.has_metadata()) return "";
  const hlo::Metadata& metadata = instruction.metadata();
  std::string text;
  if (!metadata.source_file.empty()) {
    text = absl::StrCat(StringText(metadata.source_file), ":",
                        metadata.source_line, ":", metadata.source_column);
    if (metadata.source_end_line != 0) {
      absl::StrAppend(&text, " to ", metadata.source_end_line, ":",
                      metadata.source_end_column);
    }
  }
  const auto add_name = [&](absl::string_view name) {
    text = text.empty() ? StringText(name)
                        : absl::StrCat(StringText(name), "(", text, ")");
  };
  if (!metadata.op_name.empty()) add_name(metadata.op_name);
  if (!metadata.op_type.empty()) add_name(absl::StrCat(metadata.op_type, ":"));
  return text.empty() ? "" : absl::StrCat(" loc(", text, ")");
}

}  // namespace hilo::stablehlo
