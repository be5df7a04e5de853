// The elements of "dense" attributes.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <type_traits>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/stablehlo/lexer.h"
#include "hlo/stablehlo/parser.h"
#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/parse_element.h"

namespace hilo::stablehlo {
namespace {

using hlo::ElementType;
using hlo::Literal;
using hlo::Shape;

constexpr int kBitsPerByte = 8;

// The unsigned integer of as many bytes.
template <size_t size>
using Word = std::conditional_t<
    size == 1, uint8_t,
    std::conditional_t<size == 2, uint16_t,
                       std::conditional_t<size == 4, uint32_t, uint64_t>>>;

// Reads elements, in order, of one type.
template <typename T>
class ElementReader {
 public:
  ElementReader(absl::string_view text, int64_t offset, const Shape& shape,
                Diagnostics* diagnostics)
      : text_(text),
        offset_(offset),
        shape_(shape),
        diagnostics_(diagnostics) {}

  // Nested lists of elements, or the one that there is.
  bool Read(Literal* literal) {
    elements_ = literal->mutable_data<T>();
    SkipSpace();
    if (next_ == text_.size()) {
      return elements_.empty() || Error("no elements are given");
    }
    if (shape_.rank() > 0 && text_[next_] == '[') {
      if (!ReadList(0)) return false;
    } else if (!elements_.empty() && !ReadElement(&elements_[filled_++])) {
      return false;
    }
    SkipSpace();
    if (next_ < text_.size()) return Error("there is more than the elements");
    return filled_ == elements_.size() || Error("elements are missing");
  }

 private:
  bool Error(const std::string& message) {
    diagnostics_->Error(offset_ + static_cast<int64_t>(next_),
                        absl::StrCat(message, " of ", ToString(shape_, false)));
    return false;
  }

  void SkipSpace() {
    while (next_ < text_.size() &&
           absl::string_view(" \n\t\r").find(text_[next_]) !=
               absl::string_view::npos) {
      ++next_;
    }
  }

  bool ReadList(int64_t dimension) {
    if (dimension >= shape_.rank()) return Error("lists are nested too deep");
    ++next_;
    SkipSpace();
    int64_t count = 0;
    while (next_ < text_.size() && text_[next_] != ']') {
      if (count > 0) {
        if (text_[next_] != ',') return Error("',' is missing");
        ++next_;
        SkipSpace();
      }
      if (!ReadItem(dimension)) return false;
      ++count;
      SkipSpace();
    }
    if (next_ == text_.size()) return Error("']' is missing");
    ++next_;
    if (count != shape_.dimension(dimension)) {
      return Error(
          absl::StrCat("a list of ", count, " for dimension ", dimension));
    }
    return true;
  }

  bool ReadItem(int64_t dimension) {
    if (next_ == text_.size()) return Error("elements are missing");
    if (text_[next_] == '[') return ReadList(dimension + 1);
    if (dimension + 1 != shape_.rank()) return Error("'[' is missing");
    if (filled_ == elements_.size()) return Error("too many elements");
    return ReadElement(&elements_[filled_++]);
  }

  bool ReadElement(T* value) {
    if constexpr (NumericTraits<T>::is_complex) {
      using Part = T::value_type;
      Part real{};
      Part imag{};
      if (text_[next_] != '(') return Error("'(' is missing");
      ++next_;
      if (!ReadNumber(&real) || !Skip(',') || !ReadNumber(&imag) ||
          !Skip(')')) {
        return false;
      }
      *value = T(real, imag);
      return true;
    } else {
      return ReadNumber(value);
    }
  }

  bool Skip(char c) {
    SkipSpace();
    if (next_ == text_.size() || text_[next_] != c) {
      return Error(absl::StrCat("'", std::string(1, c), "' is missing"));
    }
    ++next_;
    SkipSpace();
    return true;
  }

  template <typename U>
  bool ReadNumber(U* value) {
    SkipSpace();
    const size_t end = text_.find_first_of(",])( \n\t\r", next_);
    const absl::string_view token = text_.substr(
        next_, (end == absl::string_view::npos ? text_.size() : end) - next_);
    if (absl::StartsWith(token, "0x")) {
      if (!ReadBits(token, value)) {
        return Error(absl::StrCat("'", token, "' are no bits of an element"));
      }
    } else if (!ReadDecimal(token, value)) {
      return false;
    }
    next_ += token.size();
    return true;
  }

