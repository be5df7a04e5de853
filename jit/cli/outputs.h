// Results as text, numpy files or JSON.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/literal.h"

namespace hilo::cli {

// The forms of results, as --format names them.
std::vector<std::string> OutputFormats();

// The results in `format`: a line "f32[2] {1, 2}" each; an .npy file, of one
// result; an .npz file with arrays output0, output1, ...; or a JSON array of
// objects {name, type, shape, data}. Errors: InvalidArgument when the format
// cannot hold the results.
absl::StatusOr<std::string> FormatResults(
    absl::Span<const hlo::Literal> results, absl::string_view format);

// The format that the name of an output file asks for; "text" for others.
std::string FormatOfFile(absl::string_view path);

}  // namespace hilo::cli
