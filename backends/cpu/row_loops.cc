// Emits the loops over a row.
#include "backends/cpu/row_loops.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/dimension_groups.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/loop.h"
#include "runtime/base/status.h"

namespace hilo::backends {

RowLoops::RowLoops(std::vector<DimensionGroup> groups, int lanes)
    : outer_(std::move(groups)), inner_(outer_.back()), lanes_(lanes) {
  outer_.pop_back();
  for (const DimensionGroup& group : outer_) outer_sizes_.push_back(group.size);
}

absl::StatusOr<RowValues> RowLoops::Reduce(ElementEmitter& emitter,
                                           const ArrayIndex& index,
                                           const RowValues& initial,
                                           int64_t accumulators,
                                           const RowBody& body) const {
  const auto add_row = [&](absl::Span<llvm::Value* const> counters,
                           absl::Span<llvm::Value* const> carried)
      -> absl::StatusOr<CarriedValues> {
    ArrayIndex row = index;
    for (size_t g = 0; g < outer_.size(); ++g) {
      row[static_cast<size_t>(outer_[g].last - 1)] = {.base = counters[g]};
    }
    return emitter.InScope(nullptr, [&]() -> absl::StatusOr<CarriedValues> {
      ASSIGN_OR_RETURN(const RowValues values,
                       ReduceInner(emitter, row, accumulators, body));
      ASSIGN_OR_RETURN(
          const RowValues next,
          body.combine(emitter, Unflatten(carried, initial), values));
      return Flatten(next);
    });
  };
  ASSIGN_OR_RETURN(const CarriedValues flat,
                   EmitLoopNestWithValues(emitter.builder(), outer_sizes_,
                                          Flatten(initial), add_row));
  return Unflatten(flat, initial);
}

absl::Status RowLoops::Map(ElementEmitter& emitter, const ArrayIndex& index,
                           const RowBody& body) const {
  return EmitLoopNest(
      emitter.builder(), outer_sizes_,
      [&](absl::Span<llvm::Value* const> counters) {
        ArrayIndex row = index;
        for (size_t g = 0; g < outer_.size(); ++g) {
          row[static_cast<size_t>(outer_[g].last - 1)] = {.base = counters[g]};
        }
        return emitter.InScope(nullptr,
                               [&] { return MapInner(emitter, row, body); });
      });
}

// The elements along the inner dimension, combined to one.
absl::StatusOr<RowValues> RowLoops::ReduceInner(ElementEmitter& emitter,
                                                const ArrayIndex& index,
                                                int64_t accumulators,
                                                const RowBody& body) const {
  // Side by side where the row is long: an addition takes several cycles, and
  // one starts every cycle.
  if (inner_.size / lanes_ < 2 * accumulators) accumulators = 1;
  RowValues carried;
  for (int64_t a = 0; a < accumulators; ++a) {
    ASSIGN_OR_RETURN(
        const RowValues first,
        LoadVector(emitter, index, emitter.math().Constant(a * lanes_), nullptr,
                   body));
    carried.insert(carried.end(), first.begin(), first.end());
  }
  const auto count = static_cast<int64_t>(carried.size()) / accumulators;
  const int64_t step = accumulators * lanes_;
  const int64_t whole = inner_.size / step * step;
  ASSIGN_OR_RETURN(
      carried, AddVectors(emitter, index, step, whole, step, carried, body));
  RowValues total(carried.begin(), carried.begin() + count);
  for (int64_t a = 1; a < accumulators; ++a) {
    const auto first = carried.begin() + a * count;
    ASSIGN_OR_RETURN(
        total, body.combine(emitter, total, RowValues(first, first + count)));
  }
  const int64_t last = inner_.size / lanes_ * lanes_;
  ASSIGN_OR_RETURN(
      total, AddVectors(emitter, index, whole, last, lanes_, total, body));
  if (last < inner_.size) {
    ASSIGN_OR_RETURN(total, AddRest(emitter, index, last, total, body));
  }
  return CombineLanes(emitter, std::move(total), body);
}

// Adds the vectors at begin, begin + step, ... below end; of each step as many
// side by side as `carried` has accumulators.
absl::StatusOr<RowValues> RowLoops::AddVectors(ElementEmitter& emitter,
                                               const ArrayIndex& index,
                                               int64_t begin, int64_t end,
                                               int64_t step,
                                               const RowValues& carried,
                                               const RowBody& body) const {
  llvm::IRBuilderBase& builder = emitter.builder();
  const int64_t accumulators = step / lanes_;
  const auto count = static_cast<int64_t>(carried.size()) / accumulators;
  const auto add = [&](llvm::Value* i, absl::Span<llvm::Value* const> flat)
      -> absl::StatusOr<CarriedValues> {
    return emitter.InScope(nullptr, [&]() -> absl::StatusOr<CarriedValues> {
      const RowValues before = Unflatten(flat, carried);
      RowValues after;
      for (int64_t a = 0; a < accumulators; ++a) {
        const auto first = before.begin() + a * count;
        ASSIGN_OR_RETURN(
            const RowValues vector,
            LoadVector(emitter, index,
                       emitter.math().Add(Coordinate{.base = i}, a * lanes_),
                       nullptr, body));
        ASSIGN_OR_RETURN(
            const RowValues next,
            body.combine(emitter, RowValues(first, first + count), vector));
        after.insert(after.end(), next.begin(), next.end());
      }
      return Flatten(after);
    });
  };
  ASSIGN_OR_RETURN(const CarriedValues flat,
                   EmitLoopWithValues(
                       builder, builder.getInt64(static_cast<uint64_t>(begin)),
                       builder.getInt64(static_cast<uint64_t>(end)), step,
                       Flatten(carried), add));
  return Unflatten(flat, carried);
}

// Lanes that lie inside of the row in the vector from `begin` on.
llvm::Value* RowLoops::MaskFrom(ElementEmitter& emitter, int64_t begin) const {
  return FirstLanes(emitter.builder(), lanes_, inner_.size - begin);
}

// Adds the elements from `begin` on that fill no vector.
absl::StatusOr<RowValues> RowLoops::AddRest(ElementEmitter& emitter,
                                            const ArrayIndex& index,
                                            int64_t begin,
                                            const RowValues& total,
                                            const RowBody& body) const {
  llvm::Value* mask = MaskFrom(emitter, begin);
  ASSIGN_OR_RETURN(
      const RowValues vector,
      LoadVector(emitter, index, emitter.math().Constant(begin), mask, body));
  ASSIGN_OR_RETURN(RowValues next, body.combine(emitter, total, vector));
  for (size_t i = 0; i < next.size(); ++i) {
    next[i] = emitter.scalars().Select(mask, next[i], total[i]);
  }
  return next;
}

absl::Status RowLoops::MapInner(ElementEmitter& emitter,
                                const ArrayIndex& index,
                                const RowBody& body) const {
  const int64_t whole = inner_.size / lanes_ * lanes_;
  RETURN_IF_ERROR(
      EmitLoop(emitter.builder(), whole, lanes_, [&](llvm::Value* i) {
        return LoadVector(emitter, index, {.base = i}, nullptr, body).status();
      }));
  if (whole == inner_.size) return absl::OkStatus();
  return LoadVector(emitter, index, emitter.math().Constant(whole),
                    MaskFrom(emitter, whole), body)
      .status();
}

absl::StatusOr<RowValues> RowLoops::LoadVector(ElementEmitter& emitter,
                                               ArrayIndex index,
                                               Coordinate first,
                                               llvm::Value* mask,
                                               const RowBody& body) const {
  first.stride = lanes_ == 1 ? 0 : 1;
  index[static_cast<size_t>(inner_.last - 1)] = first;
  return emitter.InScope(mask, [&] { return body.load(emitter, index); });
}

// Combines the lanes in a tree.
absl::StatusOr<RowValues> RowLoops::CombineLanes(ElementEmitter& emitter,
                                                 RowValues values,
                                                 const RowBody& body) const {
  llvm::IRBuilderBase& builder = emitter.builder();
  const auto half = [&](llvm::Value* value, int first,
                        int count) -> llvm::Value* {
    if (value == nullptr) return nullptr;
    if (count == 1) return builder.CreateExtractElement(value, first);
    std::vector<int> mask(static_cast<size_t>(count));
    std::iota(mask.begin(), mask.end(), first);
    return builder.CreateShuffleVector(value, mask);
  };
  for (int lanes = lanes_; lanes > 1; lanes /= 2) {
    RowValues low;
    RowValues high;
    for (const ElementValue& v : values) {
      low.push_back({.real = half(v.real, 0, lanes / 2),
                     .imag = half(v.imag, 0, lanes / 2)});
      high.push_back({.real = half(v.real, lanes / 2, lanes / 2),
                      .imag = half(v.imag, lanes / 2, lanes / 2)});
    }
    ASSIGN_OR_RETURN(values, body.combine(emitter, low, high));
  }
  return values;
}

}  // namespace hilo::backends
