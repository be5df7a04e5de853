// Instructions that library functions run: prepared when a program is
// compiled, called by its entry code.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "passes/target_traits.h"
#include "runtime/host/element_code.h"

namespace hilo::backends {

// A prepared call. `loop_workers` may be null. `arguments` holds the addresses
// of the operands' array leaves, of the results', of scratch memory if there
// is any, and of the comparator of a sort that calls one.
struct HostFunction {
  std::function<void(void* loop_workers, void* const* arguments)> run;
  int64_t scratch_bytes = 0;
  // The computation that becomes a runtime::SortComparator; null: none.
  const hlo::Computation* comparator = nullptr;
};

// How the library knows an element type.
runtime::ElementCode CodeOf(hlo::ElementType type);

// Whether an instruction is run by a library function.
bool IsHostFunction(const hlo::Instruction& instruction);

// Prepares the call. Errors: Unimplemented, naming the instruction.
absl::StatusOr<HostFunction> PlanHostFunction(
    const hlo::Instruction& instruction, const passes::TargetTraits& traits);

// The families.
absl::StatusOr<HostFunction> PlanSort(const hlo::Instruction& instruction,
                                      const passes::TargetTraits& traits);
absl::StatusOr<HostFunction> PlanTopK(const hlo::Instruction& instruction,
                                      const passes::TargetTraits& traits);
absl::StatusOr<HostFunction> PlanFft(const hlo::Instruction& instruction,
                                     const passes::TargetTraits& traits);
absl::StatusOr<HostFunction> PlanCholesky(const hlo::Instruction& instruction,
                                          const passes::TargetTraits& traits);
absl::StatusOr<HostFunction> PlanTriangularSolve(
    const hlo::Instruction& instruction, const passes::TargetTraits& traits);
absl::StatusOr<HostFunction> PlanCustomCall(const hlo::Instruction& instruction,
                                            const passes::TargetTraits& traits);
absl::StatusOr<HostFunction> PlanPackingCopy(
    const hlo::Instruction& instruction, const passes::TargetTraits& traits);

}  // namespace hilo::backends
