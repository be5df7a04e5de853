// Values of attributes: scalars, lists, enumerations and references.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"
#include "hlo/text/attribute_parser.h"
#include "hlo/text/lexer.h"
#include "hlo/text/literal_parser.h"
#include "hlo/text/shape_parser.h"
#include "hlo/text/sharding_parser.h"
#include "hlo/text/token_reader.h"
#include "hlo/text/value_parsers.h"

namespace hilo::hlo::value_parsers {
namespace {

// Reads "{", items separated by commas, "}".
template <typename ReadItem>
bool ParseList(TokenReader& reader, absl::string_view what,
               const ReadItem& read_item) {
  if (!reader.Expect(TokenKind::kLeftBrace, absl::StrCat("before ", what))) {
    return false;
  }
  if (reader.Accept(TokenKind::kRightBrace)) return true;
  do {
    if (!read_item()) return false;
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace, absl::StrCat("after ", what));
}

template <typename T>
bool ParseEnum(ValueContext& context, T* value) {
  TokenReader& reader = context.reader;
  std::optional<T> found;
  if (reader.Is(TokenKind::kIdentifier)) {
    found = EnumFromText<T>(reader.token().text);
  }
  if (!found) {
    std::string expected;
    for (const absl::string_view text : EnumTexts<T>()) {
      absl::StrAppend(&expected, expected.empty() ? "" : ", ", text);
    }
    return reader.FailExpected(
        absl::StrCat("one of ", expected, " for ", TextOf(context.id)),
        SuggestNearest(reader.token().text, EnumTexts<T>()));
  }
  *value = *found;
  reader.Advance();
  return true;
}

}  // namespace

bool ParseBool(ValueContext& context, bool* value) {
  return context.reader.ReadBool(value);
}

bool ParseInt(ValueContext& context, int64_t* value) {
  if (!context.reader.ReadInt(value)) return false;
  // Every channel up to 0 stands for none.
  if (context.id == AttributeId::kChannelId && *value < 0) *value = 0;
  return true;
}

bool ParseFloat(ValueContext& context, double* value) {
  return context.reader.ReadDouble(value);
}

bool ParseString(ValueContext& context, std::string* value) {
  TokenReader& reader = context.reader;
  if (context.id == AttributeId::kBackendConfig &&
      reader.Is(TokenKind::kLeftBrace)) {
    absl::string_view text;
    if (!reader.ReadRawBraces(&text)) return false;
    value->assign(text.data(), text.size());
    return true;
  }
  return reader.ReadString(value);
}

bool ParseIntList(ValueContext& context, DimensionVector* value) {
  return context.reader.ReadIntList(value);
}

bool ParseIntListList(ValueContext& context,
                      std::vector<DimensionVector>* value) {
  TokenReader& reader = context.reader;
  const bool are_pairs = context.id == AttributeId::kSourceTargetPairs;
  return ParseList(reader, "lists of integers", [&] {
    const int64_t place = reader.offset();
    DimensionVector& item = value->emplace_back();
    if (!reader.ReadIntList(&item)) return false;
    if (!are_pairs || item.size() == 2) return true;
    return reader.Fail(place, absl::StrCat("expected a pair of source and "
                                           "target, got ",
                                           item.size(), " integers"));
  });
}

bool ParseBoolList(ValueContext& context, std::vector<bool>* value) {
  return ParseList(context.reader, "a list of true and false", [&] {
    bool item = false;
    if (!context.reader.ReadBool(&item)) return false;
    value->push_back(item);
    return true;
  });
}

bool ParseComputation(ValueContext& context, Computation** value) {
  if (!context.parser.ParseComputationReference(value)) return false;
  if (*value == nullptr) context.poisoned = true;
  return true;
}

bool ParseComputationList(ValueContext& context,
                          std::vector<Computation*>* value) {
  return ParseList(context.reader, "a list of computations", [&] {
    return ParseComputation(context, &value->emplace_back());
  });
}

bool ParseInstructionList(ValueContext& context,
                          std::vector<Instruction*>* value) {
  TokenReader& reader = context.reader;
  const int64_t place = reader.offset();
  const bool ok = ParseList(reader, "a list of instructions", [&] {
    if (!reader.Is(TokenKind::kName) && !reader.Is(TokenKind::kIdentifier)) {
      return reader.FailExpected("an instruction's name");
    }
    Instruction* instruction = nullptr;
    if (!context.parser.FindInstruction(context.scope, reader.token(),
                                        &instruction)) {
      return false;
    }
    reader.Advance();
    if (instruction == nullptr) context.poisoned = true;
    value->push_back(instruction);
    return true;
  });
  if (!ok) return false;
  if (value->empty()) {
    return reader.Fail(place, "the list of instructions is empty");
  }
  // Repeats are merged.
  std::vector<Instruction*> unique;
  absl::flat_hash_map<InstructionId, bool> seen;
  for (Instruction* instruction : *value) {
    if (instruction == nullptr) continue;
    if (seen.emplace(instruction->id(), true).second) {
      unique.push_back(instruction);
    }
  }
  *value = std::move(unique);
  return true;
}

bool ParseShape(ValueContext& context, Shape* value) {
  return hlo::ParseShape(context.reader, value);
}

bool ParseShapeList(ValueContext& context, std::vector<Shape>* value) {
  return ParseList(context.reader, "a list of shapes", [&] {
    return hlo::ParseShape(context.reader, &value->emplace_back());
  });
}

namespace {

// "f32[2]{0} {1,2}" or a tuple of such.
bool ParseShapedLiteral(TokenReader& reader, ElidedLiterals* elided,
                        Literal* value) {
  if (!reader.Is(TokenKind::kLeftParen)) {
    Shape shape;
    return hlo::ParseShape(reader, &shape) &&
           hlo::ParseLiteral(reader, shape, value, elided);
  }
  const Nesting nesting(reader);
  if (!nesting.ok()) return false;
  reader.Advance();
  std::vector<Literal> elements;
  if (!reader.Is(TokenKind::kRightParen)) {
    do {
      if (!ParseShapedLiteral(reader, elided, &elements.emplace_back())) {
        return false;
      }
    } while (reader.Accept(TokenKind::kComma));
  }
  *value = Literal::Tuple(std::move(elements));
  return reader.Expect(TokenKind::kRightParen, "after a tuple's literals");
}

}  // namespace

bool ParseLiteral(ValueContext& context, Literal* value) {
  return ParseShapedLiteral(context.reader, context.parser.elided(), value);
}

bool ParseSharding(ValueContext& context, Sharding* value) {
  return hlo::ParseSharding(context.reader, value);
}

bool ParseReplicaGroups(ValueContext& context, ReplicaGroups* value) {
  return hlo::ParseReplicaGroups(context.reader, value);
}

bool ParseDomain(ValueContext& context, Domain* value) {
  return hlo::ParseDomain(context.reader, value);
}

bool ParseFrontendAttributes(ValueContext& context, FrontendAttributes* value) {
  return hlo::ParseFrontendAttributes(context.reader, value);
}

bool ParsePrecisionList(ValueContext& context, PrecisionList* value) {
  return ParseList(context.reader, "a list of precisions",
                   [&] { return ParseEnum(context, &value->emplace_back()); });
}

bool ParseRawText(ValueContext& context, RawText* value) {
  absl::string_view text;
  if (!context.reader.ReadRawBraces(&text)) return false;
  value->text.assign(text.data(), text.size());
  return true;
}

#define HILO_PARSE_ENUM(Type)                            \
  bool Parse##Type(ValueContext& context, Type* value) { \
    return ParseEnum(context, value);                    \
  }
HILO_PARSE_ENUM(ComparisonDirection)
HILO_PARSE_ENUM(ComparisonType)
HILO_PARSE_ENUM(FftType)
HILO_PARSE_ENUM(FusionKind)
HILO_PARSE_ENUM(RandomDistribution)
HILO_PARSE_ENUM(RandomAlgorithm)
HILO_PARSE_ENUM(DotAlgorithm)
HILO_PARSE_ENUM(TransposeOption)
HILO_PARSE_ENUM(ConvolutionKind)
HILO_PARSE_ENUM(CustomCallSchedule)
HILO_PARSE_ENUM(CustomCallApiVersion)
HILO_PARSE_ENUM(PaddingType)
#undef HILO_PARSE_ENUM

}  // namespace hilo::hlo::value_parsers
