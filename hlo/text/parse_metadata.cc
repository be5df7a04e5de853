// The metadata of instructions: language reference, section 1.7.
#include <string>

#include "absl/strings/str_cat.h"

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

constexpr Field kFields[] = {
    {"op_type", FieldKind::kString, &Metadata::op_type},
    {"op_name", FieldKind::kString, &Metadata::op_name},
    {"source_file", FieldKind::kString, &Metadata::source_file},
    {"source_line", FieldKind::kInt, nullptr, &Metadata::source_line},
    {"source_end_line", FieldKind::kInt, nullptr, &Metadata::source_end_line},
    {"source_column", FieldKind::kInt, nullptr, &Metadata::source_column},
    {"source_end_column", FieldKind::kInt, nullptr,
     &Metadata::source_end_column},
    {"profile_type", FieldKind::kInts},
    {"deduplicated_name", FieldKind::kString, &Metadata::deduplicated_name},
    {"scheduling_name", FieldKind::kString, &Metadata::scheduling_name},
    {"stack_frame_id", FieldKind::kInt, nullptr, &Metadata::stack_frame_id},
    {"metadata_payload", FieldKind::kString, &Metadata::metadata_payload},
};

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
