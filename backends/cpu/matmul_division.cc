// Chooses blocks by the caches, and splits them for the cores.
#include "backends/cpu/matmul_division.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/cpu/feature_tiling.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/element_type.h"
#include "passes/target_traits.h"

namespace hilo::backends {
namespace {

// Hardware fetches ahead within one.
constexpr int64_t kPageBytes = 4096;
// Less work is not worth a chunk of its own.
constexpr double kMinChunkOperations = 4e5;
constexpr int64_t kChunksPerCore = 4;

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
      std::max<int64_t>(dimension.copy_stride * plan.accumulator_bytes(), 1);
  return std::max(fitting, kMinExtents * copy.block_extent) / copy.block_step;
}

// Blocks of lhs and of rhs that stay in the second cache together.
void ChooseCacheBlocks(const passes::TargetTraits& traits, MatmulPlan& plan) {
  const int64_t bytes = plan.accumulator_bytes();
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
  if (plan.sweeps_rhs() && !plan.rhs_copy.is_enabled) {
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

int64_t CountUnits(const MatmulPlan& plan) {
  return plan.batch_count() * plan.row_blocks() * plan.column_blocks();
}

int64_t WantedChunks(int64_t cores) {
  return cores > 1 ? cores * kChunksPerCore : 1;
}

// Positions of a block of columns below which sweeps become slow.
int64_t MinColumnBlock(const MatmulPlan& plan) {
  if (!plan.sweeps_rhs() || plan.columns.back().rhs_stride != 1) return 1;
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

// Whether fewer chunks cost less than what the last ones leave threads without
// work for: each packs its first panels again, and neighbouring columns are
// fetched by both threads while their sums pass through memory.
bool PrefersLongChunks(const MatmulPlan& plan) {
  constexpr int64_t kManyRows = 128;
  const bool packs_often =
      plan.packs_rhs && plan.row_block * RowsPerPosition(plan) < kManyRows;
  const bool shares_lines =
      plan.row_blocks() == 1 && plan.depth_block < plan.depth.back().size;
  return packs_often || shares_lines;
}

// As many blocks, as equal as can be: the last one ends a call.
void EvenOutBlocks(MatmulPlan& plan) {
  plan.row_block = DivideUp(RowPositions(plan), plan.row_blocks());
  plan.column_block = DivideUp(ColumnPositions(plan), plan.column_blocks());
}

}  // namespace

void DivideMatmul(const passes::TargetTraits& traits, MatmulPlan& plan,
                  KernelPlan& decisions) {
  plan.threads = traits.cores;
  ChooseCacheBlocks(traits, plan);
  if (plan.is_block) {
    plan.row_block = RowPositions(plan);
    plan.column_block = ColumnPositions(plan);
    plan.units = 1;
    plan.grain = 1;
    return;
  }
  SplitUnits(traits.cores, plan);
  EvenOutBlocks(plan);
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
  const int64_t wanted = WantedChunks(traits.cores);
  plan.grain =
      std::max<int64_t>({PrefersLongChunks(plan) ? DivideUp(plan.units, wanted)
                                                 : plan.units / wanted,
                         least, 1});
}

}  // namespace hilo::backends
