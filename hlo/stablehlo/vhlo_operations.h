// The operations of the versioned dialect VHLO.
#pragma once

#include "absl/strings/string_view.h"

namespace hilo::stablehlo {

struct VhloOperation {
  // Without dialect and version.
  absl::string_view name;
  int version;
  // In the order in which bytecode has them: by name, a space between.
  absl::string_view attributes;
};

// "gather_v2"; null when there is none of this name and version.
const VhloOperation* FindVhloOperation(absl::string_view name);

}  // namespace hilo::stablehlo
