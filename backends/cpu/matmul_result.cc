// Converts sums to results, applies epilogues and stores.
#include "backends/cpu/matmul_result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Value.h"
#include "llvm/Support/Alignment.h"

#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_cursor.h"
#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_unit.h"
#include "backends/cpu/padded_sums.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// Tiles of more vectors finish in a loop, so that the code stays small.
constexpr int kMaxUnrolledVectors = 4;

bool HasContiguousColumns(const MatmulPlan& plan) {
  return plan.columns.back().output_stride == 1 ||
         plan.columns.back().size == 1;
}

}  // namespace

MatmulResult::MatmulResult(MatmulCode& code, const MatmulEpilogue& epilogue,
                           const MatmulArguments& arguments)
    : code_(code),
      plan_(code.plan()),
      epilogue_(epilogue),
      arguments_(arguments) {
  const bool is_depth = plan_.lanes_along == MatmulLanes::kDepth;
  const int vectors = plan_.row_tile * plan_.column_tile;
  stores_from_tile_ =
      !is_depth &&
      (!HasContiguousColumns(plan_) ||
       (!IsPlain() && (plan_.padded_window ||
                       (!epilogue.is_short && vectors > kMaxUnrolledVectors))));
  const bool stores_parts =
      !is_depth && (plan_.has_equal_tiles() || plan_.has_equal_panels());
  if (!stores_from_tile_ && !stores_parts && !plan_.padded_window) return;
  constexpr int64_t kAlignment = 64;
  llvm::IRBuilderBase& builder = code.builder();
  llvm::AllocaInst* tile = builder.CreateAlloca(
      builder.getInt8Ty(),
      code.Int(code.accumulator_bytes() * plan_.lanes * vectors));
  tile->setAlignment(llvm::Align(kAlignment));
  tile_ = tile;
}

bool MatmulResult::IsPlain() const {
  return epilogue_.emit == nullptr &&
         HoldsSums(plan_.output_type, plan_.accumulator_type);
}

MatmulCursor MatmulResult::Moved(const MatmulCursor& cursor, llvm::Value* rows,
                                 llvm::Value* columns) {
  const int64_t row_stride = plan_.rows.back().output_stride;
  const int64_t column_stride = plan_.columns.back().output_stride;
  MatmulCursor moved = cursor;
  moved.output =
      code_.Advance(cursor.output, rows, row_stride * code_.stored_bytes());
  moved.output = code_.Advance(moved.output, columns,
                               column_stride * code_.stored_bytes());
  if (epilogue_.emit == nullptr) return moved;
  moved.row = code_.Scale(cursor.row, 1, rows);
  moved.column = code_.Scale(cursor.column, 1, columns);
  moved.output_offset = code_.Scale(rows, row_stride, cursor.output_offset);
  moved.output_offset =
      code_.Scale(columns, column_stride, moved.output_offset);
  return moved;
}

absl::Status MatmulResult::Finish(const ElementValue& sum,
                                  const MatmulCursor& cursor,
                                  llvm::Value* mask) {
  ElementValue value = sum;
  if (plan_.output_type != plan_.accumulator_type) {
    value =
        code_.scalars().Convert(sum, plan_.accumulator_type, plan_.output_type);
  }
  if (epilogue_.emit != nullptr) {
    const MatmulPosition position{.batch = cursor.batch,
                                  .row = cursor.row,
                                  .column = cursor.column,
                                  .output_offset = cursor.output_offset,
                                  .lanes = LaneCount(sum),
                                  .mask = mask,
                                  .operands = arguments_.epilogue_operands};
    ASSIGN_OR_RETURN(value, epilogue_.emit(code_.builder(), position, value));
  }
  code_.scalars().Store(plan_.stored_type, value, cursor.output, mask);
  return absl::OkStatus();
}

void MatmulResult::MendTile(int rows, int64_t row_stride, llvm::Value* columns,
                            const MatmulCursor& cursor) {
  if (!plan_.padded_window) return;
  EmitSkipPadding(code_, arguments_, *plan_.padded_window,
                  {.rows = rows,
                   .columns = columns,
                   .memory = tile_,
                   .row_stride = row_stride},
                  cursor);
}

