// select-and-scatter: the gradient of pooling.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Type.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/loop.h"
#include "backends/cpu/element_loops.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;

// The place of the selected element of each window, while it is searched.
struct Selection {
  ElementValue value;
  // i1 a lane: whether an element was seen; i64 a lane: its place.
  llvm::Value* is_found = nullptr;
  llvm::Value* place = nullptr;
};

class SelectAndScatter {
 public:
  SelectAndScatter(const Instruction& instruction, int64_t unit_dimension,
                   KernelFunction& function)
      : instruction_(instruction),
        unit_dimension_(unit_dimension),
        function_(function),
        input_(instruction.operand_shape(0)),
        source_(instruction.operand_shape(1)) {
    // Lanes must not meet in one element: they run along a dimension that
    // windows do not reach across.
    const auto& window = instruction.window().dimensions;
    if (!window.empty() && window.back() == hlo::WindowDimension()) {
      lanes_ = function.DecideLanes(source_.dimension(source_.rank() - 1));
    }
  }

  absl::Status Emit() {
    RETURN_IF_ERROR(EmitInitialValues());
    std::vector<int64_t> sizes(source_.dimensions().begin(),
                               source_.dimensions().end());
    if (sizes.empty()) return EmitVector({}, nullptr);
    sizes.pop_back();
    if (unit_dimension_ < 0) return EmitRows(sizes, nullptr);
    sizes.erase(sizes.begin() + unit_dimension_);
    return EmitUnits([&](llvm::Value* unit) { return EmitRows(sizes, unit); });
  }

 private:
  absl::Status EmitUnits(
      const std::function<absl::Status(llvm::Value* unit)>& body) {
    return EmitLoop(function_.builder(), function_.begin(), function_.end(), 1,
                    body);
  }

  // Loops over `row` elements by vectors; `body` gets each one's first element
  // and the lanes that are there.
  absl::Status EmitVectors(
      int64_t row,
      const std::function<absl::Status(llvm::Value* i, llvm::Value* mask)>&
          body) {
    llvm::IRBuilder<>& builder = function_.builder();
    const int64_t whole = row / lanes_ * lanes_;
    RETURN_IF_ERROR(EmitLoop(builder, whole, lanes_,
                             [&](llvm::Value* i) { return body(i, nullptr); }));
    if (whole == row) return absl::OkStatus();
    return body(builder.getInt64(static_cast<uint64_t>(whole)),
                FirstLanes(builder, lanes_, row - whole));
  }

  // Loops over the rows of the source; `unit` is the index in the dimension
  // that is divided, if one is.
  absl::Status EmitRows(const std::vector<int64_t>& sizes, llvm::Value* unit) {
    const auto body = [&](absl::Span<llvm::Value* const> counters) {
      std::vector<llvm::Value*> index(counters.begin(), counters.end());
      if (unit != nullptr) index.insert(index.begin() + unit_dimension_, unit);
      index.push_back(nullptr);
      return EmitVectors(source_.dimension(source_.rank() - 1),
                         [&](llvm::Value* i, llvm::Value* mask) {
                           index.back() = i;
                           return EmitVector(index, mask);
                         });
    };
    return EmitLoopNest(function_.builder(), sizes, body);
  }

  // Fills the result with the initial value.
  absl::Status EmitInitialValues() {
    if (unit_dimension_ < 0) {
      return EmitFill(function_.builder().getInt64(0), input_.ElementCount());
    }
    int64_t outer = 1;
    int64_t inner = 1;
    for (int64_t d = 0; d < input_.rank(); ++d) {
      if (d < unit_dimension_) outer *= input_.dimension(d);
      if (d > unit_dimension_) inner *= input_.dimension(d);
    }
    const int64_t units = input_.dimension(unit_dimension_);
    llvm::IRBuilder<>& builder = function_.builder();
    return EmitUnits([&](llvm::Value* unit) {
      return EmitLoop(builder, outer, 1, [&](llvm::Value* o) {
        llvm::Value* number = builder.CreateAdd(
            builder.CreateMul(o,
                              builder.getInt64(static_cast<uint64_t>(units))),
            unit);
        return EmitFill(
            builder.CreateMul(number,
                              builder.getInt64(static_cast<uint64_t>(inner))),
            inner);
      });
    });
  }

