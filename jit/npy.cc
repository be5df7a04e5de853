// Reads and writes the .npy format.
// Source: numpy.lib.format, "Format Version 1.0" to "3.0".
#include "jit/npy.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

#include "jit/files.h"
#include "runtime/base/status.h"

namespace hilo {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kAlignmentBytes = 64;
constexpr size_t kMaxRank = 64;

struct Header {
  std::string type;
  bool is_fortran_order = false;
  std::vector<int64_t> dimensions;
};

// Reads a Python dictionary of strings, booleans and tuples of integers.
class HeaderParser {
 public:
  explicit HeaderParser(absl::string_view text) : text_(text) {}

  absl::StatusOr<Header> Parse() {
    Header header;
    bool has_type = false;
    bool has_shape = false;
    if (!Take('{')) return Malformed("no dictionary");
    while (!Take('}')) {
      ASSIGN_OR_RETURN(const std::string key, TakeString());
      if (!Take(':')) return Malformed("no value");
      if (key == "descr") {
        has_type = true;
        if (Peek() == '[') {
          return InvalidArgument("arrays of structures are not supported");
        }
        ASSIGN_OR_RETURN(header.type, TakeString());
      } else if (key == "fortran_order") {
        ASSIGN_OR_RETURN(header.is_fortran_order, TakeBool());
      } else if (key == "shape") {
        has_shape = true;
        ASSIGN_OR_RETURN(header.dimensions, TakeDimensions());
      } else {
        return Malformed(absl::StrCat("unknown key '", key, "'"));
      }
      if (!Take(',') && Peek() != '}') return Malformed("no comma");
    }
    if (!has_type || !has_shape) return Malformed("no descr or shape");
    return header;
  }

 private:
  static absl::Status Malformed(absl::string_view what) {
    return InvalidArgument("malformed .npy header: ", what);
  }

  char Peek() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) {
      text_.remove_prefix(1);
    }
    return text_.empty() ? '\0' : text_[0];
  }

  bool Take(char c) {
    if (Peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  absl::StatusOr<std::string> TakeString() {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return Malformed("no string");
    const size_t end = text_.find(quote, 1);
    if (end == absl::string_view::npos) return Malformed("open string");
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }

  absl::StatusOr<bool> TakeBool() {
    Peek();
    if (absl::ConsumePrefix(&text_, "True")) return true;
    if (absl::ConsumePrefix(&text_, "False")) return false;
    return Malformed("fortran_order is neither True nor False");
  }

  absl::StatusOr<std::vector<int64_t>> TakeDimensions() {
    std::vector<int64_t> dimensions;
    if (!Take('(')) return Malformed("shape is not a tuple");
    while (!Take(')')) {
      Peek();
      size_t length = 0;
      while (length < text_.size() && absl::ascii_isdigit(text_[length])) {
        ++length;
      }
      int64_t size = 0;
      if (!absl::SimpleAtoi(text_.substr(0, length), &size)) {
        return Malformed("shape holds something else than sizes");
      }
      text_.remove_prefix(length);
      absl::ConsumePrefix(&text_, "L");
      dimensions.push_back(size);
      if (dimensions.size() > kMaxRank) return Malformed("too many dimensions");
      if (!Take(',') && Peek() != ')') return Malformed("shape has no comma");
    }
    return dimensions;
  }

  absl::string_view text_;
};

// The header's text, taken off the front of `contents`.
absl::StatusOr<absl::string_view> TakeHeaderText(absl::string_view& contents) {
  constexpr size_t kVersionEnd = 8;
  if (!absl::StartsWith(contents, kMagic) || contents.size() < kVersionEnd) {
    return InvalidArgument("not an .npy file: the magic bytes are missing");
  }
  const int version = static_cast<uint8_t>(contents[6]);
  if (version < 1 || version > 3) {
    return InvalidArgument(".npy version ", version, " is not known");
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  contents.remove_prefix(kVersionEnd);
  if (contents.size() < length_bytes) return InvalidArgument("truncated file");
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<size_t>(static_cast<uint8_t>(contents[i])) << (8 * i);
  }
  contents.remove_prefix(length_bytes);
  if (contents.size() < length) return InvalidArgument("truncated file");
  const absl::string_view text = contents.substr(0, length);
  contents.remove_prefix(length);
  return text;
}

struct KindRow {
  char kind;
  std::array<int64_t, 4> element_bytes;
};
constexpr std::array kKinds = {
    KindRow{.kind = 'b', .element_bytes = {1, 0, 0, 0}},
    KindRow{.kind = 'i', .element_bytes = {1, 2, 4, 8}},
    KindRow{.kind = 'u', .element_bytes = {1, 2, 4, 8}},
    KindRow{.kind = 'f', .element_bytes = {2, 4, 8, 0}},
    KindRow{.kind = 'c', .element_bytes = {8, 16, 0, 0}},
    KindRow{.kind = 'V', .element_bytes = {1, 2, 0, 0}},
};

// Fills kind and size; returns whether bytes must be swapped.
absl::StatusOr<bool> ReadType(const std::string& type, NpyArray* array) {
  absl::Status unsupported =
      InvalidArgument("numpy type '", type, "' is not supported");
  absl::string_view text = type;
  if (text.empty()) return unsupported;
  bool is_big_endian = false;
  if (absl::StrContains("<>|=", text[0])) {
    is_big_endian = text[0] == '>';
    text.remove_prefix(1);
  }
  if (text.empty()) return unsupported;
  array->kind = text[0] == '?' ? 'b' : text[0];
  array->element_bytes = 1;
  if (text != "?" && !absl::SimpleAtoi(text.substr(1), &array->element_bytes)) {
    return unsupported;
  }
  for (const KindRow& row : kKinds) {
    if (row.kind != array->kind || array->element_bytes <= 0) continue;
    if (std::ranges::find(row.element_bytes, array->element_bytes) ==
        row.element_bytes.end()) {
      continue;
    }
    return is_big_endian;
  }
  return unsupported;
}

// Nullopt when the product does not fit.
std::optional<int64_t> ByteCount(const NpyArray& array) {
  int64_t bytes = array.element_bytes;
  const bool is_empty =
      std::ranges::find(array.dimensions, 0) != array.dimensions.end();
  if (is_empty) return 0;
  for (const int64_t size : array.dimensions) {
    if (size > std::numeric_limits<int64_t>::max() / bytes) return std::nullopt;
    bytes *= size;
  }
  return bytes;
}

void SwapBytes(NpyArray* array) {
  const int64_t part =
      array->kind == 'c' ? array->element_bytes / 2 : array->element_bytes;
  if (part == 1) return;
  char* bytes = array->bytes.data();
  const auto size = static_cast<int64_t>(array->bytes.size());
  for (int64_t i = 0; i + part <= size; i += part) {
    std::reverse(bytes + i, bytes + i + part);
  }
}

// From the first dimension fastest to the last dimension fastest.
void MakeRowMajor(NpyArray* array) {
  const auto rank = static_cast<int64_t>(array->dimensions.size());
  if (rank < 2 || array->bytes.empty()) return;
  const int64_t element_bytes = array->element_bytes;
  std::vector<int64_t> strides(rank, element_bytes);
  for (int64_t d = 1; d < rank; ++d) {
    strides[d] = strides[d - 1] * array->dimensions[d - 1];
  }
  std::string result(array->bytes.size(), '\0');
  std::vector<int64_t> index(rank, 0);
  int64_t from = 0;
  for (size_t to = 0; to < result.size(); to += element_bytes) {
    std::memcpy(&result[to], &array->bytes[from], element_bytes);
    for (int64_t d = rank - 1; d >= 0; --d) {
      from += strides[d];
      if (++index[d] < array->dimensions[d]) break;
      from -= strides[d] * array->dimensions[d];
      index[d] = 0;
    }
  }
  array->bytes = std::move(result);
}

}  // namespace

