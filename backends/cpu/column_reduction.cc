// Reductions that keep the fastest dimension: rows are added, a few at a time,
// to a block of the result that stays in the first-level cache.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/dimension_groups.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "backends/cpu/reduction_shape.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "passes/target_traits.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;
using Values = std::vector<ElementValue>;

// Elements of a block: a page of f32.
constexpr int64_t kBlockColumns = 1024;
// Rows that one pass over a block takes in.
constexpr int64_t kRowsPerPass = 4;

class ColumnReduction {
 public:
  ColumnReduction(const Instruction& reduction, KernelFunction& function)
      : reduction_(reduction),
        function_(function),
        input_(reduction.operand_shape(0)),
        input_count_(reduction.operand_count() / 2) {
    std::vector<DimensionGroup> groups =
        ReductionGroups(reduction, function.arrays());
    columns_ = groups.back();
    groups.pop_back();
    for (const DimensionGroup& group : groups) {
      (IsReduced(reduction, group) ? reduced_ : kept_).push_back(group);
    }
    for (const DimensionGroup& group : kept_) kept_size_ *= group.size;
    rows_ = reduced_.back();
    reduced_.pop_back();
    lanes_ = function.DecideLanes(columns_.size);
  }

  absl::StatusOr<Kernel> Emit(absl::string_view name,
                              const passes::TargetTraits& traits) {
    RETURN_IF_ERROR(
        EmitLoop(function_.builder(), function_.begin(), function_.end(), 1,
                 [&](llvm::Value* unit) { return EmitUnit(unit); }));
    function_.Finish();
    const int64_t units = kept_size_ * Blocks();
    const double cost = 0.1 * static_cast<double>(input_.ElementCount()) /
                        static_cast<double>(units);
    return Kernel{.name = std::string(name),
                  .units = units,
                  .grain = ChooseGrain(units, cost, traits),
                  .scratch_bytes = 0};
  }

 private:
  int64_t Blocks() const {
    return (columns_.size + kBlockColumns - 1) / kBlockColumns;
  }

  llvm::Value* Number(int64_t value) {
    return function_.builder().getInt64(static_cast<uint64_t>(value));
  }

  // What the code of one unit knows.
  struct Unit {
    // Result elements before the first one of the kept index.
    llvm::Value* kept = nullptr;
    std::vector<llvm::Value*> kept_counters;
    llvm::Value* first_column = nullptr;
    llvm::Value* end_column = nullptr;
  };

  absl::Status EmitUnit(llvm::Value* number) {
    llvm::IRBuilder<>& builder = function_.builder();
    Unit unit;
    llvm::Value* block = builder.CreateURem(number, Number(Blocks()));
    unit.kept = builder.CreateUDiv(number, Number(Blocks()));
    unit.first_column = builder.CreateMul(block, Number(kBlockColumns));
    unit.end_column = MinIndex(
        builder, builder.CreateAdd(unit.first_column, Number(kBlockColumns)),
        Number(columns_.size));
    unit.kept_counters.resize(kept_.size());
    llvm::Value* rest = unit.kept;
    for (size_t g = kept_.size(); g-- > 0;) {
      unit.kept_counters[g] =
          g == 0 ? rest : builder.CreateURem(rest, Number(kept_[g].size));
      if (g > 0) rest = builder.CreateUDiv(rest, Number(kept_[g].size));
    }
    RETURN_IF_ERROR(EmitPass(unit, {}, nullptr, 0));
    std::vector<int64_t> sizes;
    sizes.reserve(reduced_.size());
    for (const DimensionGroup& group : reduced_) sizes.push_back(group.size);
    const auto rows =
        [&](absl::Span<llvm::Value* const> counters) -> absl::Status {
      const int64_t whole = rows_.size / kRowsPerPass * kRowsPerPass;
      RETURN_IF_ERROR(EmitRows(unit, counters, 0, whole, kRowsPerPass));
      return EmitRows(unit, counters, whole, rows_.size, 1);
    };
    return EmitLoopNest(builder, sizes, rows);
  }

  absl::Status EmitRows(const Unit& unit,
                        absl::Span<llvm::Value* const> counters, int64_t begin,
                        int64_t end, int64_t step) {
    return EmitLoop(
        function_.builder(), Number(begin), Number(end), step,
        [&](llvm::Value* row) { return EmitPass(unit, counters, row, step); });
  }

