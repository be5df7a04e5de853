// Shrinks modules that show a fault.
#pragma once

#include <functional>
#include <memory>

#include "hlo/ir/module.h"

namespace hilo::fuzzing {

// Whether a verified module still shows the fault.
using FaultPredicate = std::function<bool(const hlo::Module& module)>;

// Drops outputs, puts operands, parameters, zeros and values in place of
// instructions, inlines calls, and makes sizes smaller, as long as the fault
// stays. `module` is verified and shows it, and so does what is returned.
std::unique_ptr<hlo::Module> ReduceModule(const hlo::Module& module,
                                          const FaultPredicate& has_fault);

}  // namespace hilo::fuzzing
