// A computation prepared for running it many times.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"

namespace hilo::hlo {

// The instructions of a computation that matter for its root or have side
// effects, in order, with the last use of every value and the memory that
// comes and goes. Elements of tuples are taken out as soon as the tuple exists,
// so that each can be overwritten when it dies.
class EvaluationPlan {
 public:
  struct OperandUse {
    InstructionId value = 0;
    // Whether the value dies here.
    bool is_last = false;
  };
  // A get-tuple-element that is evaluated with the tuple itself.
  struct Projection {
    InstructionId value = 0;
    int64_t index = 0;
    const Instruction* instruction = nullptr;
    // Whether no later projection of the step reads the same element.
    bool is_last = false;
  };
  struct Step {
    const Instruction* instruction = nullptr;
    // Whether something besides the projections reads the value.
    bool is_used = false;
    // Whether later runs need not repeat it: no parameter reaches its value,
    // and later runs find that, or what was made of it, kept.
    bool runs_once = false;
    // Whether the result may take an operand's memory.
    bool may_reuse_operand = false;
    // Bytes that the instruction itself asks for, to be checked beforehand.
    int64_t allocated_bytes = 0;
    // Bytes that are in use once it has run, and that are free then.
    int64_t charged_bytes = 0;
    int64_t released_bytes = 0;
    int64_t first_operand = 0;
    int64_t operand_count = 0;
    int64_t first_projection = 0;
    int64_t projection_count = 0;
  };

  explicit EvaluationPlan(const Computation& computation);

  // Why the computation cannot run: it has no root, parameters are missing, or
  // operands form a cycle (in modules that were not verified).
  const absl::Status& status() const { return status_; }

  const std::vector<Step>& steps() const { return steps_; }
  Step& mutable_step(int64_t i) { return steps_[i]; }
  absl::Span<const OperandUse> operands(const Step& step) const {
    return absl::MakeSpan(operands_).subspan(step.first_operand,
                                             step.operand_count);
  }
  absl::Span<const Projection> projections(const Step& step) const {
    return absl::MakeSpan(projections_)
        .subspan(step.first_projection, step.projection_count);
  }
  InstructionId root() const { return root_; }
  int64_t parameter_count() const { return parameter_count_; }

 private:
  void AddSteps(const Computation& computation);
  void AddStep(const Instruction& instruction, const std::vector<bool>& needed);
  void MarkLastUses(int64_t value_count);
  void MarkInvariants(const Computation& computation);

  absl::Status status_;
  std::vector<Step> steps_;
  std::vector<OperandUse> operands_;
  std::vector<Projection> projections_;
  InstructionId root_ = 0;
  int64_t parameter_count_ = 0;
};

}  // namespace hilo::hlo
