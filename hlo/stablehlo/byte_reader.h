// Reads the primitive values of MLIR bytecode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

// A part of a file. The first fault is reported with its byte; from then on all
// readers with the same diagnostics give zeros and empty texts, so that callers
// look at ok() once, after a loop or before they use what they read. Source of
// the encodings: MLIR's documentation of its bytecode format.
class ByteReader {
 public:
  // Bytes [begin, end) of `file`, which outlives the reader as `diagnostics`
  // does. There must be no errors yet.
  ByteReader(absl::string_view file, size_t begin, size_t end,
             Diagnostics* diagnostics)
      : file_(file), next_(begin), end_(end), diagnostics_(diagnostics) {}

  bool ok() const { return !diagnostics_->has_errors(); }
  bool AtEnd() const { return next_ == end_; }
  size_t offset() const { return next_; }
  size_t remaining() const { return end_ - next_; }

  uint8_t Byte();
  // Up to 64 bits in one to nine bytes.
  uint64_t Varint();
  // Zigzag: small magnitudes are short.
  int64_t SignedVarint();
  // All but the lowest bit, which becomes `flag`.
  uint64_t VarintWithFlag(bool* flag);
  // How many items follow, of at least one byte each.
  size_t Count();
  // A place in a table of `size` entries; 0 after a fault.
  size_t Index(size_t size, absl::string_view what);
  // The bits of an integer or float of up to 64 bits.
  uint64_t Bits(int width);
  absl::string_view Bytes(uint64_t count);
  // As many bytes as a number before them says.
  absl::string_view Blob() { return Bytes(Varint()); }
  // Without the byte 0 that ends it.
  absl::string_view NulTerminated();
  // The next bytes as a reader of their own.
  ByteReader Part(uint64_t size);
  // Goes on at a multiple of `alignment`, counted from the file's begin.
  void Align(uint64_t alignment);

  void Fail(std::string message);

 private:
  absl::string_view file_;
  size_t next_;
  size_t end_;
  Diagnostics* diagnostics_;
};

}  // namespace hilo::stablehlo
