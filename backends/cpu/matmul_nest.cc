// Walks through the panels and the tiles of a unit.
#include "backends/cpu/matmul_nest.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_cursor.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_unit.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// Emits the loops of one unit.
class UnitNest {
 public:
  UnitNest(MatmulCode& code, const MatmulUnit& unit, llvm::Value* skips_first)
      : code_(code),
        plan_(code.plan()),
        builder_(code.builder()),
        unit_(unit),
        skips_first_(skips_first) {}

  // The panels (tiles) of the column (row) loops from `level` on. `slot` counts
  // the panels outside.
  absl::Status EmitPanelsFrom(size_t level, llvm::Value* slot,
                              const MatmulCursor& cursor, PanelBody body);
  absl::Status EmitTilesFrom(size_t level, const MatmulCursor& cursor,
                             TileBody body);

 private:
  absl::Status EmitPanelRange(const MatmulRange& panels, llvm::Value* slot,
                              const MatmulCursor& cursor, PanelBody body);
  absl::Status EmitTileRange(const MatmulRange& tiles,
                             const MatmulCursor& cursor, TileBody body);

  MatmulCode& code_;
  const MatmulPlan& plan_;
  llvm::IRBuilderBase& builder_;
  const MatmulUnit& unit_;
  llvm::Value* skips_first_;
};

absl::Status UnitNest::EmitPanelsFrom(size_t level, llvm::Value* slot,
                                      const MatmulCursor& cursor,
                                      PanelBody body) {
  const MatmulLoop& loop = plan_.columns[level];
  if (level + 1 == plan_.columns.size()) {
    return EmitPanelRange(
        level == 0 ? unit_.columns
                   : MatmulRange{code_.Int(0), code_.Int(plan_.panels())},
        slot, cursor, body);
  }
  const MatmulRange range =
      level == 0 ? unit_.columns
                 : MatmulRange{code_.Int(0), code_.Int(loop.size)};
  return EmitLoop(builder_, range.begin, range.end, 1, [&](llvm::Value* i) {
    llvm::Value* local = builder_.CreateSub(i, range.begin);
    const MatmulCursor moved = AtColumn(code_, cursor, loop, i, local);
    const int64_t inner = level + 2 == plan_.columns.size()
                              ? plan_.panels()
                              : plan_.columns[level + 1].size;
    return EmitPanelsFrom(
        level + 1,
        code_.Scale(builder_.CreateAdd(slot, local), inner, code_.Int(0)),
        moved, body);
  });
}

absl::Status UnitNest::EmitPanelRange(const MatmulRange& panels,
                                      llvm::Value* slot,
                                      const MatmulCursor& cursor,
                                      PanelBody body) {
  const MatmulLoop& loop = plan_.columns.back();
  llvm::Value* first_column =
      plan_.columns.size() == 1 ? unit_.first_column : code_.Int(0);
  const auto emit = [&](const MatmulPanel& shape, llvm::Value* panel) {
    llvm::Value* column =
        code_.Scale(panel, plan_.panel_columns(), code_.Int(0));
    const MatmulCursor moved = AtColumn(
        code_, cursor, loop, column, builder_.CreateSub(column, first_column));
    return body(
        shape,
        builder_.CreateAdd(slot, builder_.CreateSub(panel, panels.begin)),
        moved);
  };
  const bool is_depth = plan_.lanes_along == MatmulLanes::kDepth;
  const int lanes = is_depth ? 1 : plan_.lanes;
  const int64_t full = loop.size / plan_.panel_columns();
  const auto rest = static_cast<int>(loop.size % plan_.panel_columns());
  const int vectors = (rest + lanes - 1) / lanes;
  const PanelShape tail{vectors, rest - (vectors - 1) * lanes};
  const MatmulPanel whole{.shape = {plan_.column_tile, lanes}};
  if (rest != 0 && plan_.has_equal_panels()) {
    return EmitLoop(
        builder_, panels.begin, panels.end, 1, [&](llvm::Value* panel) {
          return emit(
              {.shape = whole.shape,
               .last_shape = tail,
               .is_last = builder_.CreateICmpEQ(panel, code_.Int(full))},
              panel);
        });
  }
  RETURN_IF_ERROR(EmitLoop(
      builder_, panels.begin,
      rest == 0 ? panels.end : MinIndex(builder_, panels.end, code_.Int(full)),
      1, [&](llvm::Value* panel) { return emit(whole, panel); }));
  if (rest == 0) return absl::OkStatus();
  return EmitIf(builder_, builder_.CreateICmpSGT(panels.end, code_.Int(full)),
                [&] { return emit({.shape = tail}, code_.Int(full)); });
}

