// Emits the loops of matrix products.
#include "backends/cpu/matmul_emitter.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Casting.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/feature_lanes.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_packing.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_result.h"
#include "backends/cpu/matmul_tile.h"
#include "backends/cpu/matmul_tiling.h"
#include "hlo/ir/element_type.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// A run of positions of the first row or column loop, or of tiles or panels.
struct Block {
  llvm::Value* begin = nullptr;
  llvm::Value* end = nullptr;
};

// A panel whose code is emitted.
struct Panel {
  PanelShape shape;
  // With equal panels: the columns that exist in the last one, and whether this
  // is it (i1).
  PanelShape last_shape = {};
  llvm::Value* is_last = nullptr;
};

// Emits the loops around the tiles of one kernel.
class MatmulNest {
 public:
  MatmulNest(MatmulCode& code, llvm::Function& function,
             const MatmulEpilogue& epilogue);

  absl::Status Emit();

 private:
  // What units hand on: where the copies in scratch come from.
  struct Kept {
    llvm::Value* lhs_source = nullptr;
    llvm::Value* lhs_first = nullptr;
    llvm::Value* rhs_source = nullptr;
    llvm::Value* rhs_first = nullptr;
  };
  struct Unit {
    Block rows;
    Block columns;
    // First row or column of the blocks, counted along the first loop.
    llvm::Value* first_row = nullptr;
    llvm::Value* first_column = nullptr;
    // Whether panels have to be packed (i1).
    llvm::Value* packs = nullptr;
    MatmulCursor cursor;
  };
  using TileBody = std::function<absl::Status(
      int rows, llvm::Value* repeated_rows, const MatmulCursor& cursor)>;
  using PanelBody = std::function<absl::Status(
      const Panel& panel, llvm::Value* slot, const MatmulCursor& cursor)>;

  llvm::Value* LoadArgument(int64_t number);
  absl::StatusOr<CarriedValues> EmitUnit(
      llvm::Value* number, absl::Span<llvm::Value* const> carried);
  Unit Decode(llvm::Value* number);
  void MoveToBatch(const MatmulLoop& loop, llvm::Value* index, Unit& unit);
  Block BlockOf(llvm::Value* number, int64_t block, int64_t positions);
  llvm::Value* FirstRowOfTile(llvm::Value* tile);
  absl::Status EnsureCopy(const OperandCopy& copy, hlo::ElementType type,
                          llvm::Value* first, llvm::Value* count,
                          llvm::Value* kept_source, llvm::Value* kept_first,
                          llvm::Value* destination, llvm::Value*& pointer);
  absl::Status CopyOperands(const Kept& kept, Unit& unit);
  absl::Status EmitPanels(const Unit& unit, const PanelBody& body);
  absl::Status EmitPanelsFrom(size_t level, const Unit& unit, llvm::Value* slot,
                              const MatmulCursor& cursor,
                              const PanelBody& body);
  absl::Status EmitPanelRange(const Block& panels, const Unit& unit,
                              llvm::Value* slot, const MatmulCursor& cursor,
                              const PanelBody& body);
  absl::Status EmitTilesFrom(size_t level, const Unit& unit,
                             const MatmulCursor& cursor, const TileBody& body);
  absl::Status EmitTileRange(const Block& tiles, const Unit& unit,
                             const MatmulCursor& cursor, const TileBody& body);
  absl::Status EmitDepthBlock(const Unit& unit, llvm::Value* first_step);
  absl::Status EmitPacking(const Panel& panel, llvm::Value* source,
                           llvm::Value* steps, llvm::Value* destination);
  absl::Status EmitTile(int rows, llvm::Value* repeated_rows,
                        const Panel& panel, const TileOperands& operands,
                        llvm::Value* first_step, const MatmulCursor& cursor);
  absl::Status StoreTile(int rows, const PanelShape& shape,
                         std::vector<ElementValue> sums, const TilePart& part,
                         const MatmulCursor& cursor);

