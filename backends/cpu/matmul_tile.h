// The inner loops of matrix kernels: the sums of one tile, in registers.
#pragma once

#include <vector>

#include "absl/status/statusor.h"

#include "backends/cpu/matmul_code.h"

namespace hilo::backends {

// Where a tile begins in memory, and over which steps it sums.
struct TileOperands {
  llvm::Value* lhs = nullptr;
  llvm::Value* rhs = nullptr;
  // Steps of the last depth loop: fewer than its size only if it is the only
  // one (i64).
  llvm::Value* steps = nullptr;
};

// Emits the sums of `rows` rows by the panel's vectors, row by row, each added
// to its value in `initial`. The lanes of vectors beyond the panel's columns
// are undefined. For plans whose lanes run along columns.
absl::StatusOr<std::vector<ElementValue>> EmitVectorTile(
    MatmulCode& code, int rows, const PanelShape& shape,
    const TileOperands& operands, absl::Span<const ElementValue> initial);

// The same for lanes along the depth: the sums are scalars.
absl::StatusOr<std::vector<ElementValue>> EmitDepthTile(
    MatmulCode& code, int rows, int columns, const TileOperands& operands);

// Bytes between neighbours along a depth loop in what the tile reads of rhs,
// whose packed panels have `vectors` vectors.
int64_t TileRhsDepthStride(const MatmulCode& code, int vectors, size_t level);

}  // namespace hilo::backends
