// Finds instructions whose result has the bytes of their operand.
#include "passes/copy_insertion/forward_forms.h"

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Shape;

// Whether the elements lie in row-major order, whole bytes each.
bool IsPlain(const Shape& shape) {
  return shape.IsArray() && !shape.IsDynamic() &&
         shape.layout().minor_to_major ==
             hlo::DefaultLayout(shape.rank()).minor_to_major &&
         shape.BufferElementBits() ==
             int64_t{8} * hlo::StorageBytes(shape.element_type());
}

// Whether the elements' bytes are nothing but their bits.
bool HasPlainBits(hlo::ElementType type) {
  constexpr int kBitsPerByte = 8;
  return type != hlo::ElementType::kPred &&
         hlo::InfoOf(type).bits >= kBitsPerByte;
}

// Whether the dimensions larger than 1 keep their order.
bool MovesNothing(const Instruction& transpose) {
  int64_t last = -1;
  for (const int64_t from : transpose.dimensions()) {
    if (transpose.operand_shape(0).dimension(from) == 1) continue;
    if (from < last) return false;
    last = from;
  }
  return true;
}

bool KeepsBytes(const Instruction& instruction) {
  if (instruction.operand_count() != 1) return false;
  const Shape& from = instruction.operand_shape(0);
  const Shape& to = instruction.shape();
  if (!IsPlain(from) || !IsPlain(to)) return false;
  switch (instruction.opcode()) {
    case hlo::Opcode::kReshape:
      return true;
    case hlo::Opcode::kTranspose:
      return MovesNothing(instruction);
    case hlo::Opcode::kBitcastConvert:
      return HasPlainBits(from.element_type()) &&
             HasPlainBits(to.element_type());
    default:  // NOLINT: other opcodes compute
      return false;
  }
}

class Forwarder {
 public:
  explicit Forwarder(Computation* computation) : computation_(computation) {
    for (const auto& instruction : computation->instructions()) {
      for (const Instruction* before : instruction->control_predecessors()) {
        is_ordered_.insert(before->id());
        is_ordered_.insert(instruction->id());
      }
    }
  }

  bool Run() {
    const auto count = computation_->instruction_count();
    for (int64_t id = 0; id < count; ++id) {
      Instruction* instruction =
          computation_->instruction(static_cast<hlo::InstructionId>(id));
      // Control predecessors would lose what they wait for.
      if (is_ordered_.contains(instruction->id())) continue;
      if (instruction->opcode() == hlo::Opcode::kCopy &&
          instruction->shape() == instruction->operand_shape(0)) {
        Replace(instruction, instruction->operand(0));
      } else if (KeepsBytes(*instruction)) {
        Replace(instruction, MakeBitcast(*instruction));
      }
    }
    if (replaced_.empty()) return false;
    std::vector<bool> keep(computation_->instruction_count(), true);
    for (const Instruction* instruction : replaced_) {
      keep[instruction->id()] = false;
    }
    computation_->RemoveExcept(keep);
    return true;
  }

 private:
  Instruction* MakeBitcast(const Instruction& instruction) {
    Instruction* bitcast =
        computation_->Add(hlo::Opcode::kBitcast, instruction.shape());
    bitcast->set_name(instruction.name());
    bitcast->set_source_offset(instruction.source_offset());
    bitcast->AppendOperand(instruction.operand(0));
    if (instruction.has_metadata()) {
      bitcast->set_metadata(instruction.metadata());
    }
    return bitcast;
  }

  void Replace(Instruction* instruction, Instruction* replacement) {
    instruction->ReplaceAllUsesWith(replacement);
    if (computation_->root() == instruction) {
      computation_->set_root(replacement);
    }
    replaced_.push_back(instruction);
  }

  Computation* computation_;
  absl::flat_hash_set<hlo::InstructionId> is_ordered_;
  std::vector<const Instruction*> replaced_;
};

}  // namespace

bool ForwardForms(const std::vector<Computation*>& computations) {
  bool has_changed = false;
  for (Computation* computation : computations) {
    has_changed |= Forwarder(computation).Run();
  }
  return has_changed;
}

}  // namespace hilo::passes
