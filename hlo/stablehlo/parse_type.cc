// Types of MLIR text.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {
namespace {

using hlo::ElementType;
using hlo::Shape;

// "i8", "ui8" and "f8E4M3FN", but "s8", "u8" and "f8e4m3fn" in HLO. Indices are
// as wide as those of the machine.
std::optional<ElementType> ElementTypeOfWord(absl::string_view word) {
  if (word == "i1") return ElementType::kPred;
  if (word == "index") return ElementType::kS64;
  std::string text = absl::AsciiStrToLower(word);
  if (absl::StartsWith(text, "ui")) {
    text = absl::StrCat("u", text.substr(2));
  } else if (absl::StartsWith(text, "si")) {
    text = absl::StrCat("s", text.substr(2));
  } else if (absl::StartsWith(text, "i")) {
    text = absl::StrCat("s", text.substr(1));
  } else if (!absl::StartsWith(text, "f") && !absl::StartsWith(text, "bf")) {
    return std::nullopt;
  }
  const std::optional<ElementType> type = hlo::ElementTypeFromText(text);
  if (!type || !hlo::IsArrayType(*type)) return std::nullopt;
  return type;
}

// "4, ?" of #stablehlo.bounds<4, ?>, or "bounds = [4, ?]": the largest that
// sizes will be, -1 for those without a bound.
bool ReadBounds(absl::string_view text, std::vector<int64_t>* bounds) {
  text.remove_prefix(std::min(text.find('[') + 1, text.size()));
  text = text.substr(0, text.find(']'));
  for (absl::string_view word : absl::StrSplit(text, ',')) {
    word = absl::StripAsciiWhitespace(word);
    int64_t& bound = bounds->emplace_back(-1);
    if (word != "?" && (!absl::SimpleAtoi(word, &bound) || bound < 0)) {
      return false;
    }
  }
  return true;
}

// Whether each index of the quantized dimension has its scale.
bool IsQuantizedDimension(const Type& type, std::string* fault) {
  if (!type.quantization || type.quantization->dimension < 0) return true;
  const int64_t dimension = type.quantization->dimension;
  const auto count = static_cast<int64_t>(type.quantization->scales.size());
  if (dimension < type.shape.rank() &&
      (type.shape.IsUnboundedDimension(dimension) ||
       type.shape.dimension(dimension) == count)) {
    return true;
  }
  *fault =
      absl::StrCat(count, " scales are given for dimension ", dimension, " of ",
                   hlo::ToString(type.shape, /*with_layout=*/false));
  return false;
}

Type ElementOf(ElementType type) {
  return {.kind = TypeKind::kElement, .shape = Shape::Scalar(type)};
}

}  // namespace

bool Parser::ParseType(Type* type) {
  const Nesting nesting(this);
  if (!nesting.Check()) return false;
  if (token_.Is('(')) return ParseFunctionType(type);
  if (token_.kind == TokenKind::kTypeAlias) return ParseTypeAlias(type);
  if (token_.kind == TokenKind::kWord) return ParseWordType(type);
  return Unexpected("a type");
}

bool Parser::ParseTypeList(std::vector<Type>* types) {
  do {
    if (!ParseType(&types->emplace_back())) return false;
  } while (Consume(','));
  return true;
}

bool Parser::ParseFunctionType(Type* type) {
  type->kind = TypeKind::kFunction;
  if (!ParseList('(', ')',
                 [&] { return ParseType(&type->inputs.emplace_back()); }) ||
      !ExpectArrow()) {
    return false;
  }
  if (!token_.Is('(')) return ParseType(&type->results.emplace_back());
  return ParseList('(', ')',
                   [&] { return ParseType(&type->results.emplace_back()); });
}

