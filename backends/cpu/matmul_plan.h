// How one matrix product or convolution is computed: loops, tiles and packing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "backends/plan/kernel_plan.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "passes/target_traits.h"
#include "runtime/host/padded_convolution.h"

namespace hilo::backends {

// a / b, rounded up.
constexpr int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

// One loop with its strides, in elements, in each array; 0 where the array does
// not depend on it.
struct MatmulLoop {
  int64_t size = 1;
  int64_t lhs_stride = 0;
  int64_t rhs_stride = 0;
  int64_t output_stride = 0;
  // The row loop of which a block takes a part, if its first position may be
  // another block's: MatmulBlockFacts tell.
  bool may_skip_first = false;

  friend bool operator==(const MatmulLoop&, const MatmulLoop&) = default;
};

// Which loop the lanes of a vector run along.
enum class MatmulLanes : uint8_t {
  // Columns: elements of lhs are broadcast over them.
  kColumns,
  // Depth: both operands are vectors, whose lanes are summed in the end.
  kDepth,
  // The only column loop, along which all three arrays move, of a convolution
  // of each feature by itself: both operands are vectors, and every lane has a
  // sum of its own.
  kFeatures,
};

// Which elements of a window exist: element e at position p lies on element
// p * step + e * dilation - padding_low of the input.
struct MatmulWindow {
  int64_t input_size = 1;
  int64_t step = 1;
  int64_t dilation = 1;
  int64_t padding_low = 0;
};

// The window of a convolution of which some elements lie on padding or holes,
// which copies of operands hold zeros for.
struct PaddedWindow {
  // Its tiles are not known yet.
  runtime::PaddedConvolution convolution;
  std::vector<runtime::SpatialLoop> spatial;
};

// One dimension of the copy of an operand. Position i holds the source element
// (i - padding_low) / dilation where that is whole and exists, otherwise zero.
struct OperandCopyDimension {
  int64_t size = 1;
  int64_t copy_stride = 0;
  int64_t source_size = 1;
  int64_t source_stride = 0;
  int64_t padding_low = 0;
  int64_t dilation = 1;
};

// A copy, in the accumulator's type, of what a unit needs of one operand. It is
// kept as long as the following units of the chunk need the same.
struct OperandCopy {
  bool is_enabled = false;
  // Outermost first.
  std::vector<OperandCopyDimension> dimensions;
  // Units that take positions first, first + 1, ... of the first row (lhs) or
  // column (rhs) loop copy from position first * block_step of this dimension
  // on, and block_extent positions for the last one. -1: everything is copied.
  int64_t block_dimension = -1;
  int64_t block_step = 1;
  int64_t block_extent = 1;
  // With paired steps: elements of the source from the first to the second.
  int64_t pair_stride = 0;
  // Some positions hold zeros.
  bool has_holes = false;
  // Elements that the largest copy takes.
  int64_t elements = 0;
};

// A product output[batch, row, column] = sum over depth of
// lhs[batch, row, depth] * rhs[batch, depth, column], where each index is a
// list of loops, outermost first; no list but `batch` is empty. What runs along
// the last row loop is cut into register tiles, along the last column loop into
// panels of column_tile vectors.
struct MatmulPlan {
  hlo::ElementType lhs_type = hlo::ElementType::kF32;
  hlo::ElementType rhs_type = hlo::ElementType::kF32;
  hlo::ElementType output_type = hlo::ElementType::kF32;
  // The type of the kernel's output array: what an epilogue returns.
  hlo::ElementType stored_type = hlo::ElementType::kF32;
  hlo::ElementType accumulator_type = hlo::ElementType::kF32;
  // The plan's lhs is the kernel's argument 1, and its rhs argument 0.
  bool is_swapped = false;

  // Those that do not move rhs come last.
  std::vector<MatmulLoop> batch;
  std::vector<MatmulLoop> rows;
  std::vector<MatmulLoop> columns;
  std::vector<MatmulLoop> depth;
  // Elements from an array's first one to the origin of all loops.
  int64_t lhs_offset = 0;
  int64_t rhs_offset = 0;
  int64_t output_offset = 0;

  MatmulLanes lanes_along = MatmulLanes::kColumns;
  // kFeatures: one per row loop, whose window the depth loops at the same place
  // from the end walk along; those elements count that exist. None if all do.
  std::vector<MatmulWindow> windows;
  // kFeatures: column c takes column c / lhs_repeats of lhs.
  int64_t lhs_repeats = 1;
  // Elements of one vector.
  int lanes = 1;
  // Vector registers that hold one vector of elements.
  int registers_per_vector = 1;
  bool has_fused_multiply_add = false;
  // Rows of the largest tile; the others have as many or one less.
  int row_tile = 1;
  // Vectors of a full panel; kDepth: columns of one.
  int column_tile = 1;
  // Steps of the last depth loop at once. kDepth: sums per element of the
  // output, each of every depth_unroll-th step.
  int depth_unroll = 1;
  // Sums over this many steps of the only depth loop pass through memory.
  int64_t depth_block = 0;

