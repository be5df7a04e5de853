// Kernels that compute every result element on its own.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "backends/codegen/array_index.h"
#include "backends/codegen/dimension_groups.h"
#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/cpu/element_loops.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/kernel_function.h"
#include "hlo/analysis/cost.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/fusion/fusible.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Shape;

absl::Status CheckLeaves(const Instruction& instruction) {
  const std::vector<const Shape*> leaves = instruction.shape().Leaves();
  for (const Shape* leaf : leaves) {
    if (!leaf->IsArray() ||
        !passes::ChangesUnitDimensionsOnly(*leaf, *leaves[0])) {
      return Unimplemented(hlo::TextOf(instruction.opcode()), " '",
                           instruction.name(),
                           "': results of different dimensions in one loop");
    }
  }
  return absl::OkStatus();
}

// What one element takes, in vectors: arithmetic, or the way to memory.
double ElementNanoseconds(const Instruction& instruction) {
  constexpr double kPerOperation = 0.05;
  constexpr double kPerFunction = 1;
  const hlo::Cost cost = hlo::CostOf(
      instruction, [](const Instruction&) { return std::optional<int64_t>(); });
  const auto elements = static_cast<double>(
      std::max<int64_t>(instruction.shape().Leaves()[0]->ElementCount(), 1));
  return std::max(kElementNanoseconds, (kPerOperation * cost.operations +
                                        kPerFunction * cost.transcendentals) /
                                           elements);
}

}  // namespace

absl::StatusOr<Kernel> EmitLoopKernel(const Instruction& instruction,
                                      absl::string_view name,
                                      KernelContext& context) {
  RETURN_IF_ERROR(CheckLeaves(instruction));
  const std::vector<const Shape*> leaves = instruction.shape().Leaves();
  KernelFunction function(instruction, name, context);
  const std::vector<DimensionGroup> groups =
      GroupDimensions({&instruction}, *leaves[0], function.arrays());
  ElementLoops loops(function, groups, leaves[0]->rank(), context.traits);
  RETURN_IF_ERROR(loops.Emit([&](ElementEmitter& emitter,
                                 const ArrayIndex& index) -> absl::Status {
    // All loads before all stores: an output may lie over an operand.
    std::vector<ElementValue> values;
    std::vector<ArrayIndex> places;
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      places.push_back(IndexInShape(index, *leaves[0], *leaves[leaf],
                                    emitter.math().Constant(0)));
      ASSIGN_OR_RETURN(const ElementValue value,
                       emitter.Element(instruction, static_cast<int64_t>(leaf),
                                       places.back()));
      values.push_back(value);
    }
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      emitter.Store(values[leaf], function.output(static_cast<int64_t>(leaf)),
                    *leaves[leaf], places[leaf]);
    }
    return absl::OkStatus();
  }));
  return loops.Finish(name, ElementNanoseconds(instruction));
}

}  // namespace hilo::backends
