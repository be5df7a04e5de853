// The lexer of HLO text, by hand over bytes.
#include "hlo/text/lexer.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"

namespace hilo::hlo {
namespace {

// What a byte may be part of.
enum ByteClass : uint8_t {
  kSpaceByte = 1 << 0,
  kDigitByte = 1 << 1,
  kNameStartByte = 1 << 2,
  kNameByte = 1 << 3,
  // Of the three parts of a dim-labels token.
  kImageLabelByte = 1 << 4,
  kKernelLabelByte = 1 << 5,
  // May begin a dim-labels token that is no number.
  kLabelStartByte = 1 << 6,
};

constexpr std::array<uint8_t, 256> BuildByteClasses() {
  std::array<uint8_t, 256> classes{};
  const auto add = [&classes](absl::string_view bytes, int bits) {
    for (char byte : bytes) {
      uint8_t& entry = classes[static_cast<unsigned char>(byte)];
      entry = static_cast<uint8_t>(entry | bits);
    }
  };
  add(" \t\n\r", kSpaceByte);
  add("0123456789",
      kDigitByte | kNameByte | kImageLabelByte | kKernelLabelByte);
  add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
      kNameStartByte | kNameByte);
  add(".-", kNameByte);
  add("bf?", kImageLabelByte);
  add("io?", kKernelLabelByte);
  add("bf", kLabelStartByte);
  return classes;
}

constexpr std::array<uint8_t, 256> kByteClasses = BuildByteClasses();

bool Is(char c, ByteClass byte_class) {
  return (kByteClasses[static_cast<unsigned char>(c)] & byte_class) != 0;
}

const char* SkipWhile(const char* at, const char* end, ByteClass byte_class) {
  while (at != end && Is(*at, byte_class)) ++at;
  return at;
}

// A word that is no identifier.
struct Word {
  absl::string_view text;
  TokenKind kind = TokenKind::kIdentifier;
  ElementType type = ElementType::kTuple;
};

constexpr auto kKeywords = std::to_array<Word>({
    {.text = "true", .kind = TokenKind::kTrue},
    {.text = "false", .kind = TokenKind::kFalse},
    {.text = "inf", .kind = TokenKind::kDecimal},
    {.text = "nan", .kind = TokenKind::kDecimal},
    {.text = "HloModule", .kind = TokenKind::kHloModule},
    {.text = "ENTRY", .kind = TokenKind::kEntry},
    {.text = "ROOT", .kind = TokenKind::kRoot},
    {.text = "FileNames", .kind = TokenKind::kFileNames},
    {.text = "FunctionNames", .kind = TokenKind::kFunctionNames},
    {.text = "FileLocations", .kind = TokenKind::kFileLocations},
    {.text = "StackFrames", .kind = TokenKind::kStackFrames},
    {.text = "maximal", .kind = TokenKind::kShardingWord},
    {.text = "replicated", .kind = TokenKind::kShardingWord},
    {.text = "manual", .kind = TokenKind::kShardingWord},
    {.text = "unreduced", .kind = TokenKind::kShardingWord},
    {.text = "unknown", .kind = TokenKind::kShardingWord},
    {.text = "last_tile_dim_replicate", .kind = TokenKind::kShardingWord},
    {.text = "shard_as", .kind = TokenKind::kShardingWord},
    {.text = "shard_like", .kind = TokenKind::kShardingWord},
    // A synonym of opaque.
    {.text = "opaque_type",
     .kind = TokenKind::kType,
     .type = ElementType::kOpaque},
});

constexpr auto kTypes = std::to_array<Word>({
#define HLO_ELEMENT_TYPE(Name, text, number, bits, Class, Native) \
  {text, TokenKind::kType, ElementType::k##Name},
#include "hlo/ir/element_types.def"
#undef HLO_ELEMENT_TYPE
});

// An open-addressing table of the words, built by the compiler.
constexpr size_t kWordSlots = 512;

constexpr size_t SlotOf(const char* text, size_t size) {
  const auto byte = [text](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(text[i]));
  };
  const size_t middle = byte(size / 2);
  return (byte(0) * 31 + byte(size - 1) * 7 + middle * 13 + size * 5) %
         kWordSlots;
}

constexpr std::array<Word, kWordSlots> BuildWords() {
  std::array<Word, kWordSlots> slots{};
  const auto add = [&slots](const Word& word) {
    size_t slot = SlotOf(word.text.data(), word.text.size());
    while (!slots[slot].text.empty()) slot = (slot + 1) % kWordSlots;
    slots[slot] = word;
  };
  for (const Word& word : kKeywords) add(word);
  for (const Word& word : kTypes) {
    // These two are written "(...)" and "b(...)": ordinary names.
    if (word.type == ElementType::kTuple) continue;
    if (word.type == ElementType::kBuffer) continue;
    add(word);
  }
  return slots;
}

constexpr std::array<Word, kWordSlots> kWords = BuildWords();

// Null for ordinary identifiers.
const Word* FindWord(absl::string_view text) {
  size_t slot = SlotOf(text.data(), text.size());
  while (!kWords[slot].text.empty()) {
    if (kWords[slot].text == text) return &kWords[slot];
    slot = (slot + 1) % kWordSlots;
  }
  return nullptr;
}

// The kind of the tokens that are just this byte; kError for other bytes.
TokenKind OneByteKind(char byte) {
  switch (byte) {
    case '=':
      return TokenKind::kEqual;
    case ',':
      return TokenKind::kComma;
    case ':':
      return TokenKind::kColon;
    case '*':
      return TokenKind::kAsterisk;
    case '#':
      return TokenKind::kHash;
    case '+':
      return TokenKind::kPlus;
    case '~':
      return TokenKind::kTilde;
    case '[':
      return TokenKind::kLeftBracket;
    case ']':
      return TokenKind::kRightBracket;
    case '{':
      return TokenKind::kLeftBrace;
    case '}':
      return TokenKind::kRightBrace;
    case '(':
      return TokenKind::kLeftParen;
    case ')':
      return TokenKind::kRightParen;
    default:
      return TokenKind::kError;
  }
}

absl::string_view View(const char* start, const char* stop) {
  return {start, static_cast<size_t>(stop - start)};
}

}  // namespace

