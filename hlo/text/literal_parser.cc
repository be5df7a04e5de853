// The grammar of literals, with a fast path for plain numbers.
#include "hlo/text/literal_parser.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/text/lexer.h"
#include "hlo/text/parser.h"
#include "hlo/text/token_reader.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo {
namespace {

bool EndsNumber(char c) {
  return c == ',' || c == '}' || c == ')' || c == ' ' || c == '\n' ||
         c == '\t' || c == '\r';
}

// Reads a number at `at` without the lexer; null when it is not of a plain form
// or does not plainly fit, which the slow path then decides.
template <typename T>
const char* ReadPlainNumber(const char* at, const char* end, T* value) {
  const char* const digits = at != end && *at == '-' ? at + 1 : at;
  if (digits == end || !absl::ascii_isdigit(*digits)) return nullptr;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (std::is_unsigned_v<T> && digits != at) return nullptr;
    const auto result = std::from_chars(at, end, *value);
    const bool plain = result.ec == std::errc() && result.ptr != end &&
                       EndsNumber(*result.ptr);
    return plain ? result.ptr : nullptr;
  } else if constexpr (std::is_floating_point_v<T>) {
    double number = 0;
    const auto result = std::from_chars(at, end, number);
    if (result.ec != std::errc() || result.ptr == end ||
        !EndsNumber(*result.ptr)) {
      return nullptr;
    }
    // Integers of 19 digits may wrap, "-0" is not -0.0.
    constexpr ptrdiff_t kMaxExactDigits = 15;
    if (result.ptr - at > kMaxExactDigits &&
        absl::string_view(at, result.ptr - at).find_first_of(".eE") ==
            absl::string_view::npos) {
      return nullptr;
    }
    if (number == 0 && digits != at) return nullptr;
    if (std::abs(number) > std::numeric_limits<T>::max()) return nullptr;
    *value = static_cast<T>(number);
    return result.ptr;
  } else {
    return nullptr;
  }
}

// Reads the elements of one array.
template <typename T>
class ArrayReader {
 public:
  ArrayReader(TokenReader& reader, const Shape& shape, T* elements)
      : reader_(reader), shape_(shape), next_(elements) {}

  // The sub-array from dimension `level` on. False on errors; `*is_elided` is
  // set, and the rest skipped, when "..." stands at level 0.
  bool ReadLevel(int64_t level, bool* is_elided) {
    if (!reader_.Is(TokenKind::kLeftBrace)) {
      return reader_.FailExpected(
          absl::StrCat("'{' before the elements of dimension ", level, " of ",
                       ToString(shape_, /*with_layout=*/false)));
    }
    const int64_t place = reader_.offset();
    const int64_t size = shape_.dimension(level);
    const bool is_innermost = level == shape_.rank() - 1;
    int64_t count = 0;
    if (is_innermost && size > 0) ReadPlainElements(size, &count);
    if (!AtOwnToken()) reader_.Advance();
    while (!reader_.Accept(TokenKind::kRightBrace)) {
      if (reader_.Accept(TokenKind::kComma)) continue;
      if (level == 0 && reader_.Is(TokenKind::kEllipsis)) {
        *is_elided = true;
        return SkipElided();
      }
      if (count == size) return FailCount(place, level, size);
      const bool ok =
          is_innermost ? ReadElement(next_++) : ReadLevel(level + 1, is_elided);
      if (!ok) return false;
      ++count;
    }
    if (count == size) return true;
    return reader_.Fail(
        place,
        absl::StrCat("dimension ", level, " of the literal has ", count,
                     " elements, ", ToString(shape_, /*with_layout=*/false),
                     " has ", size));
  }

  // One element through the lexer.
  bool ReadElement(T* element) {
    if constexpr (NumericTraits<T>::is_complex) {
      using Part = NumericTraits<T>::Part;
      Part real{};
      Part imaginary{};
      if (!reader_.Expect(TokenKind::kLeftParen, "before a complex number") ||
          !ReadNumber(&real) ||
          !reader_.Expect(TokenKind::kComma, "in a complex number") ||
          !ReadNumber(&imaginary) ||
          !reader_.Expect(TokenKind::kRightParen, "after a complex number")) {
        return false;
      }
      *element = T(real, imaginary);
      return true;
    } else {
      return ReadNumber(element);
    }
  }