bool Parser::SkipTypeParameters(int64_t offset, Type* type) {
  type->kind = TypeKind::kOther;
  if (token_.Is('<')) {
    if (!lexer_.SkipPastClosing()) return Error(offset, "'<' is not closed");
  } else {
    type->text = std::string(TextFrom(offset));
    Advance();
    return true;
  }
  type->text =
      std::string(lexer_.text().substr(offset, lexer_.offset() - offset));
  Advance();
  return true;
}

bool Parser::ParseTypeAlias(Type* type) {
  const Token name = token_;
  const auto alias = type_aliases_.find(std::string(name.text));
  Advance();
  if (alias != type_aliases_.end()) {
    return UseAlias(alias->second, name, type);
  }
  if (name.text == "stablehlo.token" || name.text == "mhlo.token") {
    *type = {.kind = TypeKind::kToken, .shape = Shape::Token()};
    return true;
  }
  if (name.text == "stablehlo.future") return ParseFutureType(type);
  if (name.text == "quant.uniform") return ParseQuantizedType(type);
  type->kind = TypeKind::kOther;
  type->text = absl::StrCat("!", name.text);
  if (!token_.Is('<')) return true;
  return SkipTypeParameters(name.offset, type);
}

// <T>, or <T, T>
bool Parser::ParseFutureType(Type* type) {
  std::vector<Type> types;
  if (!ParseList('<', '>', [&] { return ParseType(&types.emplace_back()); })) {
    return false;
  }
  *type = MakeFutureType(std::move(types));
  return true;
}

bool Parser::ParseComplexType(Type* type) {
  Type part;
  const int64_t offset = token_.offset;
  if (!Expect('<') || !ParseType(&part) || !Expect('>')) return false;
  if (MakeComplexType(part, type)) return true;
  return Error(offset, absl::StrCat("complex numbers have parts of f32 or "
                                    "f64, not ",
                                    part.ToString()));
}

bool Parser::ParseWordType(Type* type) {
  const Token word = token_;
  if (word.text == "tensor") return ParseTensorType(type);
  Advance();
  if (word.text == "complex") return ParseComplexType(type);
  if (word.text == "tuple") {
    std::vector<Type> elements;
    if (!ParseList('<', '>',
                   [&] { return ParseType(&elements.emplace_back()); })) {
      return false;
    }
    return MakeTupleType(std::move(elements), type) ||
           Error(word.offset, "a tuple holds something that is no value");
  }
  const std::optional<ElementType> element = ElementTypeOfWord(word.text);
  if (element) {
    *type = ElementOf(*element);
    return true;
  }
  constexpr std::array<absl::string_view, 5> kOthers = {
      "none", "memref", "vector", "tf32", "f80"};
  for (const absl::string_view other : kOthers) {
    if (word.text != other) continue;
    *type = {.kind = TypeKind::kOther, .text = std::string(word.text)};
    if (!token_.Is('<')) return true;
    return SkipTypeParameters(word.offset, type);
  }
  return Error(
      word.offset, absl::StrCat("'", word.text, "' is no type"),
      SuggestNearest(word.text, {"tensor", "tuple", "complex", "index", "f16",
                                 "bf16", "f32", "f64", "i1", "i4", "i8", "i16",
                                 "i32", "i64", "ui8", "ui16", "ui32", "ui64"}));
}

bool Parser::ParseTensorType(Type* type) {
  const int64_t offset = token_.offset;
  // Sizes stick together: they are read before the next token.
  Advance();
  if (!token_.Is('<')) return Unexpected("'<'");
  std::vector<int64_t> sizes;
  if (!lexer_.ReadSizes(&sizes)) return Error(offset, "a size is too large");
  Advance();
  if (token_.Is('*')) return Error(offset, "tensors need a rank");
  Type element;
  if (!ParseType(&element)) return false;
  // Bounds and other encodings.
  Attribute encoding;
  if (Consume(',') && !ParseAttribute(&encoding)) return false;
  if (!Expect('>')) return false;
  std::string fault;
  if (!MakeTensorType(sizes, element, type, &fault)) {
    return Error(offset, std::move(fault));
  }
  if (encoding.kind != AttributeKind::kOther) return true;
  std::vector<int64_t> bounds;
  if (ReadBounds(encoding.text, &bounds) && SetBounds(bounds, type, &fault)) {
    return true;
  }
  return Error(encoding.offset, fault.empty()
                                    ? absl::StrCat("'", encoding.text,
                                                   "' are no bounds of sizes")
                                    : std::move(fault));
}