absl::string_view NameOf(TokenKind kind) {
  static constexpr auto kNames =
      std::to_array<absl::string_view>({"the end of the text",
                                        "a token",
                                        "'='",
                                        "','",
                                        "':'",
                                        "'*'",
                                        "'#'",
                                        "'+'",
                                        "'~'",
                                        "'['",
                                        "']'",
                                        "'{'",
                                        "'}'",
                                        "'('",
                                        "')'",
                                        "'->'",
                                        "'<='",
                                        "'...'",
                                        "'?'",
                                        "a name",
                                        "an attribute",
                                        "an identifier",
                                        "a type",
                                        "'true'",
                                        "'false'",
                                        "'HloModule'",
                                        "'ENTRY'",
                                        "'ROOT'",
                                        "'FileNames'",
                                        "'FunctionNames'",
                                        "'FileLocations'",
                                        "'StackFrames'",
                                        "a sharding word",
                                        "an integer",
                                        "a number",
                                        "sizes such as 3x3",
                                        "padding such as 0_1x0_1",
                                        "dimension labels",
                                        "a string"});
  return kNames[static_cast<size_t>(kind)];
}

Token Lexer::Make(TokenKind kind, const char* start, const char* stop) {
  next_ = stop;
  Token token;
  token.kind = kind;
  token.offset = start - begin_;
  token.text = View(start, stop);
  return token;
}

Token Lexer::Fail(const char* place, const char* message) {
  error_message_ = message;
  next_ = place;
  Token token;
  token.kind = TokenKind::kError;
  token.offset = place - begin_;
  token.text = View(place, place == end_ ? place : place + 1);
  return token;
}