 private:
  // Reads as many plain elements as follow the "{" at the current token, and
  // goes to what comes then.
  void ReadPlainElements(int64_t size, int64_t* count) {
    const absl::string_view text = reader_.text();
    const char* const end = text.data() + text.size();
    const char* at = text.data() + reader_.offset() + 1;
    const char* done = at;
    while (*count < size) {
      while (at != end && (*at == ' ' || *at == ',' || *at == '\n')) ++at;
      const char* const stop = ReadPlainNumber(at, end, next_);
      if (stop == nullptr) break;
      ++next_;
      ++*count;
      at = done = stop;
    }
    if (*count == 0) return;
    reader_.Seek(done - text.data());
    passed_brace_ = true;
  }

  // Whether ReadPlainElements has gone past the "{" already.
  bool AtOwnToken() { return std::exchange(passed_brace_, false); }

  template <typename Number>
  bool ReadNumber(Number* number) {
    const Token& token = reader_.token();
    const bool is_number =
        token.kind == TokenKind::kInt || token.kind == TokenKind::kDecimal ||
        token.kind == TokenKind::kTrue || token.kind == TokenKind::kFalse;
    if (!is_number) {
      return reader_.FailExpected(
          absl::StrCat("an element of type ", TextOf(shape_.element_type())));
    }
    absl::StatusOr<Number> value = ParseElement<Number>(token.text);
    if (!value.ok()) {
      return reader_.Fail(reader_.offset(),
                          std::string(value.status().message()));
    }
    *number = *value;
    reader_.Advance();
    return true;
  }

  bool FailCount(int64_t place, int64_t level, int64_t size) {
    Diagnostic& error = reader_.diagnostics().Error(
        reader_.offset(),
        absl::StrCat("dimension ", level, " of the literal has more than the ",
                     size, " elements of ",
                     ToString(shape_, /*with_layout=*/false)));
    error.notes.push_back({.severity = Severity::kNote,
                           .offset = place,
                           .message = "the elements begin here",
                           .remedy = {},
                           .notes = {}});
    return false;
  }

  // From "..." to after the "}" that closes the array.
  bool SkipElided() {
    reader_.Advance();
    while (reader_.Accept(TokenKind::kComma)) {
    }
    return reader_.Expect(TokenKind::kRightBrace, "after '...'");
  }

  TokenReader& reader_;
  const Shape& shape_;
  T* next_;
  bool passed_brace_ = false;
};

// Whether that much memory can be had. Large blocks are untouched pages: only
// address space is asked for.
bool CanAllocate(int64_t size_bytes) {
  constexpr int64_t kAlwaysBytes = int64_t{64} << 20;
  if (size_bytes <= kAlwaysBytes) return true;
  const std::unique_ptr<void, decltype(&std::free)> memory(
      std::calloc(static_cast<size_t>(size_bytes), 1), std::free);
  return memory != nullptr;
}

bool HasUnboundedDimension(const Shape& shape) {
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.IsUnboundedDimension(i)) return true;
  }
  return false;
}

// Whether "..." stands before the first "{" or "}" inside the current "{".
bool LooksElided(const TokenReader& reader) {
  absl::string_view rest = reader.text().substr(reader.offset() + 1);
  return rest.substr(0, rest.find_first_of("{}")).find("...") !=
         absl::string_view::npos;
}

// Refuses shapes whose elements cannot all be there, before memory is asked
// for: an element takes at least two bytes of text.
bool CheckSize(TokenReader& reader, const Shape& shape) {
  const int64_t size_bytes = shape.ByteSize();
  constexpr int64_t kSmallBytes = 1 << 16;
  if (size_bytes <= kSmallBytes) return true;
  const auto left =
      static_cast<int64_t>(reader.text().size()) - reader.offset();
  const bool is_brace = reader.Is(TokenKind::kLeftBrace);
  if (is_brace && shape.ElementCount() > left && !LooksElided(reader)) {
    return reader.Fail(reader.offset(),
                       absl::StrCat("the rest of the text cannot hold the ",
                                    shape.ElementCount(), " elements of ",
                                    ToString(shape, /*with_layout=*/false)));
  }
  if (size_bytes > kMaxElidedBytes || !CanAllocate(size_bytes)) {
    return reader.Fail(
        reader.offset(),
        absl::StrCat("a literal of ", ToString(shape, /*with_layout=*/false),
                     " takes ", size_bytes, " bytes: more than can be had"));
  }
  return true;
}

