// Weighs tiles by their clocks, loads and registers.
#include "backends/cpu/matmul_register_tile.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "backends/cpu/feature_tiling.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/element_type.h"
#include "passes/target_traits.h"

namespace hilo::backends {
namespace {

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
void ChooseColumnTile(const passes::TargetTraits& traits, MatmulPlan& plan) {
  constexpr int64_t kMaxVectors = 8;
  // Tiles of two sizes are twice the code to compile. Where lhs is read in
  // place, they can be of one size (has_equal_tiles).
  constexpr double kTwoSizes = 1.02;
  const bool copies_lhs =
      plan.lhs_copy.is_enabled || plan.lhs_type != plan.accumulator_type;
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
    if (copies_lhs && rows % tile != 0) clocks *= kTwoSizes;
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

void UnrollDepth(const passes::TargetTraits& traits, MatmulPlan& plan) {
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

}  // namespace

int64_t FullLanes(const passes::TargetTraits& traits, const MatmulPlan& plan) {
  const int64_t bytes =
      hlo::StorageBytes(hlo::ComponentType(plan.accumulator_type));
  return std::max<int64_t>(traits.vector_bytes / bytes, 1);
}

int TemporaryRegisters(const passes::TargetTraits& traits,
                       const MatmulPlan& plan) {
  const hlo::ElementType type = hlo::ComponentType(plan.accumulator_type);
  if (hlo::IsFloat(type)) return plan.has_fused_multiply_add ? 0 : 1;
  return hlo::StorageBytes(type) == 8 && traits.vector_bytes < 64 ? 4 : 1;
}

void ChooseRegisterTile(const passes::TargetTraits& traits, MatmulPlan& plan,
                        KernelPlan& decisions) {
  switch (plan.lanes_along) {
    case MatmulLanes::kColumns:
      ChooseColumnTile(traits, plan);
      break;
    case MatmulLanes::kDepth:
      ChooseDepthTile(traits, plan);
      break;
    case MatmulLanes::kFeatures:
      ChooseFeatureTile(traits, plan);
      break;
  }
  DecideTile(plan, decisions);
}

void ChooseDepthUnroll(const passes::TargetTraits& traits, MatmulPlan& plan,
                       KernelPlan& decisions) {
  if (plan.lanes_along == MatmulLanes::kColumns) UnrollDepth(traits, plan);
  DecideDepthUnroll(plan, decisions);
}

}  // namespace hilo::backends
