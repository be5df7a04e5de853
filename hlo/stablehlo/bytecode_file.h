// The sections of a file of MLIR bytecode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

#include "hlo/stablehlo/byte_reader.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

// Tables of what the file holds. Nothing is decoded that no operation asks for.
// Source of the format: MLIR's documentation of bytecode versions 0 to 6.
class BytecodeFile {
 public:
  struct OperationName {
    absl::string_view dialect;
    // With its dialect.
    std::string name;
  };

  // An encoded attribute or type.
  struct Entry {
    absl::string_view dialect;
    // Otherwise it is text.
    bool has_encoding = false;
    size_t begin = 0;
    size_t end = 0;
  };

  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };

  struct Resource {
    absl::string_view key;
    // Empty for what is no blob.
    absl::string_view bytes;
  };

  // Both outlive the file. There must be no errors yet.
  BytecodeFile(absl::string_view bytes, Diagnostics* diagnostics)
      : bytes_(bytes), diagnostics_(diagnostics) {}

  // Fills the tables. False after errors.
  bool Read();

  ByteReader ReaderOf(size_t begin, size_t end) const {
    return {bytes_, begin, end, diagnostics_};
  }
  // Of the section that holds the operations.
  ByteReader Operations() const;

  size_t size() const { return bytes_.size(); }
  uint64_t version() const { return version_; }
  const std::vector<absl::string_view>& strings() const { return strings_; }
  const std::vector<OperationName>& operation_names() const {
    return operation_names_;
  }
  const std::vector<Entry>& attributes() const { return attributes_; }
  const std::vector<Entry>& types() const { return types_; }
  const std::vector<Range>& properties() const { return properties_; }
  const std::vector<Resource>& resources() const { return resources_; }

 private:
  enum Section : uint8_t {
    kStrings,
    kDialects,
    kAttributes,
    kOffsets,
    kOperations,
    kResources,
    kResourceOffsets,
    kDialectVersions,
    kProperties,
    kSectionCount,
  };

  bool ReadSections();
  ByteReader ReaderOf(Section section) const;
  bool ReadStrings();
  bool ReadDialects();
  void ReadDialectName(ByteReader* reader);
  bool ReadOffsets();
  void ReadEntries(ByteReader* reader, size_t count, size_t* next,
                   std::vector<Entry>* entries);
  bool ReadProperties();
  bool ReadResources();
  void ReadResourceGroup(ByteReader* offsets, ByteReader* contents);

  absl::string_view bytes_;
  Diagnostics* diagnostics_;
  uint64_t version_ = 0;
  std::array<Range, kSectionCount> sections_ = {};
  std::array<bool, kSectionCount> has_section_ = {};
  std::vector<absl::string_view> strings_;
  std::vector<absl::string_view> dialects_;
  std::vector<OperationName> operation_names_;
  std::vector<Entry> attributes_;
  std::vector<Entry> types_;
  std::vector<Range> properties_;
  std::vector<Resource> resources_;
};

}  // namespace hilo::stablehlo
