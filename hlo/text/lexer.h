// Splits HLO text into tokens.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"

namespace hilo::hlo {

enum class TokenKind : uint8_t {
  kEnd,
  // Not a token; Lexer::error_message() says why.
  kError,
  kEqual,
  kComma,
  kColon,
  kAsterisk,
  kHash,
  kPlus,
  kTilde,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kArrow,
  kLessEqual,
  kEllipsis,
  kQuestionMark,
  // "%name" or "name:", without "%" and ":".
  kName,
  // "name=", without "=".
  kAttributeName,
  kIdentifier,
  // An element type; Token::element_type says which.
  kType,
  // Reserved words; Token::text is the word.
  kTrue,
  kFalse,
  kHloModule,
  kEntry,
  kRoot,
  kFileNames,
  kFunctionNames,
  kFileLocations,
  kStackFrames,
  // maximal, replicated, manual, unreduced, unknown, shard_as, shard_like,
  // last_tile_dim_replicate.
  kShardingWord,
  // Numbers; Token::text holds all of it.
  kInt,
  // With a point or exponent; also inf, nan, -inf, -nan(0x1).
  kDecimal,
  // 3x3
  kSizes,
  // 0_1x-1_2_3
  kPadding,
  // b01f_01io->b01f
  kDimLabels,
  // Text without the quotes, escapes not decoded.
  kString,
};

// Whether it is a word that may name something.
inline bool IsNameKind(TokenKind kind) {
  return kind == TokenKind::kName || kind == TokenKind::kIdentifier;
}

// What a kind is called in messages: "','", "a name".
absl::string_view NameOf(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::kEnd;
  // kType: the type.
  ElementType element_type = ElementType::kTuple;
  // kString: whether there is a backslash.
  bool has_escapes = false;
  // Where the token begins, "%" and quotes included.
  int64_t offset = 0;
  absl::string_view text;
};

// Reads one token after the other (language reference, section 1.1). Cheap to
// copy: a copy is a place to come back to.
class Lexer {
 public:
  // Starts before the first token of `text`, which must outlive the lexer.
  explicit Lexer(absl::string_view text, int64_t offset = 0)
      : begin_(text.data()),
        next_(text.data() + offset),
        end_(text.data() + text.size()) {}

  // Reads the next token. After the end, or after a byte that belongs to no
  // token, the same again.
  Token Next();

  // Offset of the byte after the last token.
  int64_t offset() const { return next_ - begin_; }
  // Goes to a byte offset.
  void Seek(int64_t offset) { next_ = begin_ + offset; }
  absl::string_view text() const {
    return {begin_, static_cast<size_t>(end_ - begin_)};
  }

  // Skips space and comments. False, with error_message() set, when a comment
  // does not end.
  bool SkipSpace();

  // What was wrong when Next() gave kError.
  const char* error_message() const { return error_message_; }

  // Goes past the "}" that matches the "{" at `offset`, in which quoted strings
  // are skipped and nothing else is interpreted. False when there is none.
  bool SkipRawBraces(int64_t offset);

 private:
  Token Make(TokenKind kind, const char* start, const char* stop);
  Token Fail(const char* place, const char* message);
  Token NextPunctuation(const char* start);
  Token NextIdentifier(const char* start);
  Token NextPercentName(const char* start);
  Token NextNumber(const char* start);
  Token NextMinus(const char* start);
  Token NextString(const char* start);
  const char* MatchDimLabels(const char* start) const;
  const char* MatchDecimal(const char* start) const;
  const char* MatchSizes(const char* start) const;
  const char* MatchPadding(const char* start) const;
  const char* MatchNan(const char* after_nan) const;

  const char* begin_;
  const char* next_;
  const char* end_;
  const char* error_message_ = "";
};

// Whether `text` is an identifier that may name instructions: the characters
// fit and it is no type word.
bool IsLegalName(absl::string_view text);

// Decodes the C escapes of a string token's text into `*out`. On an unknown
// escape, false; `*bad_offset` is its place in `text`.
bool DecodeEscapes(absl::string_view text, std::string* out,
                   int64_t* bad_offset);

}  // namespace hilo::hlo
