// The grammar of module headers and stack-frame tables.
#include "hlo/text/header_parser.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

#include "hlo/ir/module.h"
#include "hlo/text/attribute_parser.h"
#include "hlo/text/lexer.h"
#include "hlo/text/parser.h"
#include "hlo/text/shape_parser.h"
#include "hlo/text/token_reader.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {
namespace {

// "{ {0}: (1, {}, must-alias), ... }".
bool ParseInputOutputAlias(TokenReader& reader, ModuleHeader* header) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before aliases")) return false;
  if (reader.Accept(TokenKind::kRightBrace)) return true;
  do {
    InputOutputAlias alias;
    if (!ParseShapeIndex(reader, &alias.output_index) ||
        !reader.Expect(TokenKind::kColon, "after an output's index") ||
        !ParseAliasTarget(reader, &alias.parameter_number,
                          &alias.parameter_index)) {
      return false;
    }
    if (reader.Accept(TokenKind::kComma)) {
      alias.must_alias = reader.IsWord("must-alias");
      if (!alias.must_alias && !reader.IsWord("may-alias")) {
        return reader.FailExpected("may-alias or must-alias");
      }
      reader.Advance();
    }
    if (!reader.Expect(TokenKind::kRightParen, "after an alias")) return false;
    header->input_output_alias.push_back(std::move(alias));
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace, "after aliases");
}

// "{ (0, {}), ... }".
bool ParseBufferDonor(TokenReader& reader, ModuleHeader* header) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before donors")) return false;
  if (reader.Accept(TokenKind::kRightBrace)) return true;
  do {
    BufferDonor donor;
    if (!ParseAliasTarget(reader, &donor.parameter_number,
                          &donor.parameter_index) ||
        !reader.Expect(TokenKind::kRightParen, "after a donor")) {
      return false;
    }
    header->buffer_donor.push_back(std::move(donor));
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace, "after donors");
}

// "{(shape, ...)->shape}".
bool ParseEntryLayout(TokenReader& reader, ModuleHeader* header) {
  EntryComputationLayout layout;
  if (!reader.Expect(TokenKind::kLeftBrace, "before a layout") ||
      !reader.Expect(TokenKind::kLeftParen, "before parameter shapes")) {
    return false;
  }
  if (!reader.Is(TokenKind::kRightParen)) {
    do {
      if (!ParseShape(reader, &layout.parameters.emplace_back())) return false;
    } while (reader.Accept(TokenKind::kComma));
  }
  if (!reader.Expect(TokenKind::kRightParen, "after parameter shapes") ||
      !reader.Expect(TokenKind::kArrow, "before the result's shape") ||
      !ParseShape(reader, &layout.result)) {
    return false;
  }
  header->entry_computation_layout = std::move(layout);
  return reader.Expect(TokenKind::kRightBrace, "after a layout");
}

// "{true,false}" or one value without braces.
bool ParseBools(TokenReader& reader, std::vector<bool>* values) {
  bool value = false;
  if (!reader.Accept(TokenKind::kLeftBrace)) {
    if (!reader.ReadBool(&value)) return false;
    values->push_back(value);
    return true;
  }
  if (reader.Accept(TokenKind::kRightBrace)) return true;
  do {
    if (!reader.ReadBool(&value)) return false;
    values->push_back(value);
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace,
                       "after a list of true and false");
}

bool ParseCount(TokenReader& reader, int64_t* value) {
  const int64_t place = reader.offset();
  if (!reader.ReadInt(value)) return false;
  if (*value >= 0) return true;
  return reader.Fail(place, "expected a count, got a negative number");
}

bool ParseRaw(TokenReader& reader, std::string* value) {
  absl::string_view text;
  if (!reader.ReadRawBraces(&text)) return false;
  value->assign(text.data(), text.size());
  return true;
}

struct HeaderAttribute {
  absl::string_view name;
  bool (*parse)(TokenReader& reader, ModuleHeader* header);
};

constexpr auto kHeaderAttributes = std::to_array<HeaderAttribute>({
    {.name = "is_scheduled",
     .parse = [](TokenReader& r,
                 ModuleHeader* h) { return r.ReadBool(&h->is_scheduled); }},
    {.name = "replica_count",
     .parse = [](TokenReader& r,
                 ModuleHeader* h) { return ParseCount(r, &h->replica_count); }},
    {.name = "num_partitions",
     .parse =
         [](TokenReader& r, ModuleHeader* h) {
           return ParseCount(r, &h->num_partitions);
         }},
    {.name = "input_output_alias", .parse = &ParseInputOutputAlias},
    {.name = "buffer_donor", .parse = &ParseBufferDonor},
    {.name = "alias_passthrough_params",
     .parse =
         [](TokenReader& r, ModuleHeader* h) {
           return r.ReadBool(&h->alias_passthrough_params);
         }},
    {.name = "entry_computation_layout", .parse = &ParseEntryLayout},
    {.name = "frontend_attributes",
     .parse =
         [](TokenReader& r, ModuleHeader* h) {
           return ParseFrontendAttributes(r, &h->frontend_attributes);
         }},
    {.name = "allow_spmd_sharding_propagation_to_parameters",
     .parse =
         [](TokenReader& r, ModuleHeader* h) {
           return ParseBools(r,
                             &h->allow_spmd_sharding_propagation_to_parameters);
         }},
    {.name = "allow_spmd_sharding_propagation_to_output",
     .parse =
         [](TokenReader& r, ModuleHeader* h) {
           return ParseBools(r, &h->allow_spmd_sharding_propagation_to_output);
         }},
    {.name = "origin_recovery_table",
     .parse =
         [](TokenReader& r, ModuleHeader* h) {
           return ParseRaw(r, &h->origin_recovery_table);
         }},
    {.name = "debug_attributes",
     .parse =
         [](TokenReader& r, ModuleHeader* h) {
           return ParseRaw(r, &h->debug_attributes);
         }},
});