absl::Status MatmulResult::StoreVectors(int rows, const PanelShape& shape,
                                        absl::Span<const ElementValue> sums,
                                        const MatmulCursor& cursor) {
  const int64_t columns =
      int64_t{shape.vectors - 1} * plan_.lanes + shape.tail_lanes;
  if (!stores_from_tile_) {
    for (int i = 0; i < rows * shape.vectors; ++i) {
      const int v = i % shape.vectors;
      llvm::Value* row = code_.Int(i / shape.vectors);
      llvm::Value* column = code_.Int(int64_t{v} * plan_.lanes);
      RETURN_IF_ERROR(
          Finish(sums[i], Moved(cursor, row, column), code_.Mask(shape, v)));
    }
    if (plan_.padded_window) {
      EmitSkipPadding(code_, arguments_, *plan_.padded_window,
                      {.rows = rows,
                       .columns = code_.Int(columns),
                       .memory = cursor.output,
                       .row_stride = plan_.rows.back().output_stride},
                      cursor);
    }
    return absl::OkStatus();
  }
  StoreToTile(sums);
  MendTile(rows, int64_t{shape.vectors} * plan_.lanes, code_.Int(columns),
           cursor);
  if (HasContiguousColumns(plan_)) return StoreFromTile(rows, shape, cursor);
  return StoreElementwise(
      rows, shape, {.first_row = code_.Int(0), .columns = code_.Int(columns)},
      cursor);
}

absl::Status MatmulResult::StorePart(int rows, const PanelShape& shape,
                                     absl::Span<const ElementValue> sums,
                                     const TilePart& part,
                                     const MatmulCursor& cursor) {
  StoreToTile(sums);
  MendTile(rows, int64_t{shape.vectors} * plan_.lanes, part.columns, cursor);
  return StoreElementwise(rows, shape, part, cursor);
}

void MatmulResult::StoreToTile(absl::Span<const ElementValue> sums) {
  for (size_t i = 0; i < sums.size(); ++i) {
    code_.scalars().Store(plan_.accumulator_type, sums[i], InTile(sums, i),
                          nullptr);
  }
}

llvm::Value* MatmulResult::InTile(absl::Span<const ElementValue> sums,
                                  size_t i) {
  return code_.Advance(tile_, static_cast<int64_t>(i) *
                                  LaneCount(sums.front()) *
                                  code_.accumulator_bytes());
}

absl::Status MatmulResult::StoreFromTile(int rows, const PanelShape& shape,
                                         const MatmulCursor& cursor) {
  llvm::IRBuilderBase& builder = code_.builder();
  const int64_t vector_bytes = plan_.lanes * code_.accumulator_bytes();
  return EmitLoop(builder, rows, 1, [&](llvm::Value* i) -> absl::Status {
    llvm::Value* row = code_.Advance(tile_, i, shape.vectors * vector_bytes);
    const auto finish = [&](llvm::Value* v, llvm::Value* mask) {
      const ElementValue sum = code_.scalars().Load(
          plan_.accumulator_type, code_.Advance(row, v, vector_bytes),
          plan_.lanes, nullptr);
      llvm::Value* column = code_.Scale(v, plan_.lanes, code_.Int(0));
      return Finish(sum, Moved(cursor, i, column), mask);
    };
    const bool has_tail = shape.tail_lanes != plan_.lanes;
    RETURN_IF_ERROR(
        EmitLoop(builder, shape.vectors - (has_tail ? 1 : 0), 1,
                 [&](llvm::Value* v) { return finish(v, nullptr); }));
    if (!has_tail) return absl::OkStatus();
    return finish(code_.Int(shape.vectors - 1),
                  code_.Mask(shape, shape.vectors - 1));
  });
}

absl::Status MatmulResult::StoreElementwise(int rows, const PanelShape& shape,
                                            const TilePart& part,
                                            const MatmulCursor& cursor) {
  llvm::IRBuilderBase& builder = code_.builder();
  const auto store_row = [&](llvm::Value* i) {
    llvm::Value* row = code_.Advance(
        tile_, i, code_.accumulator_bytes() * plan_.lanes * shape.vectors);
    return EmitLoop(
        builder, code_.Int(0), part.columns, 1, [&](llvm::Value* j) {
          const ElementValue sum = code_.scalars().Load(
              plan_.accumulator_type,
              code_.Advance(row, j, code_.accumulator_bytes()), 1, nullptr);
          return FinishBlock(sum, part, Moved(cursor, i, j));
        });
  };
  return EmitLoop(builder, part.first_row, code_.Int(rows), 1, store_row);
}

