// Products with what is done to their results, for kernels made of them.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/instruction.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace hilo::backends {

// What the kernel of a product stores: the results of a fusion around it, or
// the product itself.
std::vector<const hlo::Instruction*> StoredProducts(
    const hlo::Instruction& instruction);

// Emits the function of a product, a dot or convolution or a fusion around one,
// by its plan. Errors: those of what is done to the results.
absl::Status EmitProduct(const hlo::Instruction& instruction,
                         const MatmulPlan& plan, absl::string_view name,
                         llvm::Module& module);

}  // namespace hilo::backends
