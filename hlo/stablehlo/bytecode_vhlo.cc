// Attributes and types of the versioned dialect VHLO in bytecode. Source of the
// codes: StableHLO's VHLO dialect, version 1.20.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/byte_reader.h"
#include "hlo/stablehlo/bytecode_decoder.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

enum VhloAttributeCode : uint8_t {
  kVhloArray = 1,
  kVhloBoolean = 2,
  kVhloComparisonDirection = 3,
  kVhloComparisonType = 4,
  kVhloApiVersion = 5,
  kVhloDictionary = 6,
  kVhloFftType = 7,
  kVhloFloat = 8,
  kVhloInteger = 9,
  kVhloOutputOperandAlias = 10,
  kVhloPrecision = 11,
  kVhloRngAlgorithm = 12,
  kVhloRngDistribution = 13,
  kVhloString = 14,
  kVhloTensor = 15,
  kVhloTranspose = 16,
  kVhloType = 17,
  kVhloTypeExtensions = 18,
  kVhloAccuracyMode = 19,
  kVhloAccuracy = 20,
};

enum VhloTypeCode : uint8_t {
  kVhloComplex = 1,
  kVhloFunction = 8,
  kVhloRankedTensor = 20,
  kVhloRankedTensorWithEncoding = 21,
  kVhloToken = 22,
  kVhloTuple = 23,
  kVhloQuantized = 24,
  kVhloQuantizedPerAxis = 30,
  kVhloFuture = 42,
};

// Types that are a word, by code; "" for the others.
constexpr auto kWordTypes = std::to_array<absl::string_view>(
    {"i1",       "",         "bf16",       "f16",        "f32",
     "f64",      "f8E4M3FN", "f8E5M2",     "",           "index",
     "i4",       "i8",       "i16",        "i32",        "i64",
     "ui4",      "ui8",      "ui16",       "ui32",       "ui64",
     "",         "",         "",           "",           "",
     "",         "",         "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ",
     "",         "i2",       "ui2",        "none",       "tf32",
     "f8E4M3",   "f8E3M4",   "f4E2M1FN",   "f6E2M3FN",   "f6E3M2FN",
     "f8E8M0FNU"});

}  // namespace

Attribute BytecodeDecoder::DecodeVhloAttribute(ByteReader* reader) {
  const uint64_t code = reader->Varint();
  switch (code) {
    case kVhloArray: {
      Attribute array = {.kind = AttributeKind::kArray};
      array.elements = ReadAttributes(reader);
      return array;
    }
    case kVhloBoolean:
      return BoolAttribute(reader->Varint() != 0);
    case kVhloComparisonDirection:
      return ReadWord(WordList::kComparisonDirection, reader);
    case kVhloComparisonType:
      return ReadWord(WordList::kComparisonType, reader);
    case kVhloApiVersion:
      return IntegerValue(static_cast<int64_t>(reader->Varint()));
    case kVhloDictionary:
      return ReadDictionary(reader);
    case kVhloFftType:
      return ReadWord(WordList::kFftType, reader);
    case kVhloFloat:
      return ReadFloat(reader);
    case kVhloInteger:
      return ReadInteger(reader);
    case kVhloOutputOperandAlias:
      return ReadAlias(reader);
    case kVhloPrecision:
      return ReadWord(WordList::kPrecision, reader);
    case kVhloRngAlgorithm:
      return ReadWord(WordList::kRandomAlgorithm, reader);
    case kVhloRngDistribution:
      return ReadWord(WordList::kRandomDistribution, reader);
    case kVhloString: {
      const size_t index = reader->Index(file_.strings().size(), "text");
      return TextAttribute(reader->ok() ? std::string(file_.strings()[index])
                                        : "");
    }
    case kVhloTensor:
      return ReadElements(reader);
    case kVhloTranspose:
      return ReadWord(WordList::kTranspose, reader);
    case kVhloType: {
      Attribute attribute = {.kind = AttributeKind::kType};
      attribute.type = ReadType(reader);
      return attribute;
    }
    case kVhloTypeExtensions:
      return IntegersAttribute(ReadSignedIntegers(reader));
    case kVhloAccuracyMode:
      return ReadWord(WordList::kResultAccuracyMode, reader);
    case kVhloAccuracy:
      return ReadAccuracy(reader);
    default:
      // Meshes of devices.
      return {.kind = AttributeKind::kOther,
              .text = absl::StrCat("VHLO attribute ", code)};
  }
}

