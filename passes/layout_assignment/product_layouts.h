// Lets products store their results in the order in which they are read.
#pragma once

#include "hlo/ir/computation.h"
#include "passes/pass_context.h"

namespace hilo::passes {

// Gives dots that a transpose alone reads, perhaps after a reshape that adds or
// drops dimensions of size 1, the layout that makes the transpose a bitcast,
// where the transposed result's last dimension is one of rows or columns: a dot
// stores runs along either. Returns whether there were any. All
// arrays of the computation are row-major before.
bool AssignProductLayouts(hlo::Computation& computation,
                          const PassContext& context);

}  // namespace hilo::passes
