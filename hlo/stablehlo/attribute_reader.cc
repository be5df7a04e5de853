// Attributes as numbers, lists and enumerations.
#include "hlo/stablehlo/attribute_reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::stablehlo {
namespace {

// All elements of a dense attribute of integers; false for other types.
bool ReadDenseIntegers(const Attribute& attribute,
                       hlo::DimensionVector* values) {
  const hlo::Shape& shape = attribute.type.shape;
  const hlo::ElementType type = shape.element_type();
  if (!hlo::IsInteger(type) && type != hlo::ElementType::kPred) return false;
  // No list of dimensions is that long.
  constexpr int64_t kMost = int64_t{1} << 20;
  if (shape.ElementCount() > kMost) return false;
  const bool is_splat = attribute.literal.element_count() == 1;
  hlo::DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (!NumericTraits<T>::is_complex &&
                  !NumericTraits<T>::is_float) {
      const auto elements = attribute.literal.data<T>();
      for (int64_t i = 0; i < shape.ElementCount(); ++i) {
        values->push_back(ConvertElement<int64_t>(
            elements[is_splat ? 0 : static_cast<size_t>(i)]));
      }
    }
  });
  return true;
}

// One of the three lists of a convolution's labels.
struct Labels {
  int64_t first = -1;
  int64_t second = -1;
  hlo::DimensionVector spatial;
};

std::optional<Labels> ParseLabels(absl::string_view text, char first,
                                  char second) {
  Labels labels;
  std::vector<std::string> names = absl::StrSplit(text, ',');
  labels.spatial.resize(names.size() < 2 ? 0 : names.size() - 2, -1);
  for (size_t i = 0; i < names.size(); ++i) {
    const absl::string_view name = absl::StripAsciiWhitespace(names[i]);
    const auto position = static_cast<int64_t>(i);
    int64_t number = 0;
    if (name.size() == 1 && name[0] == first) {
      labels.first = position;
    } else if (name.size() == 1 && name[0] == second) {
      labels.second = position;
    } else if (absl::SimpleAtoi(name, &number) && number >= 0 &&
               std::cmp_less(number, labels.spatial.size())) {
      labels.spatial[static_cast<size_t>(number)] = position;
    } else {
      return std::nullopt;
    }
  }
  for (const int64_t position : labels.spatial) {
    if (position < 0) return std::nullopt;
  }
  if (labels.first < 0 || labels.second < 0) return std::nullopt;
  return labels;
}

}  // namespace

std::optional<hlo::ConvolutionDimensionNumbers> ParseConvolutionLabels(
    absl::string_view text) {
  std::array<absl::string_view, 3> lists;
  size_t next = 0;
  for (absl::string_view& list : lists) {
    const size_t open = text.find('[', next);
    if (open == absl::string_view::npos) return std::nullopt;
    const size_t close = text.find(']', open);
    if (close == absl::string_view::npos) return std::nullopt;
    list = text.substr(open + 1, close - open - 1);
    next = close + 1;
  }
  const std::optional<Labels> input = ParseLabels(lists[0], 'b', 'f');
  const std::optional<Labels> kernel = ParseLabels(lists[1], 'i', 'o');
  const std::optional<Labels> output = ParseLabels(lists[2], 'b', 'f');
  if (!input || !kernel || !output) return std::nullopt;
  hlo::ConvolutionDimensionNumbers numbers;
  numbers.input_batch = input->first;
  numbers.input_feature = input->second;
  numbers.input_spatial = input->spatial;
  numbers.kernel_input_feature = kernel->first;
  numbers.kernel_output_feature = kernel->second;
  numbers.kernel_spatial = kernel->spatial;
  numbers.output_batch = output->first;
  numbers.output_feature = output->second;
  numbers.output_spatial = output->spatial;
  return numbers;
}

void AttributeReader::Error(const std::string& message) {
  if (ok_) {
    diagnostics_->Error(operation_.offset,
                        absl::StrCat(operation_.name, ": ", message));
  }
  ok_ = false;
}

void AttributeReader::WrongKind(absl::string_view key, absl::string_view what) {
  Error(absl::StrCat("'", key, "' is no ", what));
}

const Attribute* AttributeReader::Get(absl::string_view key, bool is_needed) {
  const Attribute* attribute = attributes_.Find(key);
  if (attribute == nullptr && is_needed) {
    Error(absl::StrCat("'", key, "' is missing"));
  }
  return attribute;
}

int64_t AttributeReader::Integer(absl::string_view key,
                                 std::optional<int64_t> otherwise) {
  const Attribute* attribute = Get(key, !otherwise);
  if (attribute == nullptr) return otherwise.value_or(0);
  if (attribute->kind == AttributeKind::kInteger) return attribute->integer;
  WrongKind(key, "integer");
  return 0;
}

