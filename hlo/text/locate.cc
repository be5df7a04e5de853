// Reads single statements again to find their parts.
#include "hlo/text/locate.h"

#include <cstdint>

#include "absl/strings/string_view.h"

#include "hlo/ir/shape.h"
#include "hlo/text/lexer.h"
#include "hlo/text/shape_parser.h"
#include "hlo/text/token_reader.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"

namespace hilo::hlo {
namespace {

// Goes to the opcode of the statement whose name is at `offset`.
bool GoToOpcode(TokenReader& reader, int64_t offset) {
  reader.Seek(offset);
  if (reader.Peek().kind == TokenKind::kEqual) {
    reader.Advance();
    reader.Advance();
  }
  Shape shape;
  if (StartsShape(reader) && !ParseShape(reader, &shape)) return false;
  return reader.Is(TokenKind::kIdentifier);
}

bool Opens(TokenKind kind) {
  return kind == TokenKind::kLeftParen || kind == TokenKind::kLeftBrace ||
         kind == TokenKind::kLeftBracket;
}

bool Closes(TokenKind kind) {
  return kind == TokenKind::kRightParen || kind == TokenKind::kRightBrace ||
         kind == TokenKind::kRightBracket;
}

bool IsOver(const TokenReader& reader) {
  return reader.Is(TokenKind::kEnd) || reader.Is(TokenKind::kError);
}

// From a token that opens to after the one that closes it.
bool SkipBalanced(TokenReader& reader) {
  if (reader.Is(TokenKind::kLeftBrace)) {
    absl::string_view ignored;
    return reader.ReadRawBraces(&ignored);
  }
  int64_t depth = 0;
  do {
    if (IsOver(reader)) return false;
    if (Opens(reader.kind())) ++depth;
    if (Closes(reader.kind())) --depth;
    reader.Advance();
  } while (depth > 0);
  return true;
}

}  // namespace

int64_t LocateOpcode(const Source& source, int64_t instruction_offset) {
  if (instruction_offset < 0) return -1;
  Diagnostics ignored;
  TokenReader reader(source.text(), &ignored);
  return GoToOpcode(reader, instruction_offset) ? reader.offset()
                                                : instruction_offset;
}

int64_t LocateAttribute(const Source& source, int64_t instruction_offset,
                        absl::string_view attribute_text) {
  if (instruction_offset < 0) return -1;
  Diagnostics ignored;
  TokenReader reader(source.text(), &ignored);
  if (!GoToOpcode(reader, instruction_offset)) return instruction_offset;
  reader.Advance();
  if (!SkipBalanced(reader)) return instruction_offset;
  while (reader.Accept(TokenKind::kComma)) {
    if (reader.IsAttribute(attribute_text)) return reader.offset();
    if (!reader.Is(TokenKind::kAttributeName)) break;
    reader.Advance();
    // A value goes on to the next comma outside of brackets.
    while (!reader.Is(TokenKind::kComma) && !IsOver(reader) &&
           !Closes(reader.kind())) {
      if (!Opens(reader.kind())) {
        reader.Advance();
      } else if (!SkipBalanced(reader)) {
        return instruction_offset;
      }
      // Without a comma after it, the statement is over.
      if (reader.Is(TokenKind::kName) || reader.Is(TokenKind::kRoot)) break;
    }
  }
  return instruction_offset;
}

int64_t LocateOperand(const Source& source, int64_t instruction_offset,
                      int64_t operand_index) {
  if (instruction_offset < 0) return -1;
  Diagnostics ignored;
  TokenReader reader(source.text(), &ignored);
  if (!GoToOpcode(reader, instruction_offset)) return instruction_offset;
  reader.Advance();
  if (!reader.Accept(TokenKind::kLeftParen)) return instruction_offset;
  for (int64_t i = 0; !IsOver(reader); ++i) {
    if (reader.Is(TokenKind::kRightParen)) break;
    if (i == operand_index) {
      // The name, not the shape before it.
      Shape shape;
      if (StartsShape(reader) && !ParseShape(reader, &shape)) break;
      return reader.offset();
    }
    while (!reader.Is(TokenKind::kComma) && !Closes(reader.kind()) &&
           !IsOver(reader)) {
      if (!Opens(reader.kind())) {
        reader.Advance();
      } else if (!SkipBalanced(reader)) {
        return instruction_offset;
      }
    }
    if (!reader.Accept(TokenKind::kComma)) break;
  }
  return instruction_offset;
}

}  // namespace hilo::hlo