// What AddPartial, and StoreVectors or StorePartial do with a vector.
absl::Status MatmulResult::FinishBlock(const ElementValue& sum,
                                       const TilePart& part,
                                       const MatmulCursor& cursor) {
  if (part.is_first == nullptr) return Finish(sum, cursor, nullptr);
  const auto add = [&] {
    const ElementValue earlier =
        code_.scalars().Load(plan_.accumulator_type, cursor.output, 1, nullptr);
    return Flatten({code_.Add(sum, earlier)});
  };
  ASSIGN_OR_RETURN(
      const CarriedValues parts,
      EmitIfWithValues(
          code_.builder(), part.is_first, [&] { return Flatten({sum}); }, add));
  const ElementValue total = code_.Unflatten(parts).front();
  if (IsPlain()) return Finish(total, cursor, nullptr);
  return EmitIf(
      code_.builder(), part.is_last,
      [&] { return Finish(total, cursor, nullptr); },
      [&] {
        code_.scalars().Store(plan_.accumulator_type, total, cursor.output,
                              nullptr);
        return absl::OkStatus();
      });
}

absl::Status MatmulResult::StoreScalars(int rows, int columns,
                                        absl::Span<const ElementValue> given,
                                        const MatmulCursor& cursor) {
  std::vector<ElementValue> sums(given.begin(), given.end());
  if (plan_.padded_window) {
    StoreToTile(given);
    MendTile(rows, columns, code_.Int(columns), cursor);
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] = code_.scalars().Load(plan_.accumulator_type, InTile(given, i),
                                     1, nullptr);
    }
  }
  const bool along_rows = plan_.rows.back().output_stride == 1 && rows > 1;
  const bool along_columns =
      !along_rows && plan_.columns.back().output_stride == 1;
  const int row_step = along_rows ? rows : 1;
  const int column_step = along_columns ? columns : 1;
  const int lanes = row_step * column_step;
  for (int i = 0; i < rows; i += row_step) {
    for (int j = 0; j < columns; j += column_step) {
      std::vector<ElementValue> group;
      group.reserve(static_cast<size_t>(lanes));
      for (int lane = 0; lane < lanes; ++lane) {
        group.push_back(
            sums[i * columns + j + lane * (along_rows ? columns : 1)]);
      }
      RETURN_IF_ERROR(Finish(code_.Gather(group),
                             Moved(cursor, code_.Int(i), code_.Int(j)),
                             nullptr));
    }
  }
  return absl::OkStatus();
}

llvm::Value* MatmulResult::PartialPointer(const MatmulCursor& cursor, int row,
                                          int vector) {
  return code_.Advance(cursor.output, (row * plan_.rows.back().output_stride +
                                       int64_t{vector} * plan_.lanes) *
                                          code_.stored_bytes());
}

void MatmulResult::StorePartial(int rows, const PanelShape& shape,
                                absl::Span<const ElementValue> sums,
                                const MatmulCursor& cursor) {
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < shape.vectors; ++v) {
      code_.scalars().Store(plan_.accumulator_type, sums[i * shape.vectors + v],
                            PartialPointer(cursor, i, v), code_.Mask(shape, v));
    }
  }
}

std::vector<ElementValue> MatmulResult::AddPartial(
    int rows, const PanelShape& shape, absl::Span<const ElementValue> sums,
    const MatmulCursor& cursor) {
  std::vector<ElementValue> totals;
  for (int i = 0; i < rows; ++i) {
    for (int v = 0; v < shape.vectors; ++v) {
      const ElementValue earlier = code_.scalars().Load(
          plan_.accumulator_type, PartialPointer(cursor, i, v), plan_.lanes,
          code_.Mask(shape, v));
      totals.push_back(code_.Add(sums[i * shape.vectors + v], earlier));
    }
  }
  return totals;
}

void MatmulResult::Prefetch(int rows, const PanelShape& shape,
                            const MatmulCursor& cursor) {
  constexpr int64_t kLineBytes = 64;
  llvm::IRBuilderBase& builder = code_.builder();
  const int64_t bytes =
      int64_t{shape.vectors} * plan_.lanes * code_.stored_bytes();
  for (int i = 0; i < rows; ++i) {
    llvm::Value* row = PartialPointer(cursor, i, 0);
    for (int64_t byte = 0; byte < bytes; byte += kLineBytes) {
      // For writing, into all caches, as data.
      builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {builder.getPtrTy()},
                              {code_.Advance(row, byte), builder.getInt32(1),
                               builder.getInt32(3), builder.getInt32(1)});
    }
  }
}

}  // namespace hilo::backends
