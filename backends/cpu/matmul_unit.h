// Where a unit of work of a matrix kernel lies.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "backends/codegen/loop.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_cursor.h"
#include "backends/cpu/matmul_emitter.h"
#include "hlo/ir/element_type.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace hilo::backends {

// What a kernel is called with, in the roles of its plan.
struct MatmulArguments {
  // All of them, and where in it the output is.
  llvm::Value* array = nullptr;
  int64_t output_number = 0;
  llvm::Value* lhs = nullptr;
  llvm::Value* rhs = nullptr;
  // The epilogue's own operands, then its further outputs.
  CarriedValues epilogue_operands;
  llvm::Value* output = nullptr;
  // Parts of the chunk's scratch memory.
  llvm::Value* lhs_copy = nullptr;
  llvm::Value* rhs_copy = nullptr;
  llvm::Value* panels = nullptr;
  // MatmulBlockFacts: an i1 and i64s; null if this is no block.
  llvm::Value* block_packs = nullptr;
  llvm::Value* block_offset = nullptr;
  llvm::Value* skips_first = nullptr;
  // What hilo_skip_padding keeps in this call; null without a padded window.
  llvm::Value* weights_state = nullptr;
  // The units of this call.
  llvm::Value* first_unit = nullptr;
  llvm::Value* end_unit = nullptr;
};

MatmulArguments LoadMatmulArguments(MatmulCode& code, llvm::Function& function,
                                    const MatmulEpilogue& epilogue);

// Positions [begin, end) of a loop, or tiles or panels (i64).
struct MatmulRange {
  llvm::Value* begin = nullptr;
  llvm::Value* end = nullptr;
};

// What a unit computes.
struct MatmulUnit {
  // Positions of the first row (column) loop, or tiles (panels) if it is the
  // only one.
  MatmulRange rows;
  MatmulRange columns;
  // First row or column of the ranges, counted along the first loop: those that
  // cursor.lhs and cursor.rhs point to.
  llvm::Value* first_row = nullptr;
  llvm::Value* first_column = nullptr;
  // Whether panels have to be packed (i1).
  llvm::Value* packs = nullptr;
  MatmulCursor cursor;
};

// Begins the units of one call, one after the other.
class MatmulUnits {
 public:
  MatmulUnits(MatmulCode& code, const MatmulArguments& arguments)
      : code_(code),
        plan_(code.plan()),
        builder_(code.builder()),
        arguments_(arguments) {}

  // What the loop over units carries, before the first one: where the copies in
  // scratch memory come from.
  CarriedValues NoCopies();

  // Finds the unit's place and copies what it needs of the operands, unless the
  // last unit's copies are the same. Updates `copies`.
  absl::StatusOr<MatmulUnit> Begin(llvm::Value* number, CarriedValues& copies);

 private:
  MatmulUnit Decode(llvm::Value* number);
  MatmulRange RangeOf(llvm::Value* number, int64_t block, int64_t positions);
  llvm::Value* FirstRowOfTile(llvm::Value* tile);
  llvm::Value* Packs(llvm::Value* number, llvm::Value* repeats);
  llvm::Value* EndRow(const MatmulUnit& unit);
  llvm::Value* EndColumn(const MatmulUnit& unit);
  absl::Status EnsureCopy(const OperandCopy& copy, hlo::ElementType type,
                          llvm::Value* first, llvm::Value* end,
                          llvm::Value* destination,
                          absl::Span<llvm::Value*> kept, llvm::Value*& pointer);

  MatmulCode& code_;
  const MatmulPlan& plan_;
  llvm::IRBuilderBase& builder_;
  const MatmulArguments& arguments_;
};

}  // namespace hilo::backends
