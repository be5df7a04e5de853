// Splits MLIR text into tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace hilo::stablehlo {

enum class TokenKind : uint8_t {
  kEnd,
  // A byte that begins no token, or a string that does not end.
  kError,
  // Letters, digits, "_", "$" and "."; not a digit first.
  kWord,
  // "%name", "^name", "#name", "!name", "@name" or "@"name"", without the sign
  // and the quotes. "%name" may have "#1" behind it, which is part of it.
  kValue,
  kBlock,
  kAttributeAlias,
  kTypeAlias,
  kSymbol,
  // Without quotes, escapes not decoded.
  kString,
  // Digits, also "0x1F"; a sign is a token of its own.
  kInteger,
  // With a point or an exponent.
  kFloat,
  kArrow,
  kColonColon,
  // One of ( ) { } [ ] < > , : = ? * + - / |; Token::text is that byte.
  kPunctuation,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  // Where the token begins, signs and quotes included.
  int64_t offset = 0;
  absl::string_view text;

  bool Is(char punctuation) const {
    return kind == TokenKind::kPunctuation && text[0] == punctuation;
  }
  bool IsWord(absl::string_view word) const {
    return kind == TokenKind::kWord && text == word;
  }
};

// Reads one token after the other. Source: MLIR language reference, "Common
// syntax". Cheap to copy: a copy is a place to come back to.
class Lexer {
 public:
  // `text` must outlive the lexer and its tokens.
  explicit Lexer(absl::string_view text) : text_(text) {}

  // After the end the same again.
  Token Next();

  // Offset of the byte after the last token.
  int64_t offset() const { return static_cast<int64_t>(next_); }
  void Seek(int64_t offset) { next_ = static_cast<size_t>(offset); }
  absl::string_view text() const { return text_; }

  // Reads "2x?x", the sizes of a tensor; -1 stands for "?". Nothing is read
  // where no size is. False for a size of more than 63 bits.
  bool ReadSizes(std::vector<int64_t>* sizes);

  // Goes past the bracket that closes what is open, which is one of < ( [ {;
  // strings and comments within are skipped. False when it is not closed.
  bool SkipPastClosing();

 private:
  void SkipSpace();
  Token Make(TokenKind kind, size_t begin, size_t text_begin, size_t text_end);
  Token LexString(TokenKind kind, size_t begin);
  Token LexNumber(size_t begin);
  Token LexPrefixed(TokenKind kind, size_t begin);
  Token LexPunctuation(size_t begin);

  absl::string_view text_;
  size_t next_ = 0;
};

}  // namespace hilo::stablehlo
