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

// For kernels whose plan has a padded_window. Copies hold zeros where the
// window lies on nothing, which HLO leaves out: the same, unless a weight is
// infinite or NaN. Then the sum is NaN, which hilo_skip_padding looks for: as a
// call, because LLVM takes longer over any code than that takes to run.
class PaddedSums {
 public:
  PaddedSums(MatmulCode& code, const MatmulArguments& arguments,
             const PaddedWindow& window)
      : code_(code),
        plan_(code.plan()),
        builder_(code.builder()),
        arguments_(arguments),
        window_(window) {}

  // Emits the call for the tile at the cursor.
  void Mend(const SumTile& tile, const MatmulCursor& cursor);

 private:
  MatmulCode& code_;
  const MatmulPlan& plan_;
  llvm::IRBuilderBase& builder_;
  const MatmulArguments& arguments_;
  const PaddedWindow& window_;
};

}  // namespace hilo::backends
