// Chooses roles, tiles, packing and units of products.
#include "backends/cpu/matmul_tiling.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "backends/cpu/feature_tiling.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/element_type.h"
#include "passes/target_traits.h"

namespace hilo::backends {
namespace {

// Set conflicts appear where rows lie a multiple of this many bytes apart.
constexpr int64_t kAliasingBytes = 4096;
constexpr int64_t kCacheLineBytes = 64;
// Hardware fetches ahead within one.
constexpr int64_t kPageBytes = 4096;
// Less work is not worth a chunk of its own.
constexpr double kMinChunkOperations = 4e5;
constexpr int64_t kChunksPerCore = 4;

int64_t PowerOfTwoFrom(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

int64_t AccumulatorBytes(const MatmulPlan& plan) {
  return hlo::StorageBytes(plan.accumulator_type);
}

// Elements of the accumulator's type in one vector register, or in two for
// complex types.
int64_t FullLanes(const passes::TargetTraits& traits, const MatmulPlan& plan) {
  const int64_t bytes =
      hlo::StorageBytes(hlo::ComponentType(plan.accumulator_type));
  return std::max<int64_t>(traits.vector_bytes / bytes, 1);
}

bool HasUnitOutputStride(const std::vector<MatmulLoop>& loops) {
  return std::ranges::any_of(loops, [](const MatmulLoop& loop) {
    return loop.output_stride == 1 && loop.size > 1;
  });
}

const MatmulLoop* LoopAlongLhs(const std::vector<MatmulLoop>& loops) {
  for (const MatmulLoop& loop : loops) {
    if (loop.lhs_stride == 1 && loop.size > 1) return &loop;
  }
  return nullptr;
}

// Whether lanes should run along the depth, with few columns.
bool PrefersDepthLanes(const passes::TargetTraits& traits,
                       const MatmulPlan& plan, bool is_transposed) {
  constexpr int64_t kFewColumns = 12;
  constexpr int64_t kMinTransposedDepth = 16;
  constexpr int64_t kMinDepth = 128;
  const MatmulLoop* depth = LoopAlongLhs(plan.depth);
  const int64_t columns = plan.column_count();
  if (depth == nullptr || columns > kFewColumns) return false;
  if (columns <= 1) return true;
  if (is_transposed) return depth->size >= kMinTransposedDepth;
  const int64_t lanes = FullLanes(traits, plan);
  const bool wastes_lanes = 10 * columns < 7 * DivideUp(columns, lanes) * lanes;
  return depth->size >= kMinDepth && wastes_lanes;
}

// Moves the loop that `is_better` prefers to the end.
template <typename Better>
void PutBestLast(std::vector<MatmulLoop>& loops, Better is_better) {
  size_t best = loops.size() - 1;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (is_better(loops[i], loops[best])) best = i;
  }
  std::rotate(loops.begin() + static_cast<std::ptrdiff_t>(best),
              loops.begin() + static_cast<std::ptrdiff_t>(best) + 1,
              loops.end());
}

void OrderLoops(MatmulPlan& plan) {
  PutBestLast(plan.columns, [](const MatmulLoop& a, const MatmulLoop& b) {
    const bool a_is_unit = a.output_stride == 1;
    const bool b_is_unit = b.output_stride == 1;
    return a_is_unit != b_is_unit ? a_is_unit : a.size > b.size;
  });
  PutBestLast(plan.rows, [](const MatmulLoop& a, const MatmulLoop& b) {
    return a.size > b.size;
  });
  PutBestLast(plan.depth, [](const MatmulLoop& a, const MatmulLoop& b) {
    return a.lhs_stride != b.lhs_stride ? a.lhs_stride < b.lhs_stride
                                        : a.rhs_stride < b.rhs_stride;
  });
  SortBatchLoops(plan.batch);
}

// Clocks per step of depth of one tile, at two vector operations and two loads
// a clock and four clocks from one sum to the next.
double TileClocks(const MatmulPlan& plan, int64_t rows, int64_t vectors,
                  double depth) {
  const auto parts = static_cast<double>(plan.registers_per_vector);
  const auto products = static_cast<double>(rows * vectors) * parts * parts;
  const auto loads = parts * static_cast<double>(rows + vectors);
  constexpr double kLatency = 4;
  // Loads that miss the first cache show.
  constexpr double kLoadPenalty = 0.1;
  const double overhead =
      kLoadPenalty * loads + (2 * products + 20) / std::max(depth, 1.0);
  return std::max({products / 2, loads / 2, kLatency * parts}) + overhead;
}

// The rows of a tile of `vectors` vectors for which the registers suffice; 0 if
// there is none.
int64_t MaxTileRows(const passes::TargetTraits& traits, const MatmulPlan& plan,
                    int64_t vectors) {
  const int64_t parts = plan.registers_per_vector;
  const int64_t registers =
      traits.vector_registers - TemporaryRegisters(traits, plan);
  const int64_t rows = (registers - parts * (vectors + 1)) / (parts * vectors);
  if (rows > 0) return rows;
  // With one row, vectors of rhs are used once, straight from memory.
  return plan.row_count() == 1 && parts * vectors + 2 * parts <= registers ? 1
                                                                           : 0;
}

// The best tile of sums whose lanes run along columns.
void ChooseRegisterTile(const passes::TargetTraits& traits, MatmulPlan& plan) {
  constexpr int64_t kMaxVectors = 8;
  const int64_t rows = plan.rows.back().size;
  const int64_t vectors = DivideUp(plan.columns.back().size, plan.lanes);
  const auto depth = static_cast<double>(plan.depth_count());
  double best = -1;
  for (int64_t width = 1; width <= std::min(kMaxVectors, vectors); ++width) {
    const int64_t max_rows = MaxTileRows(traits, plan, width);
    if (max_rows == 0) break;
    const int64_t tiles = DivideUp(rows, max_rows);
    const int64_t tile = DivideUp(rows, tiles);
    const int64_t whole = vectors / width;
    double clocks =
        static_cast<double>(whole) * TileClocks(plan, tile, width, depth);
    if (vectors % width != 0) {
      clocks += TileClocks(plan, tile, vectors % width, depth);
    }
    clocks *= static_cast<double>(tiles);
    if (best >= 0 && clocks >= best) continue;
    best = clocks;
    plan.row_tile = static_cast<int>(tile);
    plan.column_tile = static_cast<int>(width);
  }
}

// The tile of a product whose lanes run along the depth: enough sums to hide
// the latency of adding.
void ChooseDepthTile(const passes::TargetTraits& traits, MatmulPlan& plan) {
  constexpr int64_t kMaxRows = 4;
  constexpr int64_t kMinSums = 8;
  const int64_t columns = plan.columns.back().size;
  const int64_t rows = plan.rows.back().size;
  const int64_t parts = plan.registers_per_vector;
  const int64_t registers =
      traits.vector_registers / parts - TemporaryRegisters(traits, plan);
  int64_t width = std::min<int64_t>(columns, 4);
  int64_t height = std::min(rows, kMaxRows);
  while (width > 1 && height * width + width + 1 > registers) --width;
  while (height > 1 && height * width + width + 1 > registers) --height;
  plan.column_tile =
      static_cast<int>(DivideUp(columns, DivideUp(columns, width)));
  plan.row_tile = static_cast<int>(DivideUp(rows, DivideUp(rows, height)));
  const int64_t sums = int64_t{plan.row_tile} * plan.column_tile;
  int64_t unroll = 1;
  while (unroll * sums < kMinSums &&
         2 * unroll * plan.lanes <= plan.depth.back().size &&
         2 * unroll * sums + 2 <= registers) {
    unroll *= 2;
  }
  plan.depth_unroll = static_cast<int>(unroll);
}

// The code generator loads the vectors of all unrolled steps first.
bool FitsUnrolled(const passes::TargetTraits& traits, const MatmulPlan& plan,
                  int64_t unroll) {
  const int64_t vectors =
      (int64_t{plan.row_tile} + unroll) * plan.column_tile + 1;
  return vectors * plan.registers_per_vector +
             TemporaryRegisters(traits, plan) <=
         traits.vector_registers;
}

void ChooseDepthUnroll(const passes::TargetTraits& traits, MatmulPlan& plan) {
  constexpr int kMaxUnroll = 4;
  constexpr int64_t kMaxProducts = 32;
  const int64_t products = int64_t{plan.row_tile} * plan.column_tile;
  const int64_t size = plan.depth.back().size;
  plan.depth_unroll = 1;
  if (plan.depth.size() > 1 && size <= kMaxUnroll &&
      FitsUnrolled(traits, plan, size)) {
    plan.depth_unroll = static_cast<int>(size);
    return;
  }
  const int64_t steps = plan.depth.size() == 1 ? plan.depth_block : size;
  const int64_t last = size % std::max<int64_t>(steps, 1);
  const auto fits = [&](int64_t unroll) {
    return unroll <= kMaxUnroll && steps % unroll == 0 && last % unroll == 0 &&
           products * unroll <= kMaxProducts &&
           FitsUnrolled(traits, plan, unroll);
  };
  while (fits(int64_t{2} * plan.depth_unroll)) {
    plan.depth_unroll *= 2;
  }
}

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
  const int64_t bytes = AccumulatorBytes(plan);
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
  const int64_t bytes = AccumulatorBytes(plan);
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

// Whether all values of the type are those of a 16-bit integer.
bool FitsPair(hlo::ElementType type) {
  const hlo::ElementTypeInfo& info = hlo::InfoOf(type);
  switch (info.element_class) {
    case hlo::ElementClass::kPredicate:
      return true;
    case hlo::ElementClass::kSigned:
      return info.bits <= 16;
    case hlo::ElementClass::kUnsigned:
      return info.bits < 16;
    case hlo::ElementClass::kFloat:
    case hlo::ElementClass::kComplex:
    case hlo::ElementClass::kNoArray:
      break;
  }
  return false;
}

// Whether two steps of depth can be taken at once: where both operands are
// copied anyway, which puts the two beside each other.
bool MayPairDepth(const passes::TargetTraits& traits, const MatmulPlan& plan,
                  bool copies_lhs) {
  constexpr int64_t kPairBytes = 4;
  constexpr int kMinLanes = 4;
  return traits.multiplies_pairs && copies_lhs && plan.packs_rhs &&
         plan.lanes >= kMinLanes && plan.depth.size() == 1 &&
         plan.depth.back().size % 2 == 0 && !plan.rhs_copy.is_enabled &&
         AccumulatorBytes(plan) == kPairBytes && FitsPair(plan.lhs_type) &&
         FitsPair(plan.rhs_type);
}

void PairDepth(MatmulPlan& plan) {
  plan.pairs_depth = true;
  MatmulLoop& depth = plan.depth.back();
  plan.lhs_copy.pair_stride = depth.lhs_stride;
  depth.size /= 2;
  depth.lhs_stride *= 2;
  depth.rhs_stride *= 2;
}

// Whether rhs is read in place and once, so that memory decides.
bool IsSweep(const MatmulPlan& plan) {
  return !plan.packs_rhs && plan.row_count() <= plan.row_tile;
}

// Whether sums can pass through the output.
bool MayBlockDepth(const MatmulPlan& plan) {
  return plan.depth.size() == 1 && plan.depth.back().size > 0 &&
         HoldsSums(plan.output_type, plan.accumulator_type) &&
         HoldsSums(plan.stored_type, plan.accumulator_type) &&
         plan.lanes_along == MatmulLanes::kColumns &&
         plan.columns.back().output_stride == 1;
}

// Steps whose sums stay in registers.
int64_t ChooseDepthBlock(const passes::TargetTraits& traits,
                         const MatmulPlan& plan) {
  const int64_t depth = plan.depth.back().size;
  if (!MayBlockDepth(plan)) return depth;
  const int64_t bytes = AccumulatorBytes(plan);
  const int64_t rhs_bytes = depth * plan.column_count() * bytes;
  // Few rows sweep over rhs: along its rows rather than down its columns.
  constexpr int64_t kSweepBlock = 64;
  constexpr int64_t kVectorBlock = 8;
  if (IsSweep(plan) && plan.columns.back().rhs_stride == 1 &&
      rhs_bytes > traits.l2_cache_bytes / 2) {
    return std::min(depth, plan.row_count() == 1 ? kVectorBlock : kSweepBlock);
  }
  constexpr int64_t kMinBlock = 64;
  const int64_t most = std::max(
      traits.l1_cache_bytes / (plan.panel_columns() * bytes), kMinBlock);
  if (depth <= most) return depth;
  constexpr int64_t kMultiple = 8;
  const int64_t blocks = DivideUp(depth, most);
  return DivideUp(DivideUp(depth, blocks), kMultiple) * kMultiple;
}

int64_t InnerSize(const std::vector<MatmulLoop>& loops, size_t first) {
  int64_t size = 1;
  for (size_t i = first; i < loops.size(); ++i) size *= loops[i].size;
  return size;
}

// Rows (columns) that one position of the first loop, or one tile, stands for.
int64_t RowsPerPosition(const MatmulPlan& plan) {
  return plan.rows.size() == 1 ? plan.row_tile : InnerSize(plan.rows, 1);
}
int64_t ColumnsPerPosition(const MatmulPlan& plan) {
  return plan.columns.size() == 1 ? plan.panel_columns()
                                  : InnerSize(plan.columns, 1);
}
int64_t RowPositions(const MatmulPlan& plan) {
  return plan.rows.size() == 1 ? plan.row_tiles() : plan.rows[0].size;
}
int64_t ColumnPositions(const MatmulPlan& plan) {
  return plan.columns.size() == 1 ? plan.panels() : plan.columns[0].size;
}

// Positions of the blocked loop whose copy fills half of the second cache, but
// so many that neighbours do not copy the same too often.
int64_t PositionsOfGivenCopy(const passes::TargetTraits& traits,
                             const MatmulPlan& plan, const OperandCopy& copy) {
  constexpr int64_t kMinExtents = 4;
  if (copy.block_dimension < 0) return INT64_MAX;
  const OperandCopyDimension& dimension = copy.dimensions[copy.block_dimension];
  const int64_t fitting =
      traits.l2_cache_bytes / 2 /
      std::max<int64_t>(dimension.copy_stride * AccumulatorBytes(plan), 1);
  return std::max(fitting, kMinExtents * copy.block_extent) / copy.block_step;
}

// Blocks of lhs and of rhs that stay in the second cache together.
void ChooseCacheBlocks(const passes::TargetTraits& traits, MatmulPlan& plan) {
  const int64_t bytes = AccumulatorBytes(plan);
  const int64_t depth = std::max<int64_t>(
      plan.depth.size() == 1 ? plan.depth_block : plan.depth_count(), 1);
  constexpr int64_t kMinRows = 32;
  constexpr int64_t kMinColumnsPerCopy = 512;
  int64_t rows = std::max<int64_t>(
      traits.l2_cache_bytes / 2 / (depth * bytes) / RowsPerPosition(plan),
      DivideUp(kMinRows, RowsPerPosition(plan)));
  int64_t columns = traits.l2_cache_bytes / 4 / (depth * bytes);
  if (plan.lhs_copy.is_enabled) columns = std::max(columns, kMinColumnsPerCopy);
  columns /= ColumnsPerPosition(plan);
  if (plan.lanes_along == MatmulLanes::kFeatures) {
    rows = RowPositions(plan);
    columns = ChooseFeatureBlock(traits, plan);
  }
  if (!plan.lhs_copy.dimensions.empty()) {
    rows = PositionsOfGivenCopy(traits, plan, plan.lhs_copy);
    if (plan.rows.size() == 1) rows /= plan.row_tile;
  }
  if (!plan.rhs_copy.dimensions.empty()) {
    columns = PositionsOfGivenCopy(traits, plan, plan.rhs_copy);
    if (plan.columns.size() == 1) columns /= plan.panel_columns();
  }
  plan.row_block = std::clamp<int64_t>(rows, 1, RowPositions(plan));
  plan.column_block = std::clamp<int64_t>(columns, 1, ColumnPositions(plan));
  if (IsSweep(plan) && !plan.rhs_copy.is_enabled) {
    plan.column_block = ColumnPositions(plan);
  }
}

double OperationsPerUnit(const MatmulPlan& plan) {
  const int64_t rows =
      std::min(plan.row_block * RowsPerPosition(plan), plan.row_count());
  const int64_t columns = std::min(plan.column_block * ColumnsPerPosition(plan),
                                   plan.column_count());
  return 2.0 * static_cast<double>(rows) * static_cast<double>(columns) *
         static_cast<double>(std::max<int64_t>(plan.depth_count(), 1));
}

int64_t CountElements(const MatmulPlan& plan) {
  return plan.batch_count() * plan.row_count() * plan.column_count();
}

int64_t CountUnits(const MatmulPlan& plan) {
  return plan.batch_count() * plan.row_blocks() * plan.column_blocks();
}

int64_t WantedChunks(int64_t cores) {
  return cores > 1 ? cores * kChunksPerCore : 1;
}

// Positions of a block of columns below which sweeps become slow.
int64_t MinColumnBlock(const MatmulPlan& plan) {
  if (!IsSweep(plan) || plan.columns.back().rhs_stride != 1) return 1;
  const int64_t bytes =
      ColumnsPerPosition(plan) * hlo::StorageBytes(plan.rhs_type);
  return DivideUp(kPageBytes, bytes);
}

// Makes units smaller until there are enough or each is as small as may be.
void SplitUnits(int64_t cores, MatmulPlan& plan) {
  const int64_t wanted = WantedChunks(cores);
  const int64_t min_columns = MinColumnBlock(plan);
  const auto split_columns = [&] {
    while (CountUnits(plan) < wanted && plan.column_block > 1 &&
           (plan.column_block > min_columns || CountUnits(plan) < cores) &&
           OperationsPerUnit(plan) > kMinChunkOperations) {
      plan.column_block = DivideUp(plan.column_block, 2);
    }
  };
  const auto split_rows = [&] {
    while (CountUnits(plan) < wanted && plan.row_block > 1 &&
           OperationsPerUnit(plan) > kMinChunkOperations) {
      plan.row_block = DivideUp(plan.row_block, 2);
    }
  };
  if (plan.lanes_along == MatmulLanes::kFeatures) {
    split_rows();
    split_columns();
    return;
  }
  // Blocks of rows repeat the packing, blocks of columns the copying.
  const bool packing_is_cheaper =
      !plan.packs_rhs || plan.column_count() < plan.row_count();
  if (plan.lhs_copy.is_enabled && packing_is_cheaper) {
    split_rows();
    split_columns();
    return;
  }
  split_columns();
  split_rows();
}

void ChooseUnits(const passes::TargetTraits& traits, MatmulPlan& plan,
                 KernelPlan& decisions) {
  if (plan.is_block) {
    plan.row_block = RowPositions(plan);
    plan.column_block = ColumnPositions(plan);
    plan.units = 1;
    plan.grain = 1;
    return;
  }
  SplitUnits(traits.cores, plan);
  plan.row_block =
      decisions.Decide("row_block", plan.row_block,
                       {.minimum = 1, .maximum = RowPositions(plan)});
  plan.column_block =
      decisions.Decide("column_block", plan.column_block,
                       {.minimum = 1, .maximum = ColumnPositions(plan)});
  plan.units = CountUnits(plan);
  const double operations = OperationsPerUnit(plan);
  const auto least =
      static_cast<int64_t>(kMinChunkOperations / std::max(operations, 1.0));
  plan.grain = std::max<int64_t>(
      {DivideUp(plan.units, WantedChunks(traits.cores)), least, 1});
}

// Rows or columns of the first loop that a unit takes.
int64_t BlockPositions(const std::vector<MatmulLoop>& loops, int64_t block,
                       int64_t tile) {
  return std::min(loops.size() == 1 ? block * tile : block, loops[0].size);
}

// But for kFeatures, rows of tiles differ by one at most: a tile has fewer than
// were decided where as many tiles do with fewer.
void DecideTile(MatmulPlan& plan, KernelPlan& decisions) {
  constexpr int64_t kMaxRows = 32;
  const int64_t max_columns = plan.lhs_repeats == 1 ? 8 : 1;
  const int64_t rows = plan.rows.back().size;
  const int64_t columns = plan.lanes_along == MatmulLanes::kDepth
                              ? plan.columns.back().size
                              : DivideUp(plan.columns.back().size, plan.lanes);
  const int64_t most =
      decisions.Decide("row_tile", plan.row_tile,
                       {.minimum = 1, .maximum = std::min(kMaxRows, rows)});
  plan.row_tile = static_cast<int>(plan.lanes_along == MatmulLanes::kFeatures
                                       ? most
                                       : DivideUp(rows, DivideUp(rows, most)));
  plan.column_tile = static_cast<int>(decisions.Decide(
      "column_tile", plan.column_tile,
      {.minimum = 1, .maximum = std::min(max_columns, columns)}));
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

// Smaller powers of two divide what the chosen one does. Along the depth it
// says how many sums there are.
void DecideDepthUnroll(MatmulPlan& plan, KernelPlan& decisions) {
  const bool is_free =
      plan.lanes_along == MatmulLanes::kColumns &&
      std::has_single_bit(static_cast<uint64_t>(plan.depth_unroll));
  plan.depth_unroll = static_cast<int>(
      decisions.Decide("depth_unroll", plan.depth_unroll,
                       {.minimum = is_free ? 1 : plan.depth_unroll,
                        .maximum = plan.depth_unroll,
                        .is_power_of_two = is_free}));
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
             &MatmulLoop::lhs_stride, AccumulatorBytes(plan), plan.lhs_copy);
}

void LayOutRhsCopy(MatmulPlan& plan) {
  LayOutCopy(
      PointersTo(plan.columns, plan.depth), plan.columns.data(),
      BlockPositions(plan.columns, plan.column_block, plan.panel_columns()),
      &MatmulLoop::rhs_stride, AccumulatorBytes(plan), plan.rhs_copy);
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

int TemporaryRegisters(const passes::TargetTraits& traits,
                       const MatmulPlan& plan) {
  const hlo::ElementType type = hlo::ComponentType(plan.accumulator_type);
  if (hlo::IsFloat(type)) return plan.has_fused_multiply_add ? 0 : 1;
  return hlo::StorageBytes(type) == 8 && traits.vector_bytes < 64 ? 4 : 1;
}

int64_t MatmulLhsCopyBytes(const MatmulPlan& plan) {
  return plan.lhs_copy.is_enabled
             ? AlignedBytes(plan.lhs_copy.elements, AccumulatorBytes(plan))
             : 0;
}

int64_t MatmulRhsCopyBytes(const MatmulPlan& plan) {
  return plan.rhs_copy.is_enabled
             ? AlignedBytes(plan.rhs_copy.elements, AccumulatorBytes(plan))
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
                      AccumulatorBytes(plan));
}

void SwapMatmulOperands(MatmulPlan& plan) {
  plan.is_swapped = !plan.is_swapped;
  std::swap(plan.lhs_type, plan.rhs_type);
  std::swap(plan.lhs_offset, plan.rhs_offset);
  std::swap(plan.lhs_copy, plan.rhs_copy);
  std::swap(plan.rows, plan.columns);
  for (auto* loops : {&plan.batch, &plan.rows, &plan.columns, &plan.depth}) {
    for (MatmulLoop& loop : *loops) std::swap(loop.lhs_stride, loop.rhs_stride);
  }
  SortBatchLoops(plan.batch);
}

void OrderMatmulLoops(MatmulPlan& plan) {
  EnsureOneLoop(plan.rows);
  EnsureOneLoop(plan.columns);
  EnsureOneLoop(plan.depth);
  OrderLoops(plan);
}

void ChooseMatmulRoles(const passes::TargetTraits& traits, MatmulPlan& plan) {
  EnsureOneLoop(plan.rows);
  EnsureOneLoop(plan.columns);
  EnsureOneLoop(plan.depth);
  if (PrefersDepthLanes(traits, plan, /*is_transposed=*/false)) {
    plan.lanes_along = MatmulLanes::kDepth;
  } else {
    MatmulPlan swapped = plan;
    SwapMatmulOperands(swapped);
    if (PrefersDepthLanes(traits, swapped, /*is_transposed=*/true)) {
      plan = std::move(swapped);
      plan.lanes_along = MatmulLanes::kDepth;
    } else if (!HasUnitOutputStride(plan.columns) &&
               HasUnitOutputStride(plan.rows)) {
      plan = std::move(swapped);
    }
  }
  OrderLoops(plan);
}

void ChooseMatmulTiles(const passes::TargetTraits& traits, MatmulPlan& plan,
                       KernelPlan& decisions) {
  // x86 has them wherever it has wider vectors.
  plan.has_fused_multiply_add = traits.vector_bytes > 16;
  plan.registers_per_vector = hlo::IsComplex(plan.accumulator_type) ? 2 : 1;
  const bool is_depth = plan.lanes_along == MatmulLanes::kDepth;
  plan.lanes = static_cast<int>(
      std::min(FullLanes(traits, plan),
               PowerOfTwoFrom(is_depth ? plan.depth.back().size
                                       : plan.columns.back().size)));
  // Lanes along the depth are summed in the end.
  plan.lanes =
      static_cast<int>(decisions.Decide("lanes", plan.lanes,
                                        {.minimum = is_depth ? plan.lanes : 1,
                                         .maximum = plan.lanes,
                                         .is_power_of_two = true}));
  plan.depth_block = plan.depth.back().size;
  plan.units = 0;
  if (CountElements(plan) == 0) return;
  switch (plan.lanes_along) {
    case MatmulLanes::kColumns:
      ChooseRegisterTile(traits, plan);
      break;
    case MatmulLanes::kDepth:
      ChooseDepthTile(traits, plan);
      break;
    case MatmulLanes::kFeatures:
      ChooseFeatureTile(traits, plan);
      break;
  }
  DecideTile(plan, decisions);
  if (!plan.rhs_copy.is_enabled && ShouldCopyRhs(plan)) {
    plan.rhs_copy.is_enabled = true;
    plan.rhs_copy.dimensions.clear();
  }
  const bool copies_lhs = !plan.lhs_copy.is_enabled && ShouldCopyLhs(plan);
  if (copies_lhs) plan.lhs_copy.is_enabled = true;
  plan.packs_rhs = DecidePacking(ShouldPackRhs(traits, plan), plan, decisions);
  if (MayPairDepth(traits, plan, copies_lhs) &&
      decisions.Decide("pair_depth", 1, {.minimum = 0, .maximum = 1}) == 1) {
    PairDepth(plan);
  }
  plan.depth_block = decisions.Decide(
      "depth_block", ChooseDepthBlock(traits, plan),
      {.minimum = MayBlockDepth(plan) ? 1 : plan.depth.back().size,
       .maximum = plan.depth.back().size});
  if (plan.lanes_along == MatmulLanes::kColumns) {
    ChooseDepthUnroll(traits, plan);
  }
  DecideDepthUnroll(plan, decisions);
  ChooseCacheBlocks(traits, plan);
  ChooseUnits(traits, plan, decisions);
  if (copies_lhs) {
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
  plan.chunk_bytes = MatmulLhsCopyBytes(plan) + MatmulRhsCopyBytes(plan) +
                       MatmulPackedBytes(plan);
}

}  // namespace hilo::backends