double AttributeReader::Float(absl::string_view key) {
  const Attribute* attribute = Get(key, true);
  if (attribute == nullptr) return 0;
  if (attribute->kind != AttributeKind::kFloat &&
      attribute->kind != AttributeKind::kInteger) {
    WrongKind(key, "number");
  }
  return attribute->number;
}

bool AttributeReader::Bool(absl::string_view key, bool otherwise) {
  const Attribute* attribute = Get(key, false);
  if (attribute == nullptr) return otherwise;
  if (attribute->kind == AttributeKind::kUnit) return true;
  if (attribute->kind != AttributeKind::kBool) WrongKind(key, "truth value");
  return attribute->integer != 0;
}

std::string AttributeReader::String(absl::string_view key,
                                    absl::string_view otherwise) {
  const Attribute* attribute = Get(key, false);
  if (attribute == nullptr) return std::string(otherwise);
  if (attribute->kind != AttributeKind::kString &&
      attribute->kind != AttributeKind::kSymbol) {
    WrongKind(key, "text");
  }
  return attribute->text;
}

std::string AttributeReader::EnumText(absl::string_view key) {
  const Attribute* attribute = Get(key, false);
  if (attribute == nullptr) return "";
  if (attribute->kind != AttributeKind::kEnum) {
    WrongKind(key, "value of an enumeration");
  }
  return attribute->text;
}

hlo::DimensionVector AttributeReader::Integers(absl::string_view key) {
  Get(key, /*is_needed=*/true);
  return IntegersOrNone(key);
}

hlo::DimensionVector AttributeReader::IntegersOrNone(absl::string_view key) {
  hlo::DimensionVector values;
  const Attribute* attribute = Get(key, /*is_needed=*/false);
  if (attribute == nullptr) return values;
  // Lists of lists, too: the elements in order.
  const auto add = [&](const Attribute& list, const auto& self) -> bool {
    for (const Attribute& element : list.elements) {
      if (element.kind == AttributeKind::kArray) {
        if (!self(element, self)) return false;
      } else if (element.kind == AttributeKind::kInteger ||
                 element.kind == AttributeKind::kBool) {
        values.push_back(element.integer);
      } else {
        return false;
      }
    }
    return true;
  };
  const bool is_read =
      attribute->kind == AttributeKind::kDense
          ? ReadDenseIntegers(*attribute, &values)
          : attribute->kind == AttributeKind::kArray && add(*attribute, add);
  if (!is_read) WrongKind(key, "list of integers");
  return values;
}

hlo::DimensionVector AttributeReader::PerDimension(absl::string_view key,
                                                   int64_t rank,
                                                   int64_t otherwise) {
  hlo::DimensionVector values = IntegersOrNone(key);
  const auto count = static_cast<int64_t>(values.size());
  if (count != 0 && count != rank) {
    Error(absl::StrCat("'", key, "' has ", count, " numbers for ", rank,
                       " dimensions"));
  }
  if (count != rank) values.assign(static_cast<size_t>(rank), otherwise);
  return values;
}

std::vector<hlo::DimensionVector> AttributeReader::Rows(absl::string_view key) {
  std::vector<hlo::DimensionVector> rows;
  const Attribute* attribute = Get(key, /*is_needed=*/false);
  if (attribute == nullptr) return rows;
  const hlo::DimensionVector values = IntegersOrNone(key);
  size_t width = 0;
  if (attribute->kind == AttributeKind::kDense &&
      attribute->type.shape.rank() == 2) {
    width = static_cast<size_t>(attribute->type.shape.dimension(1));
  } else if (attribute->kind == AttributeKind::kArray &&
             !attribute->elements.empty()) {
    width = values.size() / attribute->elements.size();
  }
  if (width == 0 || values.size() % width != 0) {
    if (!values.empty()) WrongKind(key, "matrix of integers");
    return rows;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % width == 0) rows.emplace_back();
    if (values[i] >= 0) rows.back().push_back(values[i]);
  }
  return rows;
}

AttributeReader AttributeReader::Structure(absl::string_view key) {
  static const Attribute* const kEmpty = new Attribute();
  const Attribute* attribute = Get(key, true);
  if (attribute != nullptr && attribute->kind != AttributeKind::kDictionary) {
    WrongKind(key, "structure");
    attribute = nullptr;
  }
  AttributeReader reader(
      operation_, attribute == nullptr ? *kEmpty : *attribute, diagnostics_);
  reader.ok_ = ok_;
  return reader;
}

}  // namespace hilo::stablehlo