  absl::Status EmitFill(llvm::Value* first, int64_t count) {
    ElementEmitter emitter(function_.builder(), lanes_);
    function_.BindOperands(emitter);
    ASSIGN_OR_RETURN(ElementValue initial,
                     emitter.Element(*instruction_.operand(2), 0, {}));
    if (LaneCount(initial) < lanes_) {
      initial = emitter.scalars().Splat(initial, lanes_);
    }
    const Shape flat =
        Shape::Array(input_.element_type(), {input_.ElementCount()});
    return EmitVectors(count, [&](llvm::Value* i, llvm::Value* mask) {
      return emitter.InScope(mask, [&] {
        const Coordinate place{.base = function_.builder().CreateAdd(first, i),
                               .stride = lanes_ > 1 ? 1 : 0};
        emitter.Store(initial, function_.output(0), flat, {place});
        return absl::OkStatus();
      });
    });
  }

  absl::Status EmitVector(absl::Span<llvm::Value* const> counters,
                          llvm::Value* mask) {
    ElementEmitter emitter(function_.builder(), lanes_);
    function_.BindOperands(emitter);
    ArrayIndex index;
    for (llvm::Value* counter : counters) index.push_back({.base = counter});
    if (lanes_ > 1) index.back().stride = 1;
    return emitter.InScope(mask, [&]() -> absl::Status {
      ASSIGN_OR_RETURN(const Selection selected, Select(emitter, index));
      return Add(emitter, index, selected);
    });
  }

  llvm::Value* SplatInteger(llvm::Type* type, uint64_t value) const {
    return llvm::ConstantInt::get(
        lanes_ == 1
            ? type
            : llvm::FixedVectorType::get(type, static_cast<unsigned>(lanes_)),
        value);
  }

  absl::StatusOr<Selection> Select(ElementEmitter& emitter,
                                   const ArrayIndex& output) {
    llvm::IRBuilder<>& builder = function_.builder();
    std::vector<int64_t> sizes;
    for (const auto& d : instruction_.window().dimensions) {
      sizes.push_back(d.size);
    }
    const ElementValue zero =
        emitter.scalars().Zero(input_.element_type(), lanes_);
    const std::vector<ElementValue> like = {
        zero,
        {.real = SplatInteger(builder.getInt1Ty(), 0)},
        {.real = SplatInteger(builder.getInt64Ty(), 0)}};
    ASSIGN_OR_RETURN(
        const CarriedValues flat,
        EmitLoopNestWithValues(builder, sizes, Flatten(like),
                               [&](absl::Span<llvm::Value* const> counters,
                                   absl::Span<llvm::Value* const> carried) {
                                 const std::vector<ElementValue> values =
                                     Unflatten(carried, like);
                                 return Step(emitter, output, counters,
                                             {.value = values[0],
                                              .is_found = values[1].real,
                                              .place = values[2].real});
                               }));
    const std::vector<ElementValue> values = Unflatten(flat, like);
    return Selection{.value = values[0],
                     .is_found = values[1].real,
                     .place = values[2].real};
  }

  // Compares the element at one place of the window with the selected one.
  absl::StatusOr<CarriedValues> Step(ElementEmitter& emitter,
                                     const ArrayIndex& output,
                                     absl::Span<llvm::Value* const> counters,
                                     const Selection& best) {
    IndexMath& math = emitter.math();
    const auto& window = instruction_.window().dimensions;
    ArrayIndex index;
    Coordinate place = math.Constant(0);
    llvm::Value* is_inside = nullptr;
    for (size_t d = 0; d < window.size(); ++d) {
      const int64_t size = input_.dimension(static_cast<int64_t>(d));
      const Coordinate c = math.Add(
          math.Add(
              math.Multiply(output[d], window[d].stride),
              math.Multiply({.base = counters[d]}, window[d].window_dilation)),
          -window[d].padding_low);
      if (!(window[d] == hlo::WindowDimension())) {
        is_inside = math.And(is_inside, math.IsInRange(c, 0, size));
      }
      place = math.Add(math.Multiply(place, size), c);
      index.push_back(c);
    }
    const auto taken = [&]() -> absl::StatusOr<CarriedValues> {
      return Taken(emitter, index, math.Lanes(place), best);
    };
    if (is_inside == nullptr) return taken();
    const auto kept = [&]() -> absl::StatusOr<CarriedValues> {
      const auto parts = std::to_array<ElementValue>(
          {best.value, {.real = best.is_found}, {.real = best.place}});
      return Flatten(parts);
    };
    if (!is_inside->getType()->isVectorTy()) {
      return EmitIfWithValues(
          function_.builder(), is_inside,
          [&] { return emitter.InScope(nullptr, taken); }, kept);
    }
    ASSIGN_OR_RETURN(const CarriedValues a, emitter.InScope(is_inside, taken));
    ASSIGN_OR_RETURN(CarriedValues b, kept());
    for (size_t i = 0; i < b.size(); ++i) {
      b[i] = function_.builder().CreateSelect(is_inside, a[i], b[i]);
    }
    return b;
  }

