// Plans convolutions as matrix products over windows.
#include "backends/cpu/convolution_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"

#include "backends/cpu/convolution_loops.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_tiling.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// Whether every group is one input and one output feature, and these lie side
// by side in all arrays: features can be lanes.
bool HasFeatureLanes(const ConvolutionLoops& loops) {
  return loops.groups.size > 1 && loops.depth.size == 1 &&
         loops.columns.size == 1 && loops.groups.lhs_stride == 1 &&
         loops.groups.rhs_stride == 1 && loops.groups.output_stride == 1;
}

// The copy of the input with its padding and holes. `loop` is what is copied
// whole in the innermost dimension: input features.
OperandCopy PaddedCopy(const ConvolutionLoops& loops,
                       const MatmulLoop& features) {
  OperandCopy copy;
  copy.is_enabled = true;
  copy.has_holes = true;
  copy.block_dimension = 0;
  copy.block_step = loops.spatial[0].window_stride;
  copy.block_extent = loops.spatial[0].window_extent();
  for (const SpatialLoop& loop : loops.spatial) {
    copy.dimensions.push_back({.size = loop.padded_size(),
                               .source_size = loop.input_size,
                               .source_stride = loop.lhs_stride,
                               .padding_low = loop.padding_low,
                               .dilation = loop.base_dilation});
  }
  copy.dimensions.push_back({.size = features.size,
                             .source_size = features.size,
                             .source_stride = features.lhs_stride});
  return copy;
}

// Gives the dimensions of the copy their strides: units copy blocks of the
// first one, so it goes outermost; the others in the order of the source.
void LayOutPaddedCopy(OperandCopy& copy) {
  std::vector<OperandCopyDimension*> order;
  order.reserve(copy.dimensions.size());
  for (OperandCopyDimension& dimension : copy.dimensions) {
    order.push_back(&dimension);
  }
  std::stable_sort(
      order.begin() + 1, order.end(),
      [](const OperandCopyDimension* a, const OperandCopyDimension* b) {
        return a->source_stride > b->source_stride;
      });
  int64_t stride = 1;
  for (size_t i = order.size(); i > 0; --i) {
    order[i - 1]->copy_stride = stride;
    stride *= std::max<int64_t>(order[i - 1]->size, 1);
  }
}

// The loops over positions, window elements and input features.
void AddInputLoops(const ConvolutionLoops& loops, MatmulPlan& plan) {
  for (const SpatialLoop& loop : loops.spatial) {
    plan.rows.push_back({.size = loop.output_size,
                         .lhs_stride = loop.window_stride * loop.lhs_stride,
                         .output_stride = loop.output_stride});
    plan.depth.push_back({.size = loop.window_size,
                          .lhs_stride = loop.window_dilation * loop.lhs_stride,
                          .rhs_stride = loop.rhs_stride});
    plan.lhs_offset -= loop.padding_low * loop.lhs_stride;
  }
  plan.depth.push_back(loops.depth);
}

// Makes the input loops walk through a padded copy instead.
void AddPaddedCopy(const ConvolutionLoops& loops, bool has_feature_lanes,
                   MatmulPlan& plan) {
  plan.lhs_copy =
      PaddedCopy(loops, has_feature_lanes ? loops.groups : loops.depth);
  LayOutPaddedCopy(plan.lhs_copy);
  for (size_t d = 0; d < loops.spatial.size(); ++d) {
    const int64_t stride = plan.lhs_copy.dimensions[d].copy_stride;
    plan.rows[d].lhs_stride = loops.spatial[d].window_stride * stride;
    plan.depth[d].lhs_stride = loops.spatial[d].window_dilation * stride;
  }
  const int64_t feature_stride = plan.lhs_copy.dimensions.back().copy_stride;
  plan.lhs_offset = 0;
  if (has_feature_lanes) {
    plan.columns[0].lhs_stride = feature_stride;
  } else {
    plan.depth.back().lhs_stride = feature_stride;
  }
}

// Long innermost loops cost least.
void PutLongDepthLast(std::vector<MatmulLoop>& depth) {
  constexpr int64_t kLong = 8;
  if (depth.size() < 2 || depth.back().size >= kLong) return;
  const auto longest = std::ranges::max_element(
      depth,
      [](const MatmulLoop& a, const MatmulLoop& b) { return a.size < b.size; });
  std::rotate(longest, longest + 1, depth.end());
}

bool HasUnitStride(const std::vector<MatmulLoop>& loops) {
  return std::ranges::any_of(loops, [](const MatmulLoop& loop) {
    return loop.output_stride == 1 && loop.size > 1;
  });
}

// The loop along which positions are neighbours in the output goes last. The
// first one stays first: units take blocks of it.
void PutNeighboursLast(std::vector<MatmulLoop>& loops) {
  for (size_t i = 1; i + 1 < loops.size(); ++i) {
    if (loops[i].output_stride == 1) std::swap(loops[i], loops.back());
  }
}

void BuildPlan(const ConvolutionLoops& loops, MatmulPlan& plan) {
  plan.rhs_offset = loops.rhs_offset;
  plan.output_offset = loops.output_offset;
  const bool has_feature_lanes = HasFeatureLanes(loops);
  const bool needs_copy =
      loops.NeedsPadding() && !loops.spatial.empty() && !loops.HasNoProducts();
  AddInputLoops(loops, plan);
  plan.columns = {has_feature_lanes ? loops.groups : loops.columns};
  if (!has_feature_lanes) plan.batch.push_back(loops.groups);
  plan.batch.push_back(loops.batch);
  if (has_feature_lanes) plan.lanes_along = MatmulLanes::kBatch;
  if (loops.HasNoProducts()) {
    plan.depth = {MatmulLoop{.size = 0}};
    plan.lhs_offset = 0;
    plan.rhs_offset = 0;
  }
  if (needs_copy) AddPaddedCopy(loops, has_feature_lanes, plan);
  CollapseLoops(plan.depth);
  EnsureOneLoop(plan.depth);
  EnsureOneLoop(plan.rows);
  PutLongDepthLast(plan.depth);
  const bool swaps = !has_feature_lanes && !HasUnitStride(plan.columns) &&
                     HasUnitStride(plan.rows);
  if (!needs_copy) {
    if (!swaps && !has_feature_lanes) {
      // Images are rows like any other.
      plan.rows.insert(plan.rows.begin(), plan.batch.back());
      plan.batch.pop_back();
    }
    CollapseLoops(plan.rows);
    EnsureOneLoop(plan.rows);
  }
  PutNeighboursLast(plan.rows);
  CollapseLoops(plan.batch);
  SortBatchLoops(plan.batch);
  if (swaps) SwapMatmulOperands(plan);
}

}  // namespace

absl::StatusOr<MatmulPlan> PlanConvolution(
    const hlo::Instruction& convolution, const passes::TargetTraits& traits,
    KernelPlan& decisions, std::optional<hlo::ElementType> stored_type) {
  if (convolution.has_sparsity_config()) {
    return Unimplemented(
        "convolution: operands with a sparsity_config are not supported");
  }
  MatmulPlan matmul;
  matmul.lhs_type = convolution.operand_shape(0).element_type();
  matmul.rhs_type = convolution.operand_shape(1).element_type();
  matmul.output_type = convolution.shape().element_type();
  matmul.stored_type = stored_type.value_or(matmul.output_type);
  matmul.accumulator_type = AccumulatorType(matmul.output_type);
  BuildPlan(LoopsOfConvolution(convolution), matmul);
  ChooseMatmulTiles(traits, matmul, decisions);
  return matmul;
}

}  // namespace hilo::backends