// The element with the low bits of `word` that its type has.
template <typename T>
T FromLowBits(uint8_t word) {
  if constexpr (std::is_same_v<T, bool>) {
    return (word & 1) != 0;
  } else if constexpr (sizeof(T) == 1 && NumericTraits<T>::kBits < 8) {
    return T::FromBits(word & ((1 << NumericTraits<T>::kBits) - 1));
  } else {
    return std::bit_cast<T>(word);
  }
}

void FillByCounter(Literal* literal, ElidedLiterals* elided) {
  const int64_t size_bytes = literal->size_bytes();
  const ElementType type = literal->shape().element_type();
  if (IsFloat(type) || IsComplex(type)) {
    elided->counter += static_cast<uint32_t>(
        (size_bytes + sizeof(uint32_t) - 1) / sizeof(uint32_t));
    return;
  }
  std::byte* const bytes = literal->mutable_untyped_data();
  for (int64_t i = 0; i < size_bytes; i += sizeof(uint32_t)) {
    const uint32_t word = elided->counter++;
    std::memcpy(bytes + i, &word,
                std::min<int64_t>(sizeof(word), size_bytes - i));
  }
  // Not every byte is an element of the narrow types.
  DispatchElementType(literal->shape().element_type(), [&]<typename Tag>(Tag) {
    using T = Tag::type;
    if constexpr (sizeof(T) == 1) {
      T* const elements = reinterpret_cast<T*>(bytes);
      for (int64_t i = 0; i < size_bytes; ++i) {
        elements[i] = FromLowBits<T>(static_cast<uint8_t>(bytes[i]));
      }
    }
  });
}

bool ParseArray(TokenReader& reader, const Shape& shape, Literal* literal,
                ElidedLiterals* elided) {
  const int64_t place = reader.offset();
  if (HasUnboundedDimension(shape)) {
    return reader.Fail(place, absl::StrCat("a literal cannot have shape ",
                                           ToString(shape, false),
                                           " with an unbounded dimension"));
  }
  if (!CheckSize(reader, shape)) return false;
  *literal = Literal(shape);
  bool is_elided = false;
  const bool ok =
      DispatchElementType(shape.element_type(), [&]<typename Tag>(Tag) {
        using T = Tag::type;
        T* const elements = literal->mutable_data<T>().data();
        ArrayReader<T> array(reader, shape, elements);
        if (shape.rank() > 0 && reader.Is(TokenKind::kLeftBrace)) {
          return array.ReadLevel(0, &is_elided);
        }
        // XLA reads a bare scalar as element 0 of an array of zeros.
        if (shape.ElementCount() == 0) {
          return reader.FailExpected("'{}' for a literal without elements");
        }
        return array.ReadElement(elements);
      });
  if (!ok) return false;
  if (!is_elided) return true;
  // What stood before "..." does not count either.
  *literal = Literal(shape);
  if (elided->rule == ElidedConstants::kCounter) FillByCounter(literal, elided);
  literal->set_is_elided(true);
  if (elided->count++ == 0) elided->first_offset = place;
  return true;
}

bool ParseTuple(TokenReader& reader, const Shape& shape, Literal* literal,
                ElidedLiterals* elided) {
  if (!reader.Expect(TokenKind::kLeftParen, "before a tuple's literals")) {
    return false;
  }
  std::vector<Literal> elements;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    // The comma after an array is optional, after a tuple it is not.
    if (i > 0 && !reader.Accept(TokenKind::kComma) &&
        !shape.element(i - 1).IsArray()) {
      return reader.FailExpected("','");
    }
    if (!ParseLiteral(reader, shape.element(i), &elements.emplace_back(),
                      elided)) {
      return false;
    }
  }
  if (!reader.Is(TokenKind::kRightParen)) {
    return reader.FailExpected(absl::StrCat(
        "')' after the ", shape.element_count(), " literals of the tuple"));
  }
  reader.Advance();
  *literal = Literal::Tuple(std::move(elements));
  return true;
}

}  // namespace

bool ParseLiteral(TokenReader& reader, const Shape& shape, Literal* literal,
                  ElidedLiterals* elided) {
  if (shape.IsArray()) return ParseArray(reader, shape, literal, elided);
  if (shape.IsTuple()) {
    const Nesting nesting(reader);
    return nesting.ok() && ParseTuple(reader, shape, literal, elided);
  }
  return reader.Fail(reader.offset(),
                     absl::StrCat("there is no literal of shape ",
                                  ToString(shape, /*with_layout=*/false)));
}

}  // namespace hilo::hlo
