// Foresees the memory that a plan's values take.
#include "hlo/eval/plan_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"

#include "hlo/eval/evaluation_plan.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {
namespace {

// Where the elements of a step's result come from.
enum class Origin : uint8_t {
  // Memory of its own.
  kAllocated,
  // Memory that a called computation asked for.
  kCalled,
  // The memory of operand 0.
  kOperand,
  // The memory of all operands, as a tuple.
  kTuple,
  // Memory that the caller or the module holds.
  kHeldElsewhere,
};

Origin OriginOf(Opcode opcode) {
  if (opcode == Opcode::kTuple) return Origin::kTuple;
  if (opcode == Opcode::kParameter || opcode == Opcode::kConstant) {
    return Origin::kHeldElsewhere;
  }
  if (opcode == Opcode::kCall || opcode == Opcode::kWhile ||
      opcode == Opcode::kConditional || opcode == Opcode::kFusion ||
      opcode == Opcode::kAsyncStart) {
    return Origin::kCalled;
  }
  if (opcode == Opcode::kAddDependency || opcode == Opcode::kCopy ||
      opcode == Opcode::kCopyDone || opcode == Opcode::kCopyStart ||
      opcode == Opcode::kAsyncDone || opcode == Opcode::kAsyncUpdate ||
      opcode == Opcode::kDomain || opcode == Opcode::kGetTupleElement ||
      opcode == Opcode::kOptimizationBarrier || opcode == Opcode::kReshape ||
      InfoOf(opcode).Has(kCollective)) {
    return Origin::kOperand;
  }
  return Origin::kAllocated;
}

bool MayReuseOperand(Opcode opcode) {
  return InfoOf(opcode).Has(kElementwise) || IsElementwiseUnary(opcode) ||
         IsElementwiseBinary(opcode) || opcode == Opcode::kDynamicUpdateSlice ||
         opcode == Opcode::kScatter;
}

// Numbers of blocks of memory, sorted. Capped: further ones are forgotten.
using Blocks = absl::InlinedVector<int32_t, 2>;
constexpr size_t kMaxBlocks = 64;

void AddBlocks(const Blocks& from, Blocks* to) {
  for (const int32_t block : from) {
    if (to->size() >= kMaxBlocks) return;
    if (std::ranges::find(*to, block) == to->end()) {
      to->push_back(block);
    }
  }
}

class MemoryPlanner {
 public:
  MemoryPlanner(const Computation& computation, EvaluationPlan* plan)
      : plan_(plan), blocks_(computation.instruction_count()) {}

  void Run() {
    const auto step_count = static_cast<int64_t>(plan_->steps().size());
    for (int64_t i = 0; i < step_count; ++i) AddStep(i);
    const int64_t never = step_count;
    Touch(plan_->root(), never);
    for (size_t block = 0; block < bytes_.size(); ++block) {
      if (last_steps_[block] == never) continue;
      plan_->mutable_step(last_steps_[block]).released_bytes += bytes_[block];
    }
  }

 private:
  // The blocks of each element of a tuple; of an array or a token, one entry.
  using ValueBlocks = std::vector<Blocks>;

  Blocks AllBlocksOf(InstructionId value) const {
    Blocks all;
    for (const Blocks& blocks : blocks_[value]) AddBlocks(blocks, &all);
    return all;
  }

  void Touch(InstructionId value, int64_t step) {
    for (const Blocks& blocks : blocks_[value]) {
      for (const int32_t block : blocks) last_steps_[block] = step;
    }
  }

  ValueBlocks NewBlocks(const Shape& shape, int64_t step, int64_t* bytes) {
    ValueBlocks result;
    const bool is_tuple = shape.IsTuple();
    const int64_t count = is_tuple ? shape.element_count() : 1;
    for (int64_t i = 0; i < count; ++i) {
      bytes_.push_back((is_tuple ? shape.element(i) : shape).ByteSize());
      last_steps_.push_back(step);
      result.push_back({static_cast<int32_t>(bytes_.size() - 1)});
      *bytes += bytes_.back();
    }
    return result;
  }

  void AddStep(int64_t index) {
    EvaluationPlan::Step& step = plan_->mutable_step(index);
    const Instruction& instruction = *step.instruction;
    for (const EvaluationPlan::OperandUse& use : plan_->operands(step)) {
      Touch(use.value, index);
    }
    const Shape& shape = instruction.shape();
    const size_t count = shape.IsTuple() ? shape.element_count() : 1;
    ValueBlocks& blocks = blocks_[instruction.id()];
    switch (OriginOf(instruction.opcode())) {
      case Origin::kAllocated:
        blocks = NewBlocks(shape, index, &step.charged_bytes);
        step.allocated_bytes = step.charged_bytes;
        step.may_reuse_operand = MayReuseOperand(instruction.opcode());
        break;
      case Origin::kCalled:
        blocks = NewBlocks(shape, index, &step.charged_bytes);
        break;
      case Origin::kOperand:
        if (step.operand_count > 0) blocks = BlocksOfOperand(instruction);
        break;
      case Origin::kTuple:
        for (int64_t i = 0; i < step.operand_count; ++i) {
          blocks.push_back(AllBlocksOf(instruction.operand(i)->id()));
        }
        break;
      case Origin::kHeldElsewhere:
        blocks.resize(count);
        break;
    }
    for (const EvaluationPlan::Projection& projection :
         plan_->projections(step)) {
      AddProjection(blocks, projection);
    }
  }

  ValueBlocks BlocksOfOperand(const Instruction& instruction) const {
    const ValueBlocks& operand = blocks_[instruction.operand(0)->id()];
    const Shape& shape = instruction.shape();
    const size_t count = shape.IsTuple() ? shape.element_count() : 1;
    if (instruction.opcode() != Opcode::kGetTupleElement &&
        operand.size() == count) {
      return operand;
    }
    ValueBlocks all;
    all.assign(count, AllBlocksOf(instruction.operand(0)->id()));
    return all;
  }

  void AddProjection(const ValueBlocks& tuple,
                     const EvaluationPlan::Projection& projection) {
    if (std::cmp_greater_equal(projection.index, tuple.size())) return;
    const Shape& shape = projection.instruction->shape();
    const size_t count = shape.IsTuple() ? shape.element_count() : 1;
    blocks_[projection.value] = ValueBlocks(count, tuple[projection.index]);
  }

  EvaluationPlan* plan_;
  // By instruction id.
  std::vector<ValueBlocks> blocks_;
  // By block: its size, and the last step that needs it.
  std::vector<int64_t> bytes_;
  std::vector<int64_t> last_steps_;
};

}  // namespace

void PlanMemory(const Computation& computation, EvaluationPlan* plan) {
  MemoryPlanner(computation, plan).Run();
}

}  // namespace hilo::hlo
