// Copies where values would overwrite each other, and nowhere else.
#pragma once

#include "absl/status/statusor.h"

#include "hlo/ir/module.h"
#include "passes/buffer_assignment/buffer_options.h"
#include "passes/pass_context.h"

namespace hilo::passes {

// Makes a module fit for AssignBuffers with the same options.
//
// First every sequential computation gets one caller, and what only changes
// the form of arrays (copies in the same layout, reshapes) becomes bitcasts or
// goes away. Then the module is scheduled, and copies are inserted where a
// value cannot lie where a loop, a branch, a result or an operation in place
// needs it, because somebody still reads what lies there. Control predecessors
// keep readers before what overwrites: every order that respects them is safe.
//
// Arrays have default layouts but for entry parameters and results
// (AssignLayouts). Every copy is remarked. Source: the interference checks are
// those of out-of-SSA translation, Boissinot et al., CGO 2009.
absl::StatusOr<bool> InsertCopies(hlo::Module& module,
                                  const PassContext& context,
                                  const BufferOptions& options);

// The same for a backend that shares nothing but what lies in place by
// definition.
absl::StatusOr<bool> InsertCopies(hlo::Module& module,
                                  const PassContext& context);

}  // namespace hilo::passes
