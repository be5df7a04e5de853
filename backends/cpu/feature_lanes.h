// Convolutions feature by feature: the lanes of vectors are features.
#pragma once

#include "absl/status/status.h"

#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_result.h"

namespace hilo::backends {

// What one unit of a plan with MatmulLanes::kFeatures computes.
struct FeatureUnit {
  // Positions of the first row loop, or tiles if it is the only one (i64).
  llvm::Value* rows_begin = nullptr;
  llvm::Value* rows_end = nullptr;
  llvm::Value* panels_begin = nullptr;
  llvm::Value* panels_end = nullptr;
  // The position that cursor.lhs, and the column that cursor.rhs points to.
  llvm::Value* first_row = nullptr;
  llvm::Value* first_column = nullptr;
  MatmulCursor cursor;
};

// Emits a unit: the sums of each tile of positions for one panel of features
// after the other, so that memory is read in its order. Elements of the window
// that lie on padding are left out: of the last dimension when the code is
// made, which is why the first and last tiles have code of their own.
absl::Status EmitFeatureUnit(MatmulCode& code, MatmulResult& result,
                             const FeatureUnit& unit);

}  // namespace hilo::backends
