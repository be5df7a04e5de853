// Puts producers into the loops of their consumers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "passes/call_graph.h"
#include "passes/fusion/grouping.h"
#include "passes/pass_context.h"
#include "passes/pipeline.h"
#include "passes/rewriter.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// Makes one fusion of a group.
class GroupBuilder {
 public:
  GroupBuilder(const Grouping& grouping, int32_t number)
      : grouping_(grouping),
        number_(number),
        group_(grouping.groups()[static_cast<size_t>(number)]),
        root_(group_.outputs.front()),
        fused_(root_->parent()->parent()->AddComputation(
            "fused_" + std::string(hlo::TextOf(root_->opcode())))) {}

  void Build() {
    if (group_.product != nullptr) AddProduct();
    FindOperands();
    std::vector<Instruction*> results;
    results.reserve(group_.outputs.size());
    for (const Instruction* output : group_.outputs) {
      results.push_back(CopyInto(*output, copies_, fused_));
    }
    fused_->set_root(results.size() == 1 ? results.front()
                                         : Rewriter(fused_).Tuple(results));
    Instruction* fusion = Rewriter(*root_).Add(
        Opcode::kFusion, fused_->root()->shape(), operands_, Attributes());
    for (size_t i = 0; i < results.size(); ++i) {
      Replace(group_.outputs[i],
              results.size() == 1
                  ? fusion
                  : Rewriter(*group_.outputs[i])
                        .GetTupleElement(fusion, static_cast<int64_t>(i)));
    }
  }

 private:
  std::vector<hlo::Attribute> Attributes() const {
    std::vector<hlo::Attribute> attributes = {With::calls(fused_),
                                              With::fusion_kind(Kind())};
    if (root_->opcode() == Opcode::kDynamicUpdateSlice) {
      attributes.push_back(With::output_to_operand_aliasing(
          {{.output_index = {},
            .operand = NumberOf(root_->operand(0)),
            .operand_index = {}}}));
    }
    return attributes;
  }

  hlo::FusionKind Kind() const {
    if (group_.product != nullptr) return hlo::FusionKind::kOutput;
    const bool has_reduction = std::ranges::any_of(
        fused_->instructions(), [](const auto& instruction) {
          return instruction->opcode() == Opcode::kReduce;
        });
    return has_reduction ? hlo::FusionKind::kInput : hlo::FusionKind::kLoop;
  }

  // The product's operands come first, even where the loop reads them, too.
  void AddProduct() {
    std::vector<Instruction*> parameters;
    for (Instruction* operand : group_.product->operands()) {
      parameters.push_back(AddOperand(operand));
    }
    copies_[group_.product->id()] = Rewriter(fused_).Like(
        *group_.product, group_.product->shape(), parameters);
  }

  Instruction* AddOperand(Instruction* operand) {
    Instruction* parameter = fused_->AddParameter(
        static_cast<int64_t>(operands_.size()), operand->shape());
    parameter->set_name(operand->name());
    operands_.push_back(operand);
    return parameter;
  }

  static void Replace(Instruction* original, Instruction* result) {
    original->ReplaceAllUsesWith(result);
    Computation* computation = original->parent();
    if (computation->root() == original) computation->set_root(result);
  }

  int64_t NumberOf(const Instruction* operand) const {
    return std::ranges::find(operands_, operand) - operands_.begin();
  }

  // Makes parameters of what the group reads from outside.
  void FindOperands() {
    std::vector<Instruction*> stack = group_.outputs;
    absl::flat_hash_set<hlo::InstructionId> seen;
    while (!stack.empty()) {
      Instruction* instruction = stack.back();
      stack.pop_back();
      if (instruction == group_.product) continue;
      for (int64_t i = 0; i < instruction->operand_count(); ++i) {
        Instruction* operand = instruction->operand(i);
        if (!seen.insert(operand->id()).second) continue;
        // What an update is written onto is memory.
        const bool is_updated =
            i == 0 && instruction->opcode() == Opcode::kDynamicUpdateSlice;
        if (!is_updated && (grouping_.IsInGroup(*operand, number_) ||
                            grouping_.IsRepeated(*operand))) {
          stack.push_back(operand);
          continue;
        }
        copies_[operand->id()] = AddOperand(operand);
      }
    }
  }

  const Grouping& grouping_;
  int32_t number_;
  const FusionGroup& group_;
  // What the group began with.
  Instruction* root_;
  Computation* fused_;
  InstructionCopies copies_;
  std::vector<Instruction*> operands_;
};

// Whether one loop is better than one per instruction: there is more than the
// root, apart from constants that it would read from memory.
bool IsWorthwhile(const FusionGroup& group, const Grouping& grouping) {
  if (group.members.empty()) return false;
  // Reshaping is no work.
  const bool is_bare_product =
      std::ranges::all_of(group.members, [&](const Instruction* member) {
        return member == group.product || member->opcode() == Opcode::kReshape;
      });
  if (is_bare_product) return false;
  if (group.members.size() > 1) return true;
  return std::ranges::any_of(
      group.outputs.front()->operands(), [&](const Instruction* operand) {
        return grouping.IsRepeated(*operand) && !operand->shape().IsScalar();
      });
}

bool FuseComputation(Computation& computation, const PassContext& context) {
  RowSources sources = FindRowSources(computation, context.traits);
  std::vector<Remark> remarks;
  PassContext inner = context;
  inner.remarks = context.remarks == nullptr ? nullptr : &remarks;
  std::unique_ptr<Grouping> grouping;
  // Values of rows are kept together with their reductions, or are none.
  constexpr int kMaxTurns = 8;
  for (int turn = 0; turn <= kMaxTurns; ++turn) {
    if (turn == kMaxTurns) std::ranges::fill(sources, nullptr);
    remarks.clear();
    grouping = std::make_unique<Grouping>(computation, sources, inner);
    if (!grouping->ForgetUnsupported(sources)) break;
  }
  grouping->UniteSiblings();
  if (context.remarks != nullptr) {
    context.remarks->insert(context.remarks->end(), remarks.begin(),
                            remarks.end());
  }
  bool changed = false;
  // Consumers first: a group's operands are still the originals then, and
  // replaced when their own group is built.
  for (size_t g = 0; g < grouping->groups().size(); ++g) {
    if (!IsWorthwhile(grouping->groups()[g], *grouping)) continue;
    GroupBuilder(*grouping, static_cast<int32_t>(g)).Build();
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> FuseInstructions(hlo::Module& module,
                                      const PassContext& context) {
  bool changed = false;
  for (Computation* computation : ComputationsInSequence(module)) {
    if (FuseComputation(*computation, context)) changed = true;
  }
  // The originals have no users any more.
  if (changed) {
    RETURN_IF_ERROR(EliminateDeadCode(module, context).status());
  }
  return changed;
}

}  // namespace hilo::passes
