// What syntax trees say, in short.
#include "hlo/stablehlo/syntax.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::stablehlo {
namespace {

template <typename T>
Attribute ElementAttribute(T value) {
  Attribute element = {.kind = AttributeKind::kFloat,
                       .number = ConvertElement<double>(value)};
  if constexpr (!NumericTraits<T>::is_float) {
    element.integer = ConvertElement<int64_t>(value);
    element.kind = std::is_same_v<T, bool> ? AttributeKind::kBool
                                           : AttributeKind::kInteger;
  }
  return element;
}

std::string ListText(const std::vector<Type>& types) {
  std::string text = "(";
  for (size_t i = 0; i < types.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", types[i].ToString());
  }
  return absl::StrCat(text, ")");
}

// Follows a location to its names and its place.
class MetadataReader {
 public:
  explicit MetadataReader(const SyntaxModule& module) : module_(module) {}

  // Aliases that name themselves end at the deepest level.
  void Read(LocationId id, int depth) {
    constexpr int kMaxDepth = 200;
    // Trees that share branches have more leaves than a name should have.
    constexpr int kMaxVisits = 1000;
    if (id < 0 || depth > kMaxDepth || ++visits_ > kMaxVisits) return;
    const Location& location = module_.locations[static_cast<size_t>(id)];
    switch (location.kind) {
      case LocationKind::kUnknown:
        return;
      case LocationKind::kFile:
        ReadPlace(location);
        return;
      case LocationKind::kName:
        ReadName(location);
        if (!location.children.empty()) {
          const bool was_named = has_name_;
          has_name_ = !absl::EndsWith(location.text, ":") || was_named;
          Read(location.children[0], depth + 1);
          has_name_ = was_named;
        }
        return;
      case LocationKind::kCallSite:
        Read(location.children[0], depth + 1);
        return;
      case LocationKind::kFused:
        for (const LocationId child : location.children) Read(child, depth + 1);
        return;
      case LocationKind::kAlias: {
        const auto alias = module_.location_aliases.find(location.text);
        if (alias != module_.location_aliases.end()) {
          Read(alias->second, depth + 1);
        }
        return;
      }
    }
  }

  hlo::Metadata Take() { return std::move(metadata_); }

 private:
  void ReadPlace(const Location& location) {
    if (!metadata_.source_file.empty()) return;
    metadata_.source_file = location.text;
    metadata_.source_line = location.line;
    metadata_.source_column = location.column;
    metadata_.source_end_line = location.end_line;
    metadata_.source_end_column = location.end_column;
  }

  // What stands behind "@" says where a name is from.
  void ReadName(const Location& location) {
    if (has_name_) return;
    absl::string_view name = location.text;
    name = name.substr(0, name.find('@'));
    if (absl::ConsumeSuffix(&name, ":")) {
      metadata_.op_type = std::string(name);
      return;
    }
    absl::StrAppend(&metadata_.op_name, metadata_.op_name.empty() ? "" : ";",
                    name);
  }

  const SyntaxModule& module_;
  hlo::Metadata metadata_;
  // Names within a name say nothing more.
  bool has_name_ = false;
  int visits_ = 0;
};

}  // namespace

std::string Type::ToString() const {
  switch (kind) {
    case TypeKind::kTensor:
    case TypeKind::kElement:
    case TypeKind::kTuple:
    case TypeKind::kToken:
      return absl::StrCat(
          hlo::ToString(shape, /*with_layout=*/false),
          quantization ? stablehlo::ToString(*quantization) : "");
    case TypeKind::kFunction:
      return absl::StrCat(ListText(inputs), " -> ", ListText(results));
    case TypeKind::kOther:
      break;
  }
  return text;
}

std::string CurrentName(absl::string_view name) {
  constexpr auto kOfChlo = std::to_array<absl::string_view>(
      {"acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh"});
  absl::string_view stem = name;
  if (!absl::ConsumePrefix(&stem, "mhlo.")) return std::string(name);
  if (stem == "topk") return "chlo.top_k";
  const bool is_of_chlo = std::ranges::find(kOfChlo, stem) != kOfChlo.end();
  return absl::StrCat(is_of_chlo ? "chlo." : "stablehlo.", stem);
}

std::string HloName(absl::string_view symbol) {
  std::string name(symbol);
  for (char& c : name) {
    const bool is_good = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                         c == '.' || c == '-';
    if (!is_good) c = '_';
  }
  const bool is_good_start =
      !name.empty() &&
      (absl::ascii_isalpha(static_cast<unsigned char>(name[0])) ||
       name[0] == '_');
  return is_good_start ? name : absl::StrCat("_", name);
}

const Attribute* Attribute::Find(absl::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::vector<Attribute> ElementAttributes(const hlo::Literal& literal) {
  std::vector<Attribute> elements;
  hlo::DispatchElementType(literal.shape().element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (!NumericTraits<T>::is_complex) {
      for (const T& value : literal.data<T>()) {
        elements.push_back(ElementAttribute(value));
      }
    }
  });
  return elements;
}

hlo::Metadata MetadataOf(const SyntaxModule& module, LocationId id) {
  MetadataReader reader(module);
  reader.Read(id, 0);
  return reader.Take();
}

}  // namespace hilo::stablehlo
