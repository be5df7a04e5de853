// How a kernel goes from queries to what their weights give, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/row_fusion_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/instruction.h"
#include "passes/fusion/attention.h"
#include "passes/target_traits.h"

namespace hilo::backends {

// A block is rows of scores that have the same keys and values: row_block turns
// of the loop that is cut, and all of those inside. Its
// scores, what becomes of them, and its rows of the result are computed one
// after the other by the code that three kernels would have. Packed keys and
// values stay for the next block.
struct AttentionPlan {
  passes::Attention attention;
  MatmulPlan scores;
  RowFusionPlan rows;
  MatmulPlan product;

  // The turns of a block. All but the first full_blocks() blocks begin with the
  // last turn of the block before, and pass over it.
  int64_t row_block = 1;
  // Rows of one turn.
  int64_t inner_rows = 1;
  // Blocks of the loop. A unit is one; they vary fastest.
  int64_t blocks = 1;
  int64_t units = 0;
  int64_t grain = 1;
  int64_t slots = 1;

  // Where a slot's scratch memory holds a block of scores, of each output of
  // the rows (weights may take the scores' place), and the parts' own scratch
  // memory.
  int64_t scores_offset = 0;
  std::vector<int64_t> row_outputs_offset;
  int64_t scores_scratch_offset = 0;
  int64_t rows_scratch_offset = 0;
  int64_t product_scratch_offset = 0;
  int64_t slot_bytes = 0;

  const passes::AttentionLoop& block_loop() const {
    return attention.loops[static_cast<size_t>(attention.block_loop)];
  }
  int64_t block_rows() const { return row_block * inner_rows; }
  // Blocks whose turns are all their own.
  int64_t full_blocks() const {
    return blocks - (blocks * row_block - block_loop().size);
  }
  int64_t scratch_bytes() const { return slot_bytes * slots; }
};

// The plan of a fusion for which IsAttention holds. Errors: those of the plans
// of its parts.
absl::StatusOr<AttentionPlan> PlanAttention(const hlo::Instruction& fusion,
                                            const passes::TargetTraits& traits,
                                            KernelPlan& decisions);

}  // namespace hilo::backends
