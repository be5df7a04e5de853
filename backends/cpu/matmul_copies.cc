// Chooses copies and packed panels, and lays them out.
#include "backends/cpu/matmul_copies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "passes/target_traits.h"

namespace hilo::backends {
namespace {

// Set conflicts appear where rows lie a multiple of this many bytes apart.
constexpr int64_t kAliasingBytes = 4096;
constexpr int64_t kCacheLineBytes = 64;

bool IsAliasing(int64_t stride_bytes) {
  return stride_bytes != 0 && stride_bytes % kAliasingBytes == 0;
}

// Whether the panels of rhs are packed before they are used.
bool ShouldPackRhs(const passes::TargetTraits& traits, const MatmulPlan& plan) {
  if (plan.lanes_along != MatmulLanes::kColumns) return false;
  const MatmulLoop& column = plan.columns.back();
  if (column.size > 1 && column.rhs_stride != 1) return true;
  const int64_t tiles = plan.row_count() / plan.row_tile;
  if (plan.tile_rhs_type() != plan.accumulator_type) {
    return tiles > 2 || column.size % plan.lanes != 0;
  }
  const int64_t bytes = plan.accumulator_bytes();
  const int64_t pitch = plan.depth.back().rhs_stride * bytes;
  const int64_t depth = plan.depth_count();
  constexpr int64_t kFewTiles = 2;
  constexpr int64_t kManyTiles = 8;
  constexpr int64_t kShallow = 16;
  if (tiles <= kFewTiles || depth <= kShallow) return false;
  if (IsAliasing(pitch)) return true;
  const bool fits_l1 = depth * pitch <= traits.l1_cache_bytes;
  return tiles >= kManyTiles && !fits_l1;
}

// Whether broadcasting straight from lhs is slow.
bool ShouldCopyLhs(const MatmulPlan& plan) {
  if (plan.lanes_along != MatmulLanes::kColumns) return false;
  const int64_t uses =
      DivideUp(plan.column_count(), std::max<int64_t>(plan.panel_columns(), 1));
  if (plan.lhs_type != plan.accumulator_type) return uses > 1;
  constexpr int64_t kFewUses = 3;
  constexpr int64_t kShallow = 16;
  if (uses <= kFewUses || plan.depth_count() <= kShallow) return false;
  const int64_t bytes = plan.accumulator_bytes();
  const int64_t depth_stride = plan.depth.back().lhs_stride * bytes;
  const int64_t row_stride = plan.rows.back().lhs_stride * bytes;
  return depth_stride >= kCacheLineBytes &&
         (row_stride >= kCacheLineBytes || IsAliasing(depth_stride));
}

// Whether the few columns of a product along the depth need a copy.
bool ShouldCopyRhs(const MatmulPlan& plan) {
  return plan.lanes_along == MatmulLanes::kDepth &&
         plan.depth.back().rhs_stride != 1 && plan.depth.back().size > 1;
}

// Columns that do not lie side by side have to be packed.
bool DecidePacking(bool chosen, const MatmulPlan& plan, KernelPlan& decisions) {
  const MatmulLoop& column = plan.columns.back();
  const bool may_pack = plan.lanes_along == MatmulLanes::kColumns;
  const bool must_pack = may_pack && column.size > 1 && column.rhs_stride != 1;
  return decisions.Decide(
             "pack_rhs", chosen ? 1 : 0,
             {.minimum = must_pack ? 1 : 0, .maximum = may_pack ? 1 : 0}) == 1;
}

// Rows or columns of the first loop that a unit takes.
int64_t BlockPositions(const std::vector<MatmulLoop>& loops, int64_t block,
                       int64_t tile) {
  return std::min(loops.size() == 1 ? block * tile : block, loops[0].size);
}

// Lays out a copy whose dimensions are these loops, outermost first, and makes
// the loops walk through it.
void LayOutCopy(const std::vector<MatmulLoop*>& loops, MatmulLoop* block_loop,
                int64_t block_positions, int64_t MatmulLoop::* stride_member,
                int64_t element_bytes, OperandCopy& copy) {
  copy.is_enabled = true;
  copy.dimensions.resize(loops.size());
  int64_t stride = 1;
  for (size_t i = loops.size(); i > 0; --i) {
    MatmulLoop& loop = *loops[i - 1];
    const bool is_block = &loop == block_loop;
    copy.dimensions[i - 1] = {.size = is_block ? block_positions : loop.size,
                              .copy_stride = stride,
                              .source_size = loop.size,
                              .source_stride = loop.*stride_member};
    if (is_block) copy.block_dimension = static_cast<int64_t>(i) - 1;
    loop.*stride_member = stride;
    stride *= std::max<int64_t>(copy.dimensions[i - 1].size, 1);
    if (i > 1 && IsAliasing(stride * element_bytes)) {
      stride += kCacheLineBytes / element_bytes;
    }
  }
  copy.elements = stride;
}

std::vector<MatmulLoop*> PointersTo(std::vector<MatmulLoop>& outer,
                                    std::vector<MatmulLoop>& inner) {
  std::vector<MatmulLoop*> pointers;
  pointers.reserve(outer.size() + inner.size());
  for (MatmulLoop& loop : outer) pointers.push_back(&loop);
  for (MatmulLoop& loop : inner) pointers.push_back(&loop);
  return pointers;
}

void LayOutLhsCopy(MatmulPlan& plan) {
  const bool is_row_contiguous =
      plan.rows.back().lhs_stride == 1 && plan.depth.back().lhs_stride != 1;
  std::vector<MatmulLoop*> loops = is_row_contiguous
                                       ? PointersTo(plan.depth, plan.rows)
                                       : PointersTo(plan.rows, plan.depth);
  LayOutCopy(loops, plan.rows.data(),
             BlockPositions(plan.rows, plan.row_block, plan.row_tile),
             &MatmulLoop::lhs_stride, plan.accumulator_bytes(), plan.lhs_copy);
}

void LayOutRhsCopy(MatmulPlan& plan) {
  LayOutCopy(
      PointersTo(plan.columns, plan.depth), plan.columns.data(),
      BlockPositions(plan.columns, plan.column_block, plan.panel_columns()),
      &MatmulLoop::rhs_stride, plan.accumulator_bytes(), plan.rhs_copy);
}

// Sizes the outermost dimension of a copy that came with the plan.
void SizeGivenCopy(int64_t positions, OperandCopy& copy) {
  if (copy.block_dimension < 0) return;
  OperandCopyDimension& dimension = copy.dimensions[copy.block_dimension];
  dimension.size = (positions - 1) * copy.block_step + copy.block_extent;
  copy.elements = dimension.size * dimension.copy_stride;
}

int64_t AlignedBytes(int64_t elements, int64_t element_bytes) {
  return DivideUp(elements * element_bytes, kCacheLineBytes) * kCacheLineBytes;
}

}  // namespace

void ChooseMatmulCopies(const passes::TargetTraits& traits, MatmulPlan& plan,
                        KernelPlan& decisions) {
  if (!plan.rhs_copy.is_enabled && ShouldCopyRhs(plan)) {
    plan.rhs_copy.is_enabled = true;
    plan.rhs_copy.dimensions.clear();
  }
  if (!plan.lhs_copy.is_enabled && ShouldCopyLhs(plan)) {
    plan.lhs_copy.is_enabled = true;
    plan.lhs_copy.dimensions.clear();
  }
  plan.packs_rhs = DecidePacking(ShouldPackRhs(traits, plan), plan, decisions);
}

void LayOutMatmulCopies(MatmulPlan& plan) {
  if (plan.lhs_copy.is_enabled && plan.lhs_copy.dimensions.empty()) {
    LayOutLhsCopy(plan);
  } else if (plan.lhs_copy.is_enabled) {
    SizeGivenCopy(BlockPositions(plan.rows, plan.row_block, plan.row_tile),
                  plan.lhs_copy);
  }
  if (plan.rhs_copy.is_enabled && plan.rhs_copy.dimensions.empty()) {
    LayOutRhsCopy(plan);
  } else if (plan.rhs_copy.is_enabled) {
    SizeGivenCopy(
        BlockPositions(plan.columns, plan.column_block, plan.panel_columns()),
        plan.rhs_copy);
  }
}

int64_t MatmulLhsCopyBytes(const MatmulPlan& plan) {
  return plan.lhs_copy.is_enabled
             ? AlignedBytes(plan.lhs_copy.elements, plan.accumulator_bytes())
             : 0;
}

int64_t MatmulRhsCopyBytes(const MatmulPlan& plan) {
  return plan.rhs_copy.is_enabled
             ? AlignedBytes(plan.rhs_copy.elements, plan.accumulator_bytes())
             : 0;
}

bool KeepsPanels(const MatmulPlan& plan) {
  if (plan.is_block) return true;
  int64_t repeats = plan.row_blocks();
  for (const MatmulLoop& loop : plan.batch) {
    if (loop.rhs_stride == 0) repeats *= loop.size;
  }
  return repeats > 1;
}

int64_t MatmulPackedBytes(const MatmulPlan& plan) {
  if (!plan.packs_rhs) return 0;
  int64_t panels = 1;
  if (KeepsPanels(plan)) {
    panels = plan.column_block;
    for (size_t i = 1; i + 1 < plan.columns.size(); ++i) {
      panels *= plan.columns[i].size;
    }
    if (plan.columns.size() > 1) panels *= plan.panels();
  }
  return AlignedBytes(panels * plan.depth_count() * plan.panel_columns(),
                      plan.accumulator_bytes());
}

}  // namespace hilo::backends
