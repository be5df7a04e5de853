// Reductions along the fastest dimension: one result element at a time, with
// accumulators one a lane that are combined at the end of each row.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/dimension_groups.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "backends/cpu/reduction_shape.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;
using Values = std::vector<ElementValue>;

// Vectors that are accumulated side by side where a row is long: an addition
// takes several cycles, and starts every cycle.
constexpr int64_t kAccumulators = 4;
class RowReduction {
 public:
  RowReduction(const Instruction& reduction, KernelFunction& function,
               const passes::TargetTraits& traits)
      : reduction_(reduction),
        function_(function),
        input_(reduction.operand_shape(0)),
        input_count_(reduction.operand_count() / 2) {
    for (const DimensionGroup& group :
         ReductionGroups(reduction, function.arrays())) {
      (IsReduced(reduction, group) ? reduced_ : kept_).push_back(group);
    }
    row_ = reduced_.back();
    reduced_.pop_back();
    lanes_ = ChooseLanes(function.instruction(), row_.size, traits);
    while (lanes_ > row_.size) lanes_ /= 2;
  }

  absl::StatusOr<Kernel> Emit(absl::string_view name,
                              const passes::TargetTraits& traits) {
    llvm::IRBuilder<>& builder = function_.builder();
    RETURN_IF_ERROR(
        EmitLoop(builder, function_.begin(), function_.end(), 1, {},
                 [&](llvm::Value* unit, absl::Span<llvm::Value* const>)
                     -> absl::StatusOr<CarriedValues> {
                   RETURN_IF_ERROR(EmitUnit(unit));
                   return CarriedValues();
                 })
            .status());
    function_.Finish();
    const int64_t units =
        function_.instruction().shape().Leaves()[0]->ElementCount();
    const double cost = 0.1 * static_cast<double>(input_.ElementCount()) /
                        static_cast<double>(std::max<int64_t>(units, 1));
    return Kernel{.name = std::string(name),
                  .units = units,
                  .grain = ChooseGrain(units, cost, traits),
                  .scratch_bytes = 0};
  }

 private:
  // The result element number `unit`.
  absl::Status EmitUnit(llvm::Value* unit) {
    llvm::IRBuilder<>& builder = function_.builder();
    ElementEmitter emitter(builder, lanes_);
    function_.BindOperands(emitter);
    ArrayIndex index(static_cast<size_t>(input_.rank()),
                     emitter.math().Constant(0));
    llvm::Value* rest = unit;
    for (size_t g = kept_.size(); g-- > 0;) {
      llvm::Value* size =
          builder.getInt64(static_cast<uint64_t>(kept_[g].size));
      index[static_cast<size_t>(kept_[g].last - 1)] = {
          .base = g == 0 ? rest : builder.CreateURem(rest, size)};
      if (g > 0) rest = builder.CreateUDiv(rest, size);
    }
    Values initial;
    for (int64_t i = 0; i < input_count_; ++i) {
      ASSIGN_OR_RETURN(
          const ElementValue value,
          emitter.Element(*reduction_.operand(input_count_ + i), 0, {}));
      initial.push_back(value);
    }
    std::vector<int64_t> sizes;
    for (const DimensionGroup& group : reduced_) sizes.push_back(group.size);
    ASSIGN_OR_RETURN(const CarriedValues flat,
                     EmitLoopNest(builder, sizes, Flatten(initial),
                                  [&](absl::Span<llvm::Value* const> counters,
                                      absl::Span<llvm::Value* const> carried)
                                      -> absl::StatusOr<CarriedValues> {
                                    return emitter.InScope(nullptr, [&] {
                                      return AddRow(
                                          emitter, index, counters,
                                          Unflatten(carried, initial));
                                    });
                                  }));
    const Values results = Unflatten(flat, initial);
    ArrayIndex place = {{.base = unit}};
    for (size_t i = 0; i < results.size(); ++i) {
      const hlo::ElementType type =
          reduction_.operand_shape(static_cast<int64_t>(i)).element_type();
      ElementEmitter scalar(builder, 1);
      scalar.Store(results[i], function_.output(static_cast<int64_t>(i)),
                   Shape::Array(type, {1}), place);
    }
    return absl::OkStatus();
  }

  // `total` combined with one row.
  absl::StatusOr<CarriedValues> AddRow(ElementEmitter& emitter,
                                       ArrayIndex index,
                                       absl::Span<llvm::Value* const> counters,
                                       const Values& total) {
    for (size_t g = 0; g < reduced_.size(); ++g) {
      index[static_cast<size_t>(reduced_[g].last - 1)] = {.base = counters[g]};
    }
    ASSIGN_OR_RETURN(Values row, ReduceRow(emitter, index));
    ASSIGN_OR_RETURN(const Values next, Combine(emitter, total, row));
    return Flatten(next);
  }

  // The elements of one row, combined to one.
  absl::StatusOr<Values> ReduceRow(ElementEmitter& emitter,
                                   const ArrayIndex& index) {
    const int64_t vectors = row_.size / lanes_;
    const int64_t accumulators =
        vectors >= 2 * kAccumulators ? kAccumulators : 1;
    Values carried;
    for (int64_t a = 0; a < accumulators; ++a) {
      ASSIGN_OR_RETURN(
          const Values first,
          LoadVector(emitter, index, emitter.math().Constant(a * lanes_),
                     nullptr));
      carried.insert(carried.end(), first.begin(), first.end());
    }
    const int64_t step = accumulators * lanes_;
    const int64_t whole = row_.size / step * step;
    ASSIGN_OR_RETURN(carried,
                     AddVectors(emitter, index, step, whole, step, carried));
    Values total(carried.begin(), carried.begin() + input_count_);
    for (int64_t a = 1; a < accumulators; ++a) {
      const auto first = carried.begin() + a * input_count_;
      ASSIGN_OR_RETURN(
          total, Combine(emitter, total, Values(first, first + input_count_)));
    }
    const int64_t last = row_.size / lanes_ * lanes_;
    ASSIGN_OR_RETURN(total,
                     AddVectors(emitter, index, whole, last, lanes_, total));
    if (last < row_.size) {
      ASSIGN_OR_RETURN(total, AddRest(emitter, index, last, total));
    }
    return CombineLanes(emitter, std::move(total));
  }

