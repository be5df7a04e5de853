// Reductions along the fastest dimension: one result element at a time, with
// accumulators one a lane that are combined at the end of each row.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/dimension_groups.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "backends/cpu/reduction_shape.h"
#include "backends/cpu/row_loops.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;

// Vectors that are accumulated side by side where a row is long.
constexpr int64_t kAccumulators = 4;

class RowReduction {
 public:
  RowReduction(const Instruction& reduction, KernelFunction& function)
      : reduction_(reduction),
        function_(function),
        input_(reduction.operand_shape(0)),
        input_count_(reduction.operand_count() / 2) {
    for (const DimensionGroup& group :
         ReductionGroups(reduction, function.arrays())) {
      (IsReduced(reduction, group) ? reduced_ : kept_).push_back(group);
    }
    const int64_t row = reduced_.back().size;
    lanes_ = function.FixedLanes(row);
    while (lanes_ > row) lanes_ /= 2;
  }

  absl::StatusOr<Kernel> Emit(absl::string_view name,
                              const passes::TargetTraits& traits) {
    RETURN_IF_ERROR(
        EmitLoop(function_.builder(), function_.begin(), function_.end(), 1,
                 [&](llvm::Value* unit) { return EmitUnit(unit); }));
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
    RowValues initial;
    for (int64_t i = 0; i < input_count_; ++i) {
      ASSIGN_OR_RETURN(
          const ElementValue value,
          emitter.Element(*reduction_.operand(input_count_ + i), 0, {}));
      initial.push_back(value);
    }
    ASSIGN_OR_RETURN(
        const RowValues results,
        RowLoops(reduced_, lanes_)
            .Reduce(emitter, index, initial, kAccumulators,
                    {.load =
                         [&](ElementEmitter&, const ArrayIndex& place) {
                           return Load(emitter, place);
                         },
                     .combine =
                         [&](ElementEmitter&, const RowValues& a,
                             const RowValues& b) {
                           return Combine(emitter, a, b);
                         }}));
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

  absl::StatusOr<RowValues> Load(ElementEmitter& emitter,
                                 const ArrayIndex& index) {
    RowValues values;
    for (int64_t i = 0; i < input_count_; ++i) {
      ASSIGN_OR_RETURN(const ElementValue value,
                       emitter.Lanes(*reduction_.operand(i), 0, index));
      values.push_back(value);
    }
    return values;
  }

  absl::StatusOr<RowValues> Combine(ElementEmitter& emitter, const RowValues& a,
                                    const RowValues& b) {
    RowValues arguments = a;
    arguments.insert(arguments.end(), b.begin(), b.end());
    return EmitScalarComputation(emitter.scalars(), *reduction_.to_apply(),
                                 arguments);
  }

  const Instruction& reduction_;
  KernelFunction& function_;
  const Shape& input_;
  int64_t input_count_;
  std::vector<DimensionGroup> kept_;
  // What makes up a row.
  std::vector<DimensionGroup> reduced_;
  int lanes_ = 1;
};

}  // namespace

absl::StatusOr<Kernel> EmitRowReduction(const Instruction& instruction,
                                        absl::string_view name,
                                        KernelContext& context) {
  KernelFunction function(instruction, name, context);
  return RowReduction(*ReductionOf(instruction), function)
      .Emit(name, context.traits);
}

}  // namespace hilo::backends
