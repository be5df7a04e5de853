// Kernels that reduce rows and use the results in the same rows: softmax,
// normalisation, their gradients, and whatever else has this form.
#include "backends/cpu/row_fusion.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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
#include "backends/cpu/row_fusion_plan.h"
#include "backends/cpu/row_loops.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "passes/target_traits.h"
#include "runtime/base/check.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;

// Vectors that are accumulated side by side; fewer where each takes long.
constexpr int64_t kMostAccumulators = 4;
constexpr double kLongWork = 24;

class RowFusion {
 public:
  RowFusion(const RowFusionPlan& plan, KernelFunction& function)
      : plan_(plan), function_(function) {}

  absl::Status Emit() {
    if (plan_.row_bytes > 0) {
      scratch_ =
          ScratchOfSlot(function_.builder(), function_.LoadScratchPointer(),
                        plan_.slots, plan_.row_bytes);
    }
    RETURN_IF_ERROR(EmitLoop(function_.builder(), function_.begin(),
                             function_.end(), 1,
                             [&](llvm::Value* row) { return EmitRow(row); }));
    function_.Finish();
    return absl::OkStatus();
  }

 private:
  llvm::Value* Int(int64_t value) {
    return function_.builder().getInt64(static_cast<uint64_t>(value));
  }

  absl::Status EmitRow(llvm::Value* row) {
    ElementEmitter emitter(function_.builder(), plan_.lanes);
    function_.BindOperands(emitter);
    const Shape& shape = *plan_.space.shape;
    ArrayIndex index(static_cast<size_t>(shape.rank()),
                     emitter.math().Constant(0));
    std::vector<int64_t> kept;
    for (int64_t d = 0; d < plan_.space.kept_rank; ++d) {
      if (shape.dimension(d) != 1) kept.push_back(d);
    }
    llvm::Value* rest = row;
    for (size_t k = kept.size(); k-- > 0;) {
      llvm::Value* size = Int(shape.dimension(kept[k]));
      llvm::IRBuilder<>& builder = function_.builder();
      index[static_cast<size_t>(kept[k])] = {
          .base = k == 0 ? rest : builder.CreateURem(rest, size)};
      if (k > 0) rest = builder.CreateUDiv(rest, size);
    }
    for (const RowPhase& phase : plan_.phases) {
      RETURN_IF_ERROR(EmitPhase(emitter, phase, row, index));
    }
    return StoreRowValues(emitter, row, index);
  }

  absl::Status EmitPhase(ElementEmitter& emitter, const RowPhase& phase,
                         llvm::Value* row, const ArrayIndex& index) {
    for (const Instruction* uniform : phase.uniform) {
      ASSIGN_OR_RETURN(
          const ElementValue value,
          emitter.Element(*uniform, 0,
                          IndexOf(emitter, uniform->shape(), index)));
      emitter.BindValue(*uniform, 0, value);
    }
    const RowLoops loops(plan_.row_groups, plan_.lanes);
    const RowBody body = BodyOf(phase, row);
    if (phase.reductions.empty()) {
      if (!phase.outputs.empty()) {
        RETURN_IF_ERROR(loops.Map(emitter, index, body));
      }
    } else {
      RowValues initial;
      for (const Instruction* reduction : phase.reductions) {
        ASSIGN_OR_RETURN(const ElementValue value,
                         emitter.Element(*reduction->operand(1), 0, {}));
        initial.push_back(value);
      }
      const int64_t accumulators =
          phase.cost > kLongWork ? 1 : kMostAccumulators;
      ASSIGN_OR_RETURN(
          const RowValues totals,
          loops.Reduce(emitter, index, initial, accumulators, body));
      for (size_t i = 0; i < totals.size(); ++i) {
        emitter.BindValue(*phase.reductions[i], 0, totals[i]);
      }
    }
    for (const KeptRow& kept : phase.kept) {
      emitter.BindArray(*kept.instruction, 0, PointerOf(kept, row));
    }
    return absl::OkStatus();
  }

  // What happens at each vector. The pointers are those of element 0 of whole
  // arrays, of which scratch memory holds the row only.
  RowBody BodyOf(const RowPhase& phase, llvm::Value* row) {
    const auto load =
        [this, &phase, row](
            ElementEmitter& emitter,
            const ArrayIndex& index) -> absl::StatusOr<RowValues> {
      RowValues values;
      for (const Instruction* reduction : phase.reductions) {
        const Instruction& input = *reduction->operand(0);
        ASSIGN_OR_RETURN(
            const ElementValue value,
            emitter.Lanes(input, 0, IndexOf(emitter, input.shape(), index)));
        values.push_back(value);
      }
      RETURN_IF_ERROR(EmitStores(emitter, phase, row, index));
      return values;
    };
    const auto combine = [&phase](
                             ElementEmitter& emitter, const RowValues& a,
                             const RowValues& b) -> absl::StatusOr<RowValues> {
      RowValues values;
      for (size_t i = 0; i < phase.reductions.size(); ++i) {
        const std::array arguments = {a[i], b[i]};
        ASSIGN_OR_RETURN(
            const RowValues value,
            EmitScalarComputation(emitter.scalars(),
                                  *phase.reductions[i]->to_apply(), arguments));
        values.push_back(value.front());
      }
      return values;
    };
    return {.load = load, .combine = combine};
  }

