// scatter: one slice of updates after the other, onto the operands' memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Shape;

bool HasDimension(const DimensionVector& list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// The window coordinate of each operand dimension as a dimension of the
// updates; -1 where the window has none.
DimensionVector WindowDimensions(const Instruction& scatter) {
  DimensionVector dimensions;
  size_t next = 0;
  for (int64_t d = 0; d < scatter.operand_shape(0).rank(); ++d) {
    const bool has_none = HasDimension(scatter.inserted_window_dims(), d) ||
                          HasDimension(scatter.input_batching_dims(), d);
    dimensions.push_back(has_none ? -1 : scatter.update_window_dims()[next++]);
  }
  return dimensions;
}

// Units of work are parts of the operand beside each other, so that what is
// done to one element keeps its order.
struct Division {
  // The dimension of the operand that is divided; -1: it is not.
  int64_t dimension = -1;
  // The counter (one of the loops over indices) that walks along it; -1 where
  // the indices tell, and each chunk reads all of them.
  int64_t counter = -1;
  // The last dimension of windows, which cover the operand's, is divided: its
  // elements in a unit, whole cache lines. 0: it is not.
  int64_t window_elements = 0;
  int64_t units = 1;
  int64_t grain = 1;
};

// What one step of the loop over indices takes, and the update of an element,
// somewhere in memory.
constexpr double kIndexNanoseconds = 1.5;
constexpr double kSliceNanoseconds = 4;
constexpr double kUpdateNanoseconds = 0.5;

// The counter of the k-th batching dimension: index_vector_dim has none.
int64_t BatchingCounter(const Instruction& scatter, size_t k) {
  const int64_t d = scatter.scatter_indices_batching_dims()[k];
  return d < scatter.index_vector_dim() ? d : d - 1;
}

Division DivideAlongBatch(const Instruction& scatter, double nanoseconds,
                          const passes::TargetTraits& traits) {
  Division division;
  for (size_t k = 0; k < scatter.input_batching_dims().size(); ++k) {
    const int64_t d = scatter.input_batching_dims()[k];
    const int64_t units = scatter.operand_shape(0).dimension(d);
    if (units <= division.units) continue;
    division = {.dimension = d,
                .counter = BatchingCounter(scatter, k),
                .units = units,
                .grain = ChooseGrain(
                    units, nanoseconds / static_cast<double>(units), traits)};
  }
  return division;
}

// Less work is not worth reading all indices once more.
constexpr double kLeastNanoseconds = 20000;

// Along the last dimension of windows, if these have all of it.
Division DivideAlongWindow(const Instruction& scatter, double nanoseconds,
                           const passes::TargetTraits& traits) {
  constexpr int64_t kLineBytes = 64;
  constexpr int64_t kMinLinesPerCore = 2;
  Division division;
  if (nanoseconds < kLeastNanoseconds || scatter.update_window_dims().empty()) {
    return division;
  }
  const Shape& operand = scatter.operand_shape(0);
  const Shape& updates =
      scatter.operand_shape((scatter.operand_count() - 1) / 2 + 1);
  const DimensionVector window = WindowDimensions(scatter);
  const auto* const d =
      std::ranges::find(window, scatter.update_window_dims().back());
  const int64_t row = updates.dimension(*d);
  // At least one vector.
  const int64_t line =
      kLineBytes /
      hlo::StorageBytes(hlo::ComponentType(operand.element_type()));
  const int64_t lines = (row + line - 1) / line;
  if (row != operand.dimension(d - window.begin()) ||
      lines < kMinLinesPerCore * traits.cores) {
    return division;
  }
  return {.window_elements = line,
          .units = lines,
          .grain = (lines + traits.cores - 1) / traits.cores};
}

// Along a dimension in which slices have one element: each chunk updates
// those that begin in its part.
Division DivideAlongOperand(const Instruction& scatter, double nanoseconds,
                            const passes::TargetTraits& traits) {
  Division division;
  if (nanoseconds < kLeastNanoseconds) return division;
  const DimensionVector window = WindowDimensions(scatter);
  const Shape& updates =
      scatter.operand_shape((scatter.operand_count() - 1) / 2 + 1);
  for (const int64_t d : scatter.scatter_dims_to_operand_dims()) {
    const int64_t w = window[static_cast<size_t>(d)];
    const int64_t size = scatter.operand_shape(0).dimension(d);
    if ((w >= 0 && updates.dimension(w) != 1) || size <= division.units) {
      continue;
    }
    division = {.dimension = d,
                .counter = -1,
                .units = size,
                .grain = (size + traits.cores - 1) / traits.cores};
  }
  return division;
}

Division Divide(const Instruction& scatter,
                const passes::TargetTraits& traits) {
  if (traits.cores == 1) return {};
  const Shape& updates =
      scatter.operand_shape((scatter.operand_count() - 1) / 2 + 1);
  double slices = 1;
  for (int64_t d = 0; d < updates.rank(); ++d) {
    if (!HasDimension(scatter.update_window_dims(), d)) {
      slices *= static_cast<double>(updates.dimension(d));
    }
  }
  const double update =
      kSliceNanoseconds * slices +
      kUpdateNanoseconds * static_cast<double>(updates.ElementCount());
  const Division batch =
      DivideAlongBatch(scatter, update + kIndexNanoseconds * slices, traits);
  if (batch.units >= traits.cores) return batch;
  const Division window = DivideAlongWindow(scatter, update, traits);
  if (window.units > 1) return window;
  // Whether an index lies in a chunk's part is not predicted: that takes longer
  // than few elements that are in the cache.
  constexpr double kFewElements = 8;
  if (static_cast<double>(updates.ElementCount()) < kFewElements * slices &&
      scatter.operand_shape(0).ByteSize() <= traits.l2_cache_bytes) {
    return {};
  }
  return DivideAlongOperand(scatter, update, traits);
}

class Scatter {
 public:
  Scatter(const Instruction& scatter, const Division& division,
          KernelFunction& function)
      : scatter_(scatter),
        division_(division),
        function_(function),
        input_count_((scatter.operand_count() - 1) / 2),
        operand_(scatter.operand_shape(0)),
        updates_(scatter.operand_shape(input_count_ + 1)) {
    for (int64_t d = 0; d < updates_.rank(); ++d) {
      (HasDimension(scatter.update_window_dims(), d) ? window_ : batch_)
          .push_back(d);
    }
    if (!window_.empty()) {
      lanes_ = function.DecideLanes(updates_.dimension(window_.back()));
    }
  }

  // In the order of the updates, so that what several of them do to one
  // element does not depend on anything else.
  absl::Status Emit() {
    std::vector<int64_t> sizes;
    for (const int64_t d : batch_) sizes.push_back(updates_.dimension(d));
    if (division_.counter < 0) return EmitSlices(sizes, nullptr);
    sizes.erase(sizes.begin() + division_.counter);
    return EmitLoop(function_.builder(), function_.begin(), function_.end(), 1,
                    [&](llvm::Value* unit) { return EmitSlices(sizes, unit); });
  }

 private:
  // Where a slice begins in the operand, and whether all of it lies inside.
  struct Place {
    ArrayIndex start;
    llvm::Value* is_inside = nullptr;
  };

  // Loops over the indices; `unit` is the counter that is divided, if one is.
  absl::Status EmitSlices(const std::vector<int64_t>& sizes,
                          llvm::Value* unit) {
    return EmitLoopNest(function_.builder(), sizes,
                        [&](absl::Span<llvm::Value* const> counters) {
                          std::vector<llvm::Value*> all(counters.begin(),
                                                        counters.end());
                          if (unit != nullptr)
                            all.insert(all.begin() + division_.counter, unit);
                          return EmitSlice(all);
                        });
  }

  // Whether a slice begins in this chunk's part of the operand.
  llvm::Value* IsInPart(const Coordinate& start) {
    llvm::IRBuilder<>& builder = function_.builder();
    return builder.CreateICmpULT(
        builder.CreateSub(start.base, function_.begin()),
        builder.CreateSub(function_.end(), function_.begin()));
  }

  absl::StatusOr<Place> PlaceOf(ElementEmitter& emitter,
                                absl::Span<llvm::Value* const> counters) {
    const Instruction& indices = *scatter_.operand(input_count_);
    const int64_t vector_dim = scatter_.index_vector_dim();
    IndexMath& math = emitter.math();
    const DimensionVector window = WindowDimensions(scatter_);
    Place place;
    place.start.assign(static_cast<size_t>(operand_.rank()), math.Constant(0));
    for (size_t k = 0; k < scatter_.input_batching_dims().size(); ++k) {
      place.start[static_cast<size_t>(scatter_.input_batching_dims()[k])] = {
          .base = counters[static_cast<size_t>(BatchingCounter(scatter_, k))]};
    }
    const auto& map = scatter_.scatter_dims_to_operand_dims();
    for (size_t k = 0; k < map.size(); ++k) {
      ArrayIndex index;
      for (llvm::Value* counter : counters) index.push_back({.base = counter});
      if (vector_dim < indices.shape().rank()) {
        index.insert(index.begin() + vector_dim,
                     math.Constant(static_cast<int64_t>(k)));
      }
      ASSIGN_OR_RETURN(const ElementValue value,
                       emitter.Element(indices, 0, index));
      const bool is_unsigned =
          hlo::IsUnsignedInteger(indices.shape().element_type());
      llvm::IRBuilder<>& builder = function_.builder();
      const Coordinate start{.base = builder.CreateIntCast(value.real,
                                                           builder.getInt64Ty(),
                                                           !is_unsigned)};
      const auto d = static_cast<size_t>(map[k]);
      const int64_t size = window[d] < 0 ? 1 : updates_.dimension(window[d]);
      place.is_inside =
          math.And(place.is_inside,
                   map[k] == division_.dimension
                       ? IsInPart(start)
                       : math.IsInRange(start, 0,
                                        operand_.dimension(map[k]) - size + 1));
      place.start[d] = start;
    }
    return place;
  }

  absl::Status EmitSlice(absl::Span<llvm::Value* const> counters) {
    ElementEmitter scalar(function_.builder(), 1);
    function_.BindOperands(scalar);
    ASSIGN_OR_RETURN(const Place place, PlaceOf(scalar, counters));
    llvm::Value* is_inside = place.is_inside != nullptr
                                 ? place.is_inside
                                 : function_.builder().getTrue();
    return EmitIf(function_.builder(), is_inside,
                  [&] { return EmitWindow(counters, place); });
  }

  absl::Status EmitWindow(absl::Span<llvm::Value* const> batch,
                          const Place& place) {
    std::vector<int64_t> sizes;
    for (const int64_t d : window_) sizes.push_back(updates_.dimension(d));
    if (sizes.empty()) return EmitVector(batch, {}, place, nullptr);
    const int64_t row = sizes.back();
    sizes.pop_back();
    llvm::IRBuilder<>& builder = function_.builder();
    const auto inner =
        [&](absl::Span<llvm::Value* const> counters) -> absl::Status {
      std::vector<llvm::Value*> window(counters.begin(), counters.end());
      window.push_back(nullptr);
      const int64_t whole = row / lanes_ * lanes_;
      const auto [begin, end] = VectorsOfChunk(whole);
      RETURN_IF_ERROR(
          EmitLoop(builder, begin, end, lanes_, [&](llvm::Value* i) {
            window.back() = i;
            return EmitVector(batch, window, place, nullptr);
          }));
      if (whole == row) return absl::OkStatus();
      window.back() = builder.getInt64(static_cast<uint64_t>(whole));
      const auto rest = [&] {
        return EmitVector(batch, window, place,
                          FirstLanes(builder, lanes_, row - whole));
      };
      if (division_.window_elements == 0) return rest();
      return EmitIf(builder,
                    builder.CreateICmpEQ(function_.end(), Int(division_.units)),
                    rest);
    };
    return EmitLoopNest(builder, sizes, inner);
  }

  llvm::Value* Int(int64_t value) {
    return function_.builder().getInt64(static_cast<uint64_t>(value));
  }

  // The part of the last window dimension, from 0 to `whole`, that this chunk
  // updates.
  std::pair<llvm::Value*, llvm::Value*> VectorsOfChunk(int64_t whole) {
    if (division_.window_elements == 0) return {Int(0), Int(whole)};
    llvm::IRBuilder<>& builder = function_.builder();
    llvm::Value* elements = Int(division_.window_elements);
    llvm::Value* end = builder.CreateMul(function_.end(), elements);
    return {builder.CreateMul(function_.begin(), elements),
            MinIndex(builder, end, Int(whole))};
  }

  // Updates one vector along the last window dimension.
  absl::Status EmitVector(absl::Span<llvm::Value* const> batch,
                          absl::Span<llvm::Value* const> window,
                          const Place& place, llvm::Value* mask) {
    ElementEmitter emitter(function_.builder(), lanes_);
    function_.BindOperands(emitter);
    ArrayIndex update_index(static_cast<size_t>(updates_.rank()));
    for (size_t i = 0; i < batch_.size(); ++i) {
      update_index[static_cast<size_t>(batch_[i])] = {.base = batch[i]};
    }
    for (size_t i = 0; i < window_.size(); ++i) {
      const bool is_last = i + 1 == window_.size();
      update_index[static_cast<size_t>(window_[i])] = {
          .base = window[i], .stride = is_last && lanes_ > 1 ? 1 : 0};
    }
    ArrayIndex index = place.start;
    const DimensionVector map = WindowDimensions(scatter_);
    for (size_t d = 0; d < index.size(); ++d) {
      if (map[d] >= 0) {
        index[d] = emitter.math().Add(
            index[d], update_index[static_cast<size_t>(map[d])]);
      }
    }
    return emitter.InScope(
        mask, [&] { return EmitUpdate(emitter, update_index, index); });
  }

  absl::Status EmitUpdate(ElementEmitter& emitter,
                          const ArrayIndex& update_index,
                          const ArrayIndex& index) {
    std::vector<ElementValue> arguments;
    const auto append = [&](ElementValue value) {
      if (LaneCount(value) < lanes_) {
        value = emitter.scalars().Splat(value, lanes_);
      }
      arguments.push_back(value);
    };
    for (int64_t i = 0; i < input_count_; ++i) {
      append(
          emitter.Load(function_.output(i), scatter_.operand_shape(i), index));
    }
    for (int64_t i = 0; i < input_count_; ++i) {
      ASSIGN_OR_RETURN(const ElementValue value,
                       emitter.Lanes(*scatter_.operand(input_count_ + 1 + i), 0,
                                     update_index));
      append(value);
    }
    ASSIGN_OR_RETURN(const std::vector<ElementValue> results,
                     EmitScalarComputation(emitter.scalars(),
                                           *scatter_.to_apply(), arguments));
    for (int64_t i = 0; i < input_count_; ++i) {
      emitter.Store(results[static_cast<size_t>(i)], function_.output(i),
                    scatter_.operand_shape(i), index);
    }
    return absl::OkStatus();
  }

  const Instruction& scatter_;
  const Division& division_;
  KernelFunction& function_;
  int64_t input_count_;
  const Shape& operand_;
  const Shape& updates_;
  // Dimensions of the updates.
  DimensionVector window_;
  DimensionVector batch_;
  int lanes_ = 1;
};

}  // namespace

absl::StatusOr<Kernel> EmitScatterKernel(const Instruction& instruction,
                                         absl::string_view name,
                                         KernelContext& context) {
  const Division division = Divide(instruction, context.traits);
  KernelFunction function(instruction, name, context);
  function.set_units(division.units);
  RETURN_IF_ERROR(Scatter(instruction, division, function).Emit());
  function.Finish();
  return Kernel{.name = std::string(name),
                .units = division.units,
                .grain = division.grain};
}

}  // namespace hilo::backends
