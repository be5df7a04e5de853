// The rules for tokens of MLIR text.
#include "hlo/stablehlo/lexer.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace hilo::stablehlo {
namespace {

bool IsWordByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '$' || c == '.';
}

bool IsNameByte(char c) { return IsWordByte(c) || c == '-'; }

bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}

}  // namespace

void Lexer::SkipSpace() {
  while (next_ < text_.size()) {
    if (absl::ascii_isspace(static_cast<unsigned char>(text_[next_]))) {
      ++next_;
    } else if (text_.substr(next_, 2) == "//") {
      const size_t end = text_.find('\n', next_);
      next_ = end == absl::string_view::npos ? text_.size() : end;
    } else {
      return;
    }
  }
}

Token Lexer::Make(TokenKind kind, size_t begin, size_t text_begin,
                  size_t text_end) {
  return {.kind = kind,
          .offset = static_cast<int64_t>(begin),
          .text = text_.substr(text_begin, text_end - text_begin)};
}

Token Lexer::Next() {
  SkipSpace();
  const size_t begin = next_;
  if (begin == text_.size()) return Make(TokenKind::kEnd, begin, begin, begin);
  const char c = text_[begin];
  switch (c) {
    case '"':
      return LexString(TokenKind::kString, begin);
    case '%':
      return LexPrefixed(TokenKind::kValue, begin);
    case '^':
      return LexPrefixed(TokenKind::kBlock, begin);
    case '#':
      return LexPrefixed(TokenKind::kAttributeAlias, begin);
    case '!':
      return LexPrefixed(TokenKind::kTypeAlias, begin);
    case '@':
      if (text_.substr(begin + 1, 1) == "\"") {
        ++next_;
        return LexString(TokenKind::kSymbol, begin);
      }
      return LexPrefixed(TokenKind::kSymbol, begin);
    default:
      break;
  }
  if (IsDigit(c)) return LexNumber(begin);
  if (IsWordByte(c)) {
    while (next_ < text_.size() && IsWordByte(text_[next_])) ++next_;
    return Make(TokenKind::kWord, begin, begin, next_);
  }
  return LexPunctuation(begin);
}

Token Lexer::LexPrefixed(TokenKind kind, size_t begin) {
  next_ = begin + 1;
  while (next_ < text_.size() && IsNameByte(text_[next_]) &&
         text_.substr(next_, 2) != "->") {
    ++next_;
  }
  if (next_ == begin + 1) return Make(TokenKind::kError, begin, begin, next_);
  if (kind == TokenKind::kValue && text_.substr(next_, 1) == "#") {
    ++next_;
    while (next_ < text_.size() && IsDigit(text_[next_])) ++next_;
  }
  return Make(kind, begin, begin + 1, next_);
}

Token Lexer::LexString(TokenKind kind, size_t begin) {
  const size_t first = next_ + 1;
  size_t end = first;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
    end += text_[end] == '\\' ? 2 : 1;
  }
  if (end >= text_.size() || text_[end] != '"') {
    next_ = begin + 1;
    return Make(TokenKind::kError, begin, begin, begin + 1);
  }
  next_ = end + 1;
  return Make(kind, begin, first, end);
}

Token Lexer::LexNumber(size_t begin) {
  const auto skip_digits = [&] {
    while (next_ < text_.size() && IsDigit(text_[next_])) ++next_;
  };
  if (text_.substr(begin, 2) == "0x" && begin + 2 < text_.size() &&
      absl::ascii_isxdigit(static_cast<unsigned char>(text_[begin + 2]))) {
    next_ = begin + 2;
    while (next_ < text_.size() &&
           absl::ascii_isxdigit(static_cast<unsigned char>(text_[next_]))) {
      ++next_;
    }
    return Make(TokenKind::kInteger, begin, begin, next_);
  }
  skip_digits();
  TokenKind kind = TokenKind::kInteger;
  if (text_.substr(next_, 1) == ".") {
    kind = TokenKind::kFloat;
    ++next_;
    skip_digits();
  }
  if (next_ < text_.size() && (text_[next_] == 'e' || text_[next_] == 'E')) {
    size_t digits = next_ + 1;
    if (digits < text_.size() &&
        (text_[digits] == '+' || text_[digits] == '-')) {
      ++digits;
    }
    if (digits < text_.size() && IsDigit(text_[digits])) {
      kind = TokenKind::kFloat;
      next_ = digits;
      skip_digits();
    }
  }
  return Make(kind, begin, begin, next_);
}

Token Lexer::LexPunctuation(size_t begin) {
  constexpr absl::string_view kPunctuation = "(){}[]<>,:=?*+-/|";
  if (text_.substr(begin, 2) == "->") {
    next_ = begin + 2;
    return Make(TokenKind::kArrow, begin, begin, next_);
  }
  if (text_.substr(begin, 2) == "::") {
    next_ = begin + 2;
    return Make(TokenKind::kColonColon, begin, begin, next_);
  }
  next_ = begin + 1;
  const bool is_known =
      kPunctuation.find(text_[begin]) != absl::string_view::npos;
  return Make(is_known ? TokenKind::kPunctuation : TokenKind::kError, begin,
              begin, next_);
}

bool Lexer::ReadSizes(std::vector<int64_t>* sizes) {
  SkipSpace();
  while (next_ < text_.size()) {
    if (text_.substr(next_, 2) == "?x") {
      sizes->push_back(-1);
      next_ += 2;
      continue;
    }
    size_t end = next_;
    int64_t size = 0;
    while (end < text_.size() && IsDigit(text_[end])) {
      const int64_t digit = text_[end++] - '0';
      constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
      if (size > (kLargest - digit) / 10) return false;
      size = 10 * size + digit;
    }
    if (end == next_ || text_.substr(end, 1) != "x") return true;
    sizes->push_back(size);
    next_ = end + 1;
  }
  return true;
}

bool Lexer::SkipPastClosing() {
  int64_t depth = 1;
  while (true) {
    const Token token = Next();
    if (token.kind == TokenKind::kEnd) return false;
    if (token.kind != TokenKind::kPunctuation) continue;
    const char c = token.text[0];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0) return true;
  }
}

}  // namespace hilo::stablehlo