  // The new selection: the old one stays where `select` says so.
  absl::StatusOr<CarriedValues> Taken(ElementEmitter& emitter,
                                      const ArrayIndex& index,
                                      llvm::Value* place,
                                      const Selection& best) {
    llvm::IRBuilder<>& builder = function_.builder();
    ASSIGN_OR_RETURN(const ElementValue value,
                     emitter.Lanes(*instruction_.operand(0), 0, index));
    const std::array arguments = {best.value, value};
    ASSIGN_OR_RETURN(const std::vector<ElementValue> stays,
                     EmitScalarComputation(emitter.scalars(),
                                           *instruction_.select(), arguments));
    llvm::Value* keeps = builder.CreateAnd(stays[0].real, best.is_found);
    const auto parts = std::to_array<ElementValue>(
        {emitter.scalars().Select(keeps, best.value, value),
         {.real = SplatInteger(builder.getInt1Ty(), 1)},
         {.real = builder.CreateSelect(keeps, best.place, place)}});
    return Flatten(parts);
  }

  // Combines the source element with what is at the selected place.
  absl::Status Add(ElementEmitter& emitter, const ArrayIndex& index,
                   const Selection& selected) {
    ASSIGN_OR_RETURN(const ElementValue source,
                     emitter.Lanes(*instruction_.operand(1), 0, index));
    const Shape flat =
        Shape::Array(input_.element_type(), {input_.ElementCount()});
    const auto combine = [&]() -> absl::Status {
      const ArrayIndex place = {{.base = selected.place}};
      const ElementValue current =
          emitter.Load(function_.output(0), flat, place);
      // In this order, as the language reference has it.
      const std::array arguments = {source, current};
      ASSIGN_OR_RETURN(
          const std::vector<ElementValue> next,
          EmitScalarComputation(emitter.scalars(), *instruction_.scatter(),
                                arguments));
      emitter.Store(next[0], function_.output(0), flat, place);
      return absl::OkStatus();
    };
    // A window that lies in the padding as a whole selects nothing.
    if (lanes_ > 1) return emitter.InScope(selected.is_found, combine);
    return EmitIf(function_.builder(), selected.is_found, combine);
  }

  const Instruction& instruction_;
  // Windows do not reach across it: units of work lie along it. -1: none does.
  int64_t unit_dimension_;
  KernelFunction& function_;
  const Shape& input_;
  const Shape& source_;
  int lanes_ = 1;
};

// The largest dimension that windows do not reach across and vectors do not run
// along; -1 when there is none.
int64_t UnitDimension(const Instruction& instruction) {
  const auto& window = instruction.window().dimensions;
  int64_t chosen = -1;
  int64_t most = 1;
  for (size_t d = 0; d + 1 < window.size(); ++d) {
    const int64_t size =
        instruction.operand_shape(1).dimension(static_cast<int64_t>(d));
    if (!(window[d] == hlo::WindowDimension()) || size <= most) continue;
    chosen = static_cast<int64_t>(d);
    most = size;
  }
  return chosen;
}

}  // namespace

absl::StatusOr<Kernel> EmitSelectAndScatterKernel(
    const Instruction& instruction, absl::string_view name,
    KernelContext& context) {
  // What a window's element takes to be compared.
  constexpr double kStepNanoseconds = 0.5;
  const Shape& source = instruction.operand_shape(1);
  const int64_t dimension = UnitDimension(instruction);
  const int64_t units = dimension < 0 ? 1 : source.dimension(dimension);
  double nanoseconds = kElementNanoseconds *
                       static_cast<double>(instruction.shape().ElementCount());
  auto steps = static_cast<double>(source.ElementCount());
  for (const auto& d : instruction.window().dimensions) {
    steps *= static_cast<double>(d.size);
  }
  nanoseconds += kStepNanoseconds * steps;
  KernelFunction function(instruction, name, context);
  function.set_units(units);
  RETURN_IF_ERROR(SelectAndScatter(instruction, dimension, function).Emit());
  function.Finish();
  return Kernel{
      .name = std::string(name),
      .units = units,
      .grain = ChooseGrain(units, nanoseconds / static_cast<double>(units),
                           context.traits)};
}

}  // namespace hilo::backends