int64_t NpyArray::element_count() const {
  return element_bytes == 0
             ? 0
             : static_cast<int64_t>(bytes.size()) / element_bytes;
}

std::string TypeNameOf(const NpyArray& array) {
  return absl::StrCat(std::string(1, array.kind), array.element_bytes);
}

std::string DescriptionOf(const NpyArray& array) {
  return absl::StrCat(TypeNameOf(array), "[",
                      absl::StrJoin(array.dimensions, ","), "]");
}

absl::StatusOr<NpyArray> ParseNpy(std::string contents) {
  absl::string_view rest = contents;
  ASSIGN_OR_RETURN(const absl::string_view header_text, TakeHeaderText(rest));
  ASSIGN_OR_RETURN(Header header, HeaderParser(header_text).Parse());
  NpyArray array;
  ASSIGN_OR_RETURN(const bool is_big_endian, ReadType(header.type, &array));
  array.dimensions = std::move(header.dimensions);
  const std::optional<int64_t> needed = ByteCount(array);
  const auto available = static_cast<int64_t>(rest.size());
  if (!needed || *needed > available) {
    return InvalidArgument("truncated file: ", DescriptionOf(array), " needs ",
                           needed ? absl::StrCat(*needed) : "too many",
                           " bytes, there are ", available);
  }
  if (*needed < available) {
    return InvalidArgument(available - *needed, " bytes too many after ",
                           DescriptionOf(array));
  }
  contents.erase(0, contents.size() - rest.size());
  array.bytes = std::move(contents);
  if (is_big_endian) SwapBytes(&array);
  if (header.is_fortran_order) MakeRowMajor(&array);
  return array;
}

std::string FormatNpy(const NpyArray& array) {
  const absl::string_view order = array.element_bytes == 1 ? "|" : "<";
  const std::string shape =
      absl::StrCat("(", absl::StrJoin(array.dimensions, ", "),
                   array.dimensions.size() == 1 ? ",)" : ")");
  std::string header =
      absl::StrCat("{'descr': '", order, TypeNameOf(array),
                   "', 'fortran_order': False, 'shape': ", shape, ", }");
  constexpr size_t kPreambleBytes = 10;
  const size_t unpadded = kPreambleBytes + header.size() + 1;
  header.append(
      (kAlignmentBytes - unpadded % kAlignmentBytes) % kAlignmentBytes, ' ');
  header += '\n';
  std::string contents(kMagic);
  contents += '\1';
  contents += '\0';
  contents += static_cast<char>(header.size() & 0xFF);
  contents += static_cast<char>(header.size() >> 8);
  absl::StrAppend(&contents, header, array.bytes);
  return contents;
}

absl::StatusOr<NpyArray> ReadNpy(const std::string& path) {
  ASSIGN_OR_RETURN(std::string contents, ReadFile(path));
  absl::StatusOr<NpyArray> array = ParseNpy(std::move(contents));
  if (array.ok()) return array;
  return InvalidArgument(path, ": ", array.status().message());
}

}  // namespace hilo
