// Tables of decoded entries, and encodings that dialects share.
#include "hlo/stablehlo/bytecode_decoder.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/byte_reader.h"
#include "hlo/stablehlo/bytecode_file.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::stablehlo {
namespace {

constexpr int kMaxDepth = 200;

int BitWidthOf(const Type& type) {
  constexpr int kWidest = 64;
  if (type.kind != TypeKind::kElement) return kWidest;
  return hlo::InfoOf(type.shape.element_type()).bits;
}

// The number that bits of a float type are.
double NumberOf(uint64_t bits, hlo::ElementType type) {
  hlo::Literal literal(hlo::Shape::Scalar(type));
  std::memcpy(literal.mutable_untyped_data(), &bits,
              static_cast<size_t>(literal.size_bytes()));
  return hlo::DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (NumericTraits<T>::is_complex) {
      return 0.0;
    } else {
      return ConvertElement<double>(literal.data<T>()[0]);
    }
  });
}

bool PlaceLabels(const ConvolutionNumbers::Operand& operand,
                 absl::string_view first, absl::string_view second,
                 std::vector<std::string>* labels) {
  labels->assign(operand.spatial.size() + 2, "");
  const auto place = [&](int64_t dimension, std::string label) {
    if (std::cmp_less(dimension, 0) ||
        std::cmp_greater_equal(dimension, labels->size())) {
      return false;
    }
    std::string& target = (*labels)[static_cast<size_t>(dimension)];
    if (!target.empty()) return false;
    target = std::move(label);
    return true;
  };
  bool is_good = place(operand.first, std::string(first)) &&
                 place(operand.second, std::string(second));
  for (size_t i = 0; is_good && i < operand.spatial.size(); ++i) {
    is_good = place(operand.spatial[i], absl::StrCat(i));
  }
  return is_good;
}

}  // namespace

Attribute WordAttribute(std::string word) {
  return {.kind = AttributeKind::kEnum, .text = std::move(word)};
}

Attribute TextAttribute(std::string text) {
  return {.kind = AttributeKind::kString, .text = std::move(text)};
}

Attribute IntegerValue(int64_t value) {
  return {.kind = AttributeKind::kInteger,
          .integer = value,
          .number = static_cast<double>(value)};
}

Attribute BoolAttribute(bool value) {
  return {.kind = AttributeKind::kBool, .integer = value ? 1 : 0};
}

Attribute IntegersAttribute(const std::vector<int64_t>& values) {
  Attribute list = {.kind = AttributeKind::kArray};
  for (const int64_t value : values) {
    list.elements.push_back(IntegerValue(value));
  }
  return list;
}

