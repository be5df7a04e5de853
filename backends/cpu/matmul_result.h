// Stores the tiles of matrix products, through their epilogue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_cursor.h"
#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_unit.h"

namespace hilo::backends {

// The part of a tile that is stored, and where in the sum its depth block lies.
struct TilePart {
  // The first row (i64); the others follow it.
  llvm::Value* first_row = nullptr;
  // Columns from the first one on (i64).
  llvm::Value* columns = nullptr;
  // Whether the sums begin or end with this depth block (i1); null if all of
  // the sum is there.
  llvm::Value* is_first = nullptr;
  llvm::Value* is_last = nullptr;
};

// Emits stores of finished sums.
class MatmulResult {
 public:
  // `entry` is where stack memory may be allocated: the builder's position.
  MatmulResult(MatmulCode& code, const MatmulEpilogue& epilogue,
               const MatmulArguments& arguments);

  // Sums of a tile of vectors, row by row.
  absl::Status StoreVectors(int rows, const PanelShape& shape,
                            absl::Span<const ElementValue> sums,
                            const MatmulCursor& cursor);
  // Some of the sums of a tile of vectors, one after the other.
  absl::Status StorePart(int rows, const PanelShape& shape,
                         absl::Span<const ElementValue> sums,
                         const TilePart& part, const MatmulCursor& cursor);
  // Sums of a tile of scalars, row by row.
  absl::Status StoreScalars(int rows, int columns,
                            absl::Span<const ElementValue> given,
                            const MatmulCursor& cursor);
  // Fetches the output's cache lines under a tile.
  void Prefetch(int rows, const PanelShape& shape, const MatmulCursor& cursor);
  // Stores sums that more will be added to.
  void StorePartial(int rows, const PanelShape& shape,
                    absl::Span<const ElementValue> sums,
                    const MatmulCursor& cursor);
  // The sums and what StorePartial stored before.
  std::vector<ElementValue> AddPartial(int rows, const PanelShape& shape,
                                       absl::Span<const ElementValue> sums,
                                       const MatmulCursor& cursor);

  // Whether partial sums and results are one and the same.
  bool IsPlain() const;

 private:
  // Mends the sums in the tile where the plan has a padded_window: then they
  // are those of all the depth.
  void MendTile(int rows, int64_t row_stride, llvm::Value* columns,
                const MatmulCursor& cursor);
  absl::Status StoreFromTile(int rows, const PanelShape& shape,
                             const MatmulCursor& cursor);
  void StoreToTile(absl::Span<const ElementValue> sums);
  // Where in the tile a sum is.
  llvm::Value* InTile(absl::Span<const ElementValue> sums, size_t i);
  absl::Status StoreElementwise(int rows, const PanelShape& shape,
                                const TilePart& part,
                                const MatmulCursor& cursor);
  absl::Status FinishBlock(const ElementValue& sum, const TilePart& part,
                           const MatmulCursor& cursor);
  absl::Status Finish(const ElementValue& sum, const MatmulCursor& cursor,
                      llvm::Value* mask);
  MatmulCursor Moved(const MatmulCursor& cursor, llvm::Value* rows,
                     llvm::Value* columns);
  llvm::Value* PartialPointer(const MatmulCursor& cursor, int row, int vector);

  MatmulCode& code_;
  const MatmulPlan& plan_;
  const MatmulEpilogue& epilogue_;
  const MatmulArguments& arguments_;
  // Stack memory for one tile in the accumulator's type; null if not needed.
  llvm::Value* tile_ = nullptr;
  // All vectors are stored by way of it.
  bool stores_from_tile_ = false;
};

}  // namespace hilo::backends
