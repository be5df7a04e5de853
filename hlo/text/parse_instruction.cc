// Instructions and their attributes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ops/shape_inference.h"
#include "hlo/text/async_sugar.h"
#include "hlo/text/attribute_parser.h"
#include "hlo/text/lexer.h"
#include "hlo/text/literal_parser.h"
#include "hlo/text/module_parser.h"
#include "hlo/text/name_scope.h"
#include "hlo/text/parser.h"
#include "hlo/text/shape_parser.h"
#include "hlo/text/token_reader.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {
namespace {

// Finds the opcode of "add-start", and the base "add"; false for what is
// neither an asynchronous form nor the form of a wrappable opcode.
bool SplitAsyncOpcode(absl::string_view text, Opcode* opcode, Opcode* wrapped) {
  constexpr auto kSuffixes =
      std::to_array<std::pair<absl::string_view, Opcode>>({
          {"-start", Opcode::kAsyncStart},
          {"-update", Opcode::kAsyncUpdate},
          {"-done", Opcode::kAsyncDone},
      });
  for (const auto& [suffix, async_opcode] : kSuffixes) {
    if (text.size() <= suffix.size()) continue;
    const size_t base_size = text.size() - suffix.size();
    if (text.substr(base_size) != suffix) continue;
    const std::optional<Opcode> base =
        OpcodeFromText(text.substr(0, base_size));
    if (!base || HasNativeAsyncForm(*base)) return false;
    if (*base == Opcode::kParameter || *base == Opcode::kConstant ||
        *base == Opcode::kAsyncStart || *base == Opcode::kAsyncUpdate ||
        *base == Opcode::kAsyncDone) {
      return false;
    }
    *opcode = async_opcode;
    *wrapped = *base;
    return true;
  }
  return false;
}

// Whether some opcode takes the attribute.
bool IsKnownAttribute(absl::string_view text) {
  for (int i = 0; i < kAttributeCount; ++i) {
    if (TextOf(static_cast<AttributeId>(i)) == text) return true;
  }
  return false;
}

}  // namespace

const AttributeValue* Statement::Find(AttributeId id) const {
  for (const Attribute& attribute : attributes) {
    if (attribute.id == id) return &attribute.value;
  }
  return nullptr;
}

bool ModuleParser::ParseInstruction(NameScope& scope) {
  Statement statement;
  if (!ParseInstructionStart(statement)) return false;
  const bool ok = ParseRightSide(scope, statement, /*with_attributes=*/true) &&
                  CheckStatement(statement);
  Instruction* instruction = ok ? Build(scope, statement) : nullptr;
  const bool defined = DefineInstruction(scope, statement, instruction);
  // What only refers to earlier errors is no error; the computation is lost.
  if (ok && statement.poisoned) {
    scope.failed = true;
    return true;
  }
  return defined && instruction != nullptr;
}

// Reads "ROOT name =".
bool ModuleParser::ParseInstructionStart(Statement& statement) {
  statement.is_root = reader_.Accept(TokenKind::kRoot);
  const Token token = reader_.token();
  statement.name_offset = token.offset;
  if (makes_parameters_ && !statement.is_root) {
    const bool has_name =
        IsNameKind(token.kind) && reader_.Peek().kind == TokenKind::kEqual;
    if (!has_name) {
      statement.name = "_";
      if (StartsShape(reader_)) return true;
      return reader_.FailExpected(
          "an instruction with its shape",
          "a module begins with 'HloModule name', a computation without one "
          "with 'ENTRY'");
    }
  }
  if (!IsNameKind(token.kind)) {
    if (token.kind == TokenKind::kAttributeName) {
      return reader_.Fail(
          token.offset,
          absl::StrCat("expected an instruction, got ", Describe(token)),
          absl::StrCat("put a space before '=': ", token.text.substr(0, 60),
                       " = ..."));
    }
    return reader_.FailExpected(
        statement.is_root ? "a name after ROOT" : "an instruction or '}'",
        token.kind == TokenKind::kType ? "a type word cannot be a name" : "");
  }
  if (!IsLegalName(token.text)) {
    return reader_.Fail(
        token.offset,
        absl::StrCat("the type word ", Quoted(token.text),
                     " cannot name an instruction"),
        absl::StrCat("rename it, for example to ", token.text, "_"));
  }
  statement.name = token.text;
  reader_.Advance();
  if (reader_.Is(TokenKind::kEqual)) {
    reader_.Advance();
    return true;
  }
  return reader_.FailExpected("'=' after an instruction's name");
}

// Reads "shape opcode(operands), attributes".
bool ModuleParser::ParseRightSide(NameScope& scope, Statement& statement,
                                  bool with_attributes) {
  if (!statement.has_shape && StartsShape(reader_)) {
    statement.shape_offset = reader_.offset();
    if (!ParseShape(reader_, &statement.shape)) return false;
    statement.has_shape = true;
  }
  if (!ParseOpcode(statement)) return false;
  if (!statement.has_shape && InfoOf(statement.opcode).Has(kShapeRequired)) {
    return reader_.Fail(statement.opcode_offset,
                        absl::StrCat(TextOf(statement.opcode),
                                     ": the result's shape is missing"),
                        "write it before the opcode, as in f32[2,3]");
  }
  return ParseParenthesized(scope, statement) &&
         (!with_attributes || ParseAttributes(scope, statement));
}