  MatmulCode& code_;
  const MatmulPlan& plan_;
  llvm::IRBuilderBase& builder_;
  llvm::Function& function_;
  llvm::Value* lhs_ = nullptr;
  llvm::Value* rhs_ = nullptr;
  CarriedValues epilogue_operands_;
  llvm::Value* output_ = nullptr;
  llvm::Value* lhs_copy_ = nullptr;
  llvm::Value* rhs_copy_ = nullptr;
  llvm::Value* panels_ = nullptr;
  // MatmulBlockFacts: an i1 and i64s; null if this is no block.
  llvm::Value* block_packs_ = nullptr;
  llvm::Value* block_offset_ = nullptr;
  llvm::Value* skips_first_ = nullptr;
  MatmulResult result_;
};

llvm::Value* MatmulNest::LoadArgument(int64_t number) {
  return builder_.CreateLoad(
      builder_.getPtrTy(),
      builder_.CreateConstGEP1_64(builder_.getPtrTy(), function_.getArg(0),
                                  static_cast<uint64_t>(number)));
}

MatmulNest::MatmulNest(MatmulCode& code, llvm::Function& function,
                       const MatmulEpilogue& epilogue)
    : code_(code),
      plan_(code.plan()),
      builder_(code.builder()),
      function_(function),
      lhs_(LoadArgument(plan_.is_swapped ? 1 : 0)),
      rhs_(LoadArgument(plan_.is_swapped ? 0 : 1)),
      epilogue_operands_([&] {
        CarriedValues operands;
        for (int64_t i = 0; i < epilogue.operand_count; ++i) {
          operands.push_back(LoadArgument(2 + i));
        }
        for (int64_t i = 0; i < epilogue.further_output_count; ++i) {
          operands.push_back(LoadArgument(3 + epilogue.operand_count + i));
        }
        return operands;
      }()),
      output_(LoadArgument(2 + epilogue.operand_count)),
      result_(code, epilogue, epilogue_operands_) {
  const int64_t scratch =
      3 + epilogue.operand_count + epilogue.further_output_count;
  if (plan_.is_block) {
    const int64_t facts = scratch + (plan_.chunk_bytes == 0 ? 0 : 1);
    block_packs_ = builder_.CreateIsNotNull(LoadArgument(facts));
    block_offset_ =
        builder_.CreatePtrToInt(LoadArgument(facts + 1), builder_.getInt64Ty());
    skips_first_ =
        builder_.CreatePtrToInt(LoadArgument(facts + 2), builder_.getInt64Ty());
  }
  if (plan_.chunk_bytes == 0) return;
  llvm::Value* chunk =
      builder_.CreateUDiv(function.getArg(1), code.Int(plan_.grain));
  lhs_copy_ = code.Advance(LoadArgument(scratch), chunk, plan_.chunk_bytes);
  rhs_copy_ = code.Advance(lhs_copy_, MatmulLhsCopyBytes(plan_));
  panels_ = code.Advance(rhs_copy_, MatmulRhsCopyBytes(plan_));
}

absl::Status MatmulNest::Emit() {
  CarriedValues kept;
  for (const OperandCopy* copy : {&plan_.lhs_copy, &plan_.rhs_copy}) {
    if (!copy->is_enabled) continue;
    kept.push_back(llvm::ConstantPointerNull::get(builder_.getPtrTy()));
    kept.push_back(code_.Int(-1));
  }
  RETURN_IF_ERROR(
      EmitLoopWithValues(
          builder_, function_.getArg(1), function_.getArg(2), 1, kept,
          [&](llvm::Value* unit, absl::Span<llvm::Value* const> carried) {
            return EmitUnit(unit, carried);
          })
          .status());
  builder_.CreateRetVoid();
  return absl::OkStatus();
}

