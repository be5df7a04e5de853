// Chooses tiles and blocks of convolutions whose lanes are features.
#include "backends/cpu/feature_tiling.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_register_tile.h"
#include "hlo/ir/element_type.h"
#include "passes/target_traits.h"

namespace hilo::backends {
namespace {

// What decides on the size of a tile.
class FeatureTiles {
 public:
  FeatureTiles(const passes::TargetTraits& traits, const MatmulPlan& plan)
      : plan_(plan),
        registers_(
            (traits.vector_registers - TemporaryRegisters(traits, plan)) /
            plan.registers_per_vector),
        size_(plan.rows.back().size),
        window_(plan.depth.back().size) {}

  // Elements of the window whose weights are in registers: every input that is
  // loaded is used for so many positions.
  int Unroll() const {
    constexpr int64_t kMax = 7;
    constexpr int64_t kMinRows = 2;
    const int64_t most = std::min(kMax, registers_ - kMinRows - 1);
    if (size_ == 1 || most < 1) return 1;
    if (window_ <= most) return static_cast<int>(window_);
    return static_cast<int>(std::clamp<int64_t>(
        registers_ - std::min(size_, kMaxRows) - 2, 1, most));
  }

  // Positions of a tile of so many vectors; about as many in the last one.
  int Rows(int64_t vectors) const {
    const int64_t spare = vectors == 1 ? 1 : 2;
    const int64_t most =
        std::clamp<int64_t>((registers_ - Unroll() - spare) / vectors, 1,
                            std::min(size_, kMaxRows));
    return static_cast<int>(DivideUp(size_, DivideUp(size_, most)));
  }

  // Whether tiles of two vectors are better than the same again for the other
  // half of the cache lines: for small windows, whose inputs are not used
  // often, and where the first cache does not keep the lines until then.
  bool ShouldFillLines(int64_t vectors) const {
    constexpr int64_t kLineBytes = 64;
    constexpr int64_t kAliasingBytes = 1024;
    constexpr int64_t kSmallWindow = 3;
    constexpr int64_t kManyVectors = 8;
    constexpr int kManyRows = 5;
    constexpr int kMinRows = 3;
    const int64_t bytes = hlo::StorageBytes(plan_.tile_lhs_type());
    const bool fills_tiles = vectors % 2 == 0 || vectors >= kManyVectors;
    if (window_ > kSmallWindow || plan_.lanes * bytes >= kLineBytes ||
        !fills_tiles) {
      return false;
    }
    const bool is_aliasing =
        plan_.depth.back().lhs_stride * bytes % kAliasingBytes == 0;
    return Rows(2) >= (is_aliasing ? kMinRows : kManyRows);
  }

  // Whether sums of so many vectors fit and are too few to hide the latency of
  // adding.
  bool HasFewSums(int64_t rows, int64_t vectors) const {
    constexpr int64_t kMaxSums = 8;
    return rows * vectors <= kMaxSums &&
           rows * vectors + Unroll() + 1 <= registers_;
  }

 private:
  static constexpr int64_t kMaxRows = 8;

  const MatmulPlan& plan_;
  int64_t registers_;
  int64_t size_;
  int64_t window_;
};

}  // namespace

void ChooseFeatureTile(const passes::TargetTraits& traits, MatmulPlan& plan) {
  const FeatureTiles tiles(traits, plan);
  const int64_t vectors = DivideUp(plan.columns.back().size, plan.lanes);
  plan.column_tile = 1;
  plan.depth_unroll = tiles.Unroll();
  plan.row_tile = tiles.Rows(1);
  if (plan.lhs_repeats > 1 || vectors == 1) return;
  if (tiles.ShouldFillLines(vectors)) {
    plan.column_tile = 2;
    plan.row_tile = tiles.Rows(2);
    return;
  }
  while (plan.column_tile < vectors &&
         tiles.HasFewSums(plan.row_tile, plan.column_tile + 1)) {
    ++plan.column_tile;
  }
}

int64_t ChooseFeatureBlock(const passes::TargetTraits& traits,
                           const MatmulPlan& plan) {
  // Enough to be fetched ahead.
  constexpr int64_t kMinBytes = 256;
  const int64_t panels = plan.panels();
  const size_t window_loop = plan.depth.size() - plan.rows.size();
  int64_t inputs = plan.depth[window_loop].size;
  for (size_t i = 1; i < plan.rows.size(); ++i) {
    const int64_t element = plan.depth[window_loop + i].lhs_stride;
    const int64_t step =
        plan.rows[i].lhs_stride / std::max<int64_t>(element, 1);
    inputs *= plan.rows[i].size * std::max<int64_t>(step, 1);
  }
  const int64_t panel_bytes = plan.panel_columns() *
                              hlo::StorageBytes(plan.tile_lhs_type()) /
                              plan.lhs_repeats;
  if (plan.lhs_copy.is_enabled || panel_bytes == 0) return panels;
  const int64_t most =
      std::max({traits.l2_cache_bytes / 2 / (inputs * panel_bytes),
                DivideUp(kMinBytes, panel_bytes), int64_t{1}});
  return DivideUp(panels, DivideUp(panels, most));
}

}  // namespace hilo::backends
