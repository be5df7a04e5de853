// Loops over the panels and the tiles of a unit of a matrix kernel.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_cursor.h"
#include "backends/cpu/matmul_unit.h"

namespace hilo::backends {

// A panel whose code is emitted.
struct MatmulPanel {
  PanelShape shape;
  // With equal panels: the columns that exist in the last one, and whether this
  // is it (i1).
  PanelShape last_shape = {};
  llvm::Value* is_last = nullptr;
};

// Emits code for a panel; `slot` counts the panels of the unit (i64).
using PanelBody = absl::FunctionRef<absl::Status(
    const MatmulPanel& panel, llvm::Value* slot, const MatmulCursor& cursor)>;

// Emits the loops over all panels of a unit.
absl::Status EmitPanels(MatmulCode& code, const MatmulUnit& unit,
                        PanelBody body);

// Emits code for a tile of `rows` rows. With equal tiles, `repeated_rows` of
// the last one are those of the tile before, too (i64); null: none ever is.
using TileBody = absl::FunctionRef<absl::Status(
    int rows, llvm::Value* repeated_rows, const MatmulCursor& cursor)>;

// Emits the loops over all tiles of a unit in one panel, where `cursor` stands.
// `skips_first` as in MatmulBlockFacts (i64), null if this is no block.
absl::Status EmitTiles(MatmulCode& code, const MatmulUnit& unit,
                       llvm::Value* skips_first, const MatmulCursor& cursor,
                       TileBody body);

}  // namespace hilo::backends
