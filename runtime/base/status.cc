// Joins an error with its context.
#include "runtime/base/status.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hilo {

StatusBuilder::operator absl::Status() const {
  const std::string context = context_.str();
  if (context.empty()) return status_;
  return {status_.code(), absl::StrCat(status_.message(), "; ", context)};
}

}  // namespace hilo
