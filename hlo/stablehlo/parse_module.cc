// Modules, functions and regions of MLIR text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
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

bool Parser::Error(int64_t offset, std::string message, std::string remedy) {
  diagnostics_->Error(offset, std::move(message), std::move(remedy));
  return false;
}

bool Parser::Unexpected(absl::string_view what) {
  if (token_.kind == TokenKind::kEnd) {
    return Error(token_.offset,
                 absl::StrCat("expected ", what, ", got the end of the file"));
  }
  return Error(token_.offset, absl::StrCat("expected ", what, ", got '",
                                           TextFrom(token_.offset), "'"));
}

absl::string_view Parser::TextFrom(int64_t offset) const {
  constexpr int64_t kLongest = 60;
  const int64_t end = token_.offset == offset ? lexer_.offset() : token_.offset;
  return lexer_.text().substr(offset, std::min(end - offset, kLongest));
}

bool Parser::Consume(char punctuation) {
  if (!token_.Is(punctuation)) return false;
  Advance();
  return true;
}

bool Parser::ConsumeWord(absl::string_view word) {
  if (!token_.IsWord(word)) return false;
  Advance();
  return true;
}

bool Parser::Expect(char punctuation) {
  if (Consume(punctuation)) return true;
  return Unexpected(absl::StrCat("'", std::string(1, punctuation), "'"));
}

bool Parser::ExpectWord(absl::string_view word) {
  if (ConsumeWord(word)) return true;
  return Unexpected(absl::StrCat("'", word, "'"));
}

bool Parser::ExpectArrow() {
  if (token_.kind != TokenKind::kArrow) return Unexpected("'->'");
  Advance();
  return true;
}

bool Parser::ParseBareInteger(int64_t* value) {
  const bool is_negative = Consume('-');
  if (token_.kind != TokenKind::kInteger ||
      !absl::SimpleAtoi(token_.text, value)) {
    return Unexpected("an integer");
  }
  if (is_negative) *value = -*value;
  Advance();
  return true;
}

std::unique_ptr<SyntaxModule> Parser::ParseModule() {
  while (token_.kind != TokenKind::kEnd) {
    if (!ParseTopLevel()) SkipToFunction();
  }
  if (diagnostics_->has_errors()) return nullptr;
  if (module_->functions.empty()) {
    Error(-1, "the module has no function");
    return nullptr;
  }
  return std::move(module_);
}

// After an error: functions stand on lines of their own.
void Parser::SkipToFunction() {
  const absl::string_view text = lexer_.text();
  auto next = static_cast<size_t>(lexer_.offset());
  while (true) {
    next = text.find("func.func", next);
    if (next == absl::string_view::npos) break;
    const size_t before = text.find_last_not_of(" \t\r", next - 1);
    if (next == 0 || before == absl::string_view::npos ||
        text[before] == '\n') {
      break;
    }
    ++next;
  }
  lexer_.Seek(static_cast<int64_t>(std::min(next, text.size())));
  Advance();
}

bool Parser::ParseTopLevel() {
  if (token_.kind == TokenKind::kAttributeAlias ||
      token_.kind == TokenKind::kTypeAlias) {
    return ParseAliasDefinition();
  }
  if (token_.IsWord("module") || token_.IsWord("builtin.module")) {
    return ParseModuleOperation();
  }
  if (token_.IsWord("sdy.mesh")) return ParseMesh();
  if (token_.Is('{')) return ParseResourcesAtEnd();
  return ParseFunction();
}

// #alias = attribute, !alias = type, #alias = loc(...).
bool Parser::ParseAliasDefinition() {
  const Token name = token_;
  Advance();
  if (!Expect('=')) return false;
  const int64_t copied = copied_;
  const auto size = [&] {
    return token_.offset - name.offset + copied_ - copied;
  };
  if (name.kind == TokenKind::kTypeAlias) {
    Type type;
    if (!ParseType(&type)) return false;
    type_aliases_[std::string(name.text)] = {.value = std::move(type),
                                             .size = size()};
    return true;
  }
  if (token_.IsWord("loc")) {
    LocationId id = -1;
    if (!ParseLocation(&id)) return false;
    module_->location_aliases[std::string(name.text)] = id;
    return true;
  }
  Attribute attribute;
  if (!ParseAttribute(&attribute)) return false;
  attribute_aliases_[std::string(name.text)] = {.value = std::move(attribute),
                                                .size = size()};
  return true;
}

bool Parser::ParseModuleOperation() {
  const Nesting nesting(this);
  if (!nesting.Check()) return false;
  Advance();
  if (token_.kind == TokenKind::kSymbol) {
    module_->name = DecodeString(token_.text);
    Advance();
  }
  if (ConsumeWord("attributes") &&
      !ParseOptionalAttributes(&module_->attributes)) {
    return false;
  }
  if (!Expect('{')) return false;
  while (!token_.Is('}')) {
    if (ParseTopLevel()) continue;
    SkipToFunction();
    if (token_.kind == TokenKind::kEnd) return true;
  }
  Advance();
  return ParseLocation();
}

