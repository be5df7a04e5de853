// Gives every array a layout.
#pragma once

#include "absl/status/statusor.h"

#include "hlo/ir/module.h"
#include "passes/pass_context.h"

namespace hilo::passes {

// Makes every array row-major, with a whole number of bytes per element and no
// other properties, in all computations, except
//   - entry parameters and results, which have the order of dimensions and the
//     element size of module.entry_layout(), other properties left out; where
//     those are not the default, copies stand between them and the rest
//     (bitcasts where only dimensions of size 1 differ);
//   - operands and results of custom calls with operand_layout_constraints,
//     which get copies in the same way;
//   - products that a transpose alone reads: product_layouts.h.
// Bitcasts between other layouts become transposes, reshapes and
// bitcast-converts of the same meaning. Every copy is remarked.
//
// Errors: Unimplemented for a bitcast between types of less than a byte that
// are not packed and other types.
absl::StatusOr<bool> AssignLayouts(hlo::Module& module,
                                   const PassContext& context);

}  // namespace hilo::passes
