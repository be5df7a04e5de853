// Attributes of MLIR text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

std::string DecodeString(absl::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      decoded.push_back(text[i]);
      continue;
    }
    const char c = text[++i];
    uint32_t code = 0;
    if (i + 1 < text.size() && absl::SimpleHexAtoi(text.substr(i, 2), &code)) {
      decoded.push_back(static_cast<char>(code));
      ++i;
    } else if (c == 'n') {
      decoded.push_back('\n');
    } else {
      decoded.push_back(c == 't' ? '\t' : c);
    }
  }
  return decoded;
}

bool Parser::ParseOptionalAttributes(Attribute* dictionary) {
  if (!token_.Is('{')) return true;
  return ParseDictionary('{', dictionary);
}

// Also "<{...}>", and the entries of structures.
bool Parser::ParseDictionary(char open, Attribute* dictionary) {
  const Nesting nesting(this);
  if (!nesting.Check()) return false;
  dictionary->kind = AttributeKind::kDictionary;
  dictionary->offset = token_.offset;
  return ParseList(open, open == '{' ? '}' : '>',
                   [&] { return ParseEntry(dictionary); }) &&
         CheckKeys(*dictionary);
}

bool Parser::CheckKeys(const Attribute& dictionary) {
  using Key = std::pair<absl::string_view, int64_t>;
  std::vector<Key> keys;
  keys.reserve(dictionary.entries.size());
  for (const auto& [name, value] : dictionary.entries) {
    keys.emplace_back(name, value.offset);
  }
  std::ranges::sort(keys);
  const auto twice = std::ranges::adjacent_find(keys, {}, &Key::first);
  if (twice == keys.end()) return true;
  return Error(std::next(twice)->second,
               absl::StrCat("'", twice->first, "' is given twice"));
}

bool Parser::ParseEntry(Attribute* dictionary) {
  if (token_.kind != TokenKind::kWord && token_.kind != TokenKind::kString) {
    return Unexpected("the name of an attribute");
  }
  const Token name = token_;
  Advance();
  std::string key = DecodeString(name.text);
  Attribute value;
  value.offset = name.offset;
  if (Consume('=') && !ParseAttribute(&value)) return false;
  dictionary->entries.emplace_back(std::move(key), std::move(value));
  return true;
}

bool Parser::ParseOnlyAttribute(Attribute* attribute) {
  return ParseAttribute(attribute) && token_.kind == TokenKind::kEnd;
}

bool ParseAttributeText(absl::string_view text, Attribute* attribute) {
  Diagnostics diagnostics;
  if (Parser(text, &diagnostics).ParseOnlyAttribute(attribute)) return true;
  *attribute = {.kind = AttributeKind::kOther, .text = std::string(text)};
  return false;
}

bool Parser::ParseAttribute(Attribute* attribute) {
  const Nesting nesting(this);
  if (!nesting.Check()) return false;
  attribute->offset = token_.offset;
  switch (token_.kind) {
    case TokenKind::kString:
      attribute->kind = AttributeKind::kString;
      attribute->text = DecodeString(token_.text);
      Advance();
      return ParseOptionalType(attribute);
    case TokenKind::kSymbol:
      attribute->kind = AttributeKind::kSymbol;
      attribute->text = DecodeString(token_.text);
      Advance();
      while (token_.kind == TokenKind::kColonColon) {
        Advance();
        if (token_.kind != TokenKind::kSymbol) return Unexpected("a symbol");
        absl::StrAppend(&attribute->text, "::", DecodeString(token_.text));
        Advance();
      }
      return true;
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return ParseNumber(attribute);
    case TokenKind::kAttributeAlias:
      return ParseDialectAttribute(attribute);
    case TokenKind::kWord:
      return ParseWordAttribute(attribute);
    default:
      break;
  }
  if (token_.Is('-')) return ParseNumber(attribute);
  if (token_.Is('{')) {
    return ParseDictionary('{', attribute);
  }
  if (token_.Is('[')) {
    attribute->kind = AttributeKind::kArray;
    return ParseList('[', ']', [&] {
      return ParseAttribute(&attribute->elements.emplace_back());
    });
  }
  attribute->kind = AttributeKind::kType;
  return ParseType(&attribute->type);
}

// The type of a number or string, which says nothing that is needed.
bool Parser::ParseOptionalType(Attribute* attribute) {
  if (!token_.Is(':')) return true;
  Advance();
  return ParseType(&attribute->type);
}

bool Parser::ParseNumber(Attribute* attribute) {
  return ParseBareNumber(attribute) && ParseOptionalType(attribute);
}

bool Parser::ParseBareNumber(Attribute* attribute) {
  const int64_t offset = token_.offset;
  const bool is_negative = Consume('-');
  if (token_.kind == TokenKind::kFloat) {
    attribute->kind = AttributeKind::kFloat;
    double number = 0;
    if (!absl::SimpleAtod(token_.text, &number)) {
      return Error(offset, absl::StrCat("'", token_.text, "' is no number"));
    }
    attribute->number = is_negative ? -number : number;
    Advance();
    return true;
  }
  if (token_.kind != TokenKind::kInteger) return Unexpected("a number");
  attribute->kind = AttributeKind::kInteger;
  uint64_t magnitude = 0;
  const bool is_hex = absl::StartsWith(token_.text, "0x");
  const bool is_read = is_hex ? absl::SimpleHexAtoi(token_.text, &magnitude)
                              : absl::SimpleAtoi(token_.text, &magnitude);
  if (!is_read) {
    return Error(offset,
                 absl::StrCat("'", token_.text, "' does not fit in 64 bits"));
  }
  attribute->integer =
      static_cast<int64_t>(is_negative ? 0 - magnitude : magnitude);
  attribute->number = is_negative ? -static_cast<double>(magnitude)
                                  : static_cast<double>(magnitude);
  Advance();
  return true;
}

