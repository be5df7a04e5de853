// Takes a file of bytecode apart.
#include "hlo/stablehlo/bytecode_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/stablehlo/byte_reader.h"
#include "hlo/stablehlo/bytecode.h"

namespace hilo::stablehlo {

bool IsBytecode(absl::string_view bytes) {
  return bytes.substr(0, kBytecodeMagic.size()) == kBytecodeMagic;
}

bool BytecodeFile::Read() {
  return ReadSections() && ReadStrings() && ReadDialects() && ReadOffsets() &&
         ReadProperties() && ReadResources();
}

ByteReader BytecodeFile::ReaderOf(Section section) const {
  return ReaderOf(sections_[section].begin, sections_[section].end);
}

ByteReader BytecodeFile::Operations() const { return ReaderOf(kOperations); }

// Sections come in any order.
bool BytecodeFile::ReadSections() {
  constexpr uint64_t kNewestVersion = 6;
  constexpr unsigned kAlignedBit = 0x80;
  ByteReader reader = ReaderOf(0, bytes_.size());
  reader.Bytes(kBytecodeMagic.size());
  version_ = reader.Varint();
  if (version_ > kNewestVersion) {
    reader.Fail(absl::StrCat("bytecode of version ", version_,
                             " is not supported, the newest known is ",
                             kNewestVersion));
  }
  const absl::string_view producer = reader.NulTerminated();
  while (reader.ok() && !reader.AtEnd()) {
    const unsigned code = reader.Byte();
    const unsigned section = code & ~kAlignedBit;
    const uint64_t size = reader.Varint();
    if ((code & kAlignedBit) != 0) reader.Align(reader.Varint());
    const size_t begin = reader.offset();
    reader.Bytes(size);
    if (section >= kSectionCount || has_section_[section]) {
      reader.Fail(absl::StrCat("section ", section,
                               " is unknown or comes again; the file is of '",
                               producer, "'"));
      break;
    }
    has_section_[section] = true;
    sections_[section] = {.begin = begin, .end = reader.offset()};
  }
  for (const Section section :
       {kStrings, kDialects, kAttributes, kOffsets, kOperations}) {
    if (!has_section_[section]) {
      reader.Fail(
          absl::StrCat("section ", static_cast<int>(section), " is missing"));
    }
  }
  return reader.ok();
}

// Sizes are those of the last string first; strings end with a byte 0.
bool BytecodeFile::ReadStrings() {
  ByteReader reader = ReaderOf(kStrings);
  std::vector<uint64_t> sizes(reader.Count());
  for (size_t i = sizes.size(); i-- > 0;) sizes[i] = reader.Varint();
  for (const uint64_t size : sizes) {
    const absl::string_view text = reader.Bytes(size);
    if (text.empty() || text.back() != '\0') {
      reader.Fail("a text of the table does not end");
      return false;
    }
    strings_.push_back(text.substr(0, text.size() - 1));
  }
  return reader.ok();
}

void BytecodeFile::ReadDialectName(ByteReader* reader) {
  bool has_version = false;
  uint64_t index =
      version_ == 0 ? reader->Varint() : reader->VarintWithFlag(&has_version);
  if (index >= strings_.size()) {
    reader->Fail("the name of a dialect does not exist");
    return;
  }
  dialects_.push_back(strings_[static_cast<size_t>(index)]);
  if (!has_version) return;
  // A section within, of which nothing is needed.
  reader->Byte();
  reader->Blob();
}

bool BytecodeFile::ReadDialects() {
  constexpr uint64_t kHasOperationCount = 4;
  constexpr uint64_t kHasRegisteredFlag = 5;
  ByteReader reader = ReaderOf(kDialects);
  const size_t dialect_count = reader.Count();
  for (size_t i = 0; i < dialect_count && reader.ok(); ++i) {
    ReadDialectName(&reader);
  }
  if (version_ >= kHasOperationCount) reader.Varint();
  while (reader.ok() && !reader.AtEnd()) {
    const size_t dialect = reader.Index(dialects_.size(), "dialect");
    const size_t count = reader.Count();
    for (size_t i = 0; i < count && reader.ok(); ++i) {
      bool is_registered = false;
      const uint64_t index = version_ >= kHasRegisteredFlag
                                 ? reader.VarintWithFlag(&is_registered)
                                 : reader.Varint();
      if (index >= strings_.size()) {
        reader.Fail("the name of an operation does not exist");
        break;
      }
      operation_names_.push_back(
          {.dialect = dialects_[dialect],
           .name = absl::StrCat(dialects_[dialect], ".",
                                strings_[static_cast<size_t>(index)])});
    }
  }
  return reader.ok();
}

// A group of entries of one dialect.
void BytecodeFile::ReadEntries(ByteReader* reader, size_t count, size_t* next,
                               std::vector<Entry>* entries) {
  while (reader->ok() && entries->size() < count) {
    const size_t dialect = reader->Index(dialects_.size(), "dialect");
    const size_t group = reader->Count();
    if (group > count - entries->size()) reader->Fail("too many entries");
    for (size_t i = 0; i < group && reader->ok(); ++i) {
      bool has_encoding = false;
      const uint64_t size = reader->VarintWithFlag(&has_encoding);
      if (size > sections_[kAttributes].end - *next) {
        reader->Fail("an attribute or a type reaches beyond its section");
        break;
      }
      const size_t end = *next + static_cast<size_t>(size);
      entries->push_back({.dialect = dialects_[dialect],
                          .has_encoding = has_encoding,
                          .begin = *next,
                          .end = end});
      *next = end;
    }
  }
}

bool BytecodeFile::ReadOffsets() {
  ByteReader reader = ReaderOf(kOffsets);
  const size_t attribute_count = reader.Count();
  const size_t type_count = reader.Count();
  size_t next = sections_[kAttributes].begin;
  ReadEntries(&reader, attribute_count, &next, &attributes_);
  ReadEntries(&reader, type_count, &next, &types_);
  return reader.ok();
}

bool BytecodeFile::ReadProperties() {
  if (!has_section_[kProperties]) return true;
  ByteReader reader = ReaderOf(kProperties);
  const size_t count = reader.Count();
  for (size_t i = 0; i < count && reader.ok(); ++i) {
    const uint64_t size = reader.Varint();
    const size_t begin = reader.offset();
    reader.Bytes(size);
    properties_.push_back({.begin = begin, .end = reader.offset()});
  }
  return reader.ok();
}

// Entries with a key, a size and a kind; contents one after the other.
void BytecodeFile::ReadResourceGroup(ByteReader* offsets,
                                     ByteReader* contents) {
  constexpr uint8_t kBlob = 0;
  const size_t count = offsets->Count();
  for (size_t i = 0; i < count && offsets->ok(); ++i) {
    const size_t key = offsets->Index(strings_.size(), "text");
    ByteReader content = contents->Part(offsets->Varint());
    Resource resource = {.key = offsets->ok() ? strings_[key] : "",
                         .bytes = ""};
    if (offsets->Byte() == kBlob && !content.AtEnd()) {
      const uint64_t alignment = content.Varint();
      const uint64_t size = content.Varint();
      content.Align(alignment);
      resource.bytes = content.Bytes(size);
    }
    resources_.push_back(resource);
  }
}

bool BytecodeFile::ReadResources() {
  if (!has_section_[kResourceOffsets]) return true;
  ByteReader offsets = ReaderOf(kResourceOffsets);
  ByteReader contents = ReaderOf(kResources);
  const size_t owner_count = offsets.Count();
  for (size_t i = 0; i < owner_count && offsets.ok(); ++i) {
    offsets.Index(strings_.size(), "text");
    ReadResourceGroup(&offsets, &contents);
  }
  // Only those of dialects are named by attributes.
  resources_.clear();
  while (offsets.ok() && !offsets.AtEnd()) {
    offsets.Index(dialects_.size(), "dialect");
    ReadResourceGroup(&offsets, &contents);
  }
  return offsets.ok();
}

}  // namespace hilo::stablehlo