absl::Status UnitNest::EmitTilesFrom(size_t level, const MatmulCursor& cursor,
                                     TileBody body) {
  const MatmulLoop& loop = plan_.rows[level];
  if (level + 1 == plan_.rows.size()) {
    return EmitTileRange(
        level == 0 ? unit_.rows
                   : MatmulRange{code_.Int(0), code_.Int(plan_.row_tiles())},
        cursor, body);
  }
  const MatmulRange range =
      level == 0 ? unit_.rows : MatmulRange{code_.Int(0), code_.Int(loop.size)};
  llvm::Value* first = loop.may_skip_first ? skips_first_ : range.begin;
  return EmitLoop(builder_, first, range.end, 1, [&](llvm::Value* i) {
    const MatmulCursor moved =
        AtRow(code_, cursor, loop, i, builder_.CreateSub(i, range.begin));
    return EmitTilesFrom(level + 1, moved, body);
  });
}

absl::Status UnitNest::EmitTileRange(const MatmulRange& tiles,
                                     const MatmulCursor& cursor,
                                     TileBody body) {
  const MatmulLoop& loop = plan_.rows.back();
  llvm::Value* first_row =
      plan_.rows.size() == 1 ? unit_.first_row : code_.Int(0);
  const auto emit = [&](int rows, llvm::Value* row,
                        llvm::Value* repeated_rows) {
    const MatmulCursor moved =
        AtRow(code_, cursor, loop, row, builder_.CreateSub(row, first_row));
    return body(rows, repeated_rows, moved);
  };
  const int height = plan_.row_tile;
  const bool may_skip = loop.may_skip_first;
  llvm::Value* skipped = may_skip ? skips_first_ : code_.Int(0);
  const bool all_full =
      plan_.full_row_tiles() == plan_.row_tiles() && !may_skip;
  if (!all_full && plan_.has_equal_tiles()) {
    llvm::Value* end = tiles.end;
    if (may_skip) {
      llvm::Value* rest = builder_.CreateSub(code_.Int(loop.size), skipped);
      end = builder_.CreateUDiv(builder_.CreateAdd(rest, code_.Int(height - 1)),
                                code_.Int(height));
    }
    return EmitLoop(builder_, tiles.begin, end, 1, [&](llvm::Value* tile) {
      llvm::Value* next = code_.Scale(tile, height, skipped);
      llvm::Value* row =
          MinIndex(builder_, next, code_.Int(loop.size - height));
      return emit(height, row, builder_.CreateSub(next, row));
    });
  }
  // Without its first row, the loop has one full tile less.
  llvm::Value* full = code_.Int(plan_.full_row_tiles());
  if (may_skip) full = builder_.CreateSub(full, skipped);
  RETURN_IF_ERROR(EmitLoop(
      builder_, tiles.begin,
      all_full ? tiles.end : MinIndex(builder_, tiles.end, full), 1,
      [&](llvm::Value* tile) {
        return emit(height, code_.Scale(tile, height, skipped), nullptr);
      }));
  if (all_full || height == 1) return absl::OkStatus();
  llvm::Value* first = builder_.CreateAdd(full, skipped);
  return EmitLoop(builder_, MaxIndex(builder_, tiles.begin, full), tiles.end, 1,
                  [&](llvm::Value* tile) {
                    return emit(height - 1,
                                code_.Scale(tile, height - 1, first), nullptr);
                  });
}

}  // namespace

absl::Status EmitPanels(MatmulCode& code, const MatmulUnit& unit,
                        PanelBody body) {
  return UnitNest(code, unit, nullptr)
      .EmitPanelsFrom(0, code.Int(0), unit.cursor, body);
}

absl::Status EmitTiles(MatmulCode& code, const MatmulUnit& unit,
                       llvm::Value* skips_first, const MatmulCursor& cursor,
                       TileBody body) {
  return UnitNest(code, unit, skips_first).EmitTilesFrom(0, cursor, body);
}

}  // namespace hilo::backends
