// Computations on scalars as straight-line code: bodies of reductions & co.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "backends/codegen/element_emitter.h"
#include "backends/codegen/element_value.h"
#include "backends/codegen/scalar_emitter.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/status.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;

using Leaves = std::vector<ElementValue>;

// Opcodes that change nothing about a single element.
bool IsIdentityOnScalars(Opcode opcode) {
  return opcode == Opcode::kCopy || opcode == Opcode::kBitcast ||
         opcode == Opcode::kReshape || opcode == Opcode::kBroadcast ||
         opcode == Opcode::kTranspose || opcode == Opcode::kOptimizationBarrier;
}

class ScalarComputation {
 public:
  ScalarComputation(ScalarEmitter& scalars,
                    absl::Span<const ElementValue> arguments)
      : scalars_(scalars), arguments_(arguments) {}

  absl::StatusOr<Leaves> Run(const hlo::Computation& computation) {
    values_.resize(static_cast<size_t>(computation.instruction_count()));
    first_argument_.clear();
    size_t next = 0;
    for (const Instruction* parameter : computation.parameters()) {
      first_argument_.push_back(next);
      next += parameter->shape().Leaves().size();
    }
    for (const Instruction* instruction : computation.PostOrder()) {
      ASSIGN_OR_RETURN(values_[static_cast<size_t>(instruction->id())],
                       Compute(*instruction));
    }
    return values_[static_cast<size_t>(computation.root()->id())];
  }

 private:
  const Leaves& ValueOf(const Instruction& instruction) const {
    return values_[static_cast<size_t>(instruction.id())];
  }

  Leaves Joined(const Instruction& instruction) const {
    Leaves leaves;
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const Leaves& operand = ValueOf(*instruction.operand(i));
      leaves.insert(leaves.end(), operand.begin(), operand.end());
    }
    return leaves;
  }

  absl::StatusOr<Leaves> Compute(const Instruction& instruction) {
    const Opcode opcode = instruction.opcode();
    if (opcode == Opcode::kParameter) {
      const auto* const first =
          arguments_.begin() +
          static_cast<int64_t>(first_argument_[static_cast<size_t>(
              instruction.parameter_number())]);
      return Leaves(first, first + static_cast<int64_t>(
                                       instruction.shape().Leaves().size()));
    }
    for (const hlo::Shape* leaf : instruction.shape().Leaves()) {
      if (!leaf->IsArray() || leaf->ElementCount() != 1) {
        return Unimplemented(hlo::TextOf(opcode), " '", instruction.name(),
                             "' of more than one element in the computation '",
                             instruction.parent()->name(), "' of scalars");
      }
    }
    if (opcode == Opcode::kConstant) {
      return Leaves{scalars_.Constant(instruction.value(), 0, 1)};
    }
    if (opcode == Opcode::kTuple) return Joined(instruction);
    if (opcode == Opcode::kGetTupleElement) {
      const Instruction& tuple = *instruction.operand(0);
      const auto first = ValueOf(tuple).begin() +
                         FirstLeafOf(tuple.shape(), instruction.index());
      return Leaves(first, first + static_cast<int64_t>(
                                       instruction.shape().Leaves().size()));
    }
    if (IsIdentityOnScalars(opcode)) return ValueOf(*instruction.operand(0));
    const Leaves operands = Joined(instruction);
    if (opcode == Opcode::kCall) {
      return EmitScalarComputation(scalars_, *instruction.to_apply(), operands);
    }
    if (opcode == Opcode::kMap) {
      return EmitScalarComputation(scalars_, *instruction.to_apply(), operands);
    }
    if (opcode == Opcode::kFusion) {
      return EmitScalarComputation(scalars_, *instruction.calls(), operands);
    }
    return Elementwise(instruction, operands);
  }

  absl::StatusOr<Leaves> Elementwise(const Instruction& instruction,
                                     Leaves operands) {
    if (!hlo::InfoOf(instruction.opcode()).Has(hlo::kElementwise)) {
      return Unimplemented(hlo::TextOf(instruction.opcode()), " '",
                           instruction.name(), "' in the computation '",
                           instruction.parent()->name(), "' of scalars");
    }
    int widest = 1;
    for (const ElementValue& v : operands) {
      widest = std::max(widest, LaneCount(v));
    }
    for (ElementValue& v : operands) {
      if (LaneCount(v) < widest) v = scalars_.Splat(v, widest);
    }
    ASSIGN_OR_RETURN(const ElementValue value,
                     scalars_.Emit(instruction, operands));
    return Leaves{value};
  }

  ScalarEmitter& scalars_;
  absl::Span<const ElementValue> arguments_;
  std::vector<size_t> first_argument_;
  std::vector<Leaves> values_;
};

}  // namespace

absl::StatusOr<std::vector<ElementValue>> EmitScalarComputation(
    ScalarEmitter& scalars, const hlo::Computation& computation,
    absl::Span<const ElementValue> arguments) {
  int widest = 1;
  for (const ElementValue& v : arguments)
    widest = std::max(widest, LaneCount(v));
  ASSIGN_OR_RETURN(Leaves results,
                   ScalarComputation(scalars, arguments).Run(computation));
  // One form for all, whatever the body does with its arguments.
  for (ElementValue& value : results) {
    if (LaneCount(value) < widest) value = scalars.Splat(value, widest);
  }
  return results;
}

}  // namespace hilo::backends