  template <typename U>
  bool ReadDecimal(absl::string_view token, U* value) {
    if constexpr (std::is_same_v<U, float> || std::is_same_v<U, double> ||
                  (std::is_integral_v<U> && !std::is_same_v<U, bool>)) {
      const auto [end, error] =
          std::from_chars(token.data(), token.data() + token.size(), *value);
      if (error == std::errc() && end == token.data() + token.size()) {
        return true;
      }
    }
    absl::StatusOr<U> parsed = ParseElement<U>(token);
    if (!parsed.ok()) return Error(std::string(parsed.status().message()));
    *value = *parsed;
    return true;
  }

  // Bits of floats; the number itself for integers.
  template <typename U>
  static bool ReadBits(absl::string_view token, U* value) {
    uint64_t bits = 0;
    if (!absl::SimpleHexAtoi(token, &bits)) return false;
    if constexpr (std::is_same_v<U, bool>) {
      *value = bits != 0;
      return bits <= 1;
    } else if constexpr (requires { U::FromBits(0); }) {
      using Bits = decltype(U{}.bits());
      *value = U::FromBits(static_cast<Bits>(bits));
      return bits == static_cast<Bits>(bits);
    } else {
      const auto word = static_cast<Word<sizeof(U)>>(bits);
      std::memcpy(value, &word, sizeof(U));
      return bits == word;
    }
  }

  absl::string_view text_;
  int64_t offset_;
  const Shape& shape_;
  Diagnostics* diagnostics_;
  absl::Span<T> elements_;
  size_t filled_ = 0;
  size_t next_ = 0;
};

// Raw bytes, little-endian, of as many elements as the literal has. pred may be
// packed to bits.
bool FillFromBytes(absl::string_view bytes, Literal* literal) {
  auto* target =
      reinterpret_cast<unsigned char*>(literal->mutable_untyped_data());
  const auto count = static_cast<size_t>(literal->element_count());
  if (literal->shape().element_type() != ElementType::kPred) {
    if (bytes.size() != static_cast<size_t>(literal->size_bytes())) {
      return false;
    }
    if (!bytes.empty()) std::memcpy(target, bytes.data(), bytes.size());
    return true;
  }
  const bool is_packed = bytes.size() != count;
  if (is_packed && bytes.size() != (count + kBitsPerByte - 1) / kBitsPerByte) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    const auto byte =
        static_cast<unsigned char>(bytes[is_packed ? i / kBitsPerByte : i]);
    const unsigned bit = is_packed ? (byte >> (i % kBitsPerByte)) & 1U : byte;
    target[i] = bit == 0 ? 0 : 1;
  }
  return true;
}

// Whether the bytes are those of one element for all.
bool IsSplat(absl::string_view bytes, const Shape& shape) {
  if (shape.ElementCount() == 1) return false;
  if (shape.element_type() == ElementType::kPred) {
    return bytes.size() == 1 && (bytes[0] == '\xFF' || bytes[0] == 0);
  }
  return bytes.size() ==
         static_cast<size_t>(hlo::StorageBytes(shape.element_type()));
}

// Codes of types of less than a byte lie in bytes whose other bits are unknown.
void KeepCodes(Literal* literal) {
  hlo::DispatchElementType(literal->shape().element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (sizeof(T) == 1 && requires { T::FromBits(0); }) {
      for (T& element : literal->mutable_data<T>()) {
        constexpr unsigned kMask = (1U << T::kBits) - 1;
        uint8_t code = 0;
        std::memcpy(&code, &element, 1);
        element = T::FromBits(static_cast<uint8_t>(code & kMask));
      }
    }
  });
}

