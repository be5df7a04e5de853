// Windows that reach from each element back to the first (or on to the last):
// cumulative sums and the like, in one pass.
#include <algorithm>
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
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;
using Values = std::vector<ElementValue>;

// The dimension that the window spans as a whole; -1: it is no scan.
int64_t ScanDimension(const Instruction& instruction) {
  int64_t scan = -1;
  const Shape& input = instruction.operand_shape(0);
  const auto& dimensions = instruction.window().dimensions;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const hlo::WindowDimension& window = dimensions[d];
    if (window == hlo::WindowDimension()) continue;
    const int64_t size = input.dimension(static_cast<int64_t>(d));
    const bool is_whole =
        window.size == size && window.stride == 1 &&
        window.window_dilation == 1 && window.base_dilation == 1 &&
        std::min(window.padding_low, window.padding_high) == 0 &&
        std::max(window.padding_low, window.padding_high) == size - 1;
    if (!is_whole || scan >= 0) return -1;
    scan = static_cast<int64_t>(d);
  }
  return scan;
}

class Scan {
 public:
  Scan(const Instruction& instruction, KernelFunction& function)
      : instruction_(instruction),
        function_(function),
        shape_(instruction.operand_shape(0)),
        input_count_(instruction.operand_count() / 2),
        dimension_(ScanDimension(instruction)) {
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      if (d < dimension_) outer_ *= shape_.dimension(d);
      if (d > dimension_) inner_ *= shape_.dimension(d);
    }
    lanes_ = function.DecideLanes(inner_);
  }

  int64_t units() const { return outer_ * BlocksPerLine(); }
  int64_t ElementsPerUnit() const {
    return shape_.dimension(dimension_) * lanes_;
  }

  absl::Status Emit() {
    return EmitLoop(function_.builder(), function_.begin(), function_.end(), 1,
                    [&](llvm::Value* unit) { return EmitUnit(unit); });
  }

 private:
  int64_t BlocksPerLine() const { return (inner_ + lanes_ - 1) / lanes_; }

  // The scans of one vector of lines.
  absl::Status EmitUnit(llvm::Value* unit) {
    llvm::IRBuilder<>& builder = function_.builder();
    llvm::Value* blocks =
        builder.getInt64(static_cast<uint64_t>(BlocksPerLine()));
    llvm::Value* first =
        builder.CreateMul(builder.CreateURem(unit, blocks),
                          builder.getInt64(static_cast<uint64_t>(lanes_)));
    llvm::Value* outer = builder.CreateUDiv(unit, blocks);
    llvm::Value* mask = nullptr;
    if (inner_ % lanes_ != 0) {
      ElementEmitter emitter(builder, lanes_);
      mask = emitter.math().IsInRange({.base = first, .stride = 1}, 0, inner_);
    }
    return EmitLines(outer, first, mask);
  }

  // The element at position `i` of a line, as [outer, position, inner].
  ArrayIndex IndexOf(llvm::Value* outer, llvm::Value* i,
                     llvm::Value* first) const {
    return {{.base = outer},
            {.base = i},
            {.base = first, .stride = lanes_ == 1 ? 0 : 1}};
  }

  absl::Status EmitLines(llvm::Value* outer, llvm::Value* first,
                         llvm::Value* mask) {
    llvm::IRBuilder<>& builder = function_.builder();
    ElementEmitter emitter(builder, lanes_);
    function_.BindOperands(emitter);
    const int64_t length = shape_.dimension(dimension_);
    const bool is_backward = instruction_.window()
                                 .dimensions[static_cast<size_t>(dimension_)]
                                 .padding_low == 0;
    Values initial;
    for (int64_t i = 0; i < input_count_; ++i) {
      ASSIGN_OR_RETURN(
          const ElementValue value,
          emitter.Lanes(*instruction_.operand(input_count_ + i), 0, {}));
      initial.push_back(value);
    }
    const auto step = [&](llvm::Value* i, absl::Span<llvm::Value* const> flat)
        -> absl::StatusOr<CarriedValues> {
      llvm::Value* position =
          is_backward
              ? builder.CreateSub(
                    builder.getInt64(static_cast<uint64_t>(length - 1)), i)
              : i;
      return emitter.InScope(mask, [&] {
        return Step(emitter, IndexOf(outer, position, first),
                    Unflatten(flat, initial));
      });
    };
    return EmitLoopWithValues(builder, length, 1, Flatten(initial), step)
        .status();
  }

  absl::StatusOr<CarriedValues> Step(ElementEmitter& emitter,
                                     const ArrayIndex& index, Values values) {
    const auto as_lines = [&](int64_t i) {
      return Shape::Array(instruction_.operand_shape(i).element_type(),
                          {outer_, shape_.dimension(dimension_), inner_});
    };
    for (int64_t i = 0; i < input_count_; ++i) {
      ElementValue value =
          emitter.Load(function_.operand(i), as_lines(i), index);
      if (LaneCount(value) < lanes_) {
        value = emitter.scalars().Splat(value, lanes_);
      }
      values.push_back(value);
    }
    ASSIGN_OR_RETURN(const Values next,
                     EmitScalarComputation(emitter.scalars(),
                                           *instruction_.to_apply(), values));
    for (int64_t i = 0; i < input_count_; ++i) {
      emitter.Store(next[static_cast<size_t>(i)], function_.output(i),
                    as_lines(i), index);
    }
    return Flatten(next);
  }

  const Instruction& instruction_;
  KernelFunction& function_;
  const Shape& shape_;
  int64_t input_count_;
  int64_t dimension_;
  // Elements of the dimensions around that of the scan.
  int64_t outer_ = 1;
  int64_t inner_ = 1;
  int lanes_ = 1;
};

}  // namespace

bool IsScan(const Instruction& instruction) {
  return instruction.opcode() == hlo::Opcode::kReduceWindow &&
         ScanDimension(instruction) >= 0 &&
         instruction.operand_shape(0).HasDefaultLayout();
}

absl::StatusOr<Kernel> EmitScanKernel(const Instruction& instruction,
                                      absl::string_view name,
                                      KernelContext& context) {
  KernelFunction function(instruction, name, context);
  Scan scan(instruction, function);
  RETURN_IF_ERROR(scan.Emit());
  function.Finish();
  const double unit_nanoseconds =
      static_cast<double>(scan.ElementsPerUnit()) * 0.5;
  return Kernel{
      .name = std::string(name),
      .units = scan.units(),
      .grain = ChooseGrain(scan.units(), unit_nanoseconds, context.traits),
      .scratch_bytes = 0};
}

}  // namespace hilo::backends