absl::StatusOr<CarriedValues> MatmulNest::EmitUnit(
    llvm::Value* number, absl::Span<llvm::Value* const> carried) {
  Unit unit = Decode(number);
  Kept kept;
  CarriedValues next;
  if (plan_.lhs_copy.is_enabled) {
    kept.lhs_source = carried[0];
    kept.lhs_first = carried[1];
    next = {unit.cursor.lhs, unit.first_row};
    carried.remove_prefix(2);
  }
  if (plan_.rhs_copy.is_enabled) {
    kept.rhs_source = carried[0];
    kept.rhs_first = carried[1];
    next.push_back(unit.cursor.rhs);
    next.push_back(unit.first_column);
  }
  RETURN_IF_ERROR(CopyOperands(kept, unit));
  if (plan_.lanes_along == MatmulLanes::kFeatures) {
    RETURN_IF_ERROR(EmitFeatureUnit(code_, result_,
                                    {.rows_begin = unit.rows.begin,
                                     .rows_end = unit.rows.end,
                                     .panels_begin = unit.columns.begin,
                                     .panels_end = unit.columns.end,
                                     .first_row = unit.first_row,
                                     .first_column = unit.first_column,
                                     .cursor = unit.cursor}));
    return next;
  }
  const int64_t depth = plan_.depth.back().size;
  if (plan_.depth_block >= depth) {
    RETURN_IF_ERROR(EmitDepthBlock(unit, code_.Int(0)));
  } else {
    RETURN_IF_ERROR(EmitLoop(
        builder_, code_.Int(0), code_.Int(depth), plan_.depth_block,
        [&](llvm::Value* step) { return EmitDepthBlock(unit, step); }));
  }
  return next;
}

void MatmulNest::MoveToBatch(const MatmulLoop& loop, llvm::Value* index,
                             Unit& unit) {
  MatmulCursor& cursor = unit.cursor;
  cursor.lhs = code_.Advance(
      cursor.lhs, index, loop.lhs_stride * hlo::StorageBytes(plan_.lhs_type));
  cursor.rhs = code_.Advance(
      cursor.rhs, index, loop.rhs_stride * hlo::StorageBytes(plan_.rhs_type));
  cursor.output = code_.Advance(cursor.output, index,
                                loop.output_stride * code_.stored_bytes());
  cursor.output_offset =
      code_.Scale(index, loop.output_stride, cursor.output_offset);
}

Block MatmulNest::BlockOf(llvm::Value* number, int64_t block,
                          int64_t positions) {
  if (block >= positions) return {code_.Int(0), code_.Int(positions)};
  llvm::Value* begin = code_.Scale(number, block, code_.Int(0));
  return {begin, MinIndex(builder_, builder_.CreateAdd(begin, code_.Int(block)),
                          code_.Int(positions))};
}

// Tiles of full height come first, if not all have it.
llvm::Value* MatmulNest::FirstRowOfTile(llvm::Value* tile) {
  if (plan_.has_equal_tiles()) {
    return code_.Scale(tile, plan_.row_tile, code_.Int(0));
  }
  if (plan_.lanes_along == MatmulLanes::kFeatures) {
    return MinIndex(builder_, code_.Scale(tile, plan_.row_tile, code_.Int(0)),
                    code_.Int(plan_.rows[0].size));
  }
  llvm::Value* full =
      MinIndex(builder_, tile, code_.Int(plan_.full_row_tiles()));
  return code_.Scale(tile, plan_.row_tile - 1, full);
}

