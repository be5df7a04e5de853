// Plans dots, and prints plans.
#include "backends/cpu/matmul_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "backends/cpu/matmul_roles.h"
#include "backends/cpu/matmul_tiling.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

int64_t SizeOf(const std::vector<MatmulLoop>& loops) {
  int64_t size = 1;
  for (const MatmulLoop& loop : loops) size *= loop.size;
  return size;
}

void AppendLoops(const char* name, const std::vector<MatmulLoop>& loops,
                 std::string* out) {
  for (const MatmulLoop& loop : loops) {
    absl::StrAppend(out, "  ", name, " ", loop.size, " lhs ", loop.lhs_stride,
                    " rhs ", loop.rhs_stride, " output ", loop.output_stride,
                    "\n");
  }
}

void AppendCopy(const char* name, const OperandCopy& copy, std::string* out) {
  if (!copy.is_enabled) return;
  absl::StrAppend(out, "  copy of ", name, ", ", copy.elements, " elements\n");
  for (const OperandCopyDimension& dimension : copy.dimensions) {
    absl::StrAppend(
        out, "    ", dimension.size, " stride ", dimension.copy_stride,
        " from ", dimension.source_size, " stride ", dimension.source_stride,
        " low ", dimension.padding_low, " dilation ", dimension.dilation, "\n");
  }
}

const char* LanesText(MatmulLanes lanes) {
  switch (lanes) {
    case MatmulLanes::kColumns:
      return "columns";
    case MatmulLanes::kDepth:
      return "depth";
    case MatmulLanes::kFeatures:
      return "features";
  }
  return "";
}

bool IsListed(const hlo::DimensionVector& dimensions, int64_t dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

// The loops of a dot before the choice of roles.
class DotLoops {
 public:
  explicit DotLoops(const hlo::Instruction& dot)
      : dot_(dot),
        lhs_strides_(LayoutStrides(dot.operand_shape(0))),
        rhs_strides_(LayoutStrides(dot.operand_shape(1))),
        output_strides_(LayoutStrides(dot.shape())) {}

  // The output's dimensions: batch, free ones of lhs, free ones of rhs.
  void AddTo(MatmulPlan& plan) {
    plan.batch =
        CommonLoops(dot_.lhs_batch_dims(), dot_.rhs_batch_dims(), true);
    plan.rows = FreeLoops(0, dot_.lhs_batch_dims(), dot_.lhs_contracting_dims(),
                          lhs_strides_, &MatmulLoop::lhs_stride);
    plan.columns =
        FreeLoops(1, dot_.rhs_batch_dims(), dot_.rhs_contracting_dims(),
                  rhs_strides_, &MatmulLoop::rhs_stride);
    plan.depth = CommonLoops(dot_.lhs_contracting_dims(),
                             dot_.rhs_contracting_dims(), false);
  }

 private:
  std::vector<MatmulLoop> CommonLoops(const hlo::DimensionVector& lhs_dims,
                                      const hlo::DimensionVector& rhs_dims,
                                      bool is_in_output) {
    std::vector<MatmulLoop> loops;
    for (size_t i = 0; i < lhs_dims.size(); ++i) {
      loops.push_back({.size = dot_.operand_shape(0).dimension(lhs_dims[i]),
                       .lhs_stride = lhs_strides_[lhs_dims[i]],
                       .rhs_stride = rhs_strides_[rhs_dims[i]]});
      if (is_in_output) {
        loops.back().output_stride = output_strides_[next_output_dim_++];
      }
    }
    return loops;
  }

  std::vector<MatmulLoop> FreeLoops(int64_t operand,
                                    const hlo::DimensionVector& batch,
                                    const hlo::DimensionVector& contracting,
                                    const hlo::DimensionVector& strides,
                                    int64_t MatmulLoop::* stride) {
    const hlo::Shape& shape = dot_.operand_shape(operand);
    std::vector<MatmulLoop> loops;
    for (int64_t i = 0; i < shape.rank(); ++i) {
      if (IsListed(batch, i) || IsListed(contracting, i)) continue;
      MatmulLoop loop{.size = shape.dimension(i),
                      .output_stride = output_strides_[next_output_dim_++]};
      loop.*stride = strides[i];
      loops.push_back(loop);
    }
    return loops;
  }

  const hlo::Instruction& dot_;
  hlo::DimensionVector lhs_strides_;
  hlo::DimensionVector rhs_strides_;
  hlo::DimensionVector output_strides_;
  int64_t next_output_dim_ = 0;
};

}  // namespace

