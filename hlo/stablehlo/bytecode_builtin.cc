// Attributes, types and locations of MLIR's builtin dialect in bytecode.
// Source of the codes: MLIR's definition of the dialect's bytecode.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/byte_reader.h"
#include "hlo/stablehlo/bytecode_decoder.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

enum BuiltinAttributeCode : uint8_t {
  kArray = 0,
  kDictionary = 1,
  kString = 2,
  kStringWithType = 3,
  kFlatSymbol = 4,
  kSymbol = 5,
  kTypeAttribute = 6,
  kUnit = 7,
  kInteger = 8,
  kFloat = 9,
  kCallSite = 10,
  kFileLineColumn = 11,
  kFused = 12,
  kFusedWithMetadata = 13,
  kName = 14,
  kUnknownLocation = 15,
  kDenseResource = 16,
  kDenseArray = 17,
  kDenseElements = 18,
  kFileLineColumnRange = 22,
};

enum BuiltinTypeCode : uint8_t {
  kIntegerType = 0,
  kIndexType = 1,
  kFunctionType = 2,
  kFirstFloatType = 3,
  kLastFloatType = 6,
  kComplexType = 9,
  kNoneType = 12,
  kTensorType = 13,
  kTensorTypeWithEncoding = 14,
  kTupleType = 15,
  kFirstNarrowType = 21,
};

Type OtherType(std::string text) {
  return {.kind = TypeKind::kOther, .text = std::move(text)};
}

// The word of a type that is one.
Type TypeOfWord(absl::string_view word) {
  Type type;
  ParseTypeText(word, &type);
  return type;
}

}  // namespace

Attribute BytecodeDecoder::DecodeBuiltinAttribute(ByteReader* reader) {
  const uint64_t code = reader->Varint();
  switch (code) {
    case kArray: {
      Attribute array = {.kind = AttributeKind::kArray};
      array.elements = ReadAttributes(reader);
      return array;
    }
    case kDictionary:
      return ReadDictionary(reader);
    case kString:
    case kStringWithType: {
      const size_t index = reader->Index(file_.strings().size(), "text");
      return TextAttribute(reader->ok() ? std::string(file_.strings()[index])
                                        : "");
    }
    case kFlatSymbol:
    case kSymbol:
      return ReadSymbol(reader);
    case kTypeAttribute: {
      Attribute attribute = {.kind = AttributeKind::kType};
      attribute.type = ReadType(reader);
      return attribute;
    }
    case kUnit:
      return {};
    case kInteger:
      return ReadInteger(reader);
    case kFloat:
      return ReadFloat(reader);
    case kDenseResource:
      return ReadResource(reader);
    case kDenseArray:
      return ReadTypedArray(reader);
    case kDenseElements:
      return ReadElements(reader);
    default:
      // Locations, and what no conversion asks for.
      return {.kind = AttributeKind::kOther,
              .text = absl::StrCat("builtin attribute ", code)};
  }
}

// The names of a nested symbol come after that of its root.
Attribute BytecodeDecoder::ReadSymbol(ByteReader* reader) {
  return {.kind = AttributeKind::kSymbol, .text = ReadText(reader)};
}

Attribute BytecodeDecoder::ReadTypedArray(ByteReader* reader) {
  Attribute array = {.kind = AttributeKind::kArray, .type = ReadType(reader)};
  const uint64_t count = reader->Varint();
  const absl::string_view bytes = reader->Blob();
  if (!reader->ok()) return array;
  Type list;
  std::string fault;
  hlo::Literal literal;
  const bool is_read = count <= bytes.size() &&
                       MakeTensorType({static_cast<int64_t>(count)}, array.type,
                                      &list, &fault) &&
                       list.kind == TypeKind::kTensor &&
                       LiteralFromBytes(bytes, list.shape, &literal) &&
                       literal.element_count() == static_cast<int64_t>(count);
  if (!is_read && count != 0) {
    reader->Fail(absl::StrCat("an array of ", count, " elements has ",
                              bytes.size(), " bytes"));
    return array;
  }
  if (count != 0) array.elements = ElementAttributes(literal);
  return array;
}

Attribute BytecodeDecoder::ReadResource(ByteReader* reader) {
  Attribute elements = {.kind = AttributeKind::kDense,
                        .type = ReadType(reader)};
  const size_t index = reader->Index(file_.resources().size(), "resource");
  if (!reader->ok()) return elements;
  const BytecodeFile::Resource& resource = file_.resources()[index];
  if (elements.type.kind != TypeKind::kTensor ||
      elements.type.shape.IsDynamic() ||
      !LiteralFromBytes(resource.bytes, elements.type.shape,
                        &elements.literal)) {
    reader->Fail(absl::StrCat(
        "resource '", resource.key, "' has ", resource.bytes.size(),
        " bytes, which are not the elements of ", elements.type.ToString()));
  }
  return elements;
}

