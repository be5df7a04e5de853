// The spellings of MLIR's builtin types and attributes.
#include "hlo/stablehlo/print_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/format_element.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::stablehlo {
namespace {

using hlo::ElementType;
using hlo::Literal;
using hlo::Shape;

constexpr absl::string_view kHexDigits = "0123456789ABCDEF";

// "i8", "ui8", "f8E4M3FN"; empty for integers of one bit: i1 is a truth value.
std::string ElementTypeText(ElementType type) {
  const hlo::ElementTypeInfo& info = hlo::InfoOf(type);
  switch (info.element_class) {
    case hlo::ElementClass::kPredicate:
      return "i1";
    case hlo::ElementClass::kSigned:
      return info.bits == 1 ? "" : absl::StrCat("i", info.bits);
    case hlo::ElementClass::kUnsigned:
      return info.bits == 1 ? "" : absl::StrCat("ui", info.bits);
    case hlo::ElementClass::kComplex:
      return absl::StrCat("complex<f", info.bits / 2, ">");
    case hlo::ElementClass::kFloat:
      break;
    case hlo::ElementClass::kNoArray:
      return "";
  }
  // Those of eight bits and less have capitals behind the width.
  if (info.bits > 8) return std::string(info.text);
  return absl::StrCat("f", absl::AsciiStrToUpper(info.text.substr(1)));
}

std::string TensorTypeText(const Shape& shape) {
  const std::string element = ElementTypeText(shape.element_type());
  if (element.empty()) return "";
  std::string text = "tensor<";
  std::string bounds;
  bool has_bound = false;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const bool is_bounded =
        shape.IsDynamicDimension(d) && !shape.IsUnboundedDimension(d);
    const bool is_known = !shape.IsDynamicDimension(d);
    has_bound = has_bound || is_bounded;
    const std::string size = absl::StrCat(shape.dimension(d));
    absl::StrAppend(&text, is_known ? size : "?", "x");
    absl::StrAppend(&bounds, d == 0 ? "" : ", ", is_bounded ? size : "?");
  }
  absl::StrAppend(&text, element);
  if (has_bound) absl::StrAppend(&text, ", #stablehlo.bounds<", bounds, ">");
  return absl::StrCat(text, ">");
}

// "1e-05" is no number of MLIR, "1.0e-05" is.
std::string WithDecimalPoint(std::string text) {
  const size_t end = std::min(text.find('e'), text.size());
  if (text.find('.') >= end) text.insert(end, ".0");
  return text;
}

// Writes the elements of one array.
template <typename T>
class ElementWriter {
 public:
  ElementWriter(const Literal& literal, std::string* out)
      : dimensions_(literal.shape().dimensions()),
        elements_(literal.data<T>()),
        out_(out) {}

  void Run() {
    // MLIR's own limit for lists. Bits of truth values have had several
    // arrangements: their bytes are not written.
    constexpr size_t kLongestList = 100;
    if (elements_.empty()) return;
    if (IsSplat()) {
      Append(elements_.front());
    } else if (elements_.size() > kLongestList && !std::is_same_v<T, bool>) {
      AppendBytes();
    } else {
      AppendLists();
    }
  }

 private:
  // Whether each element has the bytes of the next one.
  bool IsSplat() const {
    const auto* bytes = reinterpret_cast<const std::byte*>(elements_.data());
    const size_t rest = (elements_.size() - 1) * sizeof(T);
    return std::memcmp(bytes, bytes + sizeof(T), rest) == 0;
  }

