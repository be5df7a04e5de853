// Attributes as MLIR writes them.
#pragma once

#include <string>

#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {

// "{mode = 78 : ui8, name = \"x\"}", as custom calls take their configuration
// in HLO text. Enumerations are written as their words.
std::string AttributeText(const Attribute& attribute);

}  // namespace hilo::stablehlo