bool ModuleParser::ParseOpcode(Statement& statement) {
  const Token token = reader_.token();
  statement.opcode_offset = token.offset;
  if (token.kind != TokenKind::kIdentifier) {
    return reader_.FailExpected(statement.has_shape ? "an opcode"
                                                    : "a shape or an opcode");
  }
  const std::optional<Opcode> opcode = OpcodeFromText(token.text);
  if (opcode) {
    statement.opcode = *opcode;
  } else if (SplitAsyncOpcode(token.text, &statement.opcode,
                              &statement.wrapped)) {
    statement.is_async_sugar = true;
  } else {
    return reader_.Fail(token.offset,
                        absl::StrCat("unknown opcode ", Quoted(token.text)),
                        SuggestNearest(token.text, OpcodeTexts()));
  }
  reader_.Advance();
  return true;
}

// Reads "(operands)", or what parameter and constant have there.
bool ModuleParser::ParseParenthesized(NameScope& scope, Statement& statement) {
  if (!reader_.Expect(TokenKind::kLeftParen, "after an opcode")) return false;
  switch (statement.opcode) {
    case Opcode::kParameter:
      if (!ParseParameterNumber(scope, statement)) return false;
      break;
    case Opcode::kConstant:
      if (!ParseConstant(statement)) return false;
      break;
    default:  // NOLINT: all other opcodes have operands
      if (!ParseOperands(scope, statement)) return false;
      break;
  }
  if (reader_.Accept(TokenKind::kRightParen)) return true;
  return reader_.FailExpected("',' or ')' after an operand");
}

bool ModuleParser::ParseParameterNumber(NameScope& scope,
                                        Statement& statement) {
  const int64_t place = reader_.offset();
  int64_t number = 0;
  if (!reader_.ReadInt(&number, "a parameter number")) return false;
  if (number < 0) {
    return reader_.Fail(place, absl::StrCat("parameter number ", number,
                                            " is not between 0 and 2^63-1"));
  }
  if (number > max_parameter_number_) {
    return reader_.Fail(place, absl::StrCat("parameter number ", number,
                                            ": the text cannot hold the ",
                                            "parameters before it"));
  }
  std::vector<int64_t>& offsets = scope.parameter_offsets;
  if (std::cmp_greater_equal(number, offsets.size())) {
    offsets.resize(number + 1, -1);
  } else if (offsets[number] >= 0) {
    Diagnostic& error = reader_.diagnostics().Error(
        place, absl::StrCat("parameter(", number, ") is there twice"));
    error.notes.push_back({.severity = Severity::kNote,
                           .offset = offsets[number],
                           .message = "the first one is here",
                           .remedy = {},
                           .notes = {}});
    return false;
  }
  offsets[number] = place;
  statement.attributes.push_back(
      {.id = AttributeId::kParameterNumber,
       .value = MakeAttributeValue<AttributeKind::kInt>(number)});
  return true;
}

bool ModuleParser::ParseConstant(Statement& statement) {
  const int64_t place = reader_.offset();
  const int64_t elided_count = elided_.count;
  Literal literal;
  if (!ParseLiteral(reader_, statement.shape, &literal, &elided_)) return false;
  if (elided_.count > elided_count &&
      options_.elided_constants == ElidedConstants::kError) {
    return reader_.Fail(place, "constant without values, '{...}'",
                        "print the module with large constants");
  }
  statement.attributes.push_back(
      {.id = AttributeId::kValue,
       .value =
           MakeAttributeValue<AttributeKind::kLiteral>(std::move(literal))});
  return true;
}

bool ModuleParser::ParseAttributes(NameScope& scope, Statement& statement) {
  while (reader_.Accept(TokenKind::kComma)) {
    if (!reader_.Is(TokenKind::kAttributeName)) {
      return reader_.FailExpected("an attribute, such as dimensions=");
    }
    if (!ParseAttribute(scope, statement)) return false;
  }
  return true;
}

bool ModuleParser::ParseAttribute(NameScope& scope, Statement& statement) {
  const Token token = reader_.token();
  std::optional<AttributeUse> use;
  bool is_wrapped = false;
  if (statement.is_async_sugar && statement.opcode == Opcode::kAsyncStart) {
    use = FindAttribute(statement.wrapped, token.text);
    is_wrapped = use.has_value() && use->id < kFirstCommonAttribute;
  }
  if (!use) use = FindAttribute(statement.opcode, token.text);
  if (!use) return SkipUnknownAttribute(statement);
  if (statement.Has(use->id)) {
    return reader_.Fail(
        token.offset,
        absl::StrCat("attribute ", Quoted(token.text), " is given twice"));
  }
  statement.SetSeen(use->id);
  reader_.Advance();
  if (use->id == AttributeId::kMode) return ParseMode();
  ValueContext context{.parser = *this,
                       .reader = reader_,
                       .scope = scope,
                       .id = use->id,
                       .poisoned = false};
  Attribute attribute{.id = use->id, .value = {}};
  if (!ParseAttributeValue(context, &attribute.value)) return false;
  if (context.poisoned) {
    statement.poisoned = true;
    return true;
  }
  (is_wrapped ? statement.wrapped_attributes : statement.attributes)
      .push_back(std::move(attribute));
  return true;
}

