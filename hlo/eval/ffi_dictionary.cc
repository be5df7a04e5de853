// The attributes of typed-FFI custom calls: {uplo = 76 : ui8, flag = true}.
#include "hlo/eval/ffi_dictionary.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

constexpr int kMaxNesting = 32;

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '.' || c == '-' || c == '+' || c == '$';
}

// A number as it was written, with the type after the colon, if any.
struct Number {
  std::string text;
  std::string type;

  bool is_hexadecimal() const { return absl::StartsWith(text, "0x"); }
  bool is_float() const {
    if (!type.empty()) return type[0] == 'f' || type[0] == 'b';
    return !is_hexadecimal() && text.find_first_of(".eE") != std::string::npos;
  }
};

absl::StatusOr<double> FloatOf(const Number& number) {
  double value = 0;
  if (number.is_hexadecimal()) {
    uint64_t bits = 0;
    if (absl::SimpleHexAtoi(number.text, &bits)) {
      if (number.type == "f64" || number.type.empty()) {
        return std::bit_cast<double>(bits);
      }
      if (number.type == "f32" && bits >> 32 == 0) {
        return std::bit_cast<float>(static_cast<uint32_t>(bits));
      }
    }
  } else if (absl::SimpleAtod(number.text, &value)) {
    return value;
  }
  return InvalidArgument("'", number.text, "' is not a number of type '",
                         number.type, "'");
}

absl::StatusOr<int64_t> IntegerOf(const Number& number) {
  int64_t value = 0;
  uint64_t bits = 0;
  if (number.is_hexadecimal() && absl::SimpleHexAtoi(number.text, &bits)) {
    return static_cast<int64_t>(bits);
  }
  if (absl::SimpleAtoi(number.text, &value)) return value;
  if (absl::SimpleAtoi(number.text, &bits)) return static_cast<int64_t>(bits);
  return InvalidArgument("'", number.text, "' is not an integer");
}

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<FfiDictionary> ParseAll() {
    ASSIGN_OR_RETURN(FfiDictionary dictionary, ParseDictionary(0));
    SkipSpace();
    if (position_ != text_.size()) return Expected("the end");
    return dictionary;
  }

 private:
  void SkipSpace() {
    while (position_ < text_.size() &&
           absl::ascii_isspace(static_cast<unsigned char>(text_[position_]))) {
      ++position_;
    }
  }
  bool Consume(char c) {
    SkipSpace();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  char Peek() {
    SkipSpace();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  absl::Status Expected(absl::string_view what) const {
    return InvalidArgument("attribute dictionary: expected ", what,
                           " at character ", position_ + 1);
  }
  std::string Word() {
    SkipSpace();
    const size_t start = position_;
    while (position_ < text_.size() && IsWordCharacter(text_[position_])) {
      ++position_;
    }
    return std::string(text_.substr(start, position_ - start));
  }

  absl::StatusOr<std::string> ParseString();
  absl::StatusOr<FfiDictionary> ParseDictionary(int depth);
  absl::StatusOr<FfiValue> ParseValue(int depth);
  absl::StatusOr<Number> ParseNumber();
  absl::StatusOr<FfiValue> ParseArray();
  absl::StatusOr<FfiValue> ParseDense();

  absl::string_view text_;
  size_t position_ = 0;
};

absl::StatusOr<std::string> Parser::ParseString() {
  if (!Consume('"')) return Expected("a string");
  std::string value;
  while (position_ < text_.size() && text_[position_] != '"') {
    char c = text_[position_++];
    if (c == '\\' && position_ < text_.size()) {
      c = text_[position_++];
      if (c == 'n') c = '\n';
      if (c == 't') c = '\t';
    }
    value += c;
  }
  if (!Consume('"')) return Expected("'\"'");
  return value;
}

absl::StatusOr<FfiDictionary> Parser::ParseDictionary(int depth) {
  if (depth > kMaxNesting) return Expected("less nesting");
  FfiDictionary dictionary;
  if (!Consume('{')) return Expected("'{'");
  if (Consume('}')) return dictionary;
  do {
    std::string name;
    if (Peek() == '"') {
      ASSIGN_OR_RETURN(name, ParseString());
    } else {
      name = Word();
    }
    if (name.empty()) return Expected("a name");
    if (dictionary.Find(name) != nullptr) {
      return InvalidArgument("attribute dictionary: '", name,
                             "' is given twice");
    }
    FfiValue value = true;
    if (Consume('=')) {
      ASSIGN_OR_RETURN(value, ParseValue(depth));
    }
    dictionary.Add(std::move(name), std::move(value));
  } while (Consume(','));
  if (!Consume('}')) return Expected("',' or '}'");
  return dictionary;
}

absl::StatusOr<FfiValue> Parser::ParseValue(int depth) {
  const char next = Peek();
  if (next == '{') {
    ASSIGN_OR_RETURN(FfiDictionary nested, ParseDictionary(depth + 1));
    return FfiValue(std::make_shared<FfiDictionary>(std::move(nested)));
  }
  if (next == '"') {
    ASSIGN_OR_RETURN(std::string value, ParseString());
    return FfiValue(std::move(value));
  }
  if (absl::ascii_isdigit(static_cast<unsigned char>(next)) || next == '-' ||
      next == '+' || next == '.') {
    ASSIGN_OR_RETURN(const Number number, ParseNumber());
    if (number.is_float()) {
      ASSIGN_OR_RETURN(const double value, FloatOf(number));
      return FfiValue(value);
    }
    ASSIGN_OR_RETURN(const int64_t value, IntegerOf(number));
    return FfiValue(value);
  }
  const std::string word = Word();
  if (word == "true") return FfiValue(true);
  if (word == "false") return FfiValue(false);
  if (word == "array") return ParseArray();
  if (word == "dense") return ParseDense();
  return Expected("a value");
}

absl::StatusOr<Number> Parser::ParseNumber() {
  Number number{.text = Word(), .type = {}};
  if (Consume(':')) {
    number.type = Word();
    if (number.type.empty()) return Expected("a type");
  }
  return number;
}

absl::StatusOr<FfiValue> Parser::ParseArray() {
  if (!Consume('<')) return Expected("'<'");
  const std::string type = Word();
  if (type.empty()) return Expected("a type");
  const bool is_float = type[0] == 'f' || type[0] == 'b';
  std::vector<int64_t> integers;
  std::vector<double> floats;
  if (Consume(':')) {
    do {
      const Number number{.text = Word(), .type = type};
      if (is_float) {
        ASSIGN_OR_RETURN(const double value, FloatOf(number));
        floats.push_back(value);
      } else if (number.text == "true" || number.text == "false") {
        integers.push_back(number.text == "true" ? 1 : 0);
      } else {
        ASSIGN_OR_RETURN(const int64_t value, IntegerOf(number));
        integers.push_back(value);
      }
    } while (Consume(','));
  }
  if (!Consume('>')) return Expected("',' or '>'");
  if (is_float) return FfiValue(std::move(floats));
  return FfiValue(std::move(integers));
}

absl::StatusOr<FfiValue> Parser::ParseDense() {
  const size_t start = position_;
  const auto skip_angles = [this] {
    if (!Consume('<')) return false;
    int open = 1;
    while (position_ < text_.size() && open > 0) {
      const char c = text_[position_++];
      if (c == '<') ++open;
      if (c == '>') --open;
    }
    return open == 0;
  };
  if (!skip_angles()) return Expected("'<...>'");
  if (Consume(':')) {
    if (Word() != "tensor" || !skip_angles()) return Expected("'tensor<...>'");
  }
  return FfiValue(
      FfiDense{std::string(text_.substr(start, position_ - start))});
}

// The dictionary inside the JSON of a compiler for CPUs; the text itself when
// it is none.
std::string WithoutJson(absl::string_view text) {
  if (!absl::StrContains(text, "\"custom_call_config\"")) {
    return std::string(text);
  }
  constexpr absl::string_view kKey = "\"attributes\"";
  size_t position = text.find(kKey);
  if (position == absl::string_view::npos) return "{}";
  position = text.find('"', position + kKey.size());
  std::string inner;
  if (position == absl::string_view::npos) return inner;
  for (++position; position < text.size() && text[position] != '"';
       ++position) {
    if (text[position] == '\\' && position + 1 < text.size()) ++position;
    inner += text[position];
  }
  return inner;
}

}  // namespace

