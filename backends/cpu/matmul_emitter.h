// Emits the kernels of matrix products.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "backends/codegen/element_value.h"
#include "backends/cpu/matmul_plan.h"

namespace llvm {
class IRBuilderBase;
class Module;
class Value;
}  // namespace llvm

namespace hilo::backends {

// Where in the output some elements of one product lie. Indices are i64; lanes
// follow each other along the last column loop (kDepth: or row loop) of the
// plan, and in memory.
struct MatmulPosition {
  // One index per batch loop of the plan.
  absl::Span<llvm::Value* const> batch;
  // Indices of the first lane, counted through all row and column loops of the
  // plan (which swaps rows and columns if plan.is_swapped).
  llvm::Value* row = nullptr;
  llvm::Value* column = nullptr;
  // Elements from the output's first one to the first lane.
  llvm::Value* output_offset = nullptr;
  int lanes = 1;
  // <lanes x i1>; null if all lanes are elements.
  llvm::Value* mask = nullptr;
  // Pointers to the epilogue's own operands, then to its further outputs.
  absl::Span<llvm::Value* const> operands;
};

// What is done to the elements of a product before they are stored.
struct MatmulEpilogue {
  // Arrays that `emit` reads: kernel arguments behind lhs and rhs.
  int64_t operand_count = 0;
  // Arrays that `emit` writes by itself: arguments behind the output.
  int64_t further_output_count = 0;
  // What `emit` emits is so little that it may be repeated for each vector of a
  // tile.
  bool is_short = false;
  // Gets values of plan.output_type, returns values of plan.stored_type. Null:
  // the values are stored as they are.
  std::function<absl::StatusOr<ElementValue>(llvm::IRBuilderBase& builder,
                                             const MatmulPosition& position,
                                             const ElementValue& value)>
      emit;
};

// What the kernel of a block is told behind its other arguments, in their form.
struct MatmulBlockFacts {
  // Not 0: panels are to be packed. 0: they are those of the last call.
  int64_t packs = 0;
  // Elements from the output's first one to the block's first one.
  int64_t output_offset = 0;
  // 1: nothing is computed for the first position of the row loop that
  // may_skip_first. Otherwise 0.
  int64_t skips_first = 0;

  static constexpr int64_t kCount = 3;
};

// Emits `void name(ptr arguments, i64 begin, i64 end)`, whose arguments are the
// dot's lhs and rhs, the epilogue's operands, the output, its further outputs,
// if plan.chunk_bytes is not 0 scratch memory, and if plan.is_block
// MatmulBlockFacts; lhs, rhs and output are those of the block then. Errors:
// those of the epilogue.
absl::Status EmitMatmul(const MatmulPlan& plan, llvm::Module& module,
                        absl::string_view name,
                        const MatmulEpilogue& epilogue = {});

}  // namespace hilo::backends
