// Gives every sequential computation a caller of its own.
#pragma once

#include "absl/status/statusor.h"

#include "hlo/ir/module.h"

namespace hilo::passes {

// Clones what while, conditional and call run when something else runs it,
// too. Returns whether anything was cloned. Errors: ResourceExhausted when the
// module would grow beyond all use.
absl::StatusOr<bool> FlattenCalls(hlo::Module& module);

}  // namespace hilo::passes
