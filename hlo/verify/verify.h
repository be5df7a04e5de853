// Checks that a module is well formed.
#pragma once

#include "absl/status/status.h"

#include "hlo/ir/module.h"
#include "runtime/base/diagnostic.h"

namespace hilo::hlo {

// Reports every violation of the rules of the language reference, sections 3
// and 3.12, with the places of instruction and operands. Accepts any module
// that the parser, the builder or a pass can make.
void Verify(const Module& module, Diagnostics* diagnostics);

// The same as a status: all errors rendered, one after the other.
absl::Status Verify(const Module& module);

}  // namespace hilo::hlo
