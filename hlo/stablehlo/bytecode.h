// Reads MLIR bytecode: portable artifacts of StableHLO, and plain modules.
#pragma once

#include <memory>

#include "absl/strings/string_view.h"

#include "hlo/stablehlo/syntax.h"
#include "runtime/base/diagnostic.h"

namespace hilo::stablehlo {

inline constexpr absl::string_view kBytecodeMagic = "ML\xEFR";

// Whether a file begins as bytecode does.
bool IsBytecode(absl::string_view bytes);

// The module as its text would give it: operations of the versioned dialect
// (VHLO 0.9 to 1.20) have the names and attributes of today's StableHLO. Null
// after errors, whose offsets are bytes of the file. `diagnostics` must have no
// errors yet; values have numbers as names.
std::unique_ptr<SyntaxModule> ReadBytecode(absl::string_view bytes,
                                           Diagnostics* diagnostics);

}  // namespace hilo::stablehlo