  // Adds `count` rows from `row` on to the block; 0: sets it to the initial
  // values.
  absl::Status EmitPass(const Unit& unit,
                        absl::Span<llvm::Value* const> counters,
                        llvm::Value* row, int64_t count) {
    llvm::IRBuilder<>& builder = function_.builder();
    const int64_t rest = columns_.size % lanes_;
    const auto vector = [&](llvm::Value* column, llvm::Value* mask) {
      ElementEmitter emitter(builder, lanes_);
      function_.BindOperands(emitter);
      return emitter.InScope(mask, [&] {
        return EmitVector(emitter, unit, counters, row, count,
                          {.base = column, .stride = lanes_ == 1 ? 0 : 1});
      });
    };
    llvm::Value* whole_end =
        MinIndex(builder, unit.end_column, Number(columns_.size - rest));
    RETURN_IF_ERROR(
        EmitLoop(builder, unit.first_column, whole_end, lanes_,
                 [&](llvm::Value* i) { return vector(i, nullptr); }));
    if (rest == 0) return absl::OkStatus();
    return EmitIf(builder,
                  builder.CreateICmpEQ(unit.end_column, Number(columns_.size)),
                  [&] {
                    return vector(Number(columns_.size - rest),
                                  FirstLanes(builder, lanes_, rest));
                  });
  }

  absl::Status EmitVector(ElementEmitter& emitter, const Unit& unit,
                          absl::Span<llvm::Value* const> counters,
                          llvm::Value* row, int64_t count,
                          const Coordinate& column) {
    IndexMath& math = emitter.math();
    const ArrayIndex place = {{.base = unit.kept}, column};
    Values values;
    for (int64_t i = 0; i < input_count_; ++i) {
      if (count == 0) {
        ASSIGN_OR_RETURN(
            const ElementValue initial,
            emitter.Lanes(*reduction_.operand(input_count_ + i), 0, {}));
        values.push_back(initial);
      } else {
        values.push_back(
            emitter.Load(function_.output(i), ResultShape(i), place));
      }
    }
    for (int64_t k = 0; k < count; ++k) {
      ArrayIndex index(static_cast<size_t>(input_.rank()), math.Constant(0));
      const auto set = [&](const DimensionGroup& group, const Coordinate& c) {
        index[static_cast<size_t>(group.last - 1)] = c;
      };
      for (size_t g = 0; g < kept_.size(); ++g) {
        set(kept_[g], {.base = unit.kept_counters[g]});
      }
      for (size_t g = 0; g < reduced_.size(); ++g) {
        set(reduced_[g], {.base = counters[g]});
      }
      set(rows_, math.Add(Coordinate{.base = row}, k));
      set(columns_, column);
      for (int64_t i = 0; i < input_count_; ++i) {
        ASSIGN_OR_RETURN(const ElementValue value,
                         emitter.Lanes(*reduction_.operand(i), 0, index));
        values.push_back(value);
      }
      ASSIGN_OR_RETURN(values,
                       EmitScalarComputation(emitter.scalars(),
                                             *reduction_.to_apply(), values));
    }
    for (int64_t i = 0; i < input_count_; ++i) {
      emitter.Store(values[static_cast<size_t>(i)], function_.output(i),
                    ResultShape(i), place);
    }
    return absl::OkStatus();
  }

  Shape ResultShape(int64_t i) const {
    return Shape::Array(reduction_.operand_shape(i).element_type(),
                        {kept_size_, columns_.size});
  }

  const Instruction& reduction_;
  KernelFunction& function_;
  const Shape& input_;
  int64_t input_count_;
  // Kept dimensions outside of the columns; reduced ones outside of the rows.
  std::vector<DimensionGroup> kept_;
  std::vector<DimensionGroup> reduced_;
  DimensionGroup rows_;
  DimensionGroup columns_;
  int64_t kept_size_ = 1;
  int lanes_ = 1;
};

}  // namespace

absl::StatusOr<Kernel> EmitColumnReduction(const Instruction& instruction,
                                           absl::string_view name,
                                           KernelContext& context) {
  KernelFunction function(instruction, name, context);
  return ColumnReduction(*ReductionOf(instruction), function)
      .Emit(name, context.traits);
}

}  // namespace hilo::backends
