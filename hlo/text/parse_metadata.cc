// The metadata of instructions: language reference, section 1.7.
#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/text/attribute_parser.h"
#include "hlo/text/lexer.h"
#include "hlo/text/token_reader.h"
#include "hlo/text/value_parsers.h"

namespace hilo::hlo::value_parsers {
namespace {

enum class FieldKind : uint8_t { kString, kInt, kInts };

// A key with the member it fills.
struct Field {
  absl::string_view name;
  FieldKind kind;
  std::string Metadata::* string = nullptr;
  int64_t Metadata::* integer = nullptr;
};

constexpr auto kFields = std::to_array<Field>({
    {.name = "op_type",
     .kind = FieldKind::kString,
     .string = &Metadata::op_type},
    {.name = "op_name",
     .kind = FieldKind::kString,
     .string = &Metadata::op_name},
    {.name = "source_file",
     .kind = FieldKind::kString,
     .string = &Metadata::source_file},
    {.name = "source_line",
     .kind = FieldKind::kInt,
     .string = nullptr,
     .integer = &Metadata::source_line},
    {.name = "source_end_line",
     .kind = FieldKind::kInt,
     .string = nullptr,
     .integer = &Metadata::source_end_line},
    {.name = "source_column",
     .kind = FieldKind::kInt,
     .string = nullptr,
     .integer = &Metadata::source_column},
    {.name = "source_end_column",
     .kind = FieldKind::kInt,
     .string = nullptr,
     .integer = &Metadata::source_end_column},
    {.name = "profile_type", .kind = FieldKind::kInts},
    {.name = "deduplicated_name",
     .kind = FieldKind::kString,
     .string = &Metadata::deduplicated_name},
    {.name = "scheduling_name",
     .kind = FieldKind::kString,
     .string = &Metadata::scheduling_name},
    {.name = "stack_frame_id",
     .kind = FieldKind::kInt,
     .string = nullptr,
     .integer = &Metadata::stack_frame_id},
    {.name = "metadata_payload",
     .kind = FieldKind::kString,
     .string = &Metadata::metadata_payload},
});

// Position in kFields; -1 for unknown keys.
int FindField(absl::string_view name) {
  int i = 0;
  for (const Field& field : kFields) {
    if (field.name == name) return i;
    ++i;
  }
  return -1;
}

bool ParseInt32(TokenReader& reader, int64_t* value) {
  const int64_t place = reader.offset();
  if (!reader.ReadInt(value)) return false;
  if (*value >= INT32_MIN && *value <= INT32_MAX) return true;
  return reader.Fail(
      place, absl::StrCat("metadata: ", *value, " does not fit in 32 bits"));
}

bool ParseField(TokenReader& reader, const Field& field, Metadata* value) {
  switch (field.kind) {
    case FieldKind::kString:
      return reader.ReadString(&(value->*field.string));
    case FieldKind::kInt:
      return ParseInt32(reader, &(value->*field.integer));
    case FieldKind::kInts:
      return reader.ReadIntList(&value->profile_type);
  }
  return false;
}

}  // namespace

bool ParseMetadata(ValueContext& context, Metadata* value) {
  TokenReader& reader = context.reader;
  if (!reader.Expect(TokenKind::kLeftBrace, "before metadata")) return false;
  uint32_t seen = 0;
  while (!reader.Accept(TokenKind::kRightBrace)) {
    if (reader.Accept(TokenKind::kComma)) continue;
    if (!reader.Is(TokenKind::kAttributeName)) {
      return reader.FailExpected("a key of the metadata, or '}'");
    }
    const int field = FindField(reader.token().text);
    const int64_t place = reader.offset();
    const absl::string_view name = reader.token().text;
    reader.Advance();
    // Older dumps have other keys.
    if (field < 0) {
      if (!reader.SkipValue()) return false;
      continue;
    }
    const uint32_t bit = uint32_t{1} << field;
    if ((seen & bit) != 0) {
      return reader.Fail(place,
                         absl::StrCat("metadata: '", name, "=' is repeated"));
    }
    seen |= bit;
    if (!ParseField(reader, kFields[field], value)) return false;
  }
  return true;
}

}  // namespace hilo::hlo::value_parsers
