// Operations of MLIR text in generic form.
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

bool Parser::ParseStatement(Region* region) {
  const Nesting nesting(this);
  if (!nesting.Check()) return false;
  std::vector<ResultNames> names;
  if (!ParseResultNames(&names)) return false;
  Operation operation;
  operation.offset = names.empty() ? token_.offset : names.front().offset;
  operation.attributes.kind = AttributeKind::kDictionary;
  operation.attributes.offset = operation.offset;
  std::vector<Type> types;
  bool is_read = false;
  if (token_.kind == TokenKind::kString) {
    is_read = ParseGenericOperation(&operation, &types);
  } else if (token_.kind == TokenKind::kWord) {
    is_read = ParsePrettyOperation(&operation, &types);
  } else {
    return Unexpected("an operation");
  }
  if (!is_read || !ParseLocation(&operation.location) ||
      !DefineResults(names, types, &operation)) {
    return false;
  }
  region->operations.push_back(std::move(operation));
  return true;
}

// %a, %b:2 = , or nothing.
bool Parser::ParseResultNames(std::vector<ResultNames>* names) {
  if (token_.kind != TokenKind::kValue) return true;
  do {
    if (token_.kind != TokenKind::kValue) return Unexpected("a result");
    ResultNames& result = names->emplace_back();
    result.name = token_.text;
    result.offset = token_.offset;
    Advance();
    if (Consume(':') && !ParseBareInteger(&result.count)) return false;
    if (result.count < 1) return Error(result.offset, "no results are named");
  } while (Consume(','));
  return Expect('=');
}

bool Parser::ParseGenericOperation(Operation* operation,
                                   std::vector<Type>* types) {
  operation->name = CurrentName(DecodeString(token_.text));
  Advance();
  if (!ParseList('(', ')', [&] { return ParseOperand(operation); })) {
    return false;
  }
  if (Consume('<')) {
    if (!ParseDictionary('{', &operation->attributes) || !Expect('>')) {
      return false;
    }
  }
  if (token_.Is('(') && !ParseList('(', ')', [&] {
        return ParseRegion(&operation->regions.emplace_back());
      })) {
    return false;
  }
  Type signature;
  if (!ParseOptionalAttributes(&operation->attributes) || !Expect(':') ||
      !ParseFunctionType(&signature) ||
      !CheckOperandTypes(*operation, signature.inputs)) {
    return false;
  }
  *types = std::move(signature.results);
  return true;
}

bool Parser::DefineResults(const std::vector<ResultNames>& names,
                           const std::vector<Type>& types,
                           Operation* operation) {
  size_t count = 0;
  for (const ResultNames& result : names) {
    count += static_cast<size_t>(result.count);
    if (count > types.size()) break;
  }
  if (!names.empty() && count != types.size()) {
    return Error(names.front().offset,
                 absl::StrCat("'", operation->name, "' has ", types.size(),
                              types.size() == 1 ? " result" : " results",
                              ", not as many as are named"));
  }
  size_t next = 0;
  for (const ResultNames& result : names) {
    ValueId id = 0;
    if (!DefineValue(result.name, result.offset, types[next], &id)) {
      return false;
    }
    operation->results.push_back(id);
    for (int64_t i = 1; i < result.count; ++i) {
      module_->values.push_back({.name = absl::StrCat(result.name, "#", i),
                                 .offset = result.offset,
                                 .type = types[next + static_cast<size_t>(i)]});
      operation->results.push_back(id + static_cast<ValueId>(i));
    }
    scopes_.back()[result.name] = {id, static_cast<int>(result.count)};
    next += static_cast<size_t>(result.count);
  }
  // Results without a name.
  for (; next < types.size(); ++next) {
    operation->results.push_back(static_cast<ValueId>(module_->values.size()));
    module_->values.push_back(
        {.name = "", .offset = operation->offset, .type = types[next]});
  }
  return true;
}

// %name, or %name#1 of a pack.
bool Parser::ParseValueUse(ValueId* id, int64_t* offset) {
  if (token_.kind != TokenKind::kValue) return Unexpected("a value");
  *offset = token_.offset;
  absl::string_view name = token_.text;
  int64_t index = 0;
  const size_t hash = name.find('#');
  if (hash != absl::string_view::npos) {
    if (!absl::SimpleAtoi(name.substr(hash + 1), &index)) {
      return Unexpected("the number of a result");
    }
    name = name.substr(0, hash);
  }
  for (const Scope& scope : std::ranges::reverse_view(scopes_)) {
    const auto known = scope.find(name);
    if (known == scope.end()) continue;
    const auto& [first, count] = known->second;
    if (index >= count) {
      return Error(*offset, absl::StrCat("'%", name, "' has ", count,
                                         count == 1 ? " result" : " results"));
    }
    *id = first + static_cast<ValueId>(index);
    Advance();
    return true;
  }
  std::vector<absl::string_view> candidates;
  for (const Scope& scope : scopes_) {
    for (const auto& entry : scope) candidates.push_back(entry.first);
  }
  return Error(*offset, absl::StrCat("'%", name, "' is not defined"),
               SuggestNearest(name, candidates));
}

bool Parser::ParseOperand(Operation* operation) {
  ValueId id = 0;
  int64_t offset = 0;
  if (!ParseValueUse(&id, &offset)) return false;
  operation->operands.push_back(id);
  operation->operand_offsets.push_back(offset);
  return true;
}

bool Parser::ParseOperands(Operation* operation) {
  while (token_.kind == TokenKind::kValue) {
    if (!ParseOperand(operation)) return false;
    // Clauses may follow after a comma.
    const Lexer before = lexer_;
    const Token comma = token_;
    if (!Consume(',')) return true;
    if (token_.kind != TokenKind::kValue) {
      lexer_ = before;
      token_ = comma;
      return true;
    }
  }
  return true;
}

bool Parser::CheckOperandTypes(const Operation& operation,
                               const std::vector<Type>& types) {
  if (types.size() != operation.operands.size()) {
    return Error(
        operation.offset,
        absl::StrCat("'", operation.name, "' has ", operation.operands.size(),
                     " operands, but ", types.size(), " types for them"));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Value& value =
        module_->values[static_cast<size_t>(operation.operands[i])];
    const bool is_same_array = types[i].kind == TypeKind::kTensor &&
                               value.type.kind == TypeKind::kTensor &&
                               types[i].shape == value.type.shape &&
                               types[i].quantization == value.type.quantization;
    if (is_same_array) continue;
    const std::string given = types[i].ToString();
    const std::string known = value.type.ToString();
    if (given == known) continue;
    Diagnostic& error = diagnostics_->Error(
        operation.operand_offsets[i],
        absl::StrCat("'%", value.name, "' is ", known, ", not ", given));
    error.notes.push_back({.severity = Severity::kNote,
                           .offset = value.offset,
                           .message = "it is defined here",
                           .remedy = "",
                           .notes = {}});
  }
  return true;
}

}  // namespace hilo::stablehlo