  absl::Status EmitStores(ElementEmitter& emitter, const RowPhase& phase,
                          llvm::Value* row, const ArrayIndex& index) {
    std::vector<std::pair<const Instruction*, llvm::Value*>> stores;
    stores.reserve(phase.outputs.size());
    for (const int64_t output : phase.outputs) {
      stores.emplace_back(plan_.outputs[static_cast<size_t>(output)],
                          function_.output(output));
    }
    for (const KeptRow& kept : phase.kept) {
      if (kept.output >= 0) continue;
      stores.emplace_back(kept.instruction, PointerOf(kept, row));
    }
    // All loads before all stores: an output may lie over an operand.
    RowValues values;
    for (const auto& [instruction, pointer] : stores) {
      ASSIGN_OR_RETURN(
          const ElementValue value,
          emitter.Element(*instruction, 0,
                          IndexOf(emitter, instruction->shape(), index)));
      values.push_back(value);
    }
    for (size_t i = 0; i < stores.size(); ++i) {
      const Shape& shape = stores[i].first->shape();
      emitter.Store(values[i], stores[i].second, shape,
                    IndexOf(emitter, shape, index));
    }
    return absl::OkStatus();
  }

  llvm::Value* PointerOf(const KeptRow& kept, llvm::Value* row) {
    if (kept.output >= 0) return function_.output(kept.output);
    llvm::IRBuilder<>& builder = function_.builder();
    const int64_t bytes =
        plan_.space.row_elements() *
        hlo::StorageBytes(kept.instruction->shape().element_type());
    llvm::Value* before = builder.CreateMul(row, Int(-bytes));
    return builder.CreatePtrAdd(
        scratch_, builder.CreateAdd(before, Int(kept.offset_bytes)));
  }

  absl::Status StoreRowValues(ElementEmitter& emitter, llvm::Value* row,
                              const ArrayIndex& index) {
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      const auto output = static_cast<int64_t>(i);
      if (plan_.IsWhole(output)) continue;
      const Instruction& instruction = *plan_.outputs[i];
      ASSIGN_OR_RETURN(
          const ElementValue value,
          emitter.Element(instruction, 0,
                          IndexOf(emitter, instruction.shape(), index)));
      ElementEmitter scalar(function_.builder(), 1);
      scalar.Store(value, function_.output(output),
                   Shape::Array(instruction.shape().element_type(), {1}),
                   {{.base = row}});
    }
    return absl::OkStatus();
  }

  // The loop's index in an array of rows, or of one value for each.
  ArrayIndex IndexOf(ElementEmitter& emitter, const Shape& shape,
                     const ArrayIndex& index) const {
    return IndexInShape(index, *plan_.space.shape, shape,
                        emitter.math().Constant(0));
  }

  const RowFusionPlan& plan_;
  KernelFunction& function_;
  llvm::Value* scratch_ = nullptr;
};

int64_t ScratchBytes(const RowFusionPlan& plan) {
  return plan.row_bytes * plan.slots;
}

}  // namespace

absl::Status EmitRows(const RowFusionPlan& plan, KernelFunction& function) {
  return RowFusion(plan, function).Emit();
}

bool IsRowFusion(const Instruction& instruction,
                 const passes::TargetTraits& traits) {
  KernelPlan ignored;
  return PlanRowFusion(instruction, traits, ignored).has_value();
}

absl::StatusOr<Kernel> EmitRowFusion(const Instruction& instruction,
                                     absl::string_view name,
                                     KernelContext& context) {
  const std::optional<RowFusionPlan> plan =
      PlanRowFusion(instruction, context.traits, context.plan);
  CHECK(plan.has_value()) << instruction.name() << " is no fusion of rows";
  KernelFunction function(instruction, name, context);
  RETURN_IF_ERROR(EmitRows(*plan, function));
  return Kernel{.name = std::string(name),
                .units = plan->units,
                .grain = plan->grain,
                .slots = plan->slots,
                .scratch_bytes = ScratchBytes(*plan)};
}

int64_t RowFusionScratchBytes(const Instruction& instruction,
                              const passes::TargetTraits& traits,
                              KernelPlan& plan) {
  const std::optional<RowFusionPlan> rows =
      PlanRowFusion(instruction, traits, plan);
  return rows.has_value() ? ScratchBytes(*rows) : 0;
}

}  // namespace hilo::backends