bool Lexer::SkipSpace() {
  while (true) {
    next_ = SkipWhile(next_, end_, kSpaceByte);
    if (end_ - next_ < 2 || next_[0] != '/') return true;
    if (next_[1] == '/') {
      while (next_ != end_ && *next_ != '\n' && *next_ != '\r') ++next_;
    } else if (next_[1] == '*') {
      const absl::string_view rest = View(next_ + 2, end_);
      const size_t stop = rest.find("*/");
      if (stop == absl::string_view::npos) {
        error_message_ = "this comment does not end";
        return false;
      }
      next_ += 2 + stop + 2;
    } else {
      return true;
    }
  }
}

Token Lexer::Next() {
  if (!SkipSpace()) return Fail(next_, error_message_);
  if (next_ == end_) return Make(TokenKind::kEnd, next_, next_);
  const char* const start = next_;
  if (Is(*start, kNameStartByte)) return NextIdentifier(start);
  if (Is(*start, kDigitByte)) return NextNumber(start);
  return NextPunctuation(start);
}

Token Lexer::NextPunctuation(const char* start) {
  const TokenKind one_byte_kind = OneByteKind(*start);
  if (one_byte_kind != TokenKind::kError) {
    return Make(one_byte_kind, start, start + 1);
  }
  const absl::string_view rest = View(start, end_);
  switch (*start) {
    case '"':
    case '\'':
      return NextString(start);
    case '%':
      return NextPercentName(start);
    case '-':
      return NextMinus(start);
    case '?': {
      const char* const stop = MatchDimLabels(start);
      if (stop != nullptr) return Make(TokenKind::kDimLabels, start, stop);
      return Make(TokenKind::kQuestionMark, start, start + 1);
    }
    case '<':
      if (rest.substr(0, 2) == "<=") {
        return Make(TokenKind::kLessEqual, start, start + 2);
      }
      break;
    case '.':
      if (rest.substr(0, 3) == "...") {
        return Make(TokenKind::kEllipsis, start, start + 3);
      }
      break;
    case '\0':
      return Fail(start, "NUL byte in the text");
    default:
      break;
  }
  if (static_cast<unsigned char>(*start) >= 0x80) {
    return Fail(start, "byte outside ASCII: allowed in strings and comments");
  }
  return Fail(start, "unexpected character");
}

Token Lexer::NextIdentifier(const char* start) {
  const char* const stop = SkipWhile(start + 1, end_, kNameByte);
  if (stop != end_ && (*stop == ':' || *stop == '=')) {
    Token token =
        Make(*stop == ':' ? TokenKind::kName : TokenKind::kAttributeName, start,
             stop);
    next_ = stop + 1;
    return token;
  }
  const Word* const word = FindWord(View(start, stop));
  if (word != nullptr) {
    Token token = Make(word->kind, start, stop);
    token.element_type = word->type;
    if (word->text == "nan") {
      const char* const payload = MatchNan(stop);
      if (payload == nullptr) return Fail(stop, "wrong NaN payload");
      token = Make(TokenKind::kDecimal, start, payload);
    }
    return token;
  }
  if (Is(*start, kLabelStartByte)) {
    const char* const labels = MatchDimLabels(start);
    if (labels != nullptr) return Make(TokenKind::kDimLabels, start, labels);
  }
  return Make(TokenKind::kIdentifier, start, stop);
}

Token Lexer::NextPercentName(const char* start) {
  if (end_ - start < 2 || !Is(start[1], kNameStartByte)) {
    return Fail(start, "'%' must be followed directly by a name");
  }
  const char* const stop = SkipWhile(start + 1, end_, kNameByte);
  Token token = Make(TokenKind::kName, start, stop);
  token.text.remove_prefix(1);
  return token;
}