bool Parser::ParseFunction() {
  if (!token_.IsWord("func.func") && !token_.IsWord("func")) {
    if (token_.kind == TokenKind::kWord || token_.kind == TokenKind::kString) {
      return Error(token_.offset,
                   absl::StrCat("'", token_.text, "' cannot stand in a module"),
                   "a module consists of functions, func.func @name() {...}");
    }
    return Unexpected("a function");
  }
  Advance();
  Function function;
  function.is_private = ConsumeWord("private");
  if (!function.is_private) ConsumeWord("public");
  function.offset = token_.offset;
  if (token_.kind != TokenKind::kSymbol) {
    return Unexpected("the name of a function");
  }
  function.name = DecodeString(token_.text);
  if (!function_names_.insert(function.name).second) {
    return Error(token_.offset,
                 absl::StrCat("a second function '", function.name, "'"));
  }
  Advance();
  scopes_ = {{}};
  if (!ParseArguments(&function) || !ParseFunctionResults(&function)) {
    return false;
  }
  Attribute attributes;
  if (ConsumeWord("attributes") && !ParseOptionalAttributes(&attributes)) {
    return false;
  }
  if (!Expect('{') || !ParseOperations(&function.body)) return false;
  module_->functions.push_back(std::move(function));
  return ParseLocation();
}

bool Parser::ParseArguments(Function* function) {
  return ParseList('(', ')', [&] {
    const Token name = token_;
    if (name.kind != TokenKind::kValue) return Unexpected("an argument");
    Advance();
    Type type;
    ValueId id = 0;
    Attribute& attributes = function->argument_attributes.emplace_back();
    if (!Expect(':') || !ParseType(&type) ||
        !ParseOptionalAttributes(&attributes) || !ParseLocation() ||
        !DefineValue(name.text, name.offset, std::move(type), &id)) {
      return false;
    }
    function->body.arguments.push_back(id);
    return true;
  });
}

bool Parser::ParseFunctionResults(Function* function) {
  if (token_.kind != TokenKind::kArrow) return true;
  Advance();
  if (!token_.Is('(')) {
    function->result_attributes.emplace_back();
    return ParseType(&function->results.emplace_back());
  }
  return ParseList('(', ')', [&] {
    return ParseType(&function->results.emplace_back()) &&
           ParseOptionalAttributes(&function->result_attributes.emplace_back());
  });
}

bool Parser::ParseRegion(Region* region) {
  const Nesting nesting(this);
  if (!nesting.Check()) return false;
  region->offset = token_.offset;
  scopes_.emplace_back();
  const bool is_read =
      Expect('{') &&
      (token_.kind != TokenKind::kBlock || ParseBlockArguments(region)) &&
      ParseOperations(region);
  scopes_.pop_back();
  return is_read;
}

// ^bb0(%a: T, %b: T):
bool Parser::ParseBlockArguments(Region* region) {
  Advance();
  if (token_.Is('(')) {
    const bool is_read = ParseList('(', ')', [&] {
      const Token name = token_;
      if (name.kind != TokenKind::kValue) return Unexpected("an argument");
      Advance();
      Type type;
      ValueId id = 0;
      if (!Expect(':') || !ParseType(&type) || !ParseLocation() ||
          !DefineValue(name.text, name.offset, std::move(type), &id)) {
        return false;
      }
      region->arguments.push_back(id);
      return true;
    });
    if (!is_read) return false;
  }
  return Expect(':');
}

// Up to "}".
bool Parser::ParseOperations(Region* region) {
  while (!token_.Is('}')) {
    if (token_.kind == TokenKind::kBlock) {
      return Error(token_.offset,
                   "a region has one block: jumps are not supported");
    }
    if (!ParseStatement(region)) return false;
  }
  Advance();
  return true;
}

bool Parser::DefineValue(absl::string_view name, int64_t offset, Type type,
                         ValueId* id) {
  *id = static_cast<ValueId>(module_->values.size());
  for (const Scope& scope : scopes_) {
    const auto known = scope.find(name);
    if (known == scope.end()) continue;
    Diagnostic& error = diagnostics_->Error(
        offset, absl::StrCat("'%", name, "' is defined again"));
    error.notes.push_back(
        {.severity = Severity::kNote,
         .offset = module_->values[known->second.first].offset,
         .message = "it is defined here",
         .remedy = "",
         .notes = {}});
    return false;
  }
  scopes_.back()[name] = {*id, 1};
  module_->values.push_back(
      {.name = std::string(name), .offset = offset, .type = std::move(type)});
  return true;
}

}  // namespace hilo::stablehlo
