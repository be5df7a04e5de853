// Follows values through tuples, calls, branches and loops.
#include "hlo/analysis/leaf_values.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/array_leaves.h"
#include "hlo/analysis/sequential_computations.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {
namespace {

constexpr LeafId kNone = -1;

// First finds, callees first, what each leaf is within its computation; then,
// callers first, what parameters stand for.
class ValueFinder {
 public:
  ValueFinder(const LeafTable& leaves,
              const SequentialComputations& computations)
      : leaves_(leaves), computations_(computations) {
    values_.resize(leaves.leaf_count());
  }

  std::vector<LeafId> Run() && {
    const std::vector<Computation*>& order = computations_.callers_first();
    for (size_t i = order.size(); i > 0; --i) {
      for (const Instruction* instruction : order[i - 1]->PostOrder()) {
        ResolveInside(*instruction);
      }
    }
    const std::vector<LeafId> inside = values_;
    for (Computation* computation : order) {
      for (Instruction* parameter : computation->parameters()) {
        ResolveParameter(*parameter);
      }
      for (const auto& instruction : computation->instructions()) {
        ForEachLeaf(*instruction, [&](LeafId leaf) {
          values_[leaf] = values_[inside[leaf]];
        });
      }
    }
    return std::move(values_);
  }

 private:
  template <typename F>
  void ForEachLeaf(const Instruction& instruction, F&& f) const {
    const LeafId first = leaves_.first_leaf(instruction);
    const auto count = static_cast<LeafId>(leaves_.leaf_count(instruction));
    for (LeafId leaf = first; leaf < first + count; ++leaf) f(leaf);
  }

  LeafId Operand(const Instruction& instruction, const OperandLeaf& at) const {
    return values_[leaves_.first_leaf(*instruction.operand(at.operand)) +
                   at.leaf];
  }

  void ResolveInside(const Instruction& instruction) {
    const LeafId first = leaves_.first_leaf(instruction);
    const std::vector<OperandLeaf> forwarded = ForwardedLeaves(instruction);
    ForEachLeaf(instruction, [&](LeafId leaf) {
      values_[leaf] = leaf;
      const LeafId number = leaf - first;
      if (!forwarded.empty()) {
        values_[leaf] = Operand(instruction, forwarded[number]);
      } else if (IsSequentialCall(instruction)) {
        const LeafId passed = PassedThrough(instruction, number);
        if (passed != kNone) values_[leaf] = passed;
      }
    });
  }

  // The leaf of the caller's computation that result `number` of a sequential
  // call always is; kNone when something is computed or chosen.
  LeafId PassedThrough(const Instruction& call, LeafId number) const {
    if (call.opcode() == Opcode::kWhile) {
      if (!IsUnchanged(*call.body(), number)) return kNone;
      return Operand(call, {.operand = 0, .leaf = number});
    }
    LeafId passed = kNone;
    const std::vector<Computation*> callees = SequentialCallees(call);
    for (size_t i = 0; i < callees.size(); ++i) {
      const LeafId root =
          values_[leaves_.first_leaf(*callees[i]->root()) + number];
      const Instruction& source = *leaves_.instruction(root);
      if (source.opcode() != Opcode::kParameter) return kNone;
      const LeafId operand =
          Operand(call, {.operand = call.opcode() == Opcode::kConditional
                                        ? static_cast<int64_t>(i) + 1
                                        : source.parameter_number(),
                         .leaf = leaves_.number(root)});
      if (passed != kNone && passed != operand) return kNone;
      passed = operand;
    }
    return passed;
  }

  // Whether the body of a loop gives its leaf `number` back as it was.
  bool IsUnchanged(const Computation& body, LeafId number) const {
    return values_[leaves_.first_leaf(*body.root()) + number] ==
           leaves_.first_leaf(*body.parameter(0)) + number;
  }

  // Parameters that stand for a value of the caller.
  void ResolveParameter(const Instruction& parameter) {
    const Computation& computation = *parameter.parent();
    const Instruction* call = computations_.caller(computation);
    if (call == nullptr) return;
    const LeafId first = leaves_.first_leaf(parameter);
    const int64_t operand = OperandOf(*call, parameter);
    ForEachLeaf(parameter, [&](LeafId leaf) {
      const LeafId number = leaf - first;
      // Both computations of a loop are resolved once this pass has come to
      // them, callers first: whether a leaf is unchanged was found before.
      if (call->opcode() == Opcode::kWhile && !PassesLoop(*call, number)) {
        return;
      }
      values_[leaf] = Operand(*call, {.operand = operand, .leaf = number});
    });
  }

  // Whether result `number` of a loop is the value it begins with.
  bool PassesLoop(const Instruction& loop, LeafId number) const {
    return values_[leaves_.first_leaf(loop) + number] !=
           leaves_.first_leaf(loop) + number;
  }

  // Which operand of its caller a parameter takes.
  static int64_t OperandOf(const Instruction& call,
                           const Instruction& parameter) {
    if (call.opcode() == Opcode::kWhile) return 0;
    if (call.opcode() == Opcode::kCall) return parameter.parameter_number();
    const std::vector<Computation*> branches = call.branches();
    int64_t branch = 0;
    while (branches[branch] != parameter.parent()) ++branch;
    return branch + 1;
  }

  const LeafTable& leaves_;
  const SequentialComputations& computations_;
  std::vector<LeafId> values_;
};

}  // namespace

LeafTable::LeafTable(const Module& module,
                     const SequentialComputations& computations) {
  first_leaves_.resize(module.computation_count());
  for (const Computation* computation : computations.callers_first()) {
    std::vector<LeafId>& first_leaves = first_leaves_[computation->id()];
    for (const auto& instruction : computation->instructions()) {
      first_leaves.push_back(static_cast<LeafId>(instructions_.size()));
      for (const Shape* shape : ArrayLeaves(instruction->shape())) {
        instructions_.push_back(instruction.get());
        shapes_.push_back(shape);
      }
    }
    first_leaves.push_back(static_cast<LeafId>(instructions_.size()));
  }
}

LeafValues::LeafValues(const LeafTable& leaves,
                       const SequentialComputations& computations)
    : values_(ValueFinder(leaves, computations).Run()) {}

}  // namespace hilo::hlo
