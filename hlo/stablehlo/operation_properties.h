// What operations have as attributes in bytecode, and what older versions of
// them mean.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

struct Property {
  std::string name;
  bool is_optional = false;
};

// The properties of an operation in the order in which they are written.
std::vector<Property> PropertiesOf(absl::string_view name);

// Gives an operation of VHLO the name and the attributes of today's StableHLO:
// "vhlo.gather_v1" becomes "stablehlo.gather" with `dimension_numbers`. Others
// stay. Errors: versions and operations that do not exist.
void UpgradeOperation(Operation* operation, Diagnostics* diagnostics);

}  // namespace hilo::stablehlo
