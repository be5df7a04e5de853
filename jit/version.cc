// The version that the project's CMakeLists.txt states.
#include "jit/version.h"

#include "absl/strings/string_view.h"

namespace hilo {

absl::string_view Version() { return HILO_VERSION; }

}  // namespace hilo
