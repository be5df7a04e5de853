// Where the loops of a matrix kernel stand.
#pragma once

#include "backends/codegen/loop.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_plan.h"

namespace hilo::backends {

// Where the loops around a tile stand. Pointers are those of the tile's first
// row and column.
struct MatmulCursor {
  llvm::Value* lhs = nullptr;
  llvm::Value* rhs = nullptr;
  llvm::Value* output = nullptr;
  CarriedValues batch;
  // As in MatmulPosition.
  llvm::Value* row = nullptr;
  llvm::Value* column = nullptr;
  llvm::Value* output_offset = nullptr;
};

// The cursor at position `index` (i64) of a loop. Copies of operands hold one
// block: in them it is position `local`, counted from the block's first one.
MatmulCursor AtBatch(MatmulCode& code, const MatmulCursor& cursor,
                     const MatmulLoop& loop, llvm::Value* index);
MatmulCursor AtRow(MatmulCode& code, const MatmulCursor& cursor,
                   const MatmulLoop& loop, llvm::Value* index,
                   llvm::Value* local);
MatmulCursor AtColumn(MatmulCode& code, const MatmulCursor& cursor,
                      const MatmulLoop& loop, llvm::Value* index,
                      llvm::Value* local);

}  // namespace hilo::backends
