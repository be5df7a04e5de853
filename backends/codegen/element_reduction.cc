// Elements of reductions: loops that carry accumulators in registers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "llvm/IR/Type.h"
#include "llvm/IR/Value.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_handlers.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;

// A reduction over elements of `inputs` that start from `initial`.
struct Accumulation {
  const Instruction& instruction;
  int64_t input_count = 0;
  bool is_scalar = false;
};

absl::StatusOr<std::vector<ElementValue>> InitialValues(
    ElementEmitter& emitter, const Accumulation& reduction) {
  std::vector<ElementValue> initial;
  for (int64_t i = 0; i < reduction.input_count; ++i) {
    ASSIGN_OR_RETURN(
        const ElementValue value,
        InOneForm(emitter,
                  *reduction.instruction.operand(reduction.input_count + i), {},
                  reduction.is_scalar));
    initial.push_back(value);
  }
  return initial;
}

// One step: `accumulators` combined with the inputs' elements at `index`.
absl::StatusOr<std::vector<ElementValue>> Accumulate(
    ElementEmitter& emitter, const Accumulation& reduction,
    const ArrayIndex& index, std::vector<ElementValue> accumulators) {
  for (int64_t i = 0; i < reduction.input_count; ++i) {
    ASSIGN_OR_RETURN(const ElementValue value,
                     InOneForm(emitter, *reduction.instruction.operand(i),
                               index, reduction.is_scalar));
    accumulators.push_back(value);
  }
  return EmitScalarComputation(emitter.scalars(),
                               *reduction.instruction.to_apply(), accumulators);
}

}  // namespace

absl::StatusOr<ElementValue> ReduceElement(ElementEmitter& emitter,
                                           const ElementRequest& request) {
  const Instruction& instruction = request.instruction;
  const Accumulation reduction{
      .instruction = instruction,
      .input_count = instruction.operand_count() / 2,
      .is_scalar = emitter.lanes() == 1 || IsUniform(request.index)};
  const Shape& input = instruction.operand_shape(0);
  const auto& reduced = instruction.dimensions();
  std::vector<int64_t> sizes;
  for (const int64_t d : reduced) sizes.push_back(input.dimension(d));
  ASSIGN_OR_RETURN(const std::vector<ElementValue> initial,
                   InitialValues(emitter, reduction));
  const auto body = [&](absl::Span<llvm::Value* const> counters,
                        absl::Span<llvm::Value* const> carried)
      -> absl::StatusOr<CarriedValues> {
    ArrayIndex index;
    size_t next_kept = 0;
    for (int64_t d = 0; d < input.rank(); ++d) {
      const auto* const place = std::ranges::find(reduced, d);
      index.push_back(place == reduced.end()
                          ? request.index[next_kept++]
                          : Coordinate{.base = counters[static_cast<size_t>(
                                           place - reduced.begin())]});
    }
    ASSIGN_OR_RETURN(const std::vector<ElementValue> next,
                     emitter.InScope(nullptr, [&] {
                       return Accumulate(emitter, reduction, index,
                                         Unflatten(carried, initial));
                     }));
    return Flatten(next);
  };
  ASSIGN_OR_RETURN(
      const CarriedValues carried,
      EmitLoopNestWithValues(emitter.builder(), sizes, Flatten(initial), body));
  return Unflatten(carried, initial)[static_cast<size_t>(request.leaf)];
}

namespace {

// Where a window element lies in the input, and whether it does.
struct WindowPlace {
  ArrayIndex index;
  // i1, one bit a lane, or null: always.
  llvm::Value* uniform = nullptr;
  llvm::Value* by_lane = nullptr;
};

WindowPlace PlaceInInput(IndexMath& math, const Instruction& instruction,
                         const ArrayIndex& output,
                         absl::Span<llvm::Value* const> counters) {
  const Shape& input = instruction.operand_shape(0);
  const auto& dimensions = instruction.window().dimensions;
  WindowPlace place;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const hlo::WindowDimension& window = dimensions[d];
    const int64_t size = input.dimension(static_cast<int64_t>(d));
    Coordinate in_window{.base = counters[d]};
    if (window.reversed) {
      in_window = math.Add(math.Multiply(in_window, -1), window.size - 1);
    }
    Coordinate c =
        math.Add(math.Add(math.Multiply(output[d], window.stride),
                          math.Multiply(in_window, window.window_dilation)),
                 -window.padding_low);
    const bool is_plain = window == hlo::WindowDimension();
    if (!is_plain) {
      const int64_t reach = (size - 1) * window.base_dilation + 1;
      llvm::Value* inside = math.IsInRange(c, 0, size == 0 ? 0 : reach);
      if (window.base_dilation > 1) {
        inside = math.And(
            inside, math.IsEqual(math.Remainder(c, window.base_dilation), 0));
        c = math.Divide(c, window.base_dilation);
      }
      llvm::Value*& part =
          inside->getType()->isVectorTy() ? place.by_lane : place.uniform;
      part = math.And(part, inside);
    }
    place.index.push_back(c);
  }
  return place;
}

// One window element taken in where it lies inside of the input.
absl::StatusOr<CarriedValues> AccumulateWindow(
    ElementEmitter& emitter, const Accumulation& reduction,
    const WindowPlace& place, const std::vector<ElementValue>& accumulators) {
  const auto by_lane = [&]() -> absl::StatusOr<CarriedValues> {
    ASSIGN_OR_RETURN(
        std::vector<ElementValue> next, emitter.InScope(place.by_lane, [&] {
          return Accumulate(emitter, reduction, place.index, accumulators);
        }));
    if (place.by_lane != nullptr) {
      for (size_t i = 0; i < next.size(); ++i) {
        next[i] =
            emitter.scalars().Select(place.by_lane, next[i], accumulators[i]);
      }
    }
    return Flatten(next);
  };
  if (place.uniform == nullptr) return by_lane();
  return EmitIfWithValues(
      emitter.builder(), place.uniform, by_lane,
      [&]() -> absl::StatusOr<CarriedValues> { return Flatten(accumulators); });
}

}  // namespace

absl::StatusOr<ElementValue> ReduceWindowElement(
    ElementEmitter& emitter, const ElementRequest& request) {
  const Instruction& instruction = request.instruction;
  const Accumulation reduction{
      .instruction = instruction,
      .input_count = instruction.operand_count() / 2,
      .is_scalar = emitter.lanes() == 1 || IsUniform(request.index)};
  ASSIGN_OR_RETURN(const std::vector<ElementValue> initial,
                   InitialValues(emitter, reduction));
  std::vector<int64_t> sizes;
  for (const auto& dimension : instruction.window().dimensions) {
    sizes.push_back(dimension.size);
  }
  ASSIGN_OR_RETURN(
      const CarriedValues carried,
      EmitLoopNestWithValues(emitter.builder(), sizes, Flatten(initial),
                             [&](absl::Span<llvm::Value* const> counters,
                                 absl::Span<llvm::Value* const> values) {
                               return AccumulateWindow(
                                   emitter, reduction,
                                   PlaceInInput(emitter.math(), instruction,
                                                request.index, counters),
                                   Unflatten(values, initial));
                             }));
  return Unflatten(carried, initial)[static_cast<size_t>(request.leaf)];
}

}  // namespace hilo::backends
