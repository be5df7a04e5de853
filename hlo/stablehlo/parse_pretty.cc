// Operations in the forms of their own.
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

#include "hlo/ir/shape.h"
#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

// A clause "KEY = VALUE" after the operands, and what the attribute is called.
struct Clause {
  absl::string_view operation;
  absl::string_view key;
  absl::string_view attribute;
};

constexpr auto kClauses = std::to_array<Clause>({
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

Attribute IntegerAttribute(int64_t value, int64_t offset) {
  return {.kind = AttributeKind::kInteger,
          .offset = offset,
          .integer = value,
          .number = static_cast<double>(value)};
}

void AddEntry(Attribute* dictionary, absl::string_view key, Attribute value) {
  dictionary->entries.emplace_back(std::string(key), std::move(value));
}

}  // namespace

bool Parser::ParsePrettyOperation(Operation* operation,
                                  std::vector<Type>* types) {
  const Token word = token_;
  std::string name(word.text);
  if (name == "return") name = "func.return";
  if (name == "call") name = "func.call";
  if (!absl::StrContains(name, '.')) {
    return Error(word.offset, absl::StrCat("'", name, "' is no operation"),
                 "operations are written with their dialect: stablehlo.add");
  }
  name = CurrentName(name);
  operation->name = name;
  Advance();
  if (absl::EndsWith(name, ".return")) return ParseReturn(operation);
  if (name == "func.call") return ParseCall(operation, types);
  if (absl::EndsWith(name, ".constant")) return ParseConstant(operation, types);
  if (name == "stablehlo.reduce") return ParseReduce(operation, types);
  if (name == "stablehlo.while") return ParseWhile(operation, types);
  if (name == "stablehlo.optimization_barrier") {
    return ParseOptimizationBarrier(operation, types);
  }
  return ParsePrettyBody(name, operation) &&
         ParseOptionalAttributes(&operation->attributes) &&
         ParseTrailingTypes(name, operation, types);
}

// What stands between the name and the attributes.
bool Parser::ParsePrettyBody(absl::string_view name, Operation* operation) {
  if (name == "stablehlo.custom_call" || name == "stablehlo.composite") {
    const bool is_call = name == "stablehlo.custom_call";
    Attribute target;
    if (!ParseAttribute(&target)) return false;
    AddEntry(&operation->attributes, is_call ? "call_target_name" : "name",
             std::move(target));
    if (!is_call) return ParseOperands(operation);
    return ParseList('(', ')', [&] { return ParseOperand(operation); });
  }
  if (name == "stablehlo.compare") {
    Attribute direction = {.kind = AttributeKind::kEnum,
                           .offset = token_.offset,
                           .text = std::string(token_.text)};
    if (token_.kind != TokenKind::kWord) return Unexpected("a direction");
    Advance();
    AddEntry(&operation->attributes, "comparison_direction",
             std::move(direction));
    if (!Expect(',') || !ParseOperands(operation)) return false;
    if (!Consume(',')) return true;
    if (token_.kind != TokenKind::kWord) return Unexpected("a type of order");
    AddEntry(&operation->attributes, "compare_type",
             {.kind = AttributeKind::kEnum,
              .offset = token_.offset,
              .text = std::string(token_.text)});
    Advance();
    return true;
  }
  if (name == "stablehlo.convolution")
    return ParseConvolutionClauses(operation);
  if (name == "chlo.top_k" && Consume('(')) return ParseTopK(operation);
  if (token_.Is('(')) {
    return ParseList('(', ')', [&] { return ParseOperand(operation); });
  }
  if (!ParseOperands(operation)) return false;
  if (name == "stablehlo.slice") return ParseSliceRanges(operation);
  if (name == "stablehlo.reduce_precision") return ParseFormat(operation);
  if (name == "stablehlo.dot_general") return ParseDotClauses(operation);
  if (name == "stablehlo.get_tuple_element") {
    int64_t index = 0;
    const int64_t offset = token_.offset;
    if (!Expect('[') || !ParseBareInteger(&index) || !Expect(']')) return false;
    AddEntry(&operation->attributes, "index", IntegerAttribute(index, offset));
    return true;
  }
  return ParseClauses(operation);
}

bool Parser::ParseClauses(Operation* operation) {
  // iota and the like begin with one.
  bool has_clause = token_.kind == TokenKind::kWord || Consume(',');
  while (has_clause) {
    const Token key = token_;
    if (key.kind != TokenKind::kWord) return Unexpected("a clause");
    const absl::string_view attribute =
        AttributeOfClause(operation->name, key.text);
    if (attribute.empty()) {
      std::vector<absl::string_view> candidates;
      for (const Clause& clause : kClauses) {
        if (clause.operation == operation->name) {
          candidates.push_back(clause.key);
        }
      }
      return Error(key.offset,
                   absl::StrCat("'", operation->name, "' has no clause '",
                                key.text, "'"),
                   SuggestNearest(key.text, candidates));
    }
    Advance();
    if (!Expect('=')) return false;
    Attribute value;
    value.offset = token_.offset;
    // Values of enumerations are bare words.
    const auto parse_word = [&](Attribute* word) {
      *word = {.kind = AttributeKind::kEnum,
               .offset = token_.offset,
               .text = std::string(token_.text)};
      if (token_.kind != TokenKind::kWord) return Unexpected("a word");
      Advance();
      return true;
    };
    bool is_read = false;
    if (key.text == "type" || key.text == "distribution" ||
        (key.text == "algorithm" && token_.kind == TokenKind::kWord)) {
      is_read = parse_word(&value);
    } else if (key.text == "precision") {
      value.kind = AttributeKind::kArray;
      is_read = ParseList(
          '[', ']', [&] { return parse_word(&value.elements.emplace_back()); });
    } else if (key.text == "algorithm") {
      is_read = ParseDictionary('<', &value);
    } else if (token_.kind == TokenKind::kInteger) {
      // A colon behind it belongs to the operation.
      int64_t number = 0;
      is_read = ParseBareInteger(&number);
      value = IntegerAttribute(number, value.offset);
    } else {
      is_read = ParseAttribute(&value);
    }
    if (!is_read) return false;
    AddEntry(&operation->attributes, attribute, std::move(value));
    has_clause = Consume(',');
  }
  return true;
}

// chlo.top_k(%a, k = 8)
bool Parser::ParseTopK(Operation* operation) {
  return ParseOperands(operation) && ParseClauses(operation) && Expect(')');
}

bool Parser::ParseReturn(Operation* operation) {
  if (!ParseOperands(operation) ||
      !ParseOptionalAttributes(&operation->attributes)) {
    return false;
  }
  if (operation->operands.empty()) return true;
  std::vector<Type> types;
  return Expect(':') && ParseTypeList(&types) &&
         CheckOperandTypes(*operation, types);
}

bool Parser::ParseCall(Operation* operation, std::vector<Type>* types) {
  Attribute callee;
  if (!ParseAttribute(&callee)) return false;
  AddEntry(&operation->attributes, "callee", std::move(callee));
  return ParseList('(', ')', [&] { return ParseOperand(operation); }) &&
         ParseOptionalAttributes(&operation->attributes) &&
         ParseTrailingTypes(operation->name, operation, types);
}

bool Parser::ParseConstant(Operation* operation, std::vector<Type>* types) {
  Attribute value;
  if (!ParseOptionalAttributes(&operation->attributes) ||
      !ParseAttribute(&value)) {
    return false;
  }
  types->push_back(value.type);
  AddEntry(&operation->attributes, "value", std::move(value));
  return true;
}

bool Parser::ParseOptimizationBarrier(Operation* operation,
                                      std::vector<Type>* types) {
  if (Consume('(')) {
    return Expect(')') && ParseOptionalAttributes(&operation->attributes);
  }
  return ParseOperands(operation) &&
         ParseOptionalAttributes(&operation->attributes) && Expect(':') &&
         ParseTypeList(types) && CheckOperandTypes(*operation, *types);
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
    if (!ParseBareInteger(&range[0]) || !Expect(':') ||
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

// (%x init: %i), (%y init: %j) applies OP across dimensions = [0] : TYPE, or
// across dimensions = [0] : TYPE reducer(...) (...) {...}
bool Parser::ParseReduce(Operation* operation, std::vector<Type>* types) {
  Operation inits;
  do {
    if (!Expect('(') || !ParseOperand(operation) || !ExpectWord("init") ||
        !Expect(':') || !ParseOperand(&inits) || !Expect(')')) {
      return false;
    }
  } while (Consume(','));
  operation->operands.insert(operation->operands.end(), inits.operands.begin(),
                             inits.operands.end());
  operation->operand_offsets.insert(operation->operand_offsets.end(),
                                    inits.operand_offsets.begin(),
                                    inits.operand_offsets.end());
  Token applied;
  if (ConsumeWord("applies")) {
    applied = token_;
    if (applied.kind != TokenKind::kWord) return Unexpected("an operation");
    Advance();
  }
  Attribute dimensions;
  if (!ExpectWord("across") || !ExpectWord("dimensions") || !Expect('=') ||
      !ParseAttribute(&dimensions)) {
    return false;
  }
  AddEntry(&operation->attributes, "dimensions", std::move(dimensions));
  if (!ParseOptionalAttributes(&operation->attributes) ||
      !ParseTrailingTypes(operation->name, operation, types)) {
    return false;
  }
  Region& region = operation->regions.emplace_back();
  region.offset = operation->offset;
  if (applied.kind != TokenKind::kWord) return ParseReduceRegion(operation);
  if (inits.operands.size() != 1) {
    return Error(applied.offset, "'applies' is for one array");
  }
  const Type type =
      module_->values[static_cast<size_t>(inits.operands[0])].type;
  Operation body;
  body.name = std::string(applied.text);
  body.offset = applied.offset;
  const auto add_value = [&] {
    const auto id = static_cast<ValueId>(module_->values.size());
    module_->values.push_back(
        {.name = "", .offset = applied.offset, .type = type});
    return id;
  };
  for (int i = 0; i < 2; ++i) {
    region.arguments.push_back(add_value());
    body.operands.push_back(region.arguments.back());
    body.operand_offsets.push_back(applied.offset);
  }
  body.results.push_back(add_value());
  region.operations.push_back(body);
  Operation end;
  end.name = "stablehlo.return";
  end.offset = applied.offset;
  end.operands = body.results;
  end.operand_offsets = {applied.offset};
  region.operations.push_back(std::move(end));
  return true;
}

bool Parser::ParseReduceRegion(Operation* operation) {
  // Pairs of (accumulator, element); the accumulators come first.
  std::vector<BlockArgument> firsts;
  std::vector<BlockArgument> seconds;
  if (!ExpectWord("reducer")) return false;
  while (token_.Is('(')) {
    std::vector<BlockArgument> pair;
    if (!ParseList('(', ')', [&] {
          BlockArgument& argument = pair.emplace_back();
          argument.name = token_.text;
          argument.offset = token_.offset;
          if (token_.kind != TokenKind::kValue) {
            return Unexpected("an argument");
          }
          Advance();
          return Expect(':') && ParseType(&argument.type) && ParseLocation();
        })) {
      return false;
    }
    if (pair.size() != 2) {
      return Error(token_.offset, "a reducer takes pairs of values");
    }
    firsts.push_back(std::move(pair[0]));
    seconds.push_back(std::move(pair[1]));
  }
  firsts.insert(firsts.end(), seconds.begin(), seconds.end());
  return ParseRegionWithArguments(firsts, &operation->regions.back());
}

// (%a = %x, %b = %y) : T, T attributes {...} cond {...} do {...}
bool Parser::ParseWhile(Operation* operation, std::vector<Type>* types) {
  std::vector<BlockArgument> arguments;
  if (!ParseList('(', ')', [&] {
        BlockArgument& argument = arguments.emplace_back();
        argument.name = token_.text;
        argument.offset = token_.offset;
        if (token_.kind != TokenKind::kValue) return Unexpected("an argument");
        Advance();
        return Expect('=') && ParseOperand(operation);
      })) {
    return false;
  }
  if (!arguments.empty() && (!Expect(':') || !ParseTypeList(types))) {
    return false;
  }
  if (!CheckOperandTypes(*operation, *types) ||
      (ConsumeWord("attributes") &&
       !ParseOptionalAttributes(&operation->attributes))) {
    return false;
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    arguments[i].type = (*types)[i];
  }
  operation->regions.resize(2);
  return ExpectWord("cond") &&
         ParseRegionWithArguments(arguments, operation->regions.data()) &&
         ExpectWord("do") &&
         ParseRegionWithArguments(arguments, &operation->regions[1]);
}

bool Parser::ParseRegionWithArguments(
    const std::vector<BlockArgument>& arguments, Region* region) {
  const Nesting nesting(this);
  if (!nesting.Check()) return false;
  region->offset = token_.offset;
  scopes_.emplace_back();
  bool is_read = true;
  for (const BlockArgument& argument : arguments) {
    ValueId id = 0;
    is_read = is_read &&
              DefineValue(argument.name, argument.offset, argument.type, &id);
    region->arguments.push_back(id);
  }
  is_read = is_read && Expect('{') && ParseOperations(region);
  scopes_.pop_back();
  return is_read;
}

bool Parser::ParseTrailingTypes(absl::string_view name, Operation* operation,
                                std::vector<Type>* types) {
  if (!Expect(':')) return false;
  if (token_.Is('(')) {
    Type signature;
    if (!ParseFunctionType(&signature) ||
        !CheckOperandTypes(*operation, signature.inputs)) {
      return false;
    }
    *types = std::move(signature.results);
    return true;
  }
  std::vector<Type> given;
  if (!ParseTypeList(&given)) return false;
  if (token_.kind == TokenKind::kArrow) {
    // T, T -> T
    Advance();
    if (!CheckOperandTypes(*operation, given)) return false;
    if (!token_.Is('(')) return ParseType(&types->emplace_back());
    return ParseList('(', ')',
                     [&] { return ParseType(&types->emplace_back()); });
  }
  return InferTypes(name, given, *operation, types);
}

// One type is that of all operands and of the result, but for a few
// operations.
bool Parser::InferTypes(absl::string_view name, const std::vector<Type>& given,
                        const Operation& operation, std::vector<Type>* types) {
  if (name == "stablehlo.select" && given.size() == 2) {
    types->push_back(given[1]);
    return CheckOperandTypes(operation, {given[0], given[1], given[1]});
  }
  if (given.size() != 1) {
    return Error(token_.offset,
                 absl::StrCat("'", name, "' has one type, or a function type"));
  }
  types->push_back(given[0]);
  if (name == "stablehlo.complex" || name == "stablehlo.tuple") return true;
  return CheckOperandTypes(
      operation, std::vector<Type>(operation.operands.size(), given[0]));
}

}  // namespace hilo::stablehlo
