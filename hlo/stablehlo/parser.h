// Reads the text form of StableHLO, CHLO and func modules.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

// A recursive-descent parser. Functions return false after the first error,
// which is in the diagnostics; nesting is limited, so that no text exhausts
// the stack. Source of the forms: StableHLO's specification and the assembly
// formats of its operations.
class Parser {
 public:
  // Both outlive the parser.
  Parser(absl::string_view text, Diagnostics* diagnostics)
      : lexer_(text),
        diagnostics_(diagnostics),
        module_(std::make_unique<SyntaxModule>()) {
    Advance();
  }

  // The module; null after an error. A text without "module" is one.
  std::unique_ptr<SyntaxModule> ParseModule();

 private:
  // Names of values, innermost last. Functions see none of what is outside.
  using Scope = absl::flat_hash_map<absl::string_view, std::pair<ValueId, int>>;

  // One value, or all of a pack.
  struct ResultNames {
    absl::string_view name;
    int64_t offset = 0;
    int64_t count = 1;
  };

  struct BlockArgument {
    absl::string_view name;
    int64_t offset = 0;
    Type type;
  };

  class Nesting;

  // Tokens.
  void Advance() {
    token_end_ = lexer_.offset();
    token_ = lexer_.Next();
  }
  bool Error(int64_t offset, std::string message, std::string remedy = "");
  // "expected WHAT, got TOKEN".
  bool Unexpected(absl::string_view what);
  bool Consume(char punctuation);
  bool ConsumeWord(absl::string_view word);
  bool Expect(char punctuation);
  bool ExpectWord(absl::string_view word);
  bool ExpectArrow();
  // An integer, perhaps with a sign, without a type.
  bool ParseBareInteger(int64_t* value);
  // Calls item() for each of a list between the brackets.
  template <typename Item>
  bool ParseList(char open, char close, Item item);
  // Text from `offset` on up to the last token.
  absl::string_view TextFrom(int64_t offset) const;

  // Modules and functions.
  bool ParseTopLevel();
  bool ParseModuleOperation();
  bool ParseAliasDefinition();
  bool ParseFunction();
  bool ParseArguments(Function* function);
  bool ParseFunctionResults(Function* function);
  bool ParseLocation();
  bool SkipLocation();

  // Regions.
  bool ParseRegion(Region* region);
  bool ParseRegionWithArguments(const std::vector<BlockArgument>& arguments,
                                Region* region);
  bool ParseBlockArguments(Region* region);
  bool ParseOperations(Region* region);
  bool DefineValue(absl::string_view name, int64_t offset, Type type,
                   ValueId* id);

  // Operations.
  bool ParseStatement(Region* region);
  bool ParseResultNames(std::vector<ResultNames>* names);
  bool ParseGenericOperation(Operation* operation, std::vector<Type>* types);
  bool DefineResults(const std::vector<ResultNames>& names,
                     const std::vector<Type>& types, Operation* operation);
  bool ParseValueUse(ValueId* id, int64_t* offset);
  bool ParseOperand(Operation* operation);
  // Operands up to something that is none; commas between.
  bool ParseOperands(Operation* operation);
  bool CheckOperandTypes(const Operation& operation,
                         const std::vector<Type>& types);

  // Pretty forms: parse_pretty.cc.
  bool ParsePrettyOperation(Operation* operation, std::vector<Type>* types);
  bool ParsePrettyBody(absl::string_view name, Operation* operation);
  bool ParseReturn(Operation* operation);
  bool ParseCall(Operation* operation, std::vector<Type>* types);
  bool ParseConstant(Operation* operation, std::vector<Type>* types);
  bool ParseReduce(Operation* operation, std::vector<Type>* types);
  bool ParseReduceRegion(Operation* operation);
  bool ParseWhile(Operation* operation, std::vector<Type>* types);
  bool ParseOptimizationBarrier(Operation* operation, std::vector<Type>* types);
  bool ParseTopK(Operation* operation);
  bool ParseSliceRanges(Operation* operation);
  bool ParseDotClauses(Operation* operation);
  bool ParseConvolutionClauses(Operation* operation);
  bool ParseConvolutionWindow(Operation* operation);
  bool ParseDimensionPair(absl::string_view lhs_key, absl::string_view rhs_key,
                          Attribute* numbers);
  bool ParseFormat(Operation* operation);
  // "KEY = VALUE" clauses after the operands, as the attributes of this name.
  bool ParseClauses(Operation* operation);
  // The types after the colon: one for all, or a function type.
  bool ParseTrailingTypes(absl::string_view name, Operation* operation,
                          std::vector<Type>* types);
  bool InferTypes(absl::string_view name, const std::vector<Type>& given,
                  const Operation& operation, std::vector<Type>* types);

  // Types: parse_type.cc.
  bool ParseType(Type* type);
  bool ParseTypeList(std::vector<Type>* types);
  bool ParseTensorType(Type* type);
  bool ParseFunctionType(Type* type);
  bool ParseTypeAlias(Type* type);
  bool ParseWordType(Type* type);
  bool ParseComplexType(Type* type);
  bool SkipTypeParameters(int64_t offset, Type* type);

  // Attributes: parse_attribute.cc.
  bool ParseAttribute(Attribute* attribute);
  bool ParseOptionalAttributes(Attribute* dictionary);
  bool ParseDictionary(char open, Attribute* dictionary);
  bool ParseEntry(Attribute* dictionary);
  bool ParseWordAttribute(Attribute* attribute);
  bool ParseNumber(Attribute* attribute);
  bool ParseTypedArray(Attribute* attribute);
  bool ParseDialectAttribute(Attribute* attribute);
  bool ParseStructure(Attribute* attribute);
  bool ParseOptionalType(Attribute* attribute);
  // "dense<...> : type": parse_dense.cc.
  bool ParseDense(Attribute* attribute);

  Lexer lexer_;
  Token token_;
  // Where the token before ends.
  int64_t token_end_ = 0;
  Diagnostics* diagnostics_;
  std::unique_ptr<SyntaxModule> module_;
  std::vector<Scope> scopes_;
  absl::flat_hash_map<std::string, Attribute> attribute_aliases_;
  absl::flat_hash_map<std::string, Type> type_aliases_;
  absl::flat_hash_set<std::string> function_names_;
  int depth_ = 0;
};

// Counts nesting while it lives.
class Parser::Nesting {
 public:
  explicit Nesting(Parser* parser) : parser_(parser) { ++parser->depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() { --parser_->depth_; }

  // False, with an error, when there is too much of it.
  bool Check() const {
    constexpr int kMaxDepth = 200;
    if (parser_->depth_ <= kMaxDepth) return true;
    return parser_->Error(
        parser_->token_.offset,
        absl::StrCat("nested more than ", kMaxDepth, " levels deep"));
  }

 private:
  Parser* parser_;
};

template <typename Item>
bool Parser::ParseList(char open, char close, Item item) {
  if (!Expect(open)) return false;
  if (Consume(close)) return true;
  do {
    if (!item()) return false;
  } while (Consume(','));
  return Expect(close);
}

// What the elements of a "dense" attribute say; `text` lies between the angle
// brackets, at `offset` of the file. One element for all becomes a scalar.
// Errors are reported.
bool ParseDenseElements(absl::string_view text, int64_t offset,
                        const hlo::Shape& shape, hlo::Literal* literal,
                        Diagnostics* diagnostics);

// Text with \n, \t, \\, \" and \XX decoded.
std::string DecodeString(absl::string_view text);

}  // namespace hilo::stablehlo
