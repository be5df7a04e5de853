// Moves pointers and indices along the loops of a plan.
#include "backends/cpu/matmul_cursor.h"

#include "llvm/IR/Value.h"

#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/element_type.h"

namespace hilo::backends {
namespace {

void MoveOutput(MatmulCode& code, const MatmulLoop& loop, llvm::Value* index,
                MatmulCursor& cursor) {
  cursor.output = code.Advance(cursor.output, index,
                               loop.output_stride * code.stored_bytes());
  cursor.output_offset =
      code.Scale(index, loop.output_stride, cursor.output_offset);
}

}  // namespace

MatmulCursor AtBatch(MatmulCode& code, const MatmulCursor& cursor,
                     const MatmulLoop& loop, llvm::Value* index) {
  MatmulCursor moved = cursor;
  moved.lhs =
      code.Advance(cursor.lhs, index,
                   loop.lhs_stride * hlo::StorageBytes(code.plan().lhs_type));
  moved.rhs =
      code.Advance(cursor.rhs, index,
                   loop.rhs_stride * hlo::StorageBytes(code.plan().rhs_type));
  MoveOutput(code, loop, index, moved);
  return moved;
}

MatmulCursor AtRow(MatmulCode& code, const MatmulCursor& cursor,
                   const MatmulLoop& loop, llvm::Value* index,
                   llvm::Value* local) {
  MatmulCursor moved = cursor;
  moved.lhs =
      code.Advance(cursor.lhs, local, loop.lhs_stride * code.lhs_bytes());
  MoveOutput(code, loop, index, moved);
  moved.row = code.Scale(cursor.row, loop.size, index);
  return moved;
}

MatmulCursor AtColumn(MatmulCode& code, const MatmulCursor& cursor,
                      const MatmulLoop& loop, llvm::Value* index,
                      llvm::Value* local) {
  MatmulCursor moved = cursor;
  moved.rhs = code.Advance(cursor.rhs, local,
                           loop.rhs_stride * code.rhs_source_bytes());
  moved.lhs =
      code.Advance(cursor.lhs, index, loop.lhs_stride * code.lhs_bytes());
  MoveOutput(code, loop, index, moved);
  moved.column = code.Scale(cursor.column, loop.size, index);
  return moved;
}

}  // namespace hilo::backends
