// Whole files: reading and writing them with errors that name the file.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hilo {

// The contents of `path`; "-" is standard input. Errors: NotFound with the
// names nearest to it in its directory; otherwise what the system says.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Creates or overwrites `path`; a regular file that could not be written
// completely is removed.
absl::Status WriteFile(const std::string& path, absl::string_view contents);

// The same for a file that is not there yet. Errors: AlreadyExists when it is.
absl::Status WriteNewFile(const std::string& path, absl::string_view contents);

// Creates a directory, and those above it, unless it is there. Errors: what the
// system says.
absl::Status CreateDirectory(const std::string& path);

// Writes to an open file descriptor. Errors: what the system says, naming
// `name`.
absl::Status WriteDescriptor(int descriptor, absl::string_view name,
                             absl::string_view contents);

}  // namespace hilo