bool Parser::ParseOnlyType(Type* type) {
  return ParseType(type) && token_.kind == TokenKind::kEnd;
}

bool ParseTypeText(absl::string_view text, Type* type) {
  Diagnostics diagnostics;
  if (Parser(text, &diagnostics).ParseOnlyType(type)) return true;
  *type = {.kind = TypeKind::kOther, .text = std::string(text)};
  return false;
}

bool MakeTensorType(absl::Span<const int64_t> sizes, const Type& element,
                    Type* type, std::string* fault) {
  if (element.kind != TypeKind::kElement) {
    *type = {.kind = TypeKind::kOther,
             .text = absl::StrCat("tensor of ", element.ToString())};
    return true;
  }
  if (sizes.size() > static_cast<size_t>(Shape::kMaxRank)) {
    *fault =
        absl::StrCat("a tensor has at most ", Shape::kMaxRank, " dimensions");
    return false;
  }
  Shape shape = Shape::Array(element.shape.element_type(),
                             std::vector<int64_t>(sizes.size(), 1));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (sizes[i] < 0) shape.set_dynamic_dimension(d, true);
    shape.set_dimension(d, sizes[i] < 0 ? Shape::kUnboundedSize : sizes[i]);
  }
  const absl::Status status = hlo::ValidateShape(shape);
  if (!status.ok()) {
    *fault = std::string(status.message());
    return false;
  }
  *type = {.kind = TypeKind::kTensor,
           .shape = std::move(shape),
           .quantization = element.quantization};
  return IsQuantizedDimension(*type, fault);
}

bool SetBounds(absl::Span<const int64_t> bounds, Type* type,
               std::string* fault) {
  Shape& shape = type->shape;
  if (static_cast<int64_t>(bounds.size()) != shape.rank()) {
    *fault = absl::StrCat(bounds.size(), " bounds are given for ",
                          hlo::ToString(shape, /*with_layout=*/false));
    return false;
  }
  for (size_t i = 0; i < bounds.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (bounds[i] >= 0 && shape.IsDynamicDimension(d)) {
      shape.set_dimension(d, bounds[i]);
    }
  }
  const absl::Status status = hlo::ValidateShape(shape);
  if (!status.ok()) *fault = std::string(status.message());
  return status.ok();
}

Type MakeFutureType(std::vector<Type> types) {
  if (types.size() == 1) return std::move(types[0]);
  Type type;
  if (!MakeTupleType(std::move(types), &type)) {
    type = {.kind = TypeKind::kOther, .text = "!stablehlo.future"};
  }
  return type;
}

bool MakeTupleType(std::vector<Type> elements, Type* type) {
  std::vector<Shape> shapes;
  for (Type& element : elements) {
    if (element.kind != TypeKind::kTensor && element.kind != TypeKind::kTuple &&
        element.kind != TypeKind::kToken) {
      return false;
    }
    shapes.push_back(std::move(element.shape));
  }
  *type = {.kind = TypeKind::kTuple, .shape = Shape::Tuple(std::move(shapes))};
  return true;
}

bool MakeComplexType(const Type& part, Type* type) {
  if (part.kind != TypeKind::kElement) return false;
  if (part.shape.element_type() == ElementType::kF32) {
    *type = ElementOf(ElementType::kC64);
  } else if (part.shape.element_type() == ElementType::kF64) {
    *type = ElementOf(ElementType::kC128);
  } else {
    return false;
  }
  return true;
}

}  // namespace hilo::stablehlo
