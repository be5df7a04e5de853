// Mends the sums of convolutions that multiply padding by their weights.
#pragma once

#include <cstdint>

#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_cursor.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_unit.h"

namespace hilo::backends {

// The sums of a tile in memory, row by row.
struct SumTile {
  int rows = 1;
  // Columns that exist (i64).
  llvm::Value* columns = nullptr;
  llvm::Value* memory = nullptr;
  // Sums from one row to the next.
  int64_t row_stride = 0;
};

// Emits a call that mends the sums of the tile at the cursor, for kernels whose
// plan has a padded window. Copies hold zeros where the window lies on nothing,
// which HLO leaves out: the same, unless a weight is infinite or NaN. Then the
// sum is NaN, which hilo_skip_padding looks for: LLVM takes longer over any
// code for that than the call takes to run.
void EmitSkipPadding(MatmulCode& code, const MatmulArguments& arguments,
                     const PaddedWindow& window, const SumTile& tile,
                     const MatmulCursor& cursor);

}  // namespace hilo::backends