int64_t MatmulPlan::row_count() const { return SizeOf(rows); }
int64_t MatmulPlan::column_count() const { return SizeOf(columns); }
int64_t MatmulPlan::depth_count() const { return SizeOf(depth); }
int64_t MatmulPlan::batch_count() const { return SizeOf(batch); }
int64_t MatmulPlan::row_tiles() const {
  return DivideUp(rows.back().size, row_tile);
}
int64_t MatmulPlan::full_row_tiles() const {
  return rows.back().size - row_tiles() * (row_tile - 1);
}
int64_t MatmulPlan::panel_columns() const {
  return int64_t{column_tile} *
         (lanes_along == MatmulLanes::kDepth ? 1 : lanes);
}
int64_t MatmulPlan::panels() const {
  return DivideUp(columns.back().size, panel_columns());
}
bool MatmulPlan::has_equal_tiles() const {
  constexpr int64_t kManyTiles = 8;
  // A copy has no rows before its block.
  return lanes_along == MatmulLanes::kColumns && !lhs_copy.is_enabled &&
         row_tiles() >= kManyTiles;
}
bool MatmulPlan::has_equal_panels() const {
  // The vectors that are computed for nothing are at most one in so many.
  constexpr int64_t kMinShare = 32;
  const int64_t vectors = DivideUp(columns.back().size, lanes);
  return packs_rhs && kMinShare * (panels() * column_tile - vectors) <= vectors;
}
int64_t MatmulPlan::row_blocks() const {
  return DivideUp(rows.size() == 1 ? row_tiles() : rows[0].size, row_block);
}
int64_t MatmulPlan::column_blocks() const {
  return DivideUp(columns.size() == 1 ? panels() : columns[0].size,
                  column_block);
}
hlo::ElementType MatmulPlan::tile_lhs_type() const {
  return lhs_copy.is_enabled ? accumulator_type : lhs_type;
}
hlo::ElementType MatmulPlan::tile_rhs_type() const {
  return rhs_copy.is_enabled || packs_rhs ? accumulator_type : rhs_type;
}

std::string MatmulPlan::ToString() const {
  std::string out = absl::StrCat(
      "matmul ", hlo::TextOf(lhs_type), " x ", hlo::TextOf(rhs_type), " -> ",
      hlo::TextOf(output_type), " in ", hlo::TextOf(accumulator_type),
      is_swapped ? ", operands swapped" : "", "\n");
  AppendLoops("batch", batch, &out);
  AppendLoops("row", rows, &out);
  AppendLoops("column", columns, &out);
  AppendLoops("depth", depth, &out);
  absl::StrAppend(&out, "  lanes ", lanes, " along ", LanesText(lanes_along),
                  ", tile ", row_tile, " x ", column_tile, ", unroll ",
                  depth_unroll, ", depth block ", depth_block,
                  pairs_depth ? ", paired depth" : "",
                  packs_rhs ? ", packed rhs\n" : "\n");
  for (const MatmulWindow& window : windows) {
    absl::StrAppend(&out, "  window over ", window.input_size, " step ",
                    window.step, " dilation ", window.dilation, " low ",
                    window.padding_low, "\n");
  }
  if (lhs_repeats > 1) {
    absl::StrAppend(&out, "  lhs repeated ", lhs_repeats, " times\n");
  }
  AppendCopy("lhs", lhs_copy, &out);
  AppendCopy("rhs", rhs_copy, &out);
  absl::StrAppend(&out, "  block ", row_block, " x ", column_block, ", units ",
                  units, ", grain ", grain, ", scratch ", chunk_bytes,
                  " bytes per chunk\n");
  return out;
}

hlo::ElementType AccumulatorType(hlo::ElementType output) {
  switch (hlo::InfoOf(output).element_class) {
    case hlo::ElementClass::kPredicate:
      return hlo::ElementType::kU32;
    case hlo::ElementClass::kSigned:
    case hlo::ElementClass::kUnsigned:
      return hlo::InfoOf(output).bits <= 32 ? hlo::ElementType::kU32
                                            : hlo::ElementType::kU64;
    case hlo::ElementClass::kFloat:
      return output == hlo::ElementType::kF64 ? output : hlo::ElementType::kF32;
    case hlo::ElementClass::kComplex:
    case hlo::ElementClass::kNoArray:
      break;
  }
  return output;
}