Token Lexer::NextNumber(const char* start) {
  const char* const digits = SkipWhile(start, end_, kDigitByte);
  // Most numbers are plain: one look decides.
  if (digits == end_ ||
      (!Is(*digits, kNameByte) && !Is(*digits, kImageLabelByte))) {
    return Make(TokenKind::kInt, start, digits);
  }
  const char* stop = MatchDecimal(start);
  if (stop != nullptr) return Make(TokenKind::kDecimal, start, stop);
  stop = MatchDimLabels(start);
  if (stop != nullptr) return Make(TokenKind::kDimLabels, start, stop);
  stop = MatchSizes(start);
  if (stop != nullptr) return Make(TokenKind::kSizes, start, stop);
  stop = MatchPadding(start);
  if (stop != nullptr) return Make(TokenKind::kPadding, start, stop);
  return Make(TokenKind::kInt, start, digits);
}

Token Lexer::NextMinus(const char* start) {
  const absl::string_view rest = View(start, end_);
  if (rest.substr(0, 2) == "->") {
    return Make(TokenKind::kArrow, start, start + 2);
  }
  const char* stop = MatchDecimal(start);
  if (stop != nullptr) return Make(TokenKind::kDecimal, start, stop);
  stop = MatchPadding(start);
  if (stop != nullptr) return Make(TokenKind::kPadding, start, stop);
  stop = SkipWhile(start + 1, end_, kDigitByte);
  if (stop != start + 1) return Make(TokenKind::kInt, start, stop);
  if (rest.substr(0, 4) == "-inf") {
    return Make(TokenKind::kDecimal, start, start + 4);
  }
  if (rest.substr(0, 4) == "-nan") {
    stop = MatchNan(start + 4);
    if (stop == nullptr) return Fail(start + 4, "wrong NaN payload");
    return Make(TokenKind::kDecimal, start, stop);
  }
  return Fail(start, "'-' must be followed by a number or '>'");
}

// Where "nan" with its payload ends; null when "(" is not followed by one.
const char* Lexer::MatchNan(const char* after_nan) const {
  constexpr absl::string_view kPrefix = "(0x";
  if (View(after_nan, end_).substr(0, kPrefix.size()) != kPrefix) {
    return after_nan;
  }
  const char* at = after_nan + kPrefix.size();
  const char* const digits = at;
  while (at != end_ && absl::ascii_isxdigit(*at)) ++at;
  if (at == digits || at == end_ || *at != ')') return nullptr;
  return at + 1;
}

// -?(\d+|\d+\.\d*|\d*\.\d+)[eE][+-]?\d+ or the same with a point only.
const char* Lexer::MatchDecimal(const char* start) const {
  const char* at = start;
  if (*at == '-') ++at;
  const char* const whole = at;
  at = SkipWhile(at, end_, kDigitByte);
  bool has_digits = at != whole;
  bool is_decimal = false;
  if (at != end_ && *at == '.') {
    const char* const fraction = at + 1;
    const char* const stop = SkipWhile(fraction, end_, kDigitByte);
    is_decimal = has_digits || stop != fraction;
    has_digits = is_decimal;
    if (is_decimal) at = stop;
  }
  if (!has_digits) return nullptr;
  if (at != end_ && (*at == 'e' || *at == 'E')) {
    const char* exponent = at + 1;
    if (exponent != end_ && (*exponent == '+' || *exponent == '-')) ++exponent;
    const char* const stop = SkipWhile(exponent, end_, kDigitByte);
    if (stop != exponent) return stop;
  }
  return is_decimal ? at : nullptr;
}

// [0-9bf?]{2,}_[0-9io?]{2,}->[0-9bf?]{2,}
const char* Lexer::MatchDimLabels(const char* start) const {
  const char* at = SkipWhile(start, end_, kImageLabelByte);
  if (at - start < 2 || at == end_ || *at != '_') return nullptr;
  const char* const kernel = at + 1;
  at = SkipWhile(kernel, end_, kKernelLabelByte);
  if (at - kernel < 2 || View(at, end_).substr(0, 2) != "->") return nullptr;
  const char* const output = at + 2;
  at = SkipWhile(output, end_, kImageLabelByte);
  return at - output < 2 ? nullptr : at;
}