  // Panels of rhs are packed: [panel][depth][column].
  bool packs_rhs = false;
  // Of narrow integers: a step of depth is two steps of the operands. Copies
  // and panels hold both, as 16-bit integers, in one element.
  bool pairs_depth = false;
  OperandCopy lhs_copy;
  OperandCopy rhs_copy;
  // Where zeros in a copy may meet infinities or NaN.
  std::optional<PaddedWindow> padded_window;

  // A unit computes row_block positions of the first row loop (tiles, if it is
  // the only one) and column_block of the first column loop (panels, if it is
  // the only one) of one batch element. Rows vary fastest from unit to unit,
  // then batch loops that leave rhs alone, columns, other batch loops.
  int64_t row_block = 1;
  int64_t column_block = 1;
  int64_t units = 0;
  int64_t grain = 1;
  // Threads that the plan is for. Each that runs chunks has scratch memory of
  // its own, chunk_bytes, which stays in its cache from chunk to chunk.
  int64_t threads = 1;
  int64_t chunk_bytes = 0;
  // One unit of a larger product: MatmulBlockFacts follow its arguments, and
  // packed panels stay for the next call.
  bool is_block = false;

  // Products of the sizes of a list.
  int64_t row_count() const;
  int64_t column_count() const;
  int64_t depth_count() const;
  int64_t batch_count() const;
  // Tiles along the last row loop, and how many of them have row_tile rows.
  int64_t row_tiles() const;
  int64_t full_row_tiles() const;
  // Columns of a full panel, and panels along the last column loop.
  int64_t panel_columns() const;
  int64_t panels() const;
  // Whether all tiles have row_tile rows, the last one up to row_tile - 1 of
  // them again, or all panels column_tile vectors, the last one with columns
  // that do not exist. Both save code, for little work.
  bool has_equal_tiles() const;
  bool has_equal_panels() const;
  // Units that share one batch element.
  int64_t row_blocks() const;
  int64_t column_blocks() const;
  // Threads that run chunks, and their scratch memory together.
  int64_t slots() const { return std::min(threads, DivideUp(units, grain)); }
  int64_t scratch_bytes() const { return chunk_bytes * slots(); }
  // Whether rhs is read in place and once, so that memory decides.
  bool sweeps_rhs() const { return !packs_rhs && row_count() <= row_tile; }
  int64_t accumulator_bytes() const {
    return hlo::StorageBytes(accumulator_type);
  }
  // Types that the inner loop reads.
  hlo::ElementType tile_lhs_type() const;
  hlo::ElementType tile_rhs_type() const;

  // One line per fact, for tests.
  std::string ToString() const;
};

// The type in which products of this result type are summed: f32 for narrower
// floats, u32 and u64 for integers (they wrap) and pred, otherwise itself.
hlo::ElementType AccumulatorType(hlo::ElementType output);

// Whether sums are bit by bit elements of an output of this type: the same
// type, or integers of as many bits.
bool HoldsSums(hlo::ElementType output, hlo::ElementType accumulator);

// Distances in elements between neighbours along each dimension of an array,
// by its layout.
hlo::DimensionVector LayoutStrides(const hlo::Shape& shape);

// Drops loops of size 1 and joins those that walk like one. The order of the
// rest is kept.
void CollapseLoops(std::vector<MatmulLoop>& loops);

// Lists other than batch are not empty: a loop of size 1 if need be.
void EnsureOneLoop(std::vector<MatmulLoop>& loops);

// Puts batch loops that move rhs first.
void SortBatchLoops(std::vector<MatmulLoop>& batch);

// A plan for any dot, by the layouts of its operands and result. `stored_type`
// is what an epilogue makes of the result's elements, by default their type.
// Errors: Unimplemented for sparse operands.
absl::StatusOr<MatmulPlan> PlanDot(
    const hlo::Instruction& dot, const passes::TargetTraits& traits,
    KernelPlan& decisions,
    std::optional<hlo::ElementType> stored_type = std::nullopt);

// The types and loops of a dot, in the order of its dimensions. Errors: as
// PlanDot.
absl::StatusOr<MatmulPlan> DescribeDot(
    const hlo::Instruction& dot,
    std::optional<hlo::ElementType> stored_type = std::nullopt);

// Completes a description to the plan of a block of these rows alone, without
// the batch loops and other loops over rows: another kernel walks those.
void PlanMatmulBlock(const passes::TargetTraits& traits,
                     std::vector<MatmulLoop> rows, MatmulPlan& plan,
                     KernelPlan& decisions);

}  // namespace hilo::backends