Type BytecodeDecoder::DecodeBuiltinType(ByteReader* reader) {
  constexpr auto kFloats =
      std::to_array<absl::string_view>({"bf16", "f16", "f32", "f64"});
  constexpr auto kNarrowTypes = std::to_array<absl::string_view>(
      {"tf32", "f8E5M2", "f8E4M3", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ",
       "f8E4M3B11FNUZ", "f8E3M4", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN",
       "f8E8M0FNU"});
  const uint64_t code = reader->Varint();
  if (code >= kFirstFloatType && code <= kLastFloatType) {
    return TypeOfWord(kFloats[static_cast<size_t>(code) - kFirstFloatType]);
  }
  if (code >= kFirstNarrowType &&
      code < kFirstNarrowType + kNarrowTypes.size()) {
    return TypeOfWord(
        kNarrowTypes[static_cast<size_t>(code) - kFirstNarrowType]);
  }
  switch (code) {
    case kIntegerType: {
      constexpr unsigned kSignBits = 2;
      constexpr auto kPrefixes =
          std::to_array<absl::string_view>({"i", "si", "ui", "?"});
      const uint64_t value = reader->Varint();
      const size_t sign = value & ((1U << kSignBits) - 1);
      return TypeOfWord(absl::StrCat(kPrefixes[sign], value >> kSignBits));
    }
    case kIndexType:
      return TypeOfWord("index");
    case kFunctionType:
      return ReadFunctionType(reader);
    case kComplexType:
      return ReadComplexType(reader);
    case kNoneType:
      return OtherType("none");
    case kTensorTypeWithEncoding:
      ReadAttribute(reader);
      return ReadTensorType(reader);
    case kTensorType:
      return ReadTensorType(reader);
    case kTupleType:
      return ReadTupleType(reader);
    default:
      return OtherType(absl::StrCat("builtin type ", code));
  }
}

LocationId BytecodeDecoder::ReadLocation(ByteReader* reader) {
  const size_t index = reader->Index(attributes_.size(), "attribute");
  return reader->ok() ? LocationAt(index, reader) : -1;
}

LocationId BytecodeDecoder::LocationAt(size_t index, ByteReader* reader) {
  if (locations_[index] >= 0) return locations_[index];
  constexpr int kMaxLocationDepth = 200;
  if (depth_ >= kMaxLocationDepth) {
    reader->Fail("locations are nested too deep");
    return -1;
  }
  // Known before what it consists of, so that none contains itself forever.
  const auto id = static_cast<LocationId>(module_->locations.size());
  locations_[index] = id;
  module_->locations.emplace_back();
  ++depth_;
  Location location;
  DecodeLocation(index, &location);
  --depth_;
  module_->locations[static_cast<size_t>(id)] = std::move(location);
  return id;
}

void BytecodeDecoder::DecodeLocation(size_t index, Location* location) {
  const BytecodeFile::Entry& entry = file_.attributes()[index];
  if (entry.dialect != "builtin" || !entry.has_encoding) return;
  ByteReader reader = file_.ReaderOf(entry.begin, entry.end);
  const uint64_t code = reader.Varint();
  switch (code) {
    case kCallSite:
      location->kind = LocationKind::kCallSite;
      location->children.push_back(ReadLocation(&reader));
      location->children.push_back(ReadLocation(&reader));
      return;
    case kFileLineColumn:
      location->kind = LocationKind::kFile;
      location->text = ReadText(&reader);
      location->line = static_cast<int64_t>(reader.Varint());
      location->column = static_cast<int64_t>(reader.Varint());
      return;
    case kFileLineColumnRange:
      ReadFilePlace(&reader, location);
      return;
    case kFused:
    case kFusedWithMetadata: {
      location->kind = LocationKind::kFused;
      const size_t count = reader.Count();
      for (size_t i = 0; i < count && reader.ok(); ++i) {
        location->children.push_back(ReadLocation(&reader));
      }
      return;
    }
    case kName:
      location->kind = LocationKind::kName;
      location->text = ReadText(&reader);
      location->children.push_back(ReadLocation(&reader));
      return;
    default:
      return;
  }
}

// A file with a line, a line and a column, columns of one line, or two places.
void BytecodeDecoder::ReadFilePlace(ByteReader* reader, Location* location) {
  location->kind = LocationKind::kFile;
  location->text = ReadText(reader);
  std::vector<int64_t> numbers(reader->Count());
  for (int64_t& number : numbers) {
    number = static_cast<int64_t>(reader->Varint());
  }
  const size_t count = numbers.size();
  numbers.resize(4);
  location->line = numbers[0];
  location->column = numbers[1];
  location->end_line = count == 3 ? numbers[0] : numbers[2];
  location->end_column = count == 3 ? numbers[2] : numbers[3];
}

}  // namespace hilo::stablehlo
