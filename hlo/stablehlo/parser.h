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
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

// A recursive-descent parser. Functions return false after the first error,
// which is in the diagnostics; it goes on at the next function. Nesting is
// limited, so that no text exhausts the stack. Source of the forms: StableHLO's
// specification and the assembly formats of its operations.
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

  // A text that is one type or one attribute.
  bool ParseOnlyType(Type* type);
  bool ParseOnlyAttribute(Attribute* attribute);

 private:
  // Names of values, innermost last. Functions see none of what is outside.
  using Scope = absl::flat_hash_map<absl::string_view, std::pair<ValueId, int>>;

  // One value, or all of a pack.
  struct ResultNames {
    absl::string_view name;
    int64_t offset = 0;
    int64_t count = 1;
  };

  template <typename T>
  struct Alias {
    T value;
    // Bytes of text that it stands for, those of aliases within included.
    int64_t size = 0;
  };

  struct BlockArgument {
    absl::string_view name;
    int64_t offset = 0;
    Type type;
  };

  class Nesting;

  // Tokens.
  void Advance() { token_ = lexer_.Next(); }
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
  void SkipToFunction();
  bool ParseModuleOperation();
  bool ParseAliasDefinition();
  // Copies what `name` stands for. Aliases of aliases make a short text large:
  // too many copies are an error.
  template <typename T>
  bool UseAlias(const Alias<T>& alias, const Token& name, T* value);
  bool ParseFunction();
  bool ParseArguments(Function* function);
  bool ParseFunctionResults(Function* function);

  // Locations: parse_location.cc.
  // An optional "loc(...)" at the end.
  bool ParseLocation(LocationId* id = nullptr);
  bool ParseLocationBody(LocationId* id);
  bool ParsePlaceInFile(Location* location);
  bool ParseNamedLocation(Location* location);

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
  // The types after the colon: one for all, or a function type.
  bool ParseTrailingTypes(absl::string_view name, Operation* operation,
                          std::vector<Type>* types);
  bool InferTypes(absl::string_view name, const std::vector<Type>& given,
                  const Operation& operation, std::vector<Type>* types);

  // What stands between operands and types: parse_clauses.cc.
  bool ParseTopK(Operation* operation);
  bool ParseScan(Operation* operation);
  bool ParseSliceRanges(Operation* operation);
  bool ParseDotClauses(Operation* operation);
  bool ParseConvolutionClauses(Operation* operation);
  bool ParseConvolutionWindow(Operation* operation);
  bool ParseDimensionPair(absl::string_view lhs_key, absl::string_view rhs_key,
                          Attribute* numbers);
  bool ParseFormat(Operation* operation);
  bool ParseCheck(Operation* operation);
  // "KEY = VALUE" clauses after the operands, as the attributes of this name.
  bool ParseClauses(Operation* operation);
  bool UnknownClause(absl::string_view operation, const Token& key);
  bool ParseClauseList(Operation* operation);
  bool ParseClauseValue(absl::string_view key, Attribute* value);

  // The dialect sdy: parse_sharding.cc.
  bool ParseMesh();
  bool SkipBrackets();
  bool ParseShardedOperands(char end, Operation* operation);
  bool ParseShardingOperation(Operation* operation, std::vector<Type>* types);

  // Types: parse_type.cc.
  bool ParseType(Type* type);
  bool ParseTypeList(std::vector<Type>* types);
  bool ParseTensorType(Type* type);
  bool ParseFunctionType(Type* type);
  bool ParseTypeAlias(Type* type);
  bool ParseWordType(Type* type);
  bool ParseComplexType(Type* type);
  bool SkipTypeParameters(int64_t offset, Type* type);
  bool ParseFutureType(Type* type);
  // "<i8:f32, 0.5:10>" of "!quant.uniform": parse_quantized.cc.
  bool ParseQuantizedType(Type* type);
  bool ParseStorageRange(hlo::ElementType storage, Quantization* quantization);
  bool ParseScale(Quantization* quantization);

  // Attributes: parse_attribute.cc.
  bool ParseAttribute(Attribute* attribute);
  bool ParseOptionalAttributes(Attribute* dictionary);
  bool ParseDictionary(char open, Attribute* dictionary);
  bool ParseEntry(Attribute* dictionary);
  bool ParseWordAttribute(Attribute* attribute);
  bool ParseNumber(Attribute* attribute);
  // Without its type.
  bool ParseBareNumber(Attribute* attribute);
  bool ParseTypedArray(Attribute* attribute);
  bool ParseDialectAttribute(Attribute* attribute);
  bool ParseStructure(Attribute* attribute);
  bool ParseOptionalType(Attribute* attribute);
  bool ParseOther(Attribute* attribute);
  bool CheckKeys(const Attribute& dictionary);
  // "dense<...> : type": parse_dense.cc.
  bool ParseDense(Attribute* attribute);
  // "dense_resource<key> : type" and what it names: parse_resource.cc.
  bool ParseDenseResource(Attribute* attribute);
  bool ReadResources(int64_t offset);
  bool ParseResourceGroup();
  bool ParseResourcesAtEnd();

  Lexer lexer_;
  Token token_;
  Diagnostics* diagnostics_;
  std::unique_ptr<SyntaxModule> module_;
  std::vector<Scope> scopes_;
  absl::flat_hash_map<std::string, Alias<Attribute>> attribute_aliases_;
  absl::flat_hash_map<std::string, Alias<Type>> type_aliases_;
  // Bytes of text that uses of aliases stand for.
  int64_t copied_ = 0;
  absl::flat_hash_set<std::string> function_names_;
  // Hexadecimal texts by key; they stand at the end of the file.
  absl::flat_hash_map<std::string, absl::string_view> resources_;
  bool has_read_resources_ = false;
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

