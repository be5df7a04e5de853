// Values that consist of a few tokens, and error messages about tokens.
#include "hlo/text/token_reader.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/layout.h"
#include "hlo/text/lexer.h"
#include "runtime/base/parse_element.h"

namespace hilo::hlo {
namespace {

// Whether the token is a word that IsWord may match.
bool IsWordKind(TokenKind kind) {
  return kind == TokenKind::kIdentifier || kind == TokenKind::kType ||
         kind == TokenKind::kShardingWord;
}

// Kinds that a value without spaces may go on with after its first token.
bool ContinuesValue(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEnd:
    case TokenKind::kError:
    case TokenKind::kEqual:
    case TokenKind::kComma:
    case TokenKind::kRightBrace:
    case TokenKind::kRightBracket:
    case TokenKind::kRightParen:
    case TokenKind::kAttributeName:
    case TokenKind::kHloModule:
    case TokenKind::kEntry:
    case TokenKind::kRoot:
    case TokenKind::kFileNames:
    case TokenKind::kFunctionNames:
    case TokenKind::kFileLocations:
    case TokenKind::kStackFrames:
      return false;
    case TokenKind::kColon:
    case TokenKind::kAsterisk:
    case TokenKind::kHash:
    case TokenKind::kPlus:
    case TokenKind::kTilde:
    case TokenKind::kLeftBracket:
    case TokenKind::kLeftBrace:
    case TokenKind::kLeftParen:
    case TokenKind::kArrow:
    case TokenKind::kLessEqual:
    case TokenKind::kEllipsis:
    case TokenKind::kQuestionMark:
    case TokenKind::kName:
    case TokenKind::kIdentifier:
    case TokenKind::kType:
    case TokenKind::kTrue:
    case TokenKind::kFalse:
    case TokenKind::kShardingWord:
    case TokenKind::kInt:
    case TokenKind::kDecimal:
    case TokenKind::kSizes:
    case TokenKind::kPadding:
    case TokenKind::kDimLabels:
    case TokenKind::kString:
      return true;
  }
  return false;
}

}  // namespace

std::string Quoted(absl::string_view text) {
  constexpr size_t kLongest = 60;
  if (text.size() <= kLongest) return absl::StrCat("'", text, "'");
  return absl::StrCat("'", text.substr(0, kLongest), "...'");
}

std::string Describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return std::string(NameOf(token.kind));
    case TokenKind::kAttributeName:
      return Quoted(absl::StrCat(token.text.substr(0, 100), "="));
    case TokenKind::kString:
      return absl::StrCat("the string ", Quoted(token.text));
    default:  // NOLINT: every other token is its text
      return Quoted(token.text);
  }
}

bool TokenReader::IsWord(absl::string_view word) const {
  return IsWordKind(token_.kind) && token_.text == word;
}

bool TokenReader::AcceptWord(absl::string_view word) {
  if (!IsWord(word)) return false;
  Advance();
  return true;
}

bool TokenReader::AcceptAttribute(absl::string_view word) {
  if (!IsAttribute(word)) return false;
  Advance();
  return true;
}

bool TokenReader::Expect(TokenKind kind, absl::string_view where) {
  if (Accept(kind)) return true;
  return FailExpected(where.empty() ? std::string(NameOf(kind))
                                    : absl::StrCat(NameOf(kind), " ", where));
}

bool TokenReader::Fail(int64_t offset, std::string message,
                       std::string remedy) {
  diagnostics_->Error(offset, std::move(message), std::move(remedy));
  return false;
}

bool TokenReader::FailExpected(absl::string_view what, std::string remedy) {
  if (Is(TokenKind::kError)) {
    std::string message = lexer_.error_message();
    if (message == "unexpected character") {
      absl::StrAppend(&message, " ", Quoted(absl::CHexEscape(token_.text)));
    }
    return Fail(offset(), std::move(message));
  }
  return Fail(offset(),
              absl::StrCat("expected ", what, ", got ", Describe(token_)),
              std::move(remedy));
}

