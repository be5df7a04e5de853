// The dialect sdy: how values are divided over devices, which says nothing of
// their values.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {

// sdy.mesh @mesh = <["x"=2]> {...}
bool Parser::ParseMesh() {
  Advance();
  if (token_.kind != TokenKind::kSymbol) return Unexpected("a symbol");
  Advance();
  Attribute attributes;
  return Expect('=') && SkipBrackets() &&
         ParseOptionalAttributes(&attributes) && ParseLocation();
}

bool Parser::SkipBrackets() {
  const Token open = token_;
  if (!open.Is('<') && !open.Is('[') && !open.Is('{') && !open.Is('(')) {
    return Unexpected("a bracket");
  }
  if (!lexer_.SkipPastClosing()) {
    return Error(open.offset, absl::StrCat("'", open.text, "' is not closed"));
  }
  Advance();
  return true;
}

// Operands with shardings around them, up to the character `end`.
bool Parser::ParseShardedOperands(char end, Operation* operation) {
  while (!token_.Is(end)) {
    if (token_.kind == TokenKind::kValue) {
      if (!ParseOperand(operation)) return false;
    } else if (token_.Is('<') || token_.Is('[') || token_.Is('{')) {
      if (!SkipBrackets()) return false;
    } else if (token_.kind == TokenKind::kEnd ||
               token_.kind == TokenKind::kError || token_.Is('}')) {
      return Unexpected(absl::StrCat("'", std::string(1, end), "'"));
    } else {
      Advance();
    }
  }
  return true;
}

// sdy.sharding_constraint %a <@mesh, [{"x"}]> : T, and
// sdy.manual_computation(%a) in_shardings=[...] (%b: T) {...} : (T) -> T
bool Parser::ParseShardingOperation(Operation* operation,
                                    std::vector<Type>* types) {
  if (operation->name == "sdy.named_computation" && token_.Is('<') &&
      !SkipBrackets()) {
    return false;
  }
  if (!token_.Is('(')) {
    if (!ParseShardedOperands(':', operation) ||
        !ParseTrailingTypes(operation->name, operation, types)) {
      return false;
    }
    // The type is the operand's.
    if (operation->name == "sdy.sharding_group") types->clear();
    return true;
  }
  std::vector<BlockArgument> arguments;
  if (!ParseList('(', ')', [&] { return ParseOperand(operation); }) ||
      !ParseShardedOperands('(', operation) || !ParseList('(', ')', [&] {
        BlockArgument& argument = arguments.emplace_back();
        argument.name = token_.text;
        argument.offset = token_.offset;
        if (token_.kind != TokenKind::kValue) return Unexpected("an argument");
        Advance();
        return Expect(':') && ParseType(&argument.type) && ParseLocation();
      })) {
    return false;
  }
  return ParseRegionWithArguments(arguments,
                                  &operation->regions.emplace_back()) &&
         ParseOptionalAttributes(&operation->attributes) &&
         ParseTrailingTypes(operation->name, operation, types);
}

}  // namespace hilo::stablehlo