bool Parser::ParseWordAttribute(Attribute* attribute) {
  const Token word = token_;
  if (word.text == "true" || word.text == "false") {
    attribute->kind = AttributeKind::kBool;
    attribute->integer = word.text == "true" ? 1 : 0;
    Advance();
    return true;
  }
  if (word.text == "unit") {
    Advance();
    return true;
  }
  if (word.text == "dense") return ParseDense(attribute);
  if (word.text == "array") return ParseTypedArray(attribute);
  if (word.text == "dense_resource") return ParseDenseResource(attribute);
  if (word.text == "sparse" || word.text == "affine_map" ||
      word.text == "strided" || word.text == "opaque" ||
      word.text == "distinct") {
    return ParseOther(attribute);
  }
  if (word.text == "loc") {
    attribute->kind = AttributeKind::kOther;
    return ParseLocation();
  }
  attribute->kind = AttributeKind::kType;
  return ParseType(&attribute->type);
}

// A word with parameters that no conversion needs.
bool Parser::ParseOther(Attribute* attribute) {
  const Token word = token_;
  attribute->kind = AttributeKind::kOther;
  attribute->text = std::string(word.text);
  Advance();
  for (const char open : {'[', '<'}) {
    if (!token_.Is(open)) continue;
    if (!lexer_.SkipPastClosing()) {
      return Error(word.offset,
                   absl::StrCat("'", std::string(1, open), "' is not closed"));
    }
    Advance();
  }
  return ParseOptionalType(attribute);
}

// array<i64: 1, 2>
bool Parser::ParseTypedArray(Attribute* attribute) {
  attribute->kind = AttributeKind::kArray;
  Advance();
  if (!Expect('<') || !ParseType(&attribute->type)) return false;
  if (Consume('>')) return true;
  if (!Expect(':')) return false;
  do {
    Attribute& element = attribute->elements.emplace_back();
    element.offset = token_.offset;
    if (token_.IsWord("true") || token_.IsWord("false")) {
      if (!ParseWordAttribute(&element)) return false;
    } else if (!ParseNumber(&element)) {
      return false;
    }
  } while (Consume(','));
  return Expect('>');
}

// #alias, #stablehlo<precision HIGH>, #stablehlo.dot<...>.
bool Parser::ParseDialectAttribute(Attribute* attribute) {
  const Token name = token_;
  Advance();
  const auto alias = attribute_aliases_.find(std::string(name.text));
  if (alias != attribute_aliases_.end()) {
    if (!UseAlias(alias->second, name, attribute)) return false;
    attribute->offset = name.offset;
    return true;
  }
  attribute->text = std::string(name.text);
  if (!token_.Is('<')) {
    if (!absl::StrContains(name.text, '.')) {
      return Error(name.offset,
                   absl::StrCat("'#", name.text, "' is not defined"));
    }
    attribute->kind = AttributeKind::kOther;
    return true;
  }
  const bool is_known = absl::StartsWith(name.text, "stablehlo") ||
                        absl::StartsWith(name.text, "chlo") ||
                        absl::StartsWith(name.text, "mhlo");
  if (is_known) return ParseStructure(attribute);
  attribute->kind = AttributeKind::kOther;
  if (!lexer_.SkipPastClosing()) return Error(name.offset, "'<' is not closed");
  Advance();
  return true;
}

bool Parser::ParseStructure(Attribute* attribute) {
  const int64_t open = token_.offset;
  if (absl::EndsWith(attribute->text, ".conv") ||
      absl::EndsWith(attribute->text, ".bounds") ||
      absl::EndsWith(attribute->text, ".type_extensions")) {
    // Labels and bounds are read where they are needed.
    attribute->kind = AttributeKind::kOther;
    if (!lexer_.SkipPastClosing()) return Error(open, "'<' is not closed");
    const int64_t close = lexer_.offset() - 1;
    attribute->text =
        std::string(lexer_.text().substr(open + 1, close - open - 1));
    Advance();
    return true;
  }
  const Lexer start = lexer_;
  Advance();
  if (token_.kind == TokenKind::kWord) {
    const Token first = token_;
    Advance();
    // A kind and a value, or a value of the kind that the name says.
    if (token_.kind == TokenKind::kWord || token_.Is('>')) {
      attribute->kind = AttributeKind::kEnum;
      attribute->text = std::string(token_.Is('>') ? first.text : token_.text);
      if (!token_.Is('>')) Advance();
      return Expect('>');
    }
  }
  lexer_ = start;
  token_ = {.kind = TokenKind::kPunctuation,
            .offset = open,
            .text = lexer_.text().substr(open, 1)};
  return ParseDictionary('<', attribute);
}

}  // namespace hilo::stablehlo
