// Elements that stand at the end of a text: {-# dialect_resources: {...} #-}.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

constexpr absl::string_view kBegin = "{-#";
constexpr absl::string_view kEnd = "#-}";

}  // namespace

// { key: "0x...", key: "0x..." }
bool Parser::ParseResourceGroup() {
  return ParseList('{', '}', [&] {
    const Token key = token_;
    if (key.kind != TokenKind::kWord && key.kind != TokenKind::kString) {
      return Unexpected("the key of a resource");
    }
    Advance();
    if (!Expect(':')) return false;
    if (token_.kind != TokenKind::kString) {
      // Resources of tools are of any kind.
      Attribute other;
      return ParseAttribute(&other);
    }
    resources_[DecodeString(key.text)] = token_.text;
    Advance();
    return true;
  });
}

// Reads what begins at `offset`, and comes back to where the parser is.
bool Parser::ReadResources(int64_t offset) {
  const Lexer lexer = lexer_;
  const Token token = token_;
  has_read_resources_ = true;
  lexer_.Seek(offset + static_cast<int64_t>(kBegin.size()));
  Advance();
  while (token_.kind == TokenKind::kWord) {
    Advance();
    if (!Expect(':') || !ParseList('{', '}', [&] {
          if (token_.kind != TokenKind::kWord) return Unexpected("a dialect");
          Advance();
          return Expect(':') && ParseResourceGroup();
        })) {
      return false;
    }
    Consume(',');
  }
  const absl::string_view rest =
      lexer_.text().substr(static_cast<size_t>(token_.offset));
  if (rest.substr(0, kEnd.size()) != kEnd) return Unexpected("'#-}'");
  lexer_ = lexer;
  token_ = token;
  return true;
}

bool Parser::ParseResourcesAtEnd() {
  const absl::string_view rest =
      lexer_.text().substr(static_cast<size_t>(token_.offset));
  if (rest.substr(0, kBegin.size()) != kBegin) return Unexpected("a function");
  const size_t end = lexer_.text().rfind(kEnd);
  if (end == absl::string_view::npos || std::cmp_less(end, token_.offset)) {
    return Error(token_.offset, "'{-#' is not closed");
  }
  if (!has_read_resources_ && !ReadResources(token_.offset)) return false;
  lexer_.Seek(static_cast<int64_t>(end + kEnd.size()));
  Advance();
  return true;
}

// The bytes begin with their alignment, four bytes.
bool Parser::ParseDenseResource(Attribute* attribute) {
  constexpr size_t kAlignmentBytes = 4;
  attribute->kind = AttributeKind::kDense;
  Advance();
  if (!Expect('<')) return false;
  const Token key = token_;
  if (key.kind != TokenKind::kWord && key.kind != TokenKind::kString) {
    return Unexpected("the key of a resource");
  }
  Advance();
  if (!Expect('>') || !Expect(':') || !ParseType(&attribute->type)) {
    return false;
  }
  const size_t begin = lexer_.text().rfind(kBegin);
  if (!has_read_resources_ && begin != absl::string_view::npos &&
      !ReadResources(static_cast<int64_t>(begin))) {
    return false;
  }
  const std::string name = DecodeString(key.text);
  const auto resource = resources_.find(name);
  if (resource == resources_.end()) {
    return Error(key.offset, absl::StrCat("there is no resource '", name, "'"),
                 "resources stand at the end of the file, in {-# "
                 "dialect_resources: {builtin: {...}} #-}");
  }
  const Type& type = attribute->type;
  std::string bytes;
  const bool is_array =
      type.kind == TypeKind::kTensor && !type.shape.IsDynamic();
  if (!is_array || !BytesFromHex(resource->second, &bytes) ||
      bytes.size() < kAlignmentBytes ||
      !LiteralFromBytes(absl::string_view(bytes).substr(kAlignmentBytes),
                        type.shape, &attribute->literal)) {
    return Error(key.offset,
                 absl::StrCat("resource '", name, "' is not the elements of ",
                              type.ToString()));
  }
  return true;
}

}  // namespace hilo::stablehlo
