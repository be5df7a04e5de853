// Chooses what lanes run along, and which loop comes last.
#include "backends/cpu/matmul_roles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "backends/cpu/matmul_plan.h"
#include "backends/cpu/matmul_register_tile.h"
#include "passes/target_traits.h"

namespace hilo::backends {
namespace {

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

}  // namespace

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

}  // namespace hilo::backends