bool TokenReader::ReadInt(int64_t* value, absl::string_view what) {
  if (!Is(TokenKind::kInt)) return FailExpected(what);
  const char* const begin = token_.text.data();
  const char* const end = begin + token_.text.size();
  std::errc error{};
  if (*begin == '-') {
    error = std::from_chars(begin, end, *value).ec;
  } else {
    uint64_t bits = 0;
    error = std::from_chars(begin, end, bits).ec;
    *value = static_cast<int64_t>(bits);
  }
  if (error != std::errc()) {
    return Fail(offset(), absl::StrCat("integer ", Quoted(token_.text),
                                       " does not fit in 64 bits"));
  }
  Advance();
  return true;
}

bool TokenReader::ReadBool(bool* value) {
  if (!Is(TokenKind::kTrue) && !Is(TokenKind::kFalse)) {
    return FailExpected("true or false");
  }
  *value = Is(TokenKind::kTrue);
  Advance();
  return true;
}

bool TokenReader::ReadDouble(double* value) {
  if (!Is(TokenKind::kDecimal) && !Is(TokenKind::kInt)) {
    return FailExpected("a number");
  }
  const absl::StatusOr<double> number = ParseElement<double>(token_.text);
  if (!number.ok()) {
    return Fail(offset(), std::string(number.status().message()));
  }
  *value = *number;
  Advance();
  return true;
}

bool TokenReader::ReadString(std::string* value) {
  if (!Is(TokenKind::kString)) return FailExpected("a string in quotes");
  if (!token_.has_escapes) {
    value->assign(token_.text.data(), token_.text.size());
    Advance();
    return true;
  }
  int64_t bad_offset = 0;
  if (!DecodeEscapes(token_.text, value, &bad_offset)) {
    return Fail(offset() + 1 + bad_offset, "unknown escape in a string",
                "write '\\\\' for a backslash");
  }
  Advance();
  return true;
}

bool TokenReader::ReadInts(TokenKind stop, DimensionVector* values) {
  if (Is(stop)) return true;
  do {
    int64_t value = 0;
    if (!ReadInt(&value)) return false;
    values->push_back(value);
  } while (Accept(TokenKind::kComma));
  return true;
}

bool TokenReader::ReadIntList(DimensionVector* values) {
  return Expect(TokenKind::kLeftBrace, "before a list of integers") &&
         ReadInts(TokenKind::kRightBrace, values) &&
         Expect(TokenKind::kRightBrace, "after a list of integers");
}

bool TokenReader::ReadRawBraces(absl::string_view* value) {
  if (!Is(TokenKind::kLeftBrace)) return FailExpected("'{'");
  const int64_t begin = offset();
  if (!lexer_.SkipRawBraces(begin)) {
    return Fail(begin, "'{' without a matching '}'");
  }
  *value = text().substr(begin, lexer_.offset() - begin);
  Advance();
  return true;
}

bool TokenReader::SkipValue() {
  int64_t open_count = 0;
  bool is_first = true;
  while (true) {
    if (Is(TokenKind::kLeftBrace)) {
      absl::string_view ignored;
      if (!ReadRawBraces(&ignored)) return false;
      is_first = false;
      continue;
    }
    const bool adjacent = offset() == previous_end_;
    const bool goes_on =
        open_count > 0 ? !Is(TokenKind::kEnd) : is_first || adjacent;
    if (Is(TokenKind::kError)) return FailExpected("a value");
    const bool closes =
        Is(TokenKind::kRightBracket) || Is(TokenKind::kRightParen);
    if (!goes_on) break;
    if (open_count == 0 && !ContinuesValue(kind())) break;
    if (open_count > 0 && Is(TokenKind::kRightBrace)) break;
    if (closes) --open_count;
    if (Is(TokenKind::kLeftBracket) || Is(TokenKind::kLeftParen)) ++open_count;
    is_first = false;
    Advance();
  }
  if (is_first || open_count != 0) return FailExpected("a value");
  return true;
}

bool TokenReader::Enter() {
  ++depth_;
  if (depth_ <= kMaxNesting) return true;
  return Fail(offset(),
              absl::StrCat("nested more than ", kMaxNesting, " levels deep"));
}

}  // namespace hilo::hlo
