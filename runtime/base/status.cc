// Joins an error with its context.
#include "runtime/base/status.h"

namespace hilo {

StatusBuilder::operator absl::Status() const {
  const std::string context = context_.str();
  if (context.empty()) return status_;
  return absl::Status(status_.code(),
                      absl::StrCat(status_.message(), "; ", context));
}

}  // namespace hilo
