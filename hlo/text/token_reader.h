// Reads tokens one by one and reports errors at their places.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

#include "hlo/ir/layout.h"
#include "hlo/text/lexer.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {

// The current token of a text, and the errors found so far.
//
// Functions that read return false when the text is not as it should be; the
// error is then already in the diagnostics. Callers just pass false on.
class TokenReader {
 public:
  // How deep shapes, literals, operands and computations may be nested.
  static constexpr int kMaxNesting = 500;

  TokenReader(absl::string_view text, Diagnostics* diagnostics)
      : lexer_(text), diagnostics_(diagnostics) {
    Advance();
  }

  const Token& token() const { return token_; }
  TokenKind kind() const { return token_.kind; }
  // Where the current token begins.
  int64_t offset() const { return token_.offset; }
  // Where the token before the current one ended.
  int64_t previous_end() const { return previous_end_; }
  absl::string_view text() const { return lexer_.text(); }
  Diagnostics& diagnostics() { return *diagnostics_; }

  void Advance() {
    previous_end_ = lexer_.offset();
    token_ = lexer_.Next();
  }
  // Goes to the first token at or after a byte offset.
  void Seek(int64_t offset) {
    lexer_.Seek(offset);
    Advance();
  }
  // The token after the current one.
  Token Peek() const {
    Lexer copy = lexer_;
    return copy.Next();
  }

  bool Is(TokenKind kind) const { return token_.kind == kind; }
  // An identifier or reserved word with this text.
  bool IsWord(absl::string_view word) const;
  // "word=".
  bool IsAttribute(absl::string_view word) const {
    return Is(TokenKind::kAttributeName) && token_.text == word;
  }
  // Goes on if the current token is of this kind (is this word).
  bool Accept(TokenKind kind) {
    if (token_.kind != kind) return false;
    Advance();
    return true;
  }
  bool AcceptWord(absl::string_view word);
  bool AcceptAttribute(absl::string_view word);
  // The same; reports an error if it is not. `where` completes "expected ','":
  // "after an operand".
  bool Expect(TokenKind kind, absl::string_view where);

  // Reports an error; returns false.
  bool Fail(int64_t offset, std::string message, std::string remedy = "");
  // Reports "expected ⟨what⟩, got ⟨token⟩" at the current token, or why there
  // is no token; returns false.
  bool FailExpected(absl::string_view what, std::string remedy = "");

  // One value each; `what` names it in messages: "a replica count".
  bool ReadInt(int64_t* value, absl::string_view what = "an integer");
  bool ReadBool(bool* value);
  bool ReadDouble(double* value);
  // A quoted string, decoded.
  bool ReadString(std::string* value);
  // "{0,1,2}".
  bool ReadIntList(DimensionVector* values);
  // "0,1,2" up to, not including, a token of kind `stop`; may be empty.
  bool ReadInts(TokenKind stop, DimensionVector* values);
  // A balanced "{...}", verbatim with its braces. Valid as long as the text.
  bool ReadRawBraces(absl::string_view* value);
  // Skips the value of an unknown attribute.
  bool SkipValue();

  // Counts nesting; false, with an error, beyond kMaxNesting. See Nesting.
  bool Enter();
  void Leave() { --depth_; }

 private:
  Lexer lexer_;
  Token token_;
  int64_t previous_end_ = 0;
  int depth_ = 0;
  Diagnostics* diagnostics_;
};

// One level of nesting, for the scope of a function:
//   const Nesting nesting(reader);
//   if (!nesting.ok()) return false;
class Nesting {
 public:
  explicit Nesting(TokenReader& reader)
      : reader_(reader), ok_(reader.Enter()) {}
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() { reader_.Leave(); }
  bool ok() const { return ok_; }

 private:
  TokenReader& reader_;
  bool ok_;
};

// The text in quotes for messages; long ones are cut.
std::string Quoted(absl::string_view text);
// The token for messages: "'add'", "the end of the text".
std::string Describe(const Token& token);

}  // namespace hilo::hlo