  // Elements with brackets where a dimension begins and ends.
  void AppendLists() {
    const auto count = static_cast<int64_t>(elements_.size());
    const auto append_brackets = [&](int64_t index, char bracket) {
      int64_t block = 1;
      for (size_t d = dimensions_.size(); d-- > 0;) {
        block *= dimensions_[d];
        if (index % block == 0) out_->push_back(bracket);
      }
    };
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) out_->append(", ");
      append_brackets(i, '[');
      Append(elements_[static_cast<size_t>(i)]);
      append_brackets(i + 1, ']');
    }
  }

  // "0x..." of the elements as they lie in memory, in quotes.
  void AppendBytes() {
    const size_t first = out_->size() + 3;
    out_->resize(first + 2 * sizeof(T) * elements_.size());
    out_->replace(first - 3, 3, "\"0x");
    size_t next = first;
    for (const T& element : elements_) {
      std::array<unsigned char, sizeof(T)> bytes{};
      std::memcpy(bytes.data(), &element, sizeof(T));
      if constexpr (sizeof(T) == 1 && requires { element.bits(); }) {
        bytes[0] = element.bits();
      }
      for (const unsigned char byte : bytes) {
        (*out_)[next++] = kHexDigits[byte >> 4];
        (*out_)[next++] = kHexDigits[byte & 0xF];
      }
    }
    out_->push_back('"');
  }

  template <typename U>
  void Append(U value) {
    using Traits = NumericTraits<U>;
    if constexpr (Traits::is_complex) {
      out_->push_back('(');
      Append(value.real());
      out_->append(", ");
      Append(value.imag());
      out_->push_back(')');
    } else if constexpr (Traits::is_float) {
      AppendFloat(value);
    } else {
      AppendElement<U>(value, out_);
    }
  }

  // A decimal, unless what reads it by way of f64 would get another number.
  template <typename U>
  void AppendFloat(U value) {
    const auto number = static_cast<double>(internal::NativeValueOf(value));
    if (std::isfinite(number)) {
      const std::string text = WithDecimalPoint(FormatElement<U>(value));
      double read = 0;
      if (absl::SimpleAtod(text, &read) &&
          BitsOf(ConvertElement<U>(read)) == BitsOf(value)) {
        out_->append(text);
        return;
      }
    }
    AppendHex(BitsOf(value), NumericTraits<U>::kBits);
  }

  template <typename U>
  static uint64_t BitsOf(U value) {
    if constexpr (requires { value.bits(); }) {
      return value.bits();
    } else {
      uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof(U));
      return bits;
    }
  }

  void AppendHex(uint64_t bits, int bit_count) {
    out_->append("0x");
    for (int shift = (bit_count + 3) / 4 * 4 - 4; shift >= 0; shift -= 4) {
      out_->push_back(kHexDigits[(bits >> shift) & 0xF]);
    }
  }

  absl::Span<const int64_t> dimensions_;
  absl::Span<const T> elements_;
  std::string* out_;
};

bool IsIdentifier(absl::string_view text) {
  const auto is_letter = [](char c) {
    return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) {
           return is_letter(c) || c == '$' || c == '.' ||
                  absl::ascii_isdigit(static_cast<unsigned char>(c));
         });
}

}  // namespace

std::string TypeText(const Shape& shape) {
  if (shape.IsArray()) return TensorTypeText(shape);
  if (shape.IsToken()) return "!stablehlo.token";
  if (!shape.IsTuple()) return "";
  std::string text = "tuple<";
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    const std::string element = TypeText(shape.element(i));
    if (element.empty()) return "";
    absl::StrAppend(&text, i == 0 ? "" : ", ", element);
  }
  return absl::StrCat(text, ">");
}

std::string DenseText(const Literal& literal) {
  std::string text = "dense<";
  hlo::DispatchElementType(literal.shape().element_type(), [&](auto tag) {
    ElementWriter<typename decltype(tag)::type>(literal, &text).Run();
  });
  absl::StrAppend(&text, "> : ", TypeText(literal.shape()));
  return text;
}

std::string DenseText(absl::Span<const int64_t> dimensions,
                      absl::Span<const int64_t> elements) {
  return DenseText(Literal::Array<int64_t>(dimensions, elements));
}

std::string IntegerListText(absl::Span<const int64_t> values) {
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

std::string IntegerArrayText(absl::Span<const int64_t> values) {
  return absl::StrCat("array<i64", values.empty() ? "" : ": ",
                      absl::StrJoin(values, ", "), ">");
}

std::string IntegerText(int64_t value) { return absl::StrCat(value, " : i64"); }

std::string FloatText(double value) {
  return WithDecimalPoint(FormatElement<double>(value));
}

std::string StringText(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      quoted.append("\\\\");
    } else if (absl::ascii_isprint(byte) && c != '"') {
      quoted.push_back(c);
    } else {
      quoted.push_back('\\');
      quoted.push_back(kHexDigits[byte >> 4]);
      quoted.push_back(kHexDigits[byte & 0xF]);
    }
  }
  quoted.push_back('"');
  return quoted;
}

std::string SymbolText(absl::string_view name) {
  return absl::StrCat("@", KeyText(name));
}

std::string KeyText(absl::string_view key) {
  return IsIdentifier(key) ? std::string(key) : StringText(key);
}

}  // namespace hilo::stablehlo
