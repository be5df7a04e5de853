// Chooses tiles, steps and lanes in the order in which they depend on another.
#include "backends/cpu/matmul_tiling.h"

#include <algorithm>
#include <cstdint>

#include "backends/cpu/matmul_copies.h"
#include "backends/cpu/matmul_division.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_register_tile.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/element_type.h"
#include "passes/target_traits.h"

namespace hilo::backends {
namespace {

int64_t PowerOfTwoFrom(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
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
bool MayPairDepth(const passes::TargetTraits& traits, const MatmulPlan& plan) {
  constexpr int64_t kPairBytes = 4;
  constexpr int kMinLanes = 4;
  return traits.multiplies_pairs && plan.lhs_copy.is_enabled &&
         plan.lhs_copy.dimensions.empty() && plan.packs_rhs &&
         plan.lanes >= kMinLanes && plan.depth.size() == 1 &&
         plan.depth.back().size % 2 == 0 && !plan.rhs_copy.is_enabled &&
         plan.accumulator_bytes() == kPairBytes && FitsPair(plan.lhs_type) &&
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

// Whether sums can pass through the output. They are mended where they end.
bool MayBlockDepth(const MatmulPlan& plan) {
  return !plan.padded_window && plan.depth.size() == 1 &&
         plan.depth.back().size > 0 &&
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
  const int64_t bytes = plan.accumulator_bytes();
  const int64_t rhs_bytes = depth * plan.column_count() * bytes;
  // Few rows sweep over rhs: along its rows rather than down its columns.
  constexpr int64_t kSweepBlock = 64;
  constexpr int64_t kVectorBlock = 8;
  if (plan.sweeps_rhs() && plan.columns.back().rhs_stride == 1 &&
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

int64_t CountElements(const MatmulPlan& plan) {
  return plan.batch_count() * plan.row_count() * plan.column_count();
}

}  // namespace

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
  ChooseRegisterTile(traits, plan, decisions);
  ChooseMatmulCopies(traits, plan, decisions);
  if (MayPairDepth(traits, plan) &&
      decisions.Decide("pair_depth", 1, {.minimum = 0, .maximum = 1}) == 1) {
    PairDepth(plan);
  }
  plan.depth_block = decisions.Decide(
      "depth_block", ChooseDepthBlock(traits, plan),
      {.minimum = MayBlockDepth(plan) ? 1 : plan.depth.back().size,
       .maximum = plan.depth.back().size});
  ChooseDepthUnroll(traits, plan, decisions);
  DivideMatmul(traits, plan, decisions);
  LayOutMatmulCopies(plan);
  plan.chunk_bytes = MatmulLhsCopyBytes(plan) + MatmulRhsCopyBytes(plan) +
                     MatmulPackedBytes(plan);
}

}  // namespace hilo::backends