MatmulNest::Unit MatmulNest::Decode(llvm::Value* number) {
  llvm::Value* all = number;
  const auto digit = [&](int64_t size) -> llvm::Value* {
    if (size == 1) return code_.Int(0);
    llvm::Value* base = code_.Int(size);
    llvm::Value* index = builder_.CreateURem(number, base);
    number = builder_.CreateUDiv(number, base);
    return index;
  };
  Unit unit;
  unit.cursor = {
      .lhs = code_.Advance(
          lhs_, plan_.lhs_offset * hlo::StorageBytes(plan_.lhs_type)),
      .rhs = code_.Advance(
          rhs_, plan_.rhs_offset * hlo::StorageBytes(plan_.rhs_type)),
      .output =
          code_.Advance(output_, plan_.output_offset * code_.stored_bytes()),
      .batch = CarriedValues(plan_.batch.size()),
      .row = code_.Int(0),
      .column = code_.Int(0),
      .output_offset =
          plan_.is_block ? block_offset_ : code_.Int(plan_.output_offset)};
  const bool has_one_row_loop = plan_.rows.size() == 1;
  const bool has_one_column_loop = plan_.columns.size() == 1;
  llvm::Value* row_block = digit(plan_.row_blocks());
  unit.rows =
      BlockOf(row_block, plan_.row_block,
              has_one_row_loop ? plan_.row_tiles() : plan_.rows[0].size);
  unit.first_row =
      has_one_row_loop ? FirstRowOfTile(unit.rows.begin) : unit.rows.begin;
  llvm::Value* repeats = row_block;
  size_t i = plan_.batch.size();
  for (; i > 0 && plan_.batch[i - 1].rhs_stride == 0; --i) {
    unit.cursor.batch[i - 1] = digit(plan_.batch[i - 1].size);
    repeats = builder_.CreateOr(repeats, unit.cursor.batch[i - 1]);
  }
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(repeats);
  unit.packs =
      plan_.is_block ? block_packs_
      : constant != nullptr && constant->isZero()
          ? static_cast<llvm::Value*>(builder_.getTrue())
          : builder_.CreateOr(builder_.CreateICmpEQ(repeats, code_.Int(0)),
                              builder_.CreateICmpEQ(all, function_.getArg(1)));
  unit.columns =
      BlockOf(digit(plan_.column_blocks()), plan_.column_block,
              has_one_column_loop ? plan_.panels() : plan_.columns[0].size);
  unit.first_column =
      has_one_column_loop
          ? code_.Scale(unit.columns.begin, plan_.panel_columns(), code_.Int(0))
          : unit.columns.begin;
  for (; i > 0; --i) {
    unit.cursor.batch[i - 1] = digit(plan_.batch[i - 1].size);
  }
  for (size_t b = 0; b < plan_.batch.size(); ++b) {
    MoveToBatch(plan_.batch[b], unit.cursor.batch[b], unit);
  }
  return unit;
}

// Makes `pointer`, which points to the operand at position 0, point to what the
// block reads: into the operand, or to a copy.
absl::Status MatmulNest::EnsureCopy(
    const OperandCopy& copy, hlo::ElementType type, llvm::Value* first,
    llvm::Value* count, llvm::Value* kept_source, llvm::Value* kept_first,
    llvm::Value* destination, llvm::Value*& pointer) {
  llvm::Value* source = pointer;
  pointer = destination;
  llvm::Value* is_stale =
      builder_.CreateOr(builder_.CreateICmpNE(source, kept_source),
                        builder_.CreateICmpNE(first, kept_first));
  return EmitIf(builder_, is_stale, [&] {
    return EmitOperandCopy(code_, copy, type, source, first, count,
                           destination);
  });
}

absl::Status MatmulNest::CopyOperands(const Kept& kept, Unit& unit) {
  MatmulCursor& cursor = unit.cursor;
  if (plan_.lhs_copy.is_enabled) {
    llvm::Value* end =
        plan_.rows.size() == 1 ? FirstRowOfTile(unit.rows.end) : unit.rows.end;
    RETURN_IF_ERROR(EnsureCopy(plan_.lhs_copy, plan_.lhs_type, unit.first_row,
                               builder_.CreateSub(end, unit.first_row),
                               kept.lhs_source, kept.lhs_first, lhs_copy_,
                               cursor.lhs));
  } else {
    cursor.lhs = code_.Advance(cursor.lhs, unit.first_row,
                               plan_.rows[0].lhs_stride * code_.lhs_bytes());
  }
  const int64_t rhs_bytes = hlo::StorageBytes(plan_.rhs_type);
  if (plan_.rhs_copy.is_enabled) {
    llvm::Value* end = unit.columns.end;
    if (plan_.columns.size() == 1) {
      end = MinIndex(builder_,
                     code_.Scale(end, plan_.panel_columns(), code_.Int(0)),
                     code_.Int(plan_.columns[0].size));
    }
    RETURN_IF_ERROR(
        EnsureCopy(plan_.rhs_copy, plan_.rhs_type, unit.first_column,
                   builder_.CreateSub(end, unit.first_column), kept.rhs_source,
                   kept.rhs_first, rhs_copy_, cursor.rhs));
  } else {
    cursor.rhs = code_.Advance(cursor.rhs, unit.first_column,
                               plan_.columns[0].rhs_stride * rhs_bytes);
  }
  return absl::OkStatus();
}