// Source: the enumerations of StableHLO's specification; their numbers are the
// same in all encodings.
Attribute ReadWord(WordList list, ByteReader* reader) {
  constexpr size_t kMost = 6;
  using Words = std::array<absl::string_view, kMost>;
  static constexpr auto kWords = std::to_array<Words>({
      {"EQ", "NE", "GE", "GT", "LE", "LT"},
      {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"},
      {"FFT", "IFFT", "RFFT", "IRFFT"},
      {"DEFAULT", "HIGH", "HIGHEST"},
      {"DEFAULT", "THREE_FRY", "PHILOX"},
      {"", "UNIFORM", "NORMAL"},
      {"DEFAULT", "HIGHEST", "TOLERANCE"},
      {"", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"},
  });
  const Words& words = kWords[static_cast<size_t>(list)];
  const size_t value = reader->Index(kMost, "value of an enumeration");
  if (words[value].empty()) {
    reader->Fail(absl::StrCat("an enumeration has no value ", value));
  }
  return WordAttribute(std::string(words[value]));
}

std::string LabelsOf(const ConvolutionNumbers& numbers) {
  std::vector<std::string> input;
  std::vector<std::string> kernel;
  std::vector<std::string> output;
  if (!PlaceLabels(numbers.input, "b", "f", &input) ||
      !PlaceLabels(numbers.kernel, "i", "o", &kernel) ||
      !PlaceLabels(numbers.output, "b", "f", &output)) {
    return "";
  }
  return absl::StrCat("[", absl::StrJoin(input, ", "), "]x[",
                      absl::StrJoin(kernel, ", "), "]->[",
                      absl::StrJoin(output, ", "), "]");
}

BytecodeDecoder::BytecodeDecoder(const BytecodeFile& file, SyntaxModule* module,
                                 Diagnostics* diagnostics)
    : file_(file),
      module_(module),
      diagnostics_(diagnostics),
      attributes_(file.attributes().size()),
      types_(file.types().size()),
      locations_(file.attributes().size(), -1) {}

template <typename T, typename Decode>
T BytecodeDecoder::Get(Known<T>* known, ByteReader* reader, Decode decode) {
  if (known->state == State::kBeingDecoded) {
    reader->Fail("an attribute or a type contains itself");
    return {};
  }
  if (known->state == State::kUnknown) {
    if (depth_ >= kMaxDepth) {
      reader->Fail(absl::StrCat("attributes are nested more than ", kMaxDepth,
                                " levels deep"));
      return {};
    }
    known->state = State::kBeingDecoded;
    const uint64_t outer_weight = std::exchange(weight_, 0);
    ++depth_;
    known->value = decode();
    --depth_;
    known->weight = weight_ + 1;
    weight_ = outer_weight;
    known->state = State::kKnown;
  }
  // Generous for what is written; what a hostile file could ask for is without
  // bounds.
  constexpr uint64_t kCopiesPerByte = 100;
  constexpr uint64_t kCopies = uint64_t{1} << 20;
  weight_ += known->weight;
  copied_ += known->weight;
  if (copied_ > kCopies + kCopiesPerByte * file_.size()) {
    reader->Fail("attributes and types repeat each other without end");
    return {};
  }
  return known->value;
}

Attribute BytecodeDecoder::AttributeOf(uint64_t number, ByteReader* reader) {
  if (number >= attributes_.size()) {
    reader->Fail(absl::StrCat("attribute ", number, " of ", attributes_.size(),
                              " does not exist"));
  }
  if (!reader->ok()) return {};
  const auto index = static_cast<size_t>(number);
  return Get(&attributes_[index], reader,
             [&] { return DecodeAttribute(file_.attributes()[index]); });
}

Type BytecodeDecoder::TypeOf(uint64_t number, ByteReader* reader) {
  if (number >= types_.size()) {
    reader->Fail(absl::StrCat("type ", number, " of ", types_.size(),
                              " does not exist"));
  }
  if (!reader->ok()) return {};
  const auto index = static_cast<size_t>(number);
  return Get(&types_[index], reader,
             [&] { return DecodeType(file_.types()[index]); });
}

Attribute BytecodeDecoder::ReadAttribute(ByteReader* reader) {
  return AttributeOf(reader->Varint(), reader);
}

Type BytecodeDecoder::ReadType(ByteReader* reader) {
  return TypeOf(reader->Varint(), reader);
}

std::vector<Type> BytecodeDecoder::ReadTypes(ByteReader* reader) {
  const size_t count = reader->Count();
  std::vector<Type> types;
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    types.push_back(ReadType(reader));
  }
  return types;
}

std::string BytecodeDecoder::ReadText(ByteReader* reader) {
  return ReadAttribute(reader).text;
}

Attribute BytecodeDecoder::DecodeAttribute(const BytecodeFile::Entry& entry) {
  ByteReader reader = file_.ReaderOf(entry.begin, entry.end);
  Attribute attribute = {.kind = AttributeKind::kOther,
                         .text = std::string(entry.dialect)};
  if (!entry.has_encoding) {
    const absl::string_view text = reader.NulTerminated();
    if (reader.ok()) ParseAttributeText(text, &attribute);
  } else if (entry.dialect == "builtin") {
    attribute = DecodeBuiltinAttribute(&reader);
  } else if (entry.dialect == "vhlo") {
    attribute = DecodeVhloAttribute(&reader);
  } else if (entry.dialect == "stablehlo") {
    attribute = DecodeStableHloAttribute(&reader);
  } else if (entry.dialect == "chlo") {
    attribute = DecodeChloAttribute(&reader);
  }
  return attribute;
}

Type BytecodeDecoder::DecodeType(const BytecodeFile::Entry& entry) {
  ByteReader reader = file_.ReaderOf(entry.begin, entry.end);
  Type type = {.kind = TypeKind::kOther,
               .text = absl::StrCat("!", entry.dialect)};
  if (!entry.has_encoding) {
    const absl::string_view text = reader.NulTerminated();
    if (reader.ok()) ParseTypeText(text, &type);
  } else if (entry.dialect == "builtin") {
    type = DecodeBuiltinType(&reader);
  } else if (entry.dialect == "vhlo") {
    type = DecodeVhloType(&reader);
  } else if (entry.dialect == "stablehlo") {
    type = DecodeStableHloType(&reader);
  }
  return type;
}

std::vector<Attribute> BytecodeDecoder::ReadAttributes(ByteReader* reader) {
  const size_t count = reader->Count();
  std::vector<Attribute> attributes;
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    attributes.push_back(ReadAttribute(reader));
  }
  return attributes;
}

std::vector<int64_t> BytecodeDecoder::ReadSignedIntegers(ByteReader* reader) {
  const size_t count = reader->Count();
  std::vector<int64_t> values;
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    values.push_back(reader->SignedVarint());
  }
  return values;
}