absl::StatusOr<FfiDictionary> FfiDictionary::Parse(absl::string_view text) {
  const std::string inner = WithoutJson(text);
  if (absl::StripAsciiWhitespace(inner).empty()) return FfiDictionary();
  return Parser(inner).ParseAll();
}

const FfiValue* FfiDictionary::Find(absl::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return &value;
  }
  return nullptr;
}

absl::StatusOr<int64_t> FfiDictionary::Integer(absl::string_view name) const {
  const FfiValue* value = Find(name);
  if (value == nullptr) {
    return InvalidArgument("attribute '", name, "' is missing");
  }
  if (const auto* integer = std::get_if<int64_t>(value)) return *integer;
  return InvalidArgument("attribute '", name, "' is not an integer");
}

absl::StatusOr<char> FfiDictionary::Letter(absl::string_view name,
                                           absl::string_view allowed) const {
  ASSIGN_OR_RETURN(const int64_t code, Integer(name));
  for (const char letter : allowed) {
    if (code == letter) return letter;
  }
  return InvalidArgument("attribute '", name, "' is ", code,
                         ", expected the code of a letter of '", allowed, "'");
}

absl::StatusOr<bool> FfiDictionary::Flag(absl::string_view name) const {
  const FfiValue* value = Find(name);
  if (value != nullptr) {
    if (const auto* flag = std::get_if<bool>(value)) return *flag;
    if (const auto* integer = std::get_if<int64_t>(value)) return *integer != 0;
  }
  return InvalidArgument("attribute '", name, "' must be true or false");
}

}  // namespace hilo::hlo