absl::Status MatmulNest::EmitPanels(const Unit& unit, const PanelBody& body) {
  return EmitPanelsFrom(0, unit, code_.Int(0), unit.cursor, body);
}

// `slot` counts the panels of the block.
absl::Status MatmulNest::EmitPanelsFrom(size_t level, const Unit& unit,
                                        llvm::Value* slot,
                                        const MatmulCursor& cursor,
                                        const PanelBody& body) {
  const MatmulLoop& loop = plan_.columns[level];
  if (level + 1 == plan_.columns.size()) {
    return EmitPanelRange(level == 0
                              ? unit.columns
                              : Block{code_.Int(0), code_.Int(plan_.panels())},
                          unit, slot, cursor, body);
  }
  const Block range =
      level == 0 ? unit.columns : Block{code_.Int(0), code_.Int(loop.size)};
  const int64_t source_bytes = plan_.rhs_copy.is_enabled
                                   ? code_.accumulator_bytes()
                                   : hlo::StorageBytes(plan_.rhs_type);
  return EmitLoop(builder_, range.begin, range.end, 1, [&](llvm::Value* i) {
    MatmulCursor moved = cursor;
    llvm::Value* local = builder_.CreateSub(i, range.begin);
    moved.rhs =
        code_.Advance(cursor.rhs, local, loop.rhs_stride * source_bytes);
    moved.lhs =
        code_.Advance(cursor.lhs, i, loop.lhs_stride * code_.lhs_bytes());
    moved.output = code_.Advance(cursor.output, i,
                                 loop.output_stride * code_.stored_bytes());
    moved.output_offset =
        code_.Scale(i, loop.output_stride, cursor.output_offset);
    moved.column = code_.Scale(cursor.column, loop.size, i);
    const int64_t inner = level + 2 == plan_.columns.size()
                              ? plan_.panels()
                              : plan_.columns[level + 1].size;
    return EmitPanelsFrom(
        level + 1, unit,
        code_.Scale(builder_.CreateAdd(slot, local), inner, code_.Int(0)),
        moved, body);
  });
}