// At an attribute that the opcode does not take. Those of other opcodes are
// errors; names that nobody knows come from other versions and are skipped.
bool ModuleParser::SkipUnknownAttribute(const Statement& statement) {
  const Token token = reader_.token();
  const Opcode opcode =
      statement.is_async_sugar ? statement.wrapped : statement.opcode;
  std::string message =
      absl::StrCat(TextOf(opcode), ": unknown attribute ", Quoted(token.text));
  std::string remedy = SuggestNearest(token.text, AttributeTexts(opcode));
  if (IsKnownAttribute(token.text) && !token.text.empty()) {
    return reader_.Fail(token.offset,
                        absl::StrCat(TextOf(opcode), " takes no attribute ",
                                     Quoted(token.text)),
                        std::move(remedy));
  }
  if (options_.unknown_attributes_are_errors) {
    return reader_.Fail(token.offset, std::move(message), std::move(remedy));
  }
  reader_.diagnostics().Warning(token.offset, absl::StrCat(message, " skipped"),
                                std::move(remedy));
  reader_.Advance();
  return reader_.SkipValue();
}

// Reads the older spelling of group modes and drops it.
bool ModuleParser::ParseMode() {
  static const std::vector<absl::string_view> kModes = {
      "cross_replica", "cross_partition", "cross_replica_and_partition",
      "flattened_id"};
  for (const absl::string_view mode : kModes) {
    if (reader_.AcceptWord(mode)) return true;
  }
  return reader_.FailExpected(
      "one of cross_replica, cross_partition, cross_replica_and_partition, "
      "flattened_id",
      SuggestNearest(reader_.token().text, kModes));
}

// Puts a complete statement into the computation. Null on errors and when the
// statement is poisoned.
Instruction* ModuleParser::Build(NameScope& scope, Statement& statement) {
  if (statement.poisoned) return nullptr;
  if (!FinishAsync(scope, statement)) return nullptr;
  Instruction* instruction = nullptr;
  if (statement.opcode == Opcode::kParameter) {
    const int64_t number =
        ValueAs<AttributeKind::kInt>(statement.attributes[0].value);
    instruction =
        scope.computation->AddParameter(number, std::move(statement.shape));
  } else {
    instruction =
        scope.computation->Add(statement.opcode, std::move(statement.shape));
  }
  instruction->set_name(std::string(statement.name));
  instruction->set_source_offset(statement.name_offset);
  for (Instruction* operand : statement.operands) {
    instruction->AppendOperand(operand);
  }
  for (Attribute& attribute : statement.attributes) {
    instruction->SetAttribute(attribute.id, std::move(attribute.value));
  }
  if (!statement.has_shape && !InferMissingShape(statement, instruction)) {
    return nullptr;
  }
  return instruction;
}

bool ModuleParser::InferMissingShape(Statement& statement,
                                     Instruction* instruction) {
  absl::StatusOr<Shape> shape = InferUndeclaredShape(*instruction);
  if (!shape.ok()) {
    return reader_.Fail(
        statement.opcode_offset,
        absl::StrCat(TextOf(statement.opcode), ": ", shape.status().message()));
  }
  instruction->set_shape(*std::move(shape));
  return true;
}

// Enters the statement's name; `instruction` is null when it failed.
bool ModuleParser::DefineInstruction(NameScope& scope,
                                     const Statement& statement,
                                     Instruction* instruction) {
  const auto [it, is_new] = scope.names.emplace(statement.name, instruction);
  if (!is_new) {
    if (it->second != nullptr) {
      Diagnostic& error = reader_.diagnostics().Error(
          statement.name_offset,
          absl::StrCat("instruction ", Quoted(statement.name),
                       " is defined twice in this computation"));
      error.notes.push_back({.severity = Severity::kNote,
                             .offset = it->second->source_offset(),
                             .message = "the first definition is here",
                             .remedy = {},
                             .notes = {}});
      scope.failed = true;
      return false;
    }
    it->second = instruction;
  }
  if (!statement.is_root) return true;
  if (scope.root_offset >= 0) {
    Diagnostic& error = reader_.diagnostics().Error(
        statement.name_offset, "a second ROOT in this computation");
    error.notes.push_back({.severity = Severity::kNote,
                           .offset = scope.root_offset,
                           .message = "the first one is here",
                           .remedy = {},
                           .notes = {}});
    scope.failed = true;
    return false;
  }
  scope.root_offset = statement.name_offset;
  scope.marked_root = instruction;
  return true;
}

}  // namespace hilo::hlo
