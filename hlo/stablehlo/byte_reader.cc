// Numbers, texts and parts of bytecode.
#include "hlo/stablehlo/byte_reader.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace hilo::stablehlo {

void ByteReader::Fail(std::string message) {
  if (!ok()) return;
  diagnostics_->Error(static_cast<int64_t>(next_), std::move(message));
}

uint8_t ByteReader::Byte() {
  if (!ok()) return 0;
  if (AtEnd()) {
    Fail("the file ends in the middle of its contents");
    return 0;
  }
  return static_cast<uint8_t>(file_[next_++]);
}

uint64_t ByteReader::Varint() {
  constexpr int kBitsPerByte = 8;
  const uint8_t first = Byte();
  // The number of zeros at the bottom says how many bytes follow.
  const int extra = first == 0 ? kBitsPerByte : std::countr_zero(first);
  uint64_t value = first;
  for (int i = 1; i <= extra; ++i) {
    const uint64_t byte = Byte();
    if (extra == kBitsPerByte) {
      value |= byte << (kBitsPerByte * (i - 1));
    } else {
      value |= byte << (kBitsPerByte * i);
    }
  }
  return extra == kBitsPerByte ? value : value >> (extra + 1);
}

int64_t ByteReader::SignedVarint() {
  const uint64_t value = Varint();
  return static_cast<int64_t>((value >> 1) ^ (0 - (value & 1)));
}

uint64_t ByteReader::VarintWithFlag(bool* flag) {
  const uint64_t value = Varint();
  *flag = (value & 1) != 0;
  return value >> 1;
}

size_t ByteReader::Count() {
  const uint64_t count = Varint();
  if (count <= remaining()) return static_cast<size_t>(count);
  Fail(absl::StrCat(count, " items cannot lie in the ", remaining(),
                    " bytes that are left"));
  return 0;
}

size_t ByteReader::Index(size_t size, absl::string_view what) {
  const uint64_t index = Varint();
  if (index < size) return static_cast<size_t>(index);
  Fail(absl::StrCat(what, " ", index, " of ", size, " does not exist"));
  return 0;
}

uint64_t ByteReader::Bits(int width) {
  constexpr int kBitsPerByte = 8;
  if (width <= kBitsPerByte) return Byte();
  const auto value = static_cast<uint64_t>(SignedVarint());
  constexpr int kBitsPerWord = 64;
  return width >= kBitsPerWord ? value : value & ((uint64_t{1} << width) - 1);
}

absl::string_view ByteReader::Bytes(uint64_t count) {
  if (!ok()) return "";
  if (count > remaining()) {
    Fail(absl::StrCat(count, " bytes are announced, ", remaining(),
                      " are left"));
    return "";
  }
  const absl::string_view bytes =
      file_.substr(next_, static_cast<size_t>(count));
  next_ += bytes.size();
  return bytes;
}

absl::string_view ByteReader::NulTerminated() {
  const size_t begin = next_;
  while (ok() && Byte() != 0) {
  }
  return ok() ? file_.substr(begin, next_ - begin - 1) : "";
}

ByteReader ByteReader::Part(uint64_t size) {
  const size_t begin = next_;
  const size_t length = Bytes(size).size();
  return {file_, begin, begin + length, diagnostics_};
}

void ByteReader::Align(uint64_t alignment) {
  constexpr uint64_t kLargest = uint64_t{1} << 20;
  if (!std::has_single_bit(alignment) || alignment > kLargest) {
    Fail(absl::StrCat("an alignment cannot be ", alignment));
    return;
  }
  constexpr uint8_t kPadding = 0xCB;
  while (ok() && next_ % alignment != 0) {
    if (Byte() != kPadding) Fail("bytes for alignment are not 0xCB");
  }
}

}  // namespace hilo::stablehlo
