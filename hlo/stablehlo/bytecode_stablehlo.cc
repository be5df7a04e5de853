// Attributes and types of the dialects stablehlo and chlo in plain bytecode.
// Source of the codes: StableHLO's and CHLO's bytecode definitions.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/shape.h"
#include "hlo/stablehlo/byte_reader.h"
#include "hlo/stablehlo/bytecode_decoder.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

enum StableHloAttributeCode : uint8_t {
  kChannelHandle = 1,
  kComparisonDirection = 2,
  kComparisonType = 3,
  kConvolutionNumbers = 4,
  kDotNumbers = 5,
  kFftType = 6,
  kGatherNumbers = 7,
  kPrecision = 8,
  kRngAlgorithm = 9,
  kRngDistribution = 10,
  kScatterNumbers = 11,
  kTranspose = 12,
  kOutputOperandAlias = 14,
  kDotAlgorithm = 15,
  kAccuracyMode = 16,
  kAccuracy = 17,
};

// Lists of a structure, in the order in which they are written.
template <size_t n>
using Keys = std::array<absl::string_view, n>;

constexpr Keys<4> kDotKeys = {
    "lhs_batching_dimensions", "rhs_batching_dimensions",
    "lhs_contracting_dimensions", "rhs_contracting_dimensions"};
constexpr Keys<5> kGatherKeys = {
    "offset_dims", "collapsed_slice_dims", "operand_batching_dims",
    "start_indices_batching_dims", "start_index_map"};
constexpr Keys<5> kScatterKeys = {
    "update_window_dims", "inserted_window_dims", "input_batching_dims",
    "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};

}  // namespace

Attribute BytecodeDecoder::DecodeStableHloAttribute(ByteReader* reader) {
  const auto structure = [&](const auto& keys, absl::string_view last) {
    Attribute attribute = {.kind = AttributeKind::kDictionary};
    for (const absl::string_view key : keys) {
      attribute.entries.emplace_back(
          std::string(key), IntegersAttribute(ReadSignedIntegers(reader)));
    }
    if (!last.empty()) {
      attribute.entries.emplace_back(std::string(last),
                                     IntegerValue(reader->SignedVarint()));
    }
    return attribute;
  };
  const uint64_t code = reader->Varint();
  switch (code) {
    case kChannelHandle: {
      Attribute handle = {.kind = AttributeKind::kDictionary};
      for (const char* key : {"handle", "type"}) {
        handle.entries.emplace_back(key, IntegerValue(reader->SignedVarint()));
      }
      return handle;
    }
    case kComparisonDirection:
      return ReadWord(WordList::kComparisonDirection, reader);
    case kComparisonType:
      return ReadWord(WordList::kComparisonType, reader);
    case kConvolutionNumbers:
      return ReadConvolutionNumbers(reader);
    case kDotNumbers:
      return structure(kDotKeys, "");
    case kFftType:
      return ReadWord(WordList::kFftType, reader);
    case kGatherNumbers:
      return structure(kGatherKeys, "index_vector_dim");
    case kPrecision:
      return ReadWord(WordList::kPrecision, reader);
    case kRngAlgorithm:
      return ReadWord(WordList::kRandomAlgorithm, reader);
    case kRngDistribution:
      return ReadWord(WordList::kRandomDistribution, reader);
    case kScatterNumbers:
      return structure(kScatterKeys, "index_vector_dim");
    case kTranspose:
      return ReadWord(WordList::kTranspose, reader);
    case kOutputOperandAlias:
      return ReadAlias(reader);
    case kDotAlgorithm:
      return ReadDotAlgorithm(reader);
    case kAccuracyMode:
      return ReadWord(WordList::kResultAccuracyMode, reader);
    case kAccuracy:
      return ReadAccuracy(reader);
    default:
      return {.kind = AttributeKind::kOther,
              .text = absl::StrCat("StableHLO attribute ", code)};
  }
}

Attribute BytecodeDecoder::ReadConvolutionNumbers(ByteReader* reader) {
  ConvolutionNumbers numbers;
  for (ConvolutionNumbers::Operand* operand :
       {&numbers.input, &numbers.kernel, &numbers.output}) {
    operand->first = reader->SignedVarint();
    operand->second = reader->SignedVarint();
    operand->spatial = ReadSignedIntegers(reader);
  }
  return {.kind = AttributeKind::kOther, .text = LabelsOf(numbers)};
}

Attribute BytecodeDecoder::ReadDotAlgorithm(ByteReader* reader) {
  Attribute algorithm = {.kind = AttributeKind::kDictionary,
                         .text = "stablehlo.dot_algorithm"};
  for (const char* key :
       {"lhs_precision_type", "rhs_precision_type", "accumulation_type"}) {
    Attribute type = {.kind = AttributeKind::kType};
    type.type = ReadType(reader);
    algorithm.entries.emplace_back(key, std::move(type));
  }
  for (const char* key : {"lhs_component_count", "rhs_component_count",
                          "num_primitive_operations"}) {
    algorithm.entries.emplace_back(key, IntegerValue(reader->SignedVarint()));
  }
  algorithm.entries.emplace_back("allow_imprecise_accumulation",
                                 BoolAttribute(reader->Byte() != 0));
  return algorithm;
}

// CHLO numbers a few of the same kinds on its own.
Attribute BytecodeDecoder::DecodeChloAttribute(ByteReader* reader) {
  const uint64_t code = reader->Varint();
  switch (code) {
    case 0:
      return ReadWord(WordList::kComparisonDirection, reader);
    case 1:
      return ReadWord(WordList::kComparisonType, reader);
    case 2:
      return ReadWord(WordList::kPrecision, reader);
    default:
      return {.kind = AttributeKind::kOther,
              .text = absl::StrCat("CHLO attribute ", code)};
  }
}

Type BytecodeDecoder::DecodeStableHloType(ByteReader* reader) {
  const uint64_t code = reader->Varint();
  if (code == 0)
    return {.kind = TypeKind::kToken, .shape = hlo::Shape::Token()};
  return {.kind = TypeKind::kOther,
          .text = absl::StrCat("StableHLO type ", code)};
}

}  // namespace hilo::stablehlo
