// The backends, one row each.
#include "backends/registry.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/backend.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/interpreter/interpreter.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

constexpr std::array kBackends = {
    BackendInfo{.name = "interpreter",
                .doc = "The reference evaluator: slow, and right",
                .create = &CreateInterpreter},
    BackendInfo{.name = "cpu",
                .doc = "Native code for this machine's processor",
                .create = &CreateCpuBackend},
};

}  // namespace

absl::Span<const BackendInfo> Backends() { return kBackends; }

absl::StatusOr<std::unique_ptr<Backend>> CreateBackend(
    absl::string_view name, const BackendOptions& options) {
  std::vector<absl::string_view> names;
  for (const BackendInfo& info : kBackends) {
    if (info.name == name) return info.create(options);
    names.push_back(info.name);
  }
  const std::string suggestion = SuggestNearest(name, names);
  return InvalidArgument(
      "backend '", name, "' is not available in this version; there is: ",
      absl::StrJoin(names, ", "), suggestion.empty() ? "" : "; ", suggestion);
}

}  // namespace hilo::backends
