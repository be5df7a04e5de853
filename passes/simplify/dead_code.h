// Removal of what nothing needs, for passes that leave such things behind.
#pragma once

#include "hlo/ir/module.h"
#include "passes/call_graph.h"

namespace hilo::passes {

// Removes the instructions that neither the root nor a side effect needs;
// parameters stay. Returns whether there were any. Ids change.
bool RemoveDeadInstructions(hlo::Computation& computation,
                            const SideEffects& effects);
// The same in all computations that the entry reaches; then removes unused
// computations.
bool RemoveDeadInstructions(hlo::Module& module);

}  // namespace hilo::passes