absl::Status MatmulNest::EmitPanelRange(const Block& panels, const Unit& unit,
                                        llvm::Value* slot,
                                        const MatmulCursor& cursor,
                                        const PanelBody& body) {
  const MatmulLoop& loop = plan_.columns.back();
  const int64_t source_bytes = plan_.rhs_copy.is_enabled
                                   ? code_.accumulator_bytes()
                                   : hlo::StorageBytes(plan_.rhs_type);
  llvm::Value* first_column =
      plan_.columns.size() == 1 ? unit.first_column : code_.Int(0);
  const auto emit = [&](const Panel& shape, llvm::Value* panel) {
    MatmulCursor moved = cursor;
    llvm::Value* column =
        code_.Scale(panel, plan_.panel_columns(), code_.Int(0));
    moved.rhs =
        code_.Advance(cursor.rhs, builder_.CreateSub(column, first_column),
                      loop.rhs_stride * source_bytes);
    moved.lhs =
        code_.Advance(cursor.lhs, column, loop.lhs_stride * code_.lhs_bytes());
    moved.output = code_.Advance(cursor.output, column,
                                 loop.output_stride * code_.stored_bytes());
    moved.output_offset =
        code_.Scale(column, loop.output_stride, cursor.output_offset);
    moved.column = code_.Scale(cursor.column, loop.size, column);
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
  const Panel whole{.shape = {plan_.column_tile, lanes}};
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

absl::Status MatmulNest::EmitTilesFrom(size_t level, const Unit& unit,
                                       const MatmulCursor& cursor,
                                       const TileBody& body) {
  const MatmulLoop& loop = plan_.rows[level];
  if (level + 1 == plan_.rows.size()) {
    return EmitTileRange(
        level == 0 ? unit.rows
                   : Block{code_.Int(0), code_.Int(plan_.row_tiles())},
        unit, cursor, body);
  }
  const Block range =
      level == 0 ? unit.rows : Block{code_.Int(0), code_.Int(loop.size)};
  llvm::Value* first = loop.may_skip_first ? skips_first_ : range.begin;
  return EmitLoop(builder_, first, range.end, 1, [&](llvm::Value* i) {
    MatmulCursor moved = cursor;
    moved.lhs = code_.Advance(cursor.lhs, builder_.CreateSub(i, range.begin),
                              loop.lhs_stride * code_.lhs_bytes());
    moved.output = code_.Advance(cursor.output, i,
                                 loop.output_stride * code_.stored_bytes());
    moved.output_offset =
        code_.Scale(i, loop.output_stride, cursor.output_offset);
    moved.row = code_.Scale(cursor.row, loop.size, i);
    return EmitTilesFrom(level + 1, unit, moved, body);
  });
}

absl::Status MatmulNest::EmitTileRange(const Block& tiles, const Unit& unit,
                                       const MatmulCursor& cursor,
                                       const TileBody& body) {
  const MatmulLoop& loop = plan_.rows.back();
  llvm::Value* first_row =
      plan_.rows.size() == 1 ? unit.first_row : code_.Int(0);
  const auto emit = [&](int rows, llvm::Value* row,
                        llvm::Value* repeated_rows) {
    MatmulCursor moved = cursor;
    moved.lhs = code_.Advance(cursor.lhs, builder_.CreateSub(row, first_row),
                              loop.lhs_stride * code_.lhs_bytes());
    moved.output = code_.Advance(cursor.output, row,
                                 loop.output_stride * code_.stored_bytes());
    moved.output_offset =
        code_.Scale(row, loop.output_stride, cursor.output_offset);
    moved.row = code_.Scale(cursor.row, loop.size, row);
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

absl::Status MatmulNest::EmitPacking(const Panel& panel, llvm::Value* source,
                                     llvm::Value* steps,
                                     llvm::Value* destination) {
  const auto pack = [&](const PanelShape& shape) {
    return EmitPackPanel(code_, shape, panel.shape.vectors, source, steps,
                         destination);
  };
  if (panel.is_last == nullptr) return pack(panel.shape);
  return EmitIf(
      builder_, panel.is_last, [&] { return pack(panel.last_shape); },
      [&] { return pack(panel.shape); });
}

// All tiles of a unit, over depth_block steps.
absl::Status MatmulNest::EmitDepthBlock(const Unit& unit,
                                        llvm::Value* first_step) {
  const MatmulLoop& depth = plan_.depth.back();
  llvm::Value* steps = code_.Int(depth.size);
  if (plan_.depth_block < depth.size) {
    steps = code_.Int(plan_.depth_block);
    if (depth.size % plan_.depth_block != 0) {
      steps = MinIndex(builder_, steps,
                       builder_.CreateSub(code_.Int(depth.size), first_step));
    }
  }
  return EmitPanels(
      unit,
      [&](const Panel& panel, llvm::Value* slot,
          const MatmulCursor& cursor) -> absl::Status {
        const int64_t source_bytes = plan_.rhs_copy.is_enabled
                                         ? code_.accumulator_bytes()
                                         : hlo::StorageBytes(plan_.rhs_type);
        llvm::Value* rhs = code_.Advance(cursor.rhs, first_step,
                                         depth.rhs_stride * source_bytes);
        if (plan_.packs_rhs) {
          const int64_t panel_bytes = plan_.depth_count() *
                                      plan_.panel_columns() *
                                      code_.accumulator_bytes();
          llvm::Value* packed = KeepsPanels(plan_)
                                    ? code_.Advance(panels_, slot, panel_bytes)
                                    : panels_;
          packed = code_.Advance(packed, first_step,
                                 TileRhsDepthStride(code_, panel.shape.vectors,
                                                    plan_.depth.size() - 1));
          RETURN_IF_ERROR(EmitIf(builder_, unit.packs, [&] {
            return EmitPacking(panel, rhs, steps, packed);
          }));
          rhs = packed;
        }
        return EmitTilesFrom(
            0, unit, cursor,
            [&](int rows, llvm::Value* repeated_rows,
                const MatmulCursor& tile) {
              const TileOperands operands{
                  .lhs = code_.Advance(tile.lhs, first_step,
                                       depth.lhs_stride * code_.lhs_bytes()),
                  .rhs = rhs,
                  .steps = steps};
              return EmitTile(rows, repeated_rows, panel, operands, first_step,
                              tile);
            });
      });
}

absl::Status MatmulNest::EmitTile(int rows, llvm::Value* repeated_rows,
                                  const Panel& panel,
                                  const TileOperands& operands,
                                  llvm::Value* first_step,
                                  const MatmulCursor& cursor) {
  const PanelShape& shape = panel.shape;
  if (plan_.lanes_along == MatmulLanes::kDepth) {
    ASSIGN_OR_RETURN(const std::vector<ElementValue> sums,
                     EmitDepthTile(code_, rows, shape.vectors, operands));
    return result_.StoreScalars(rows, shape.vectors, sums, cursor);
  }
  const std::vector<ElementValue> zeros(
      static_cast<size_t>(rows) * shape.vectors, code_.Zero(plan_.lanes));
  TilePart part;
  if (plan_.depth_block < plan_.depth.back().size) {
    result_.Prefetch(rows, shape, cursor);
    part.is_first = builder_.CreateICmpEQ(first_step, code_.Int(0));
    part.is_last =
        builder_.CreateICmpSGE(builder_.CreateAdd(first_step, operands.steps),
                               code_.Int(plan_.depth.back().size));
  }
  ASSIGN_OR_RETURN(const std::vector<ElementValue> sums,
                   EmitVectorTile(code_, rows, shape, operands, zeros));
  if (repeated_rows == nullptr && panel.is_last == nullptr) {
    return StoreTile(rows, shape, sums, part, cursor);
  }
  const auto columns_of = [&](const PanelShape& of) {
    return code_.Int(int64_t{of.vectors - 1} * plan_.lanes + of.tail_lanes);
  };
  llvm::Value* is_whole = builder_.getTrue();
  part.first_row = code_.Int(0);
  part.columns = columns_of(shape);
  if (repeated_rows != nullptr) {
    part.first_row = repeated_rows;
    is_whole = builder_.CreateICmpEQ(repeated_rows, code_.Int(0));
  }
  if (panel.is_last != nullptr) {
    part.columns = builder_.CreateSelect(
        panel.is_last, columns_of(panel.last_shape), part.columns);
    is_whole = builder_.CreateAnd(is_whole, builder_.CreateNot(panel.is_last));
  }
  return EmitIf(
      builder_, is_whole,
      [&] { return StoreTile(rows, shape, sums, part, cursor); },
      [&] { return result_.StorePart(rows, shape, sums, part, cursor); });
}

// Stores all of a tile.
absl::Status MatmulNest::StoreTile(int rows, const PanelShape& shape,
                                   std::vector<ElementValue> sums,
                                   const TilePart& part,
                                   const MatmulCursor& cursor) {
  if (part.is_first != nullptr) {
    ASSIGN_OR_RETURN(
        const CarriedValues parts,
        EmitIfWithValues(
            builder_, part.is_first, [&] { return Flatten(sums); },
            [&] {
              return Flatten(result_.AddPartial(rows, shape, sums, cursor));
            }));
    sums = code_.Unflatten(parts);
  }
  if (part.is_first == nullptr || result_.IsPlain()) {
    return result_.StoreVectors(rows, shape, sums, cursor);
  }
  return EmitIf(
      builder_, part.is_last,
      [&] { return result_.StoreVectors(rows, shape, sums, cursor); },
      [&] {
        result_.StorePartial(rows, shape, sums, cursor);
        return absl::OkStatus();
      });
}

}  // namespace

absl::Status EmitMatmul(const MatmulPlan& plan, llvm::Module& module,
                        absl::string_view name,
                        const MatmulEpilogue& epilogue) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type* i64 = builder.getInt64Ty();
  llvm::Function* function = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(),
                              {builder.getPtrTy(), i64, i64}, false),
      llvm::Function::ExternalLinkage,
      llvm::StringRef(name.data(), name.size()), module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "entry", function));
  if (plan.units == 0) {
    builder.CreateRetVoid();
    return absl::OkStatus();
  }
  MatmulCode code(plan, builder);
  return MatmulNest(code, *function, epilogue).Emit();
}

}  // namespace hilo::backends