const HeaderAttribute* FindHeaderAttribute(absl::string_view name) {
  for (const HeaderAttribute& attribute : kHeaderAttributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

bool SkipUnknown(TokenReader& reader, const ParseOptions& options) {
  const absl::string_view name = reader.token().text;
  std::vector<absl::string_view> names;
  names.reserve(kHeaderAttributes.size());
  for (const HeaderAttribute& known : kHeaderAttributes) {
    names.push_back(known.name);
  }
  std::string message =
      absl::StrCat("module header has an unknown attribute ", Quoted(name));
  std::string remedy = SuggestNearest(name, names);
  if (options.unknown_attributes_are_errors) {
    return reader.Fail(reader.offset(), std::move(message), std::move(remedy));
  }
  reader.diagnostics().Warning(reader.offset(), std::move(message),
                               std::move(remedy));
  reader.Advance();
  return reader.SkipValue();
}

// The id before a table's entry, which counts from 1.
bool ParseEntryId(TokenReader& reader, size_t count) {
  const int64_t place = reader.offset();
  int64_t id = 0;
  if (!reader.ReadInt(&id)) return false;
  if (id == static_cast<int64_t>(count) + 1) return true;
  return reader.Fail(place, absl::StrCat("table entry has id ", id,
                                         ", the next one is ", count + 1));
}

bool ParseNames(TokenReader& reader, std::vector<std::string>* names) {
  while (reader.Is(TokenKind::kInt)) {
    if (!ParseEntryId(reader, names->size()) ||
        !reader.ReadString(&names->emplace_back())) {
      return false;
    }
  }
  return true;
}

struct TableField {
  absl::string_view name;
  int64_t* value;
};

// "{a=1 b=2}" with any of the fields, separated by space or commas.
bool ParseTableFields(TokenReader& reader,
                      const std::vector<TableField>& fields) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before a table entry")) {
    return false;
  }
  absl::flat_hash_set<absl::string_view> seen;
  while (!reader.Accept(TokenKind::kRightBrace)) {
    if (reader.Accept(TokenKind::kComma)) continue;
    int64_t* slot = nullptr;
    for (const TableField& field : fields) {
      if (reader.IsAttribute(field.name)) slot = field.value;
    }
    if (slot == nullptr) return reader.FailExpected("a field of the table");
    if (!seen.insert(reader.token().text).second) {
      return reader.Fail(reader.offset(), "this field is repeated");
    }
    reader.Advance();
    if (!reader.ReadInt(slot)) return false;
  }
  return true;
}

bool ParseFileLocations(TokenReader& reader, StackFrameTables* tables) {
  while (reader.Is(TokenKind::kInt)) {
    if (!ParseEntryId(reader, tables->file_locations.size())) return false;
    StackFrameTables::FileLocation& l = tables->file_locations.emplace_back();
    if (!ParseTableFields(
            reader, {{.name = "file_name_id", .value = &l.file_name_id},
                     {.name = "function_name_id", .value = &l.function_name_id},
                     {.name = "line", .value = &l.line},
                     {.name = "end_line", .value = &l.end_line},
                     {.name = "column", .value = &l.column},
                     {.name = "end_column", .value = &l.end_column}})) {
      return false;
    }
  }
  return true;
}

bool ParseStackFrames(TokenReader& reader, StackFrameTables* tables) {
  while (reader.Is(TokenKind::kInt)) {
    if (!ParseEntryId(reader, tables->stack_frames.size())) return false;
    StackFrameTables::StackFrame& frame = tables->stack_frames.emplace_back();
    // The text adds 1, so that 1 is "no parent"; absent is "none", too.
    int64_t parent = 1;
    if (!ParseTableFields(
            reader,
            {{.name = "file_location_id", .value = &frame.file_location_id},
             {.name = "parent_frame_id", .value = &parent}})) {
      return false;
    }
    frame.parent_frame_id = parent > 0 ? parent - 1 : 0;
  }
  return true;
}

}  // namespace

bool ParseHeaderAttributes(TokenReader& reader, const ParseOptions& options,
                           ModuleHeader* header) {
  absl::flat_hash_set<absl::string_view> seen;
  while (reader.Accept(TokenKind::kComma)) {
    if (!reader.Is(TokenKind::kAttributeName)) {
      return reader.FailExpected(
          "an attribute of the module, such as "
          "is_scheduled=");
    }
    const absl::string_view name = reader.token().text;
    if (!seen.insert(name).second) {
      return reader.Fail(
          reader.offset(),
          absl::StrCat("attribute ", Quoted(name), " is given twice"));
    }
    const HeaderAttribute* const attribute = FindHeaderAttribute(name);
    if (attribute == nullptr) {
      if (!SkipUnknown(reader, options)) return false;
      continue;
    }
    reader.Advance();
    if (!attribute->parse(reader, header)) return false;
  }
  return true;
}

bool ParseStackFrameTables(TokenReader& reader, StackFrameTables* tables) {
  if (!reader.Accept(TokenKind::kFileNames)) return true;
  return ParseNames(reader, &tables->file_names) &&
         reader.Expect(TokenKind::kFunctionNames, "after the file names") &&
         ParseNames(reader, &tables->function_names) &&
         reader.Expect(TokenKind::kFileLocations, "after the function names") &&
         ParseFileLocations(reader, tables) &&
         reader.Expect(TokenKind::kStackFrames, "after the file locations") &&
         ParseStackFrames(reader, tables);
}

}  // namespace hilo::hlo
