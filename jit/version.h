// The version of this build.
#pragma once

#include "absl/strings/string_view.h"

namespace hilo {

// "0.1.0".
absl::string_view Version();

}  // namespace hilo