bool ReadBytes(absl::string_view quoted, int64_t offset, const Shape& shape,
               Literal* literal, Diagnostics* diagnostics) {
  std::string bytes;
  if (!BytesFromHex(quoted.substr(0, quoted.find_last_not_of(" \n\t\r\"") + 1),
                    &bytes)) {
    diagnostics->Error(offset,
                       "a string of elements is \"0x\" and an even "
                       "number of hexadecimal digits");
    return false;
  }
  if (LiteralFromBytes(bytes, shape, literal)) return true;
  diagnostics->Error(
      offset, absl::StrCat(bytes.size(), " bytes are neither all elements of ",
                           ToString(shape, false), " nor one"));
  return false;
}

}  // namespace

bool BytesFromHex(absl::string_view digits, std::string* bytes) {
  const auto is_hex = [](char c) {
    return absl::ascii_isxdigit(static_cast<unsigned char>(c));
  };
  if (!absl::StartsWith(digits, "0x") || digits.size() % 2 != 0 ||
      !std::all_of(digits.begin() + 2, digits.end(), is_hex)) {
    return false;
  }
  *bytes = absl::HexStringToBytes(digits.substr(2));
  return true;
}

bool LiteralFromBytes(absl::string_view bytes, const Shape& shape,
                      Literal* literal) {
  const bool is_splat = IsSplat(bytes, shape);
  // Before memory is asked for.
  if (!is_splat &&
      shape.ByteSize() / kBitsPerByte > static_cast<int64_t>(bytes.size())) {
    return false;
  }
  *literal = Literal(is_splat ? Shape::Scalar(shape.element_type()) : shape);
  if (!FillFromBytes(bytes, literal)) return false;
  KeepCodes(literal);
  return true;
}

bool ParseDenseElements(absl::string_view text, int64_t offset,
                        const Shape& shape, Literal* literal,
                        Diagnostics* diagnostics) {
  const size_t first = text.find_first_not_of(" \n\t\r");
  if (first != absl::string_view::npos && text[first] == '"') {
    return ReadBytes(text.substr(first + 1),
                     offset + static_cast<int64_t>(first), shape, literal,
                     diagnostics);
  }
  // Every element takes a byte of text at least: no text asks for more memory
  // than it has elements.
  const bool is_list = first != absl::string_view::npos && text[first] == '[';
  if (is_list && shape.ElementCount() > static_cast<int64_t>(text.size())) {
    diagnostics->Error(
        offset,
        absl::StrCat("elements of ", ToString(shape, false), " are missing"));
    return false;
  }
  const bool is_splat = !is_list && first != absl::string_view::npos;
  *literal = Literal(is_splat ? Shape::Scalar(shape.element_type()) : shape);
  if (first == absl::string_view::npos && shape.ElementCount() > 0) {
    diagnostics->Error(offset, "no elements are given");
    return false;
  }
  return hlo::DispatchElementType(shape.element_type(), [&](auto tag) {
    using T = decltype(tag)::type;
    return ElementReader<T>(text, offset, literal->shape(), diagnostics)
        .Read(literal);
  });
}

bool Parser::ParseDense(Attribute* attribute) {
  attribute->kind = AttributeKind::kDense;
  attribute->offset = token_.offset;
  Advance();
  if (!token_.Is('<')) return Unexpected("'<'");
  // The type comes last: what stands before is read once it is known.
  const int64_t first = token_.offset + 1;
  const size_t last = lexer_.text().find('>', static_cast<size_t>(first));
  if (last == absl::string_view::npos) {
    return Error(token_.offset, "'<' is not closed");
  }
  const absl::string_view elements =
      lexer_.text().substr(first, last - static_cast<size_t>(first));
  lexer_.Seek(static_cast<int64_t>(last) + 1);
  Advance();
  if (!Expect(':') || !ParseType(&attribute->type)) return false;
  const Type& type = attribute->type;
  if (type.kind != TypeKind::kTensor) {
    // Lists of strings and quantised elements.
    attribute->kind = AttributeKind::kOther;
    attribute->text = "dense";
    return true;
  }
  if (type.shape.IsDynamic()) {
    return Error(attribute->offset,
                 "the elements of a constant need all sizes");
  }
  return ParseDenseElements(elements, first, type.shape, &attribute->literal,
                            diagnostics_);
}

}  // namespace hilo::stablehlo