template <typename T>
bool Parser::UseAlias(const Alias<T>& alias, const Token& name, T* value) {
  constexpr int64_t kCopiesPerByte = 100;
  constexpr int64_t kCopies = int64_t{1} << 20;
  copied_ += alias.size;
  const auto text_size = static_cast<int64_t>(lexer_.text().size());
  if (copied_ > kCopies + kCopiesPerByte * text_size) {
    return Error(name.offset, "aliases repeat each other without end");
  }
  *value = alias.value;
  return true;
}

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

// The same for a literal's bytes: all elements in order, or one for all, which
// gives a scalar. False for any other number of bytes.
bool LiteralFromBytes(absl::string_view bytes, const hlo::Shape& shape,
                      hlo::Literal* literal);

// "0x1f0A" as bytes; false for what is not "0x" and pairs of digits.
bool BytesFromHex(absl::string_view digits, std::string* bytes);

// Types of parts; sizes below 0 are not known. False, with the reason, for what
// is no type.
bool MakeTensorType(absl::Span<const int64_t> sizes, const Type& element,
                    Type* type, std::string* fault);
// Gives sizes that are not known these bounds; those below 0 are none.
bool SetBounds(absl::Span<const int64_t> bounds, Type* type,
               std::string* fault);
bool MakeTupleType(std::vector<Type> elements, Type* type);
// The type of futures: that of the values that they will have.
Type MakeFutureType(std::vector<Type> types);
bool MakeComplexType(const Type& part, Type* type);

// A type or an attribute from its text alone; kOther, with the text, and false
// when it is none.
bool ParseTypeText(absl::string_view text, Type* type);
bool ParseAttributeText(absl::string_view text, Attribute* attribute);

// The attribute "VALUE : i64".
Attribute IntegerAttribute(int64_t value, int64_t offset);
void AddEntry(Attribute* dictionary, absl::string_view key, Attribute value);

// Text with \n, \t, \\, \" and \XX decoded.
std::string DecodeString(absl::string_view text);

}  // namespace hilo::stablehlo
