// Tells errors whose message is rendered diagnostics from those that are one
// line.
#pragma once

#include "absl/status/status.h"

namespace hilo {

// The status, marked: its message has places, carets and remedies already, and
// is to be printed as it is. `status` is an error.
absl::Status MarkRendered(absl::Status status);

// Whether MarkRendered has made the status, or one that it was copied from.
bool IsRendered(const absl::Status& status);

}  // namespace hilo
