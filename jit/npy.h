// Arrays as numpy stores them: the .npy format.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hilo {

// An array in row-major order, little-endian, whatever its file used.
struct NpyArray {
  // numpy's kind of an element: 'b' bool, 'i', 'u', 'f', 'c', or 'V' for plain
  // bytes, which is what numpy writes for types of other packages (bf16, f8).
  char kind = 'f';
  int64_t element_bytes = 4;
  std::vector<int64_t> dimensions;
  std::string bytes;

  int64_t element_count() const;
};

// "f4", "b1", "V2": kind and bytes, as numpy abbreviates them.
std::string TypeNameOf(const NpyArray& array);
// "f4[2,3]".
std::string DescriptionOf(const NpyArray& array);

// Parses the contents of an .npy file: versions 1 to 3, either byte order,
// either memory order, bool, integers of 1 to 8 bytes, floats of 2 to 8,
// complex of 8 and 16, raw bytes of 1 and 2. Errors: InvalidArgument.
absl::StatusOr<NpyArray> ParseNpy(std::string contents);

// The contents of an .npy file (version 1).
std::string FormatNpy(const NpyArray& array);

// Errors: NotFound, PermissionDenied, ...; InvalidArgument naming the file.
absl::StatusOr<NpyArray> ReadNpy(const std::string& path);

}  // namespace hilo
