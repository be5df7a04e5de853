// Prints attributes, those of a dictionary in their order.
#include "hlo/stablehlo/attribute_text.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "hlo/stablehlo/print_values.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

// "i64" of an element, "tensor<2xi64>" of an array.
std::string WordOf(const Type& type) {
  if (type.kind != TypeKind::kElement) {
    return type.kind == TypeKind::kOther ? type.text : TypeText(type.shape);
  }
  std::string text = TypeText(type.shape);
  absl::string_view word = text;
  absl::ConsumePrefix(&word, "tensor<");
  absl::ConsumeSuffix(&word, ">");
  return std::string(word);
}

// " : i64"; integers and numbers without a type have the usual one.
std::string TypeSuffix(const Type& type, absl::string_view usual) {
  const bool has_type = type.kind == TypeKind::kElement;
  return absl::StrCat(" : ", has_type ? WordOf(type) : std::string(usual));
}

std::string NumberText(const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kBool:
      return BoolText(attribute.integer != 0);
    case AttributeKind::kInteger:
      return absl::StrCat(attribute.integer);
    default:
      return FloatText(attribute.number);
  }
}

// [1, 2], and array<i64: 1, 2> of elements that have a type together.
std::string ArrayText(const Attribute& array) {
  if (array.type.kind != TypeKind::kElement) {
    return absl::StrCat(
        "[",
        absl::StrJoin(array.elements, ", ",
                      [](std::string* out, const Attribute& element) {
                        absl::StrAppend(out, AttributeText(element));
                      }),
        "]");
  }
  const std::string elements = absl::StrJoin(
      array.elements, ", ", [](std::string* out, const Attribute& element) {
        absl::StrAppend(out, NumberText(element));
      });
  return absl::StrCat("array<", WordOf(array.type),
                      elements.empty() ? "" : ": ", elements, ">");
}

std::string DictionaryText(const Attribute& dictionary) {
  return absl::StrCat(
      "{",
      absl::StrJoin(dictionary.entries, ", ",
                    [](std::string* out, const auto& entry) {
                      absl::StrAppend(out, KeyText(entry.first));
                      if (entry.second.kind == AttributeKind::kUnit) return;
                      absl::StrAppend(out, " = ", AttributeText(entry.second));
                    }),
      "}");
}

// One element for all has the type of all.
std::string ElementsText(const Attribute& elements) {
  const std::string text = DenseText(elements.literal);
  const size_t type = text.rfind(" : ");
  return absl::StrCat(text.substr(0, type), " : ",
                      TypeText(elements.type.shape));
}

}  // namespace

std::string AttributeText(const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kUnit:
      return "unit";
    case AttributeKind::kBool:
      return NumberText(attribute);
    case AttributeKind::kInteger:
      return absl::StrCat(NumberText(attribute),
                          TypeSuffix(attribute.type, "i64"));
    case AttributeKind::kFloat:
      return absl::StrCat(NumberText(attribute),
                          TypeSuffix(attribute.type, "f64"));
    case AttributeKind::kString:
      return StringText(attribute.text);
    case AttributeKind::kSymbol:
      return SymbolText(attribute.text);
    case AttributeKind::kType:
      return WordOf(attribute.type);
    case AttributeKind::kArray:
      return ArrayText(attribute);
    case AttributeKind::kDictionary:
      return DictionaryText(attribute);
    case AttributeKind::kDense:
      return ElementsText(attribute);
    case AttributeKind::kEnum:
    case AttributeKind::kOther:
      break;
  }
  return attribute.text;
}

}  // namespace hilo::stablehlo
