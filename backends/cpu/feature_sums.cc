// Sums products of inputs, loaded once each, and weights in registers.
#include "backends/cpu/feature_sums.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/matmul_code.h"
#include "backends/cpu/matmul_plan.h"
#include "hlo/ir/element_type.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

// The sums of one tile.
class FeatureSums {
 public:
  FeatureSums(MatmulCode& code, const FeatureTile& tile,
              const PanelShape& shape)
      : code_(code),
        plan_(code.plan()),
        tile_(tile),
        shape_(shape),
        lhs_row_bytes_(plan_.rows.back().lhs_stride * code.lhs_bytes()),
        lhs_step_bytes_(plan_.depth.back().lhs_stride * code.lhs_bytes()),
        rhs_step_bytes_(plan_.depth.back().rhs_stride * code.rhs_bytes()) {}

  // Adds the products of depth loops from `level` on.
  absl::StatusOr<std::vector<ElementValue>> Emit(
      size_t level, absl::Span<const WindowElements> elements, llvm::Value* lhs,
      llvm::Value* rhs, std::vector<ElementValue> sums) {
    if (level == elements.size()) return EmitLast(lhs, rhs, std::move(sums));
    const WindowElements& range = elements[level];
    const int64_t lhs_bytes = plan_.depth[level].lhs_stride * code_.lhs_bytes();
    const int64_t rhs_bytes = plan_.depth[level].rhs_stride * code_.rhs_bytes();
    const auto body = [&](llvm::Value* from_lhs, llvm::Value* from_rhs,
                          std::vector<ElementValue>& in) -> absl::Status {
      ASSIGN_OR_RETURN(
          in, Emit(level + 1, elements, from_lhs, from_rhs, std::move(in)));
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(
        Loop(range, 1, {lhs, lhs_bytes}, {rhs, rhs_bytes}, body, sums));
    return sums;
  }

 private:
  // An operand at element 0 of a window, and the bytes from one to the next.
  struct Operand {
    llvm::Value* pointer = nullptr;
    int64_t bytes = 0;
  };

  // Runs `body` for every step-th element.
  template <typename Body>
  absl::Status Loop(const WindowElements& range, int64_t step,
                    const Operand& lhs, const Operand& rhs, Body body,
                    std::vector<ElementValue>& sums) {
    CarriedValues carried = {
        code_.Advance(lhs.pointer, range.begin, lhs.bytes),
        code_.Advance(rhs.pointer, range.begin, rhs.bytes)};
    const CarriedValues parts = Flatten(sums);
    carried.insert(carried.end(), parts.begin(), parts.end());
    ASSIGN_OR_RETURN(
        carried,
        EmitLoopWithValues(
            code_.builder(), range.begin, range.end, step, carried,
            [&](llvm::Value*, absl::Span<llvm::Value* const> in)
                -> absl::StatusOr<CarriedValues> {
              std::vector<ElementValue> values = code_.Unflatten(in.subspan(2));
              RETURN_IF_ERROR(body(in[0], in[1], values));
              CarriedValues out = Flatten(values);
              out.insert(out.begin(), {code_.Advance(in[0], step * lhs.bytes),
                                       code_.Advance(in[1], step * rhs.bytes)});
              return out;
            }));
    sums = code_.Unflatten(absl::MakeConstSpan(carried).subspan(2));
    return absl::OkStatus();
  }

  // The last depth loop, depth_unroll elements at once: in a loop where they
  // are there for all rows.
  absl::StatusOr<std::vector<ElementValue>> EmitLast(
      llvm::Value* lhs, llvm::Value* rhs, std::vector<ElementValue> sums) {
    const int64_t unroll = plan_.depth_unroll;
    KnownElements any = tile_.elements.front();
    KnownElements all = any;
    for (const KnownElements& row : tile_.elements) {
      any = {std::min(any.begin, row.begin), std::max(any.end, row.end)};
      all = {std::max(all.begin, row.begin), std::min(all.end, row.end)};
    }
    if (all.end - all.begin < unroll) all = {any.end, any.end};
    all.end -= (all.end - all.begin) % unroll;
    EmitInParts({any.begin, all.begin}, lhs, rhs, sums);
    const std::vector<KnownElements> every(tile_.elements.size(), {0, unroll});
    const auto step = [&](llvm::Value* from_lhs, llvm::Value* from_rhs,
                          std::vector<ElementValue>& in) {
      EmitElements({0, unroll}, every, from_lhs, from_rhs, in);
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(Loop({code_.Int(all.begin), code_.Int(all.end)}, unroll,
                         {lhs, lhs_step_bytes_}, {rhs, rhs_step_bytes_}, step,
                         sums));
    EmitInParts({all.end, any.end}, lhs, rhs, sums);
    return sums;
  }

  void EmitInParts(const KnownElements& range, llvm::Value* lhs,
                   llvm::Value* rhs, std::vector<ElementValue>& sums) {
    for (int64_t e = range.begin; e < range.end; e += plan_.depth_unroll) {
      EmitElements({e, std::min(e + plan_.depth_unroll, range.end)},
                   tile_.elements, lhs, rhs, sums);
    }
  }

  // Some elements for the rows that have them. Each input is loaded once for
  // all rows that it is an element of; every row sums in the same order.
  void EmitElements(const KnownElements& range,
                    absl::Span<const KnownElements> rows, llvm::Value* lhs,
                    llvm::Value* rhs, std::vector<ElementValue>& sums) {
    struct Use {
      int row;
      int64_t element;
    };
    std::map<int64_t, std::vector<Use>> inputs;
    for (int row = 0; row < tile_.rows; ++row) {
      const KnownElements& exist = rows[row];
      for (int64_t e = std::max(range.begin, exist.begin);
           e < std::min(range.end, exist.end); ++e) {
        inputs[row * lhs_row_bytes_ + e * lhs_step_bytes_].push_back({row, e});
      }
    }
    for (int v = 0; v < shape_.vectors; ++v) {
      std::vector<ElementValue> weights;
      for (int64_t e = range.begin; e < range.end; ++e) {
        weights.push_back(LoadRhs(code_.Advance(rhs, e * rhs_step_bytes_), v));
      }
      for (const auto& [offset, uses] : inputs) {
        const ElementValue input = LoadLhs(code_.Advance(lhs, offset), v);
        for (const Use& use : uses) {
          ElementValue& sum = sums[use.row * shape_.vectors + v];
          sum =
              code_.MultiplyAdd(input, weights[use.element - range.begin], sum);
        }
      }
    }
  }

  ElementValue LoadRhs(llvm::Value* rhs, int vector) {
    return code_.LoadOperand(
        plan_.tile_rhs_type(),
        code_.Advance(rhs, code_.rhs_bytes() * plan_.lanes * vector),
        plan_.lanes, code_.Mask(shape_, vector));
  }

  ElementValue LoadLhs(llvm::Value* lhs, int vector) {
    const hlo::ElementType type = plan_.tile_lhs_type();
    const int lanes = plan_.lanes;
    if (plan_.lhs_repeats == 1) {
      return code_.LoadOperand(
          type, code_.Advance(lhs, code_.lhs_bytes() * lanes * vector), lanes,
          code_.Mask(shape_, vector));
    }
    if (plan_.lhs_repeats >= lanes) {
      return code_.scalars().Splat(code_.LoadOperand(type, lhs, 1, nullptr),
                                   lanes);
    }
    const auto repeats = static_cast<int>(plan_.lhs_repeats);
    const int active =
        (code_.ActiveLanes(shape_, vector) + repeats - 1) / repeats;
    const ElementValue inputs = code_.LoadOperand(
        type, lhs, lanes / repeats, code_.Mask(lanes / repeats, active));
    return {.real = Repeat(inputs.real, repeats),
            .imag = inputs.imag == nullptr ? nullptr
                                           : Repeat(inputs.imag, repeats)};
  }

  // Every lane so many times.
  llvm::Value* Repeat(llvm::Value* vector, int repeats) {
    llvm::SmallVector<int, 32> indices;
    for (int i = 0; i < plan_.lanes; ++i) indices.push_back(i / repeats);
    return code_.builder().CreateShuffleVector(vector, indices);
  }

  MatmulCode& code_;
  const MatmulPlan& plan_;
  const FeatureTile& tile_;
  PanelShape shape_;
  int64_t lhs_row_bytes_;
  int64_t lhs_step_bytes_;
  int64_t rhs_step_bytes_;
};

}  // namespace

absl::StatusOr<std::vector<ElementValue>> EmitFeatureSums(
    MatmulCode& code, const FeatureTile& tile, const PanelShape& shape,
    absl::Span<const WindowElements> elements, llvm::Value* lhs,
    llvm::Value* rhs) {
  std::vector<ElementValue> zeros(
      static_cast<size_t>(tile.rows) * shape.vectors,
      code.Zero(code.plan().lanes));
  return FeatureSums(code, tile, shape)
      .Emit(0, elements, lhs, rhs, std::move(zeros));
}

}  // namespace hilo::backends
