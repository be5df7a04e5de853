// The innermost loop of products: one register tile.
#include "backends/cpu/matmul_tile.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "llvm/IR/Value.h"

#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/element_type.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// Emits one step of the innermost loop (or a vector of steps): operands at the
// two pointers, sums in and out.
using StepBody = std::function<void(llvm::Value* lhs, llvm::Value* rhs,
                                    std::vector<ElementValue>& sums)>;

// How the innermost depth loop advances.
struct InnerLoop {
  llvm::Value* begin = nullptr;
  llvm::Value* end = nullptr;
  // Steps that one iteration takes.
  int64_t stride = 1;
  StepBody body;
};

// Strides in bytes of every depth loop.
struct DepthStrides {
  std::vector<int64_t> lhs;
  std::vector<int64_t> rhs;
};

DepthStrides StridesOfDepth(const MatmulCode& code, int vectors) {
  DepthStrides strides;
  for (size_t level = 0; level < code.plan().depth.size(); ++level) {
    strides.lhs.push_back(code.plan().depth[level].lhs_stride *
                          code.lhs_bytes());
    strides.rhs.push_back(TileRhsDepthStride(code, vectors, level));
  }
  return strides;
}

// Emits the depth loops from `level` on around the inner ones.
absl::StatusOr<CarriedValues> EmitDepthLoops(
    MatmulCode& code, const DepthStrides& strides,
    absl::Span<const InnerLoop> inner_loops, size_t level, llvm::Value* lhs,
    llvm::Value* rhs, CarriedValues sums) {
  // Carried: lhs, rhs, sums.
  CarriedValues carried = {lhs, rhs};
  carried.insert(carried.end(), sums.begin(), sums.end());
  const auto sums_of = [](absl::Span<llvm::Value* const> values) {
    return CarriedValues(values.begin() + 2, values.end());
  };
  if (level + 1 < strides.lhs.size()) {
    ASSIGN_OR_RETURN(
        carried, EmitLoopWithValues(
                     code.builder(), code.plan().depth[level].size, 1, carried,
                     [&](llvm::Value*, absl::Span<llvm::Value* const> in)
                         -> absl::StatusOr<CarriedValues> {
                       ASSIGN_OR_RETURN(
                           CarriedValues out,
                           EmitDepthLoops(code, strides, inner_loops, level + 1,
                                          in[0], in[1], sums_of(in)));
                       out.insert(out.begin(),
                                  {code.Advance(in[0], strides.lhs[level]),
                                   code.Advance(in[1], strides.rhs[level])});
                       return out;
                     }));
    return sums_of(carried);
  }
  for (const InnerLoop& loop : inner_loops) {
    ASSIGN_OR_RETURN(
        carried,
        EmitLoopWithValues(
            code.builder(), loop.begin, loop.end, loop.stride, carried,
            [&](llvm::Value*, absl::Span<llvm::Value* const> in)
                -> absl::StatusOr<CarriedValues> {
              std::vector<ElementValue> values = code.Unflatten(in.subspan(2));
              loop.body(in[0], in[1], values);
              CarriedValues out = Flatten(values);
              out.insert(
                  out.begin(),
                  {code.Advance(in[0], strides.lhs[level] * loop.stride),
                   code.Advance(in[1], strides.rhs[level] * loop.stride)});
              return out;
            }));
  }
  return sums_of(carried);
}

// One step of a tile whose lanes run along columns.
class VectorStep {
 public:
  VectorStep(MatmulCode& code, int rows, const PanelShape& shape)
      : code_(code), rows_(rows), shape_(shape) {}

  void Emit(llvm::Value* lhs, llvm::Value* rhs,
            std::vector<ElementValue>& sums) {
    if (rows_ == 1) {
      // Each vector is used once: straight from memory.
      const ElementValue a = LoadLhs(lhs, 0);
      for (int v = 0; v < shape_.vectors; ++v) {
        sums[v] = code_.MultiplyAdd(a, LoadRhs(rhs, v), sums[v]);
      }
      return;
    }
    std::vector<ElementValue> vectors;
    vectors.reserve(static_cast<size_t>(shape_.vectors));
    for (int v = 0; v < shape_.vectors; ++v) vectors.push_back(LoadRhs(rhs, v));
    for (int row = 0; row < rows_; ++row) {
      const ElementValue a = LoadLhs(lhs, row);
      for (int v = 0; v < shape_.vectors; ++v) {
        ElementValue& sum = sums[row * shape_.vectors + v];
        sum = code_.MultiplyAdd(a, vectors[v], sum);
      }
    }
  }

 private:
  ElementValue LoadRhs(llvm::Value* rhs, int vector) {
    const MatmulPlan& plan = code_.plan();
    // Panels are packed as full vectors.
    llvm::Value* mask = plan.packs_rhs ? nullptr : code_.Mask(shape_, vector);
    return code_.LoadOperand(
        plan.tile_rhs_type(),
        code_.Advance(rhs, code_.rhs_bytes() * plan.lanes * vector), plan.lanes,
        mask);
  }

  ElementValue LoadLhs(llvm::Value* lhs, int row) {
    const MatmulPlan& plan = code_.plan();
    llvm::Value* pointer = code_.Advance(
        lhs, row * plan.rows.back().lhs_stride * code_.lhs_bytes());
    return code_.scalars().Splat(
        code_.LoadOperand(plan.tile_lhs_type(), pointer, 1, nullptr),
        plan.lanes);
  }

  MatmulCode& code_;
  int rows_;
  PanelShape shape_;
};