// \d+(x\d+)+
const char* Lexer::MatchSizes(const char* start) const {
  const char* at = SkipWhile(start, end_, kDigitByte);
  const char* matched = nullptr;
  while (at != end_ && *at == 'x') {
    const char* const stop = SkipWhile(at + 1, end_, kDigitByte);
    if (stop == at + 1) break;
    at = matched = stop;
  }
  return matched;
}

// -?\d+_-?\d+(_\d+)?(x-?\d+_-?\d+(_\d+)?)*
const char* Lexer::MatchPadding(const char* start) const {
  const auto integer = [this](const char* at) -> const char* {
    if (at != end_ && *at == '-') ++at;
    const char* const stop = SkipWhile(at, end_, kDigitByte);
    return stop == at ? nullptr : stop;
  };
  const auto entry = [&](const char* at) -> const char* {
    at = integer(at);
    if (at == nullptr || at == end_ || *at != '_') return nullptr;
    at = integer(at + 1);
    if (at == nullptr || at == end_ || *at != '_') return at;
    const char* const stop = SkipWhile(at + 1, end_, kDigitByte);
    return stop == at + 1 ? at : stop;
  };
  const char* matched = entry(start);
  while (matched != nullptr && matched != end_ && *matched == 'x') {
    const char* const stop = entry(matched + 1);
    if (stop == nullptr) break;
    matched = stop;
  }
  return matched;
}

Token Lexer::NextString(const char* start) {
  const char quote = *start;
  const char* at = start + 1;
  bool has_escapes = false;
  while (true) {
    const auto* stop = static_cast<const char*>(
        std::memchr(at, quote, static_cast<size_t>(end_ - at)));
    if (stop == nullptr) return Fail(start, "this string does not end");
    const auto* backslash = static_cast<const char*>(
        std::memchr(at, '\\', static_cast<size_t>(stop - at)));
    if (backslash == nullptr) {
      Token token = Make(TokenKind::kString, start, stop + 1);
      token.text = View(start + 1, stop);
      token.has_escapes = has_escapes;
      return token;
    }
    has_escapes = true;
    if (end_ - backslash < 2) return Fail(start, "this string does not end");
    at = backslash + 2;
  }
}

bool Lexer::SkipRawBraces(int64_t offset) {
  int64_t depth = 0;
  for (const char* at = begin_ + offset; at != end_; ++at) {
    if (*at == '{') {
      ++depth;
    } else if (*at == '}') {
      if (--depth > 0) continue;
      next_ = at + 1;
      return true;
    } else if (*at == '"') {
      ++at;
      while (at != end_ && *at != '"') {
        if (*at == '\\' && at + 1 != end_) ++at;
        ++at;
      }
      if (at == end_) return false;
    }
  }
  return false;
}

bool IsLegalName(absl::string_view text) {
  if (text.empty() || !Is(text[0], kNameStartByte)) return false;
  const char* const end = text.data() + text.size();
  if (SkipWhile(text.data(), end, kNameByte) != end) return false;
  const Word* const word = FindWord(text);
  return word == nullptr || word->kind != TokenKind::kType;
}

bool DecodeEscapes(absl::string_view text, std::string* out,
                   int64_t* bad_offset) {
  if (absl::CUnescape(text, out)) return true;
  // One escape after the other, to find the wrong one.
  size_t at = 0;
  while (at < text.size()) {
    const size_t escape = text.find('\\', at);
    if (escape == absl::string_view::npos) break;
    *bad_offset = static_cast<int64_t>(escape);
    size_t stop = text.find('\\', escape + 2);
    if (stop == absl::string_view::npos) stop = text.size();
    std::string piece;
    if (!absl::CUnescape(text.substr(escape, stop - escape), &piece)) break;
    at = stop;
  }
  return false;
}

}  // namespace hilo::hlo
