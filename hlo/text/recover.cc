// Goes on after an error: finds where the next statement begins.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

#include "hlo/text/lexer.h"
#include "hlo/text/module_parser.h"
#include "hlo/text/name_scope.h"

namespace hilo::hlo {
bool ModuleParser::MustStop() {
  return gave_up_ ||
         reader_.diagnostics().error_count() >= Diagnostics::kMaxDiagnostics;
}

bool ModuleParser::IsFirstOnLine() const {
  const absl::string_view text = reader_.text();
  int64_t at = reader_.offset();
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r';
}

// Whether a "," stands before the current token.
bool ModuleParser::FollowsComma() const {
  const absl::string_view text = reader_.text();
  int64_t at = reader_.offset();
  while (at > 0 && absl::ascii_isspace(text[at - 1])) --at;
  return at > 0 && text[at - 1] == ',';
}

// "name = shape", "name = opcode", "ROOT name", and "name=shape" in place of
// the first.
bool ModuleParser::AtInstructionStart() const {
  if (reader_.Is(TokenKind::kAttributeName)) {
    return IsFirstOnLine() && !FollowsComma();
  }
  Lexer lexer(reader_.text(), reader_.offset());
  Token token = lexer.Next();
  if (token.kind == TokenKind::kRoot) return true;
  if (!IsNameKind(token.kind)) return false;
  token = lexer.Next();
  if (token.kind != TokenKind::kEqual) return false;
  if (IsFirstOnLine()) return true;
  token = lexer.Next();
  return token.kind == TokenKind::kType ||
         token.kind == TokenKind::kLeftParen ||
         token.kind == TokenKind::kIdentifier;
}

// "ENTRY", or "name (" or "name {" at the beginning of a line.
bool ModuleParser::AtComputationStart() const {
  if (reader_.Is(TokenKind::kEntry)) return true;
  if (!IsNameKind(reader_.kind())) return false;
  const int64_t at = reader_.offset();
  if (at > 0 && reader_.text()[at - 1] != '\n') return false;
  const TokenKind next = reader_.Peek().kind;
  return next == TokenKind::kLeftParen || next == TokenKind::kLeftBrace;
}

// A "}" that closes a computation rather than a value.
bool ModuleParser::AtComputationEnd() const {
  if (!reader_.Is(TokenKind::kRightBrace)) return false;
  Lexer lexer(reader_.text(), reader_.offset() + 1);
  const Token next = lexer.Next();
  if (next.kind == TokenKind::kEnd || next.kind == TokenKind::kEntry) {
    return true;
  }
  if (next.kind == TokenKind::kComma) {
    const Token after = lexer.Next();
    return after.kind == TokenKind::kAttributeName &&
           after.text == "execution_thread";
  }
  if (!IsNameKind(next.kind)) return false;
  const TokenKind after = lexer.Next().kind;
  return after == TokenKind::kLeftParen || after == TokenKind::kLeftBrace;
}

// Goes to the next instruction or to the computation's end, at least one token
// on from the faulty statement. Names defined by what is skipped are poisoned.
void ModuleParser::Recover(NameScope& scope, int64_t statement_offset) {
  if (reader_.offset() <= statement_offset) {
    reader_.Seek(statement_offset);
    if (reader_.Is(TokenKind::kEnd)) return;
    if (reader_.Is(TokenKind::kAttributeName)) {
      // "name=f32[] ..." without the space.
      scope.names.emplace(reader_.token().text, nullptr);
    }
    if (reader_.Is(TokenKind::kError)) {
      SkipError();
    } else {
      reader_.Advance();
    }
  }
  while (!reader_.Is(TokenKind::kEnd)) {
    if (AtComputationEnd() || AtComputationStart()) return;
    if (AtInstructionStart()) return;
    if (reader_.Is(TokenKind::kError)) {
      SkipError();
    } else {
      reader_.Advance();
    }
  }
}

// Goes past what is no token: a byte, or a string or comment without an end,
// of which the first goes on to the end of its line, the second to that of the
// text.
void ModuleParser::SkipError() {
  const absl::string_view text = reader_.text();
  const auto at = static_cast<size_t>(reader_.offset());
  if (text.substr(at, 2) == "/*") {
    reader_.Seek(static_cast<int64_t>(text.size()));
    return;
  }
  if (text[at] != '"' && text[at] != '\'') {
    reader_.Seek(static_cast<int64_t>(at) + 1);
    return;
  }
  const size_t line_end = std::min(text.find('\n', at), text.size());
  reader_.Seek(static_cast<int64_t>(line_end));
}

// Goes to the next computation's beginning.
void ModuleParser::RecoverAtComputation() {
  while (!reader_.Is(TokenKind::kEnd) && !AtComputationStart()) {
    if (reader_.Is(TokenKind::kError)) {
      SkipError();
    } else {
      reader_.Advance();
    }
  }
}

}  // namespace hilo::hlo
