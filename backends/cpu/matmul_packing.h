// Copies of operands that the inner loops of matrix kernels read instead.
#pragma once

#include "absl/status/status.h"

#include "backends/cpu/matmul_code.h"

namespace hilo::backends {

// Emits the packing of one panel, [depth][column] in the accumulator's type.
// `source` points to the first column at the first of `steps` steps (i64) of
// the last depth loop. Lanes beyond the panel's columns are undefined; vectors
// beyond them, up to `width`, hold zeros.
absl::Status EmitPackPanel(MatmulCode& code, const PanelShape& shape, int width,
                           llvm::Value* source, llvm::Value* steps,
                           llvm::Value* panel);

// Emits the copy of what a unit needs. `source` points to the operand at
// position 0 of all dimensions. The unit takes `count` positions (i64) of the
// blocked loop, from `first` on; for copies without a block dimension they are
// ignored.
absl::Status EmitOperandCopy(MatmulCode& code, const OperandCopy& copy,
                             hlo::ElementType source_type, llvm::Value* source,
                             llvm::Value* first, llvm::Value* count,
                             llvm::Value* destination);

}  // namespace hilo::backends
