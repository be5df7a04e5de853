// Several named arrays in one file: the .npz format.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "jit/npy.h"

namespace hilo {

using NamedArray = std::pair<std::string, NpyArray>;

// The arrays of a zip of .npy files, in the order of the file, their names
// without ".npy". Errors: as ReadNpy, naming file and array.
absl::StatusOr<std::vector<NamedArray>> ReadNpz(const std::string& path);

// The contents of an .npz file: entries stored without compression, in order,
// with fixed times, so that the same arrays give the same bytes.
// Errors: InvalidArgument when two arrays have one name.
absl::StatusOr<std::string> FormatNpz(absl::Span<const NamedArray> arrays);

// Writes FormatNpz(arrays) to `path`.
absl::Status WriteNpz(const std::string& path,
                      absl::Span<const NamedArray> arrays);

}  // namespace hilo