// One vector of steps of a tile whose lanes run along the depth. The tile has
// plan.depth_unroll sums per element, which take turns.
class DepthStep {
 public:
  DepthStep(MatmulCode& code, int rows, int columns)
      : code_(code), rows_(rows), columns_(columns) {}

  // Adds `active` lanes of steps to sums number `turn`.
  void Emit(llvm::Value* lhs, llvm::Value* rhs, int turn, int active,
            std::vector<ElementValue>& sums) {
    const MatmulPlan& plan = code_.plan();
    std::vector<ElementValue> vectors;
    vectors.reserve(static_cast<size_t>(columns_));
    for (int j = 0; j < columns_; ++j) {
      vectors.push_back(
          Load(plan.tile_rhs_type(),
               code_.Advance(
                   rhs, j * plan.columns.back().rhs_stride * code_.rhs_bytes()),
               active));
    }
    for (int i = 0; i < rows_; ++i) {
      const ElementValue a =
          Load(plan.tile_lhs_type(),
               code_.Advance(
                   lhs, i * plan.rows.back().lhs_stride * code_.lhs_bytes()),
               active);
      for (int j = 0; j < columns_; ++j) {
        ElementValue& sum = sums[(turn * rows_ + i) * columns_ + j];
        sum = code_.MultiplyAdd(a, vectors[j], sum);
      }
    }
  }

 private:
  ElementValue Load(hlo::ElementType type, llvm::Value* pointer, int active) {
    const int lanes = code_.plan().lanes;
    llvm::Value* mask = code_.Mask(lanes, active);
    const ElementValue value = code_.LoadOperand(type, pointer, lanes, mask);
    if (mask == nullptr) return value;
    return code_.scalars().Select(mask, value, code_.Zero(lanes));
  }

  MatmulCode& code_;
  int rows_;
  int columns_;
};

}  // namespace

int64_t TileRhsDepthStride(const MatmulCode& code, int vectors, size_t level) {
  const MatmulPlan& plan = code.plan();
  if (!plan.packs_rhs) return plan.depth[level].rhs_stride * code.rhs_bytes();
  int64_t stride = int64_t{vectors} * plan.lanes * code.accumulator_bytes();
  for (size_t i = level + 1; i < plan.depth.size(); ++i) {
    stride *= plan.depth[i].size;
  }
  return stride;
}

absl::StatusOr<std::vector<ElementValue>> EmitVectorTile(
    MatmulCode& code, int rows, const PanelShape& shape,
    const TileOperands& operands, absl::Span<const ElementValue> initial) {
  const DepthStrides strides = StridesOfDepth(code, shape.vectors);
  const int unroll = code.plan().depth_unroll;
  VectorStep step(code, rows, shape);
  const InnerLoop loop{.begin = code.Int(0),
                       .end = operands.steps,
                       .stride = unroll,
                       .body = [&](llvm::Value* lhs, llvm::Value* rhs,
                                   std::vector<ElementValue>& sums) {
                         for (int u = 0; u < unroll; ++u) {
                           step.Emit(code.Advance(lhs, u * strides.lhs.back()),
                                     code.Advance(rhs, u * strides.rhs.back()),
                                     sums);
                         }
                       }};
  ASSIGN_OR_RETURN(const CarriedValues sums,
                   EmitDepthLoops(code, strides, {loop}, 0, operands.lhs,
                                  operands.rhs, Flatten(initial)));
  return code.Unflatten(sums);
}

absl::StatusOr<std::vector<ElementValue>> EmitDepthTile(
    MatmulCode& code, int rows, int columns, const TileOperands& operands) {
  const MatmulPlan& plan = code.plan();
  const DepthStrides strides = StridesOfDepth(code, 1);
  const int unroll = plan.depth_unroll;
  const int lanes = plan.lanes;
  DepthStep step(code, rows, columns);
  // Loops over whole groups of vectors, single vectors, and the rest.
  const int64_t size = plan.depth.back().size;
  const int64_t unrolled = size - size % (int64_t{lanes} * unroll);
  const int64_t whole = size - size % lanes;
  const auto body = [&](int turns, int active) -> StepBody {
    return [&, turns, active](llvm::Value* lhs, llvm::Value* rhs,
                              std::vector<ElementValue>& sums) {
      for (int turn = 0; turn < turns; ++turn) {
        step.Emit(code.Advance(lhs, strides.lhs.back() * lanes * turn),
                  code.Advance(rhs, strides.rhs.back() * lanes * turn), turn,
                  active, sums);
      }
    };
  };
  const auto loops = std::to_array<InnerLoop>({
      {code.Int(0), code.Int(unrolled), int64_t{lanes} * unroll,
       body(unroll, lanes)},
      {code.Int(unrolled), code.Int(whole), lanes, body(1, lanes)},
      {code.Int(whole), code.Int(size), lanes,
       body(1, static_cast<int>(size - whole))},
  });
  const std::vector<ElementValue> zeros(
      static_cast<size_t>(unroll) * rows * columns, code.Zero(lanes));
  ASSIGN_OR_RETURN(const CarriedValues parts,
                   EmitDepthLoops(code, strides, loops, 0, operands.lhs,
                                  operands.rhs, Flatten(zeros)));
  const std::vector<ElementValue> sums = code.Unflatten(parts);
  std::vector<ElementValue> results;
  for (int i = 0; i < rows * columns; ++i) {
    ElementValue sum = sums[i];
    for (int turn = 1; turn < unroll; ++turn) {
      sum = code.Add(sum, sums[turn * rows * columns + i]);
    }
    results.push_back(code.SumLanes(sum));
  }
  return results;
}

}  // namespace hilo::backends
