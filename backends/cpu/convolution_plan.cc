// Plans convolutions as matrix products over windows.
#include "backends/cpu/convolution_plan.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"

#include "backends/cpu/convolution_loops.h"
#include "backends/cpu/host_function.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_roles.h"
#include "backends/cpu/matmul_tiling.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"
#include "runtime/host/padded_convolution.h"

namespace hilo::backends {
namespace {

// Whether every group is one input feature and a few output features, which lie
// side by side in all arrays: features can be lanes.
bool HasFeatureLanes(const ConvolutionLoops& loops) {
  constexpr int64_t kMaxRepeats = 8;
  const int64_t repeats = loops.columns.size;
  return loops.groups.size > 1 && loops.groups.lhs_stride == 1 &&
         loops.groups.rhs_stride == repeats &&
         loops.groups.output_stride == repeats &&
         (repeats == 1 || (loops.columns.rhs_stride == 1 &&
                           loops.columns.output_stride == 1)) &&
         std::has_single_bit(static_cast<uint64_t>(repeats)) &&
         repeats <= kMaxRepeats && !loops.HasNoProducts();
}

// Whether elements take many instructions to become numbers to compute with.
bool IsSlowToLoad(const passes::TargetTraits& traits, hlo::ElementType type) {
  constexpr int kByteBits = 8;
  const hlo::ElementTypeInfo& info = hlo::InfoOf(type);
  if (info.element_class != hlo::ElementClass::kFloat) return false;
  // All x86 processors with wider vectors convert these.
  if (type == hlo::ElementType::kF16) return traits.vector_bytes <= 16;
  return info.bits <= kByteBits;
}

// Positions at which some element of the window lies on padding.
int64_t PositionsOnEdges(const SpatialLoop& loop) {
  const int64_t before =
      DivideUp(std::max<int64_t>(loop.padding_low, 0), loop.window_stride);
  const int64_t beyond =
      loop.padded_size() - loop.padding_low - loop.input_size;
  const int64_t behind =
      DivideUp(std::max<int64_t>(beyond, 0), loop.window_stride);
  return std::min(before + behind, loop.output_size);
}

// Whether lanes of features need a copy of the input. They can leave out
// padding where that is not most of the work, which tiles of positions near
// the ends have code of their own for.
bool NeedsFeatureCopy(const passes::TargetTraits& traits,
                      hlo::ElementType input,
                      const std::vector<SpatialLoop>& spatial) {
  constexpr int64_t kMaxPositionsOnEdges = 32;
  if (spatial.empty()) return false;
  return IsSlowToLoad(traits, input) ||
         PositionsOnEdges(spatial.back()) > kMaxPositionsOnEdges ||
         std::ranges::any_of(spatial, [](const SpatialLoop& loop) {
           return loop.base_dilation != 1;
         });
}

// The copy of the input with its padding and holes. `whole` is what is copied
// whole, innermost: input features.
OperandCopy PaddedCopy(const ConvolutionLoops& loops,
                       const std::vector<MatmulLoop>& whole) {
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
  for (const MatmulLoop& loop : whole) {
    copy.dimensions.push_back({.size = loop.size,
                               .source_size = loop.size,
                               .source_stride = loop.lhs_stride});
  }
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

// Makes the input loops walk through a padded copy instead, and the loops that
// are copied whole, too.
void AddPaddedCopy(const ConvolutionLoops& loops,
                   const std::vector<MatmulLoop*>& whole, MatmulPlan& plan) {
  std::vector<MatmulLoop> copied;
  copied.reserve(whole.size());
  for (const MatmulLoop* loop : whole) copied.push_back(*loop);
  plan.lhs_copy = PaddedCopy(loops, copied);
  LayOutPaddedCopy(plan.lhs_copy);
  const std::vector<OperandCopyDimension>& dimensions =
      plan.lhs_copy.dimensions;
  for (size_t d = 0; d < loops.spatial.size(); ++d) {
    const int64_t stride = dimensions[d].copy_stride;
    plan.rows[d].lhs_stride = loops.spatial[d].window_stride * stride;
    plan.depth[d].lhs_stride = loops.spatial[d].window_dilation * stride;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    whole[i]->lhs_stride = dimensions[loops.spatial.size() + i].copy_stride;
  }
  plan.lhs_offset = 0;
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

// The plan of a convolution of each feature by itself.
void BuildFeaturePlan(const passes::TargetTraits& traits,
                      ConvolutionLoops loops, MatmulPlan& plan) {
  std::vector<SpatialLoop>& spatial = loops.spatial;
  std::erase_if(spatial, [](const SpatialLoop& loop) {
    return loop.output_size == 1 && loop.window_size == 1 &&
           loop.padding_low == 0;
  });
  // As positions lie in memory.
  std::ranges::stable_sort(spatial,
                           [](const SpatialLoop& a, const SpatialLoop& b) {
                             return a.lhs_stride > b.lhs_stride;
                           });
  plan.lanes_along = MatmulLanes::kFeatures;
  plan.lhs_repeats = loops.columns.size;
  plan.columns = {loops.groups};
  MatmulLoop& features = plan.columns[0];
  features.size *= plan.lhs_repeats;
  features.rhs_stride = 1;
  features.output_stride = 1;
  plan.batch = {loops.batch};
  AddInputLoops(loops, plan);
  if (NeedsFeatureCopy(traits, plan.lhs_type, spatial)) {
    MatmulLoop copied = loops.groups;
    AddPaddedCopy(loops, {&plan.depth.back(), &copied}, plan);
    features.lhs_stride = copied.lhs_stride;
  } else if (loops.NeedsPadding()) {
    for (const SpatialLoop& loop : spatial) {
      plan.windows.push_back({.input_size = loop.input_size,
                              .step = loop.window_stride,
                              .dilation = loop.window_dilation,
                              .padding_low = loop.padding_low});
    }
  }
  EnsureOneLoop(plan.rows);
  // What is summed over besides the window goes first.
  if (!spatial.empty()) {
    std::ranges::rotate(plan.depth, plan.depth.end() - 1);
    if (plan.depth[0].size == 1) plan.depth.erase(plan.depth.begin());
  }
  CollapseLoops(plan.batch);
}

void BuildPlan(const ConvolutionLoops& loops, MatmulPlan& plan) {
  const bool needs_copy =
      loops.NeedsPadding() && !loops.spatial.empty() && !loops.HasNoProducts();
  AddInputLoops(loops, plan);
  plan.columns = {loops.columns};
  plan.batch = {loops.groups, loops.batch};
  if (loops.HasNoProducts()) {
    plan.depth = {MatmulLoop{.size = 0}};
    plan.lhs_offset = 0;
    plan.rhs_offset = 0;
  }
  if (needs_copy) AddPaddedCopy(loops, {&plan.depth.back()}, plan);
  CollapseLoops(plan.depth);
  EnsureOneLoop(plan.depth);
  EnsureOneLoop(plan.rows);
  PutLongDepthLast(plan.depth);
  const bool swaps = !HasUnitStride(plan.columns) && HasUnitStride(plan.rows);
  if (!needs_copy) {
    if (!swaps) {
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

// What the library has to know of a loop.
runtime::ConvolutionLoop LoopOf(const MatmulLoop& loop) {
  return {.size = loop.size,
          .lhs_stride = loop.lhs_stride,
          .rhs_stride = loop.rhs_stride,
          .output_stride = loop.output_stride};
}

// What tells sums that are NaN by zeros in a copy.
PaddedWindow DescribeWindow(const ConvolutionLoops& loops,
                            const hlo::Instruction& convolution,
                            hlo::ElementType sum_type) {
  return {.convolution =
              {.lhs_type = CodeOf(convolution.operand_shape(0).element_type()),
               .rhs_type = CodeOf(convolution.operand_shape(1).element_type()),
               .sum_type = CodeOf(sum_type),
               .spatial_rank = static_cast<int32_t>(loops.spatial.size()),
               .rhs_offset = loops.rhs_offset,
               .groups = LoopOf(loops.groups),
               .batch = LoopOf(loops.batch),
               .depth = LoopOf(loops.depth),
               .columns = LoopOf(loops.columns)},
          .spatial = loops.spatial};
}

bool MayBeInfinite(hlo::ElementType type) {
  return hlo::IsFloat(type) || hlo::IsComplex(type);
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
  const ConvolutionLoops loops = LoopsOfConvolution(convolution);
  matmul.rhs_offset = loops.rhs_offset;
  matmul.output_offset = loops.output_offset;
  if (HasFeatureLanes(loops)) {
    BuildFeaturePlan(traits, loops, matmul);
  } else {
    BuildPlan(loops, matmul);
  }
  const bool has_holes = matmul.lhs_copy.has_holes || matmul.rhs_copy.has_holes;
  const hlo::ElementType weights = convolution.operand_shape(1).element_type();
  if (has_holes && MayBeInfinite(weights) &&
      MayBeInfinite(matmul.accumulator_type)) {
    matmul.padded_window =
        DescribeWindow(loops, convolution, matmul.accumulator_type);
  }
  ChooseMatmulTiles(traits, matmul, decisions);
  return matmul;
}

}  // namespace hilo::backends