  // Adds the vectors at begin, begin + step, ... below end; of each step as
  // many side by side as `carried` has accumulators.
  absl::StatusOr<Values> AddVectors(ElementEmitter& emitter,
                                    const ArrayIndex& index, int64_t begin,
                                    int64_t end, int64_t step,
                                    const Values& carried) {
    llvm::IRBuilder<>& builder = function_.builder();
    const auto body = [&](llvm::Value* i, absl::Span<llvm::Value* const> flat)
        -> absl::StatusOr<CarriedValues> {
      return emitter.InScope(nullptr, [&]() -> absl::StatusOr<CarriedValues> {
        const Values before = Unflatten(flat, carried);
        Values after;
        for (int64_t a = 0; a * lanes_ < step; ++a) {
          const auto first = before.begin() + a * input_count_;
          ASSIGN_OR_RETURN(
              const Values vector,
              LoadVector(emitter, index,
                         emitter.math().Add(Coordinate{.base = i}, a * lanes_),
                         nullptr));
          ASSIGN_OR_RETURN(
              const Values next,
              Combine(emitter, Values(first, first + input_count_), vector));
          after.insert(after.end(), next.begin(), next.end());
        }
        return Flatten(after);
      });
    };
    ASSIGN_OR_RETURN(
        const CarriedValues flat,
        EmitLoop(builder, builder.getInt64(static_cast<uint64_t>(begin)),
                 builder.getInt64(static_cast<uint64_t>(end)), step,
                 Flatten(carried), body));
    return Unflatten(flat, carried);
  }

  // Adds the elements from `begin` on that fill no vector.
  absl::StatusOr<Values> AddRest(ElementEmitter& emitter,
                                 const ArrayIndex& index, int64_t begin,
                                 const Values& total) {
    std::vector<llvm::Constant*> bits;
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      bits.push_back(function_.builder().getInt1(begin + lane < row_.size));
    }
    llvm::Value* mask = llvm::ConstantVector::get(bits);
    ASSIGN_OR_RETURN(
        const Values vector,
        LoadVector(emitter, index, emitter.math().Constant(begin), mask));
    ASSIGN_OR_RETURN(Values next, Combine(emitter, total, vector));
    for (size_t i = 0; i < next.size(); ++i) {
      next[i] = emitter.scalars().Select(mask, next[i], total[i]);
    }
    return next;
  }

  absl::StatusOr<Values> LoadVector(ElementEmitter& emitter, ArrayIndex index,
                                    Coordinate first, llvm::Value* mask) {
    first.stride = lanes_ == 1 ? 0 : 1;
    index[static_cast<size_t>(row_.last - 1)] = first;
    return emitter.InScope(mask, [&]() -> absl::StatusOr<Values> {
      Values values;
      for (int64_t i = 0; i < input_count_; ++i) {
        ASSIGN_OR_RETURN(const ElementValue value,
                         emitter.Lanes(*reduction_.operand(i), 0, index));
        values.push_back(value);
      }
      return values;
    });
  }

  absl::StatusOr<Values> Combine(ElementEmitter& emitter, const Values& a,
                                 const Values& b) {
    Values arguments = a;
    arguments.insert(arguments.end(), b.begin(), b.end());
    return EmitScalarComputation(emitter.scalars(), *reduction_.to_apply(),
                                 arguments);
  }

  // Combines the lanes in a tree.
  absl::StatusOr<Values> CombineLanes(ElementEmitter& emitter, Values values) {
    llvm::IRBuilder<>& builder = function_.builder();
    const auto half = [&](llvm::Value* value, int first,
                          int count) -> llvm::Value* {
      if (value == nullptr) return nullptr;
      if (count == 1) return builder.CreateExtractElement(value, first);
      std::vector<int> mask;
      for (int lane = 0; lane < count; ++lane) mask.push_back(first + lane);
      return builder.CreateShuffleVector(value, mask);
    };
    for (int lanes = lanes_; lanes > 1; lanes /= 2) {
      Values low;
      Values high;
      for (const ElementValue& v : values) {
        low.push_back({.real = half(v.real, 0, lanes / 2),
                       .imag = half(v.imag, 0, lanes / 2)});
        high.push_back({.real = half(v.real, lanes / 2, lanes / 2),
                        .imag = half(v.imag, lanes / 2, lanes / 2)});
      }
      ASSIGN_OR_RETURN(values, Combine(emitter, low, high));
    }
    return values;
  }

  const Instruction& reduction_;
  KernelFunction& function_;
  const Shape& input_;
  int64_t input_count_;
  std::vector<DimensionGroup> kept_;
  // Reduced dimensions outside of the row.
  std::vector<DimensionGroup> reduced_;
  DimensionGroup row_;
  int lanes_ = 1;
};

}  // namespace

absl::StatusOr<Kernel> EmitRowReduction(const Instruction& instruction,
                                        absl::string_view name,
                                        KernelContext& context) {
  KernelFunction function(instruction, name, context);
  return RowReduction(*ReductionOf(instruction), function, context.traits)
      .Emit(name, context.traits);
}

}  // namespace hilo::backends
