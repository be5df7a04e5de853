// Operands: names, implicit tuple elements and nested instructions.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/lexer.h"
#include "hlo/text/module_parser.h"
#include "hlo/text/name_scope.h"
#include "hlo/text/shape_parser.h"
#include "hlo/text/token_reader.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {
// Reads operands up to, not including, the ")". A comma may stand at the end.
bool ModuleParser::ParseOperands(NameScope& scope, Statement& statement) {
  while (!reader_.Is(TokenKind::kRightParen)) {
    if (!ParseOperand(scope, statement)) return false;
    if (!reader_.Accept(TokenKind::kComma)) break;
  }
  return true;
}

bool ModuleParser::ParseOperand(NameScope& scope, Statement& statement) {
  const int64_t place = reader_.offset();
  Shape declared;
  const bool has_shape = StartsShape(reader_);
  if (has_shape && !ParseShape(reader_, &declared)) return false;
  Instruction* operand = nullptr;
  bool ok = false;
  if (reader_.Is(TokenKind::kIdentifier) &&
      reader_.Peek().kind == TokenKind::kLeftParen) {
    ok = ParseAnonymousOperand(scope, has_shape ? &declared : nullptr, place,
                               &operand);
  } else if (IsNameKind(reader_.kind())) {
    ok = ParseNamedOperand(scope, has_shape ? &declared : nullptr, place,
                           &operand);
  } else if (has_shape && makes_parameters_) {
    ok = AddMissingParameter(
        scope, declared,
        absl::StrCat("_", scope.computation->parameter_count()), place,
        &operand);
  } else {
    return reader_.FailExpected("an operand");
  }
  if (!ok) return false;
  if (operand == nullptr) statement.poisoned = true;
  statement.operands.push_back(operand);
  statement.operand_offsets.push_back(place);
  return true;
}

bool ModuleParser::ParseNamedOperand(NameScope& scope, const Shape* declared,
                                     int64_t place, Instruction** operand) {
  const Token token = reader_.token();
  if (makes_parameters_ && declared != nullptr &&
      !scope.names.contains(token.text)) {
    reader_.Advance();
    return AddMissingParameter(scope, *declared, token.text, token.offset,
                               operand);
  }
  if (!FindInstruction(scope, token, operand)) return false;
  reader_.Advance();
  if (reader_.Is(TokenKind::kHash) && !ParseElementIndices(scope, operand)) {
    return false;
  }
  if (declared == nullptr || *operand == nullptr) return true;
  if (Compatible(*declared, (*operand)->shape())) return true;
  Diagnostic& error = reader_.diagnostics().Error(
      place, absl::StrCat("operand ", Quoted(token.text), " is declared as ",
                          ToString(*declared, false), " but is ",
                          ToString((*operand)->shape(), false)));
  error.notes.push_back({.severity = Severity::kNote,
                         .offset = (*operand)->source_offset(),
                         .message = "it is defined here",
                         .remedy = {},
                         .notes = {}});
  return false;
}

// Reads "#1#0": elements of nested tuples.
bool ModuleParser::ParseElementIndices(NameScope& scope,
                                       Instruction** operand) {
  while (reader_.Accept(TokenKind::kHash)) {
    const int64_t place = reader_.offset();
    int64_t index = 0;
    if (!reader_.ReadInt(&index, "an element's index")) return false;
    if (*operand == nullptr) continue;
    const Shape& shape = (*operand)->shape();
    if (!shape.IsTuple() || index < 0 || index >= shape.element_count()) {
      return reader_.Fail(place,
                          absl::StrCat("there is no element ", index, " in ",
                                       ToString(shape, /*with_layout=*/false)));
    }
    *operand = TupleElement(scope, *operand, index);
  }
  return true;
}

// The get-tuple-element that "tuple#index" stands for, one per computation.
Instruction* ModuleParser::TupleElement(NameScope& scope, Instruction* tuple,
                                        int64_t index) {
  Instruction*& element = scope.elements[{tuple->id(), index}];
  if (element != nullptr) return element;
  element = scope.computation->Add(Opcode::kGetTupleElement,
                                   tuple->shape().element(index));
  element->set_name(absl::StrCat(tuple->name(), "_", index));
  element->set_source_offset(reader_.offset());
  element->AppendOperand(tuple);
  element->set_index(index);
  return element;
}

// Reads a nested instruction, which has no attributes.
bool ModuleParser::ParseAnonymousOperand(NameScope& scope, Shape* declared,
                                         int64_t place, Instruction** operand) {
  const Nesting nesting(reader_);
  if (!nesting.ok()) return false;
  Statement statement;
  statement.name_offset = reader_.offset();
  if (declared != nullptr) {
    statement.has_shape = true;
    statement.shape = std::move(*declared);
    statement.shape_offset = place;
  }
  if (!ParseRightSide(scope, statement, /*with_attributes=*/false) ||
      !CheckStatement(statement)) {
    return false;
  }
  *operand = Build(scope, statement);
  if (*operand == nullptr) return statement.poisoned;
  const Opcode opcode =
      statement.is_async_sugar ? statement.wrapped : (*operand)->opcode();
  (*operand)->set_name(absl::StrCat(TextOf(opcode), ".anon"));
  return true;
}

// In the form of a single instruction, an operand that is only a shape.
bool ModuleParser::AddMissingParameter(NameScope& scope, const Shape& shape,
                                       absl::string_view name, int64_t place,
                                       Instruction** operand) {
  const int64_t number = scope.computation->parameter_count();
  *operand = scope.computation->AddParameter(number, shape);
  (*operand)->set_name(std::string(name));
  (*operand)->set_source_offset(place);
  scope.parameter_offsets.push_back(place);
  // Only names of the text are looked up again.
  if (name.data() >= reader_.text().data() &&
      name.data() < reader_.text().data() + reader_.text().size()) {
    scope.names.emplace(name, *operand);
  }
  return true;
}

bool ModuleParser::FindInstruction(NameScope& scope, const Token& token,
                                   Instruction** instruction) {
  const auto it = scope.names.find(token.text);
  if (it == scope.names.end()) return FailUnknownName(scope, token);
  *instruction = it->second;
  return true;
}

bool ModuleParser::FailUnknownName(NameScope& scope, const Token& token) {
  constexpr int64_t kMostCandidates = 2000;
  std::vector<absl::string_view> names;
  const int64_t count = scope.computation->instruction_count();
  for (int64_t i = std::max<int64_t>(0, count - kMostCandidates); i < count;
       ++i) {
    names.emplace_back(
        scope.computation->instruction(static_cast<InstructionId>(i))->name());
  }
  std::string remedy = SuggestNearest(token.text, names);
  const absl::string_view rest = reader_.text().substr(token.offset);
  const absl::string_view body = rest.substr(0, rest.find("\n}"));
  if (token.text.size() < 1000 &&
      body.find(absl::StrCat(token.text, " = ")) != absl::string_view::npos) {
    remedy = "its definition comes later: move it before this use";
  }
  reader_.Fail(
      token.offset,
      absl::StrCat("no instruction ", Quoted(token.text), " is defined here"),
      std::move(remedy));
  // One error a name is enough.
  scope.names.emplace(token.text, nullptr);
  return false;
}

}  // namespace hilo::hlo
