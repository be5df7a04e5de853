// Operations in the forms of their own.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {

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
  if (absl::StartsWith(name, "check.")) return ParseCheck(operation);
  if (absl::StartsWith(name, "sdy.")) {
    return ParseShardingOperation(operation, types);
  }
  if (name == "func.call") return ParseCall(operation, types);
  if (absl::EndsWith(name, ".constant")) return ParseConstant(operation, types);
  if (name == "stablehlo.reduce") return ParseReduce(operation, types);
  if (name == "stablehlo.while") return ParseWhile(operation, types);
  if (name == "stablehlo.optimization_barrier") {
    return ParseOptimizationBarrier(operation, types);
  }
  if (!ParsePrettyBody(name, operation) ||
      !ParseOptionalAttributes(&operation->attributes) ||
      !ParseTrailingTypes(name, operation, types)) {
    return false;
  }
  // The type is the operand's.
  if (name == "interpreter.print") types->clear();
  return true;
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
  if (name == "chlo.scan") return ParseScan(operation);
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
  // "constant() <{value = ...}> : () -> T", where the types differ.
  if (Consume('(')) {
    return Expect(')') &&
           (!Consume('<') ||
            (ParseDictionary('{', &operation->attributes) && Expect('>'))) &&
           ParseOptionalAttributes(&operation->attributes) &&
           ParseTrailingTypes(operation->name, operation, types);
  }
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