bool HoldsSums(hlo::ElementType output, hlo::ElementType accumulator) {
  return output == accumulator ||
         (hlo::IsInteger(output) && hlo::IsInteger(accumulator) &&
          hlo::StorageBytes(output) == hlo::StorageBytes(accumulator));
}

hlo::DimensionVector LayoutStrides(const hlo::Shape& shape) {
  hlo::DimensionVector strides(shape.rank(), 0);
  const hlo::Layout layout = shape.layout();
  int64_t stride = 1;
  for (const int64_t dimension : layout.minor_to_major) {
    strides[dimension] = stride;
    stride *= std::max<int64_t>(shape.dimension(dimension), 1);
  }
  return strides;
}

namespace {

bool CanJoin(const MatmulLoop& outer, const MatmulLoop& inner) {
  return !outer.may_skip_first && !inner.may_skip_first &&
         outer.lhs_stride == inner.size * inner.lhs_stride &&
         outer.rhs_stride == inner.size * inner.rhs_stride &&
         outer.output_stride == inner.size * inner.output_stride;
}

// Joins one pair; false if there is none.
bool JoinTwoLoops(std::vector<MatmulLoop>& loops) {
  for (size_t outer = 0; outer < loops.size(); ++outer) {
    for (size_t inner = 0; inner < loops.size(); ++inner) {
      if (inner == outer || !CanJoin(loops[outer], loops[inner])) continue;
      loops[inner].size *= loops[outer].size;
      loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(outer));
      return true;
    }
  }
  return false;
}

}  // namespace

void CollapseLoops(std::vector<MatmulLoop>& loops) {
  const bool is_empty = std::ranges::any_of(
      loops, [](const MatmulLoop& loop) { return loop.size == 0; });
  if (is_empty) {
    loops = {MatmulLoop{.size = 0}};
    return;
  }
  std::erase_if(loops, [](const MatmulLoop& loop) { return loop.size == 1; });
  while (JoinTwoLoops(loops)) {
  }
}

void EnsureOneLoop(std::vector<MatmulLoop>& loops) {
  if (loops.empty()) loops.push_back({});
}

void SortBatchLoops(std::vector<MatmulLoop>& batch) {
  std::ranges::stable_partition(
      batch, [](const MatmulLoop& loop) { return loop.rhs_stride != 0; });
}

absl::StatusOr<MatmulPlan> DescribeDot(
    const hlo::Instruction& dot, std::optional<hlo::ElementType> stored_type) {
  if (dot.operand_count() != 2) {
    return Unimplemented("dot with ", dot.operand_count(),
                         " operands (sparse ones) is not supported");
  }
  MatmulPlan plan;
  plan.lhs_type = dot.operand_shape(0).element_type();
  plan.rhs_type = dot.operand_shape(1).element_type();
  plan.output_type = dot.shape().element_type();
  plan.stored_type = stored_type.value_or(plan.output_type);
  plan.accumulator_type = AccumulatorType(plan.output_type);
  DotLoops(dot).AddTo(plan);
  return plan;
}

absl::StatusOr<MatmulPlan> PlanDot(
    const hlo::Instruction& dot, const passes::TargetTraits& traits,
    KernelPlan& decisions, std::optional<hlo::ElementType> stored_type) {
  ASSIGN_OR_RETURN(MatmulPlan plan, DescribeDot(dot, stored_type));
  CollapseLoops(plan.batch);
  CollapseLoops(plan.rows);
  CollapseLoops(plan.columns);
  CollapseLoops(plan.depth);
  ChooseMatmulRoles(traits, plan);
  ChooseMatmulTiles(traits, plan, decisions);
  return plan;
}

void PlanMatmulBlock(const passes::TargetTraits& traits,
                     std::vector<MatmulLoop> rows, MatmulPlan& plan,
                     KernelPlan& decisions) {
  plan.is_block = true;
  plan.batch.clear();
  plan.rows = std::move(rows);
  CollapseLoops(plan.rows);
  CollapseLoops(plan.columns);
  CollapseLoops(plan.depth);
  OrderMatmulLoops(plan);
  ChooseMatmulTiles(traits, plan, decisions);
}

}  // namespace hilo::backends