Attribute BytecodeDecoder::ReadDictionary(ByteReader* reader) {
  const size_t count = reader->Count();
  Attribute dictionary = {.kind = AttributeKind::kDictionary};
  for (size_t i = 0; i < count && reader->ok(); ++i) {
    std::string key = ReadText(reader);
    dictionary.entries.emplace_back(std::move(key), ReadAttribute(reader));
  }
  return dictionary;
}

Attribute BytecodeDecoder::ReadInteger(ByteReader* reader) {
  Type type = ReadType(reader);
  const int width = BitWidthOf(type);
  uint64_t bits = reader->Bits(width);
  const bool is_element = type.kind == TypeKind::kElement;
  if (is_element && type.shape.element_type() == hlo::ElementType::kPred) {
    return BoolAttribute((bits & 1) != 0);
  }
  constexpr int kWidest = 64;
  const bool is_signed =
      !is_element || hlo::IsSignedInteger(type.shape.element_type());
  if (is_signed && width < kWidest) {
    const int shift = kWidest - width;
    bits = static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift);
  }
  Attribute integer = IntegerValue(static_cast<int64_t>(bits));
  integer.type = std::move(type);
  return integer;
}

Attribute BytecodeDecoder::ReadFloat(ByteReader* reader) {
  Attribute number = {.kind = AttributeKind::kFloat, .type = ReadType(reader)};
  const uint64_t bits = reader->Bits(BitWidthOf(number.type));
  if (number.type.kind != TypeKind::kElement ||
      !hlo::IsFloat(number.type.shape.element_type())) {
    reader->Fail("a number's type is no type of floats");
    return number;
  }
  number.number = NumberOf(bits, number.type.shape.element_type());
  return number;
}

Attribute BytecodeDecoder::ReadElements(ByteReader* reader) {
  Attribute elements = {.kind = AttributeKind::kDense,
                        .type = ReadType(reader)};
  const absl::string_view bytes = reader->Blob();
  if (!reader->ok()) return elements;
  if (elements.type.kind != TypeKind::kTensor ||
      elements.type.shape.IsDynamic()) {
    elements.kind = AttributeKind::kOther;
    elements.text = "dense";
  } else if (!LiteralFromBytes(bytes, elements.type.shape, &elements.literal)) {
    reader->Fail(absl::StrCat(bytes.size(), " bytes are neither all elements ",
                              "of ", elements.type.ToString(), " nor one"));
  }
  return elements;
}

Attribute BytecodeDecoder::ReadAlias(ByteReader* reader) {
  Attribute alias = {.kind = AttributeKind::kDictionary};
  alias.entries.emplace_back("output_tuple_indices",
                             IntegersAttribute(ReadSignedIntegers(reader)));
  alias.entries.emplace_back("operand_index",
                             IntegerValue(reader->SignedVarint()));
  alias.entries.emplace_back("operand_tuple_indices",
                             IntegersAttribute(ReadSignedIntegers(reader)));
  return alias;
}

Attribute BytecodeDecoder::ReadAccuracy(ByteReader* reader) {
  constexpr int kWidth = 64;
  Attribute accuracy = {.kind = AttributeKind::kDictionary,
                        .text = "stablehlo.result_accuracy"};
  for (const char* key : {"atol", "rtol"}) {
    accuracy.entries.emplace_back(
        key, Attribute{.kind = AttributeKind::kFloat,
                       .number = std::bit_cast<double>(reader->Bits(kWidth))});
  }
  accuracy.entries.emplace_back("ulps", IntegerValue(reader->SignedVarint()));
  accuracy.entries.emplace_back("mode", ReadAttribute(reader));
  return accuracy;
}

Type BytecodeDecoder::ReadTensorType(ByteReader* reader) {
  const std::vector<int64_t> sizes = ReadSignedIntegers(reader);
  const Type element = ReadType(reader);
  Type type;
  std::string fault;
  if (reader->ok() && !MakeTensorType(sizes, element, &type, &fault)) {
    reader->Fail(std::move(fault));
  }
  return type;
}

Type BytecodeDecoder::ReadFunctionType(ByteReader* reader) {
  Type type = {.kind = TypeKind::kFunction};
  type.inputs = ReadTypes(reader);
  type.results = ReadTypes(reader);
  return type;
}

Type BytecodeDecoder::ReadTupleType(ByteReader* reader) {
  Type type;
  if (!MakeTupleType(ReadTypes(reader), &type)) {
    reader->Fail("a tuple holds something that is no value");
  }
  return type;
}

Type BytecodeDecoder::ReadComplexType(ByteReader* reader) {
  const Type part = ReadType(reader);
  Type type;
  if (reader->ok() && !MakeComplexType(part, &type)) {
    reader->Fail(absl::StrCat("complex numbers of ", part.ToString(),
                              " are not supported"));
  }
  return type;
}

}  // namespace hilo::stablehlo
