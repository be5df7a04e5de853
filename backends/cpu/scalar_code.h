// Straight-line code for single elements, where a kernel would be too much.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"

namespace llvm {
class Function;
class IRBuilderBase;
class Module;
class Value;
}  // namespace llvm

namespace hilo::backends {

// Whether each array of the result has one element, and straight-line code
// computes it.
bool HasScalarCode(const hlo::Instruction& instruction);

// Emits that code. `address_of` gives where array `leaf` of an operand or of
// the result lies.
absl::Status EmitScalarCode(
    const hlo::Instruction& instruction, llvm::IRBuilderBase& builder,
    absl::FunctionRef<llvm::Value*(const hlo::Instruction& value, int64_t leaf)>
        address_of);

// Emits a function `i1 name(ptr elements)` in the form of a SortComparator.
absl::StatusOr<llvm::Function*> EmitComparator(
    const hlo::Computation& comparator, const std::string& name,
    llvm::Module& module);

}  // namespace hilo::backends
