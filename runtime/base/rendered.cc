// Marks statuses by a payload.
#include "runtime/base/rendered.h"

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace hilo {
namespace {

constexpr absl::string_view kPayloadType = "hilo/rendered-diagnostics";

}  // namespace

absl::Status MarkRendered(absl::Status status) {
  status.SetPayload(kPayloadType, absl::Cord());
  return status;
}

bool IsRendered(const absl::Status& status) {
  return status.GetPayload(kPayloadType).has_value();
}

}  // namespace hilo
