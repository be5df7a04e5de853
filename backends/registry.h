// The table of backends.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/backend.h"

namespace hilo::backends {

// A row of the table.
struct BackendInfo {
  absl::string_view name;
  absl::string_view doc;
  absl::StatusOr<std::unique_ptr<Backend>> (*create)(
      const BackendOptions& options) = nullptr;
};

// All backends of this build; the first is the default.
absl::Span<const BackendInfo> Backends();

// Errors: InvalidArgument that lists the backends and the nearest name, or for
// a cache directory that cannot be used.
absl::StatusOr<std::unique_ptr<Backend>> CreateBackend(
    absl::string_view name, const BackendOptions& options);

}  // namespace hilo::backends