Type BytecodeDecoder::DecodeVhloType(ByteReader* reader) {
  const uint64_t code = reader->Varint();
  if (code < kWordTypes.size() && !kWordTypes[code].empty()) {
    Type type;
    ParseTypeText(kWordTypes[code], &type);
    return type;
  }
  switch (code) {
    case kVhloComplex:
      return ReadComplexType(reader);
    case kVhloFunction:
      return ReadFunctionType(reader);
    case kVhloRankedTensorWithEncoding:
      return ReadBoundedType(reader);
    case kVhloRankedTensor:
      return ReadTensorType(reader);
    case kVhloToken:
      return {.kind = TypeKind::kToken, .shape = hlo::Shape::Token()};
    case kVhloTuple:
      return ReadTupleType(reader);
    case kVhloQuantized:
    case kVhloQuantizedPerAxis:
      return ReadQuantizedType(reader, code == kVhloQuantizedPerAxis);
    case kVhloFuture:
      return MakeFutureType(ReadTypes(reader));
    default:
      return {.kind = TypeKind::kOther,
              .text = absl::StrCat("VHLO type ", code)};
  }
}

// Bounds come before the tensor.
Type BytecodeDecoder::ReadBoundedType(ByteReader* reader) {
  const Attribute encoding = ReadAttribute(reader);
  Type type = ReadTensorType(reader);
  if (encoding.kind != AttributeKind::kArray || !reader->ok() ||
      type.kind != TypeKind::kTensor) {
    return type;
  }
  std::vector<int64_t> bounds;
  bounds.reserve(encoding.elements.size());
  for (const Attribute& bound : encoding.elements) {
    bounds.push_back(bound.integer);
  }
  std::string fault;
  if (!SetBounds(bounds, &type, &fault)) reader->Fail(std::move(fault));
  return type;
}

// Read by way of its text: !quant.uniform<i8<-127:127>:f32:1, {0.5:1, 0.25}>.
Type BytecodeDecoder::ReadQuantizedType(ByteReader* reader, bool is_per_axis) {
  constexpr int kWidth = 64;
  const auto read_float = [&] {
    return absl::StrFormat("%.17e",
                           std::bit_cast<double>(reader->Bits(kWidth)));
  };
  const bool is_signed = (reader->Varint() & 1) != 0;
  const Type storage = ReadType(reader);
  const Type expressed = ReadType(reader);
  std::string axis;
  if (is_per_axis) axis = absl::StrCat(":", reader->Varint());
  std::vector<std::string> scales;
  std::vector<std::string> points;
  std::string range;
  if (is_per_axis) {
    range = absl::StrCat("<", reader->SignedVarint(), ":");
    absl::StrAppend(&range, reader->SignedVarint(), ">");
    scales.resize(reader->Count());
    for (std::string& scale : scales) scale = read_float();
    points.resize(reader->Count());
    for (std::string& point : points) {
      point = absl::StrCat(reader->SignedVarint());
    }
  } else {
    scales.push_back(read_float());
    points.push_back(absl::StrCat(reader->SignedVarint()));
    range = absl::StrCat("<", reader->SignedVarint(), ":");
    absl::StrAppend(&range, reader->SignedVarint(), ">");
  }
  if (!reader->ok() || scales.size() != points.size() ||
      storage.kind != TypeKind::kElement ||
      expressed.kind != TypeKind::kElement) {
    reader->Fail("a quantized type is not well formed");
    return {};
  }
  for (size_t i = 0; i < scales.size(); ++i) {
    absl::StrAppend(&scales[i], ":", points[i]);
  }
  const std::string values = absl::StrJoin(scales, ", ");
  const std::string text =
      absl::StrCat("!quant.uniform<", is_signed ? "i" : "u",
                   hlo::InfoOf(storage.shape.element_type()).bits, range, ":",
                   hlo::TextOf(expressed.shape.element_type()), axis, ", ",
                   is_per_axis ? absl::StrCat("{", values, "}") : values, ">");
  Type type;
  if (!ParseTypeText(text, &type)) {
    reader->Fail(absl::StrCat("'", text, "' is no type"));
  }
  return type;
}

}  // namespace hilo::stablehlo
