// Clauses of operations in the forms of their own: ", dims = [0, 1]".
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {
namespace {

// A clause "KEY = VALUE" after the operands, and what the attribute is called.
struct Clause {
  absl::string_view operation;
  absl::string_view key;
  absl::string_view attribute;
};

constexpr auto kClauses = std::to_array<Clause>({
    {"check.expect_almost_eq", "tolerance", "tolerance"},
    {"check.expect_almost_eq_const", "tolerance", "tolerance"},
    {"check.expect_close", "max_ulp_difference", "max_ulp_difference"},
    {"check.expect_close", "min_ulp_difference", "min_ulp_difference"},
    {"check.expect_serialized_eq", "iteration", "iteration"},
    {"check.expect_serialized_eq", "probe_id", "probe_id"},
    {"interpreter.probe", "probe_id", "probe_id"},
    {"stablehlo.broadcast", "sizes", "broadcast_sizes"},
    {"stablehlo.broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"stablehlo.cholesky", "lower", "lower"},
    {"stablehlo.concatenate", "dim", "dimension"},
    {"stablehlo.dot", "precision", "precision_config"},
    {"stablehlo.dot_general", "precision", "precision_config"},
    {"stablehlo.dot_general", "algorithm", "algorithm"},
    {"stablehlo.dynamic_broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"stablehlo.dynamic_iota", "dim", "iota_dimension"},
    {"stablehlo.dynamic_slice", "sizes", "slice_sizes"},
    {"stablehlo.einsum", "config", "einsum_config"},
    {"stablehlo.fft", "length", "fft_length"},
    {"stablehlo.fft", "type", "fft_type"},
    {"stablehlo.get_dimension_size", "dim", "dimension"},
    {"stablehlo.iota", "dim", "iota_dimension"},
    {"stablehlo.pad", "high", "edge_padding_high"},
    {"stablehlo.pad", "interior", "interior_padding"},
    {"stablehlo.pad", "low", "edge_padding_low"},
    {"stablehlo.reverse", "dims", "dimensions"},
    {"stablehlo.rng", "distribution", "rng_distribution"},
    {"stablehlo.rng_bit_generator", "algorithm", "rng_algorithm"},
    {"stablehlo.set_dimension_size", "dim", "dimension"},
    {"stablehlo.transpose", "dims", "permutation"},
    {"stablehlo.unary_einsum", "config", "einsum_config"},
    {"chlo.constant", "value", "value"},
    {"chlo.top_k", "is_stable", "is_stable"},
    {"chlo.top_k", "k", "k"},
    {"chlo.top_k", "largest", "largest"},
});

absl::string_view AttributeOfClause(absl::string_view operation,
                                    absl::string_view key) {
  for (const Clause& clause : kClauses) {
    if (clause.operation == operation && clause.key == key) {
      return clause.attribute;
    }
  }
  return "";
}

}  // namespace

Attribute IntegerAttribute(int64_t value, int64_t offset) {
  return {.kind = AttributeKind::kInteger,
          .offset = offset,
          .integer = value,
          .number = static_cast<double>(value)};
}

void AddEntry(Attribute* dictionary, absl::string_view key, Attribute value) {
  dictionary->entries.emplace_back(std::string(key), std::move(value));
}

bool Parser::ParseClauses(Operation* operation) {
  // iota and the like begin with one.
  if (token_.kind != TokenKind::kWord && !Consume(',')) return true;
  return ParseClauseList(operation);
}

bool Parser::UnknownClause(absl::string_view operation, const Token& key) {
  std::vector<absl::string_view> candidates;
  for (const Clause& clause : kClauses) {
    if (clause.operation == operation) candidates.push_back(clause.key);
  }
  return Error(key.offset,
               absl::StrCat("'", operation, "' has no clause '", key.text, "'"),
               SuggestNearest(key.text, candidates));
}

bool Parser::ParseClauseList(Operation* operation) {
  do {
    const Token key = token_;
    if (key.kind != TokenKind::kWord) return Unexpected("a clause");
    const absl::string_view attribute =
        AttributeOfClause(operation->name, key.text);
    if (attribute.empty()) return UnknownClause(operation->name, key);
    Advance();
    Attribute value;
    if (!Expect('=') || !ParseClauseValue(key.text, &value)) return false;
    AddEntry(&operation->attributes, attribute, std::move(value));
  } while (Consume(','));
  return true;
}

// A colon behind numbers and texts belongs to the operation.
bool Parser::ParseClauseValue(absl::string_view key, Attribute* value) {
  value->offset = token_.offset;
  // Values of enumerations are bare words.
  const auto parse_word = [&](Attribute* word) {
    *word = {.kind = AttributeKind::kEnum,
             .offset = token_.offset,
             .text = std::string(token_.text)};
    if (token_.kind != TokenKind::kWord) return Unexpected("a word");
    Advance();
    return true;
  };
  if (key == "type" || key == "distribution" ||
      (key == "algorithm" && token_.kind == TokenKind::kWord)) {
    return parse_word(value);
  }
  if (key == "precision") {
    value->kind = AttributeKind::kArray;
    return ParseList(
        '[', ']', [&] { return parse_word(&value->elements.emplace_back()); });
  }
  if (key == "algorithm") return ParseDictionary('<', value);
  if (token_.kind == TokenKind::kString) {
    value->kind = AttributeKind::kString;
    value->text = DecodeString(token_.text);
    Advance();
    return true;
  }
  if (token_.kind == TokenKind::kInteger || token_.kind == TokenKind::kFloat ||
      token_.Is('-')) {
    return ParseBareNumber(value);
  }
  return ParseAttribute(value);
}

// check.expect_eq %a, %b : TYPE and check.expect_eq_const %a, dense<...>
bool Parser::ParseCheck(Operation* operation) {
  if (!ParseOperands(operation)) return false;
  if (absl::EndsWith(operation->name, "_const")) {
    Attribute value;
    if (!Expect(',') || !ParseAttribute(&value)) return false;
    AddEntry(&operation->attributes, "value", std::move(value));
  }
  if ((Consume(',') && !ParseClauseList(operation)) ||
      !ParseOptionalAttributes(&operation->attributes)) {
    return false;
  }
  if (!Consume(':')) return true;
  std::vector<Type> types;
  if (!ParseTypeList(&types)) return false;
  if (types.size() == 1) types.resize(operation->operands.size(), types[0]);
  return CheckOperandTypes(*operation, types);
}

// chlo.top_k(%a, k = 8)
bool Parser::ParseTopK(Operation* operation) {
  return ParseOperands(operation) && ParseClauses(operation) && Expect(')');
}

// (%a) inits (%b) dimension=0 attributes {is_reverse = true} {...}
bool Parser::ParseScan(Operation* operation) {
  const auto parse_operand = [&] { return ParseOperand(operation); };
  if (!ParseList('(', ')', parse_operand)) return false;
  const auto count = static_cast<int64_t>(operation->operands.size());
  int64_t dimension = 0;
  if (!ExpectWord("inits") || !ParseList('(', ')', parse_operand) ||
      !ExpectWord("dimension") || !Expect('=') ||
      !ParseBareInteger(&dimension) ||
      (ConsumeWord("attributes") &&
       !ParseOptionalAttributes(&operation->attributes)) ||
      !ParseRegion(&operation->regions.emplace_back())) {
    return false;
  }
  const int64_t offset = operation->offset;
  const auto carries = static_cast<int64_t>(operation->operands.size()) - count;
  Attribute segments = {.kind = AttributeKind::kArray, .offset = offset};
  segments.elements.push_back(IntegerAttribute(count, offset));
  segments.elements.push_back(IntegerAttribute(carries, offset));
  AddEntry(&operation->attributes, "dimension",
           IntegerAttribute(dimension, offset));
  AddEntry(&operation->attributes, "operandSegmentSizes", std::move(segments));
  return true;
}

// [0:2, 1:8:3]
bool Parser::ParseSliceRanges(Operation* operation) {
  std::array<Attribute, 3> lists;
  for (Attribute& list : lists) {
    list.kind = AttributeKind::kArray;
    list.offset = token_.offset;
  }
  const bool is_read = ParseList('[', ']', [&] {
    std::array<int64_t, 3> range = {0, 0, 1};
    const int64_t offset = token_.offset;
    if (!ParseBareInteger(range.data()) || !Expect(':') ||
        !ParseBareInteger(&range[1]) ||
        (Consume(':') && !ParseBareInteger(&range[2]))) {
      return false;
    }
    for (size_t i = 0; i < lists.size(); ++i) {
      lists[i].elements.push_back(IntegerAttribute(range[i], offset));
    }
    return true;
  });
  if (!is_read) return false;
  AddEntry(&operation->attributes, "start_indices", std::move(lists[0]));
  AddEntry(&operation->attributes, "limit_indices", std::move(lists[1]));
  AddEntry(&operation->attributes, "strides", std::move(lists[2]));
  return true;
}

// , format = e5m10
bool Parser::ParseFormat(Operation* operation) {
  int64_t exponent = 0;
  int64_t mantissa = 0;
  if (!Expect(',') || !ExpectWord("format") || !Expect('=')) return false;
  const Token format = token_;
  const absl::string_view text = format.text;
  const size_t m = text.find('m');
  if (format.kind != TokenKind::kWord || !absl::StartsWith(text, "e") ||
      m == absl::string_view::npos ||
      !absl::SimpleAtoi(text.substr(1, m - 1), &exponent) ||
      !absl::SimpleAtoi(text.substr(m + 1), &mantissa)) {
    return Unexpected("a format such as e5m10");
  }
  Advance();
  AddEntry(&operation->attributes, "exponent_bits",
           IntegerAttribute(exponent, format.offset));
  AddEntry(&operation->attributes, "mantissa_bits",
           IntegerAttribute(mantissa, format.offset));
  return true;
}

// KEY = [0] x [1], as two lists of the dimension numbers.
bool Parser::ParseDimensionPair(absl::string_view lhs_key,
                                absl::string_view rhs_key, Attribute* numbers) {
  Attribute lhs;
  Attribute rhs;
  if (!Expect('=') || !ParseAttribute(&lhs) || !ExpectWord("x") ||
      !ParseAttribute(&rhs)) {
    return false;
  }
  AddEntry(numbers, lhs_key, std::move(lhs));
  AddEntry(numbers, rhs_key, std::move(rhs));
  return true;
}

bool Parser::ParseDotClauses(Operation* operation) {
  Attribute numbers = {.kind = AttributeKind::kDictionary,
                       .offset = token_.offset};
  bool is_read = true;
  bool has_more = Consume(',');
  while (is_read && has_more) {
    if (ConsumeWord("batching_dims")) {
      is_read = ParseDimensionPair("lhs_batching_dimensions",
                                   "rhs_batching_dimensions", &numbers);
      has_more = Consume(',');
    } else if (ConsumeWord("contracting_dims")) {
      is_read = ParseDimensionPair("lhs_contracting_dimensions",
                                   "rhs_contracting_dimensions", &numbers);
      has_more = Consume(',');
    } else {
      is_read = ParseClauses(operation);
      has_more = false;
    }
  }
  AddEntry(&operation->attributes, "dot_dimension_numbers", std::move(numbers));
  return is_read;
}

// (%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {...}
bool Parser::ParseConvolutionClauses(Operation* operation) {
  if (!ParseList('(', ')', [&] { return ParseOperand(operation); }) ||
      !ExpectWord("dim_numbers") || !Expect('=')) {
    return false;
  }
  const int64_t first = token_.offset;
  for (int i = 0; i < 3; ++i) {
    if (!token_.Is('[')) return Unexpected("'['");
    if (!lexer_.SkipPastClosing()) return Error(first, "'[' is not closed");
    const int64_t end = lexer_.offset();
    Advance();
    if (i == 0 && !ExpectWord("x")) return false;
    if (i == 1 && !ExpectArrow()) return false;
    if (i == 2) {
      AddEntry(&operation->attributes, "dimension_numbers",
               {.kind = AttributeKind::kOther,
                .offset = first,
                .text = std::string(lexer_.text().substr(first, end - first))});
    }
  }
  return Consume(',') ? ParseConvolutionWindow(operation) : true;
}

bool Parser::ParseConvolutionWindow(Operation* operation) {
  constexpr std::array<std::array<absl::string_view, 2>, 5> kNames = {
      {{"stride", "window_strides"},
       {"pad", "padding"},
       {"lhs_dilate", "lhs_dilation"},
       {"rhs_dilate", "rhs_dilation"},
       {"reverse", "window_reversal"}}};
  Attribute window;
  if (!ExpectWord("window") || !Expect('=') || !ParseDictionary('{', &window)) {
    return false;
  }
  for (auto& [key, value] : window.entries) {
    absl::string_view attribute;
    for (const auto& [name, full] : kNames) {
      if (name == key) attribute = full;
    }
    if (attribute.empty()) {
      return Error(value.offset, absl::StrCat("a window has no '", key, "'"));
    }
    AddEntry(&operation->attributes, attribute, std::move(value));
  }
  return true;
}

}  // namespace hilo::stablehlo
