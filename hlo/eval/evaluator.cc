// Runs the instructions of a module, one after the other.
#include "hlo/eval/evaluator.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "hlo/eval/elementwise.h"
#include "hlo/eval/evaluation_plan.h"
#include "hlo/eval/handlers.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/machine_memory.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Calls may nest this deep: below what any stack holds.
constexpr int kMaxDepth = 200;

constexpr auto kHandlers = std::to_array<Handler>({
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc) \
  &EvaluateElementwise,
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc) \
  &EvaluateElementwise,
#define HLO_OP(Name, text, arity, traits, attributes, doc) &Evaluate##Name,
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP
});

// The value under the shape that its instruction declares: another layout,
// or another float type where types are mixed. A buffer's value is its array.
Literal WithDeclaredShape(Literal value, const Shape& shape) {
  if (value.shape() == shape) return value;
  if (shape.IsBuffer()) {
    return WithDeclaredShape(std::move(value), shape.element(0));
  }
  if (shape.IsTuple() && value.IsTuple()) {
    std::vector<Literal> elements = std::move(value).TakeElements();
    for (size_t i = 0; i < elements.size(); ++i) {
      elements[i] = WithDeclaredShape(std::move(elements[i]),
                                      shape.element(static_cast<int64_t>(i)));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!shape.IsArray() || !value.shape().IsArray()) return value;
  return ConvertLiteral(std::move(value), shape.element_type())
      .WithShape(shape);
}

// Whether WithDeclaredShape can give `shape` to a value of shape `actual`.
bool CanBecome(const Shape& actual, const Shape& shape) {
  if (shape.IsBuffer()) return CanBecome(actual, shape.element(0));
  if (actual.IsBuffer()) return CanBecome(actual.element(0), shape);
  if (!shape.IsTuple() || !actual.IsTuple()) {
    return CompatibleIgnoringFloatPrecision(actual, shape);
  }
  if (shape.element_count() != actual.element_count()) return false;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    if (!CanBecome(actual.element(i), shape.element(i))) return false;
  }
  return true;
}

int64_t TotalBytes(const std::vector<Literal>& values) {
  int64_t bytes = 0;
  for (const Literal& value : values) bytes += value.size_bytes();
  return bytes;
}

class Evaluator : public EvaluationContext {
 public:
  Evaluator(const Module& module, const EvaluatorOptions& options,
            int64_t live_bytes)
      : options_(options),
        memory_limit_bytes_(options.memory_limit_bytes > 0
                                ? options.memory_limit_bytes
                                : DefaultMemoryLimitBytes()),
        live_bytes_(live_bytes),
        random_(options.seed),
        plans_(module.computation_count()) {}

  absl::StatusOr<Literal> Call(const Computation& computation,
                               std::vector<Literal> arguments) override;
  absl::Status CheckMemory(const Instruction& instruction,
                           int64_t scratch_bytes) override;
  uint64_t NextRandom() override;
  uint64_t* RandomState(const Instruction& instruction) override;
  const EvaluatorOptions& options() const override { return options_; }

 private:
  // A computation's plan and the values of the one run of it that is active.
  struct Frame {
    explicit Frame(const Computation& computation)
        : plan(computation), values(computation.instruction_count()) {}

    EvaluationPlan plan;
    std::vector<Literal> values;
    std::vector<Literal> operands;
    bool is_active = false;
    // Whether the values of steps that run once are there.
    bool has_run = false;
  };

  absl::StatusOr<Literal> RunFrame(Frame& frame,
                                   std::vector<Literal> arguments);
  absl::Status RunStep(Frame& frame, const EvaluationPlan::Step& step,
                       absl::Span<Literal> arguments);
  absl::Status StoreResult(Frame& frame, const EvaluationPlan::Step& step,
                           Literal result);
  static void TakeOperands(Frame& frame, const EvaluationPlan::Step& step);
  absl::Status CheckStep(const Frame& frame, const EvaluationPlan::Step& step);
  absl::Status Locate(const Instruction& instruction, absl::Status error);

  EvaluatorOptions options_;
  int64_t memory_limit_bytes_;
  int64_t live_bytes_;
  int64_t step_count_ = 0;
  int depth_ = 0;
  uint64_t random_;
  // Whether the error on its way up names its instruction already.
  bool is_located_ = false;
  // By computation id.
  std::vector<std::unique_ptr<Frame>> plans_;
  // By computation and instruction id.
  std::map<std::pair<ComputationId, InstructionId>, std::array<uint64_t, 2>>
      random_states_;
};

absl::Status Evaluator::Locate(const Instruction& instruction,
                               absl::Status error) {
  if (is_located_) return error;
  is_located_ = true;
  return {error.code(),
          absl::StrCat("%", instruction.name(), " (",
                       TextOf(instruction.opcode()), "): ", error.message())};
}

absl::Status Evaluator::CheckMemory(const Instruction& instruction,
                                    int64_t scratch_bytes) {
  if (scratch_bytes <= memory_limit_bytes_ - live_bytes_) {
    return absl::OkStatus();
  }
  return ResourceExhausted("needs ", scratch_bytes, " bytes for ",
                           ToString(instruction.shape(), false), ", but ",
                           live_bytes_, " of ", memory_limit_bytes_,
                           " are in use");
}

// Splitmix64.
uint64_t Evaluator::NextRandom() {
  random_ += 0x9E3779B97F4A7C15;
  uint64_t mixed = random_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

uint64_t* Evaluator::RandomState(const Instruction& instruction) {
  // What XLA's CPU backend starts from.
  constexpr uint64_t kInitialState = 0x7012395;
  const auto key = std::pair(instruction.parent()->id(), instruction.id());
  const auto [state, inserted] = random_states_.try_emplace(key);
  if (inserted) state->second = {kInitialState + options_.seed, 0};
  return state->second.data();
}

absl::StatusOr<Literal> Evaluator::Call(const Computation& computation,
                                        std::vector<Literal> arguments) {
  if (depth_ >= kMaxDepth) {
    return ResourceExhausted("calls nest deeper than ", kMaxDepth);
  }
  std::unique_ptr<Frame>& frame = plans_[computation.id()];
  if (frame == nullptr) frame = std::make_unique<Frame>(computation);
  RETURN_IF_ERROR(frame->plan.status());
  if (frame->is_active) {
    return InvalidArgument("computation ", computation.name(), " calls itself");
  }
  ++depth_;
  frame->is_active = true;
  const int64_t live_bytes = live_bytes_;
  absl::StatusOr<Literal> result = RunFrame(*frame, std::move(arguments));
  live_bytes_ = live_bytes;
  frame->is_active = false;
  --depth_;
  return result;
}

absl::StatusOr<Literal> Evaluator::RunFrame(Frame& frame,
                                            std::vector<Literal> arguments) {
  const EvaluationPlan& plan = frame.plan;
  if (static_cast<int64_t>(arguments.size()) != plan.parameter_count()) {
    return InvalidArgument("got ", arguments.size(), " arguments, takes ",
                           plan.parameter_count());
  }
  for (const EvaluationPlan::Step& step : plan.steps()) {
    if (step.runs_once && frame.has_run) continue;
    absl::Status status = RunStep(frame, step, absl::MakeSpan(arguments));
    if (status.ok()) continue;
    for (Literal& value : frame.values) value = Literal();
    frame.operands.clear();
    frame.has_run = false;
    return Locate(*step.instruction, std::move(status));
  }
  frame.has_run = true;
  return std::move(frame.values[plan.root()]);
}

absl::Status Evaluator::RunStep(Frame& frame, const EvaluationPlan::Step& step,
                                absl::Span<Literal> arguments) {
  const Instruction& instruction = *step.instruction;
  ++step_count_;
  if (options_.step_limit > 0 && step_count_ > options_.step_limit) {
    return ResourceExhausted("the limit of ", options_.step_limit,
                             " instructions is reached");
  }
  if (instruction.opcode() == Opcode::kParameter) {
    return StoreResult(frame, step,
                       std::move(arguments[instruction.parameter_number()]));
  }
  TakeOperands(frame, step);
  RETURN_IF_ERROR(CheckStep(frame, step));
  absl::StatusOr<Literal> result =
      kHandlers[static_cast<int>(instruction.opcode())](
          instruction, absl::MakeSpan(frame.operands), *this);
  frame.operands.clear();
  if (!result.ok()) return std::move(result).status();
  return StoreResult(frame, step, *std::move(result));
}

// Operands that die here are moved, so that handlers can write over them.
void Evaluator::TakeOperands(Frame& frame, const EvaluationPlan::Step& step) {
  frame.operands.clear();
  for (const EvaluationPlan::OperandUse& use : frame.plan.operands(step)) {
    Literal& value = frame.values[use.value];
    if (use.is_last) {
      frame.operands.push_back(std::move(value));
    } else {
      frame.operands.push_back(value);
    }
  }
}

absl::Status Evaluator::CheckStep(const Frame& frame,
                                  const EvaluationPlan::Step& step) {
  if (step.allocated_bytes == 0) return absl::OkStatus();
  if (step.may_reuse_operand) {
    for (const Literal& operand : frame.operands) {
      if (operand.IsUnique() && operand.size_bytes() == step.allocated_bytes) {
        return absl::OkStatus();
      }
    }
  }
  return CheckMemory(*step.instruction, step.allocated_bytes);
}

absl::Status Evaluator::StoreResult(Frame& frame,
                                    const EvaluationPlan::Step& step,
                                    Literal result) {
  const Shape& shape = step.instruction->shape();
  if (!(result.shape() == shape)) {
    if (!CanBecome(result.shape(), shape)) {
      return InvalidArgument("the value has shape ", ToString(result.shape()),
                             " instead of ", ToString(shape));
    }
    result = WithDeclaredShape(std::move(result), shape);
  }
  live_bytes_ += step.charged_bytes - step.released_bytes;
  const absl::Span<const EvaluationPlan::Projection> projections =
      frame.plan.projections(step);
  if (projections.empty()) {
    if (step.is_used) frame.values[step.instruction->id()] = std::move(result);
    return absl::OkStatus();
  }
  std::vector<Literal> elements;
  if (step.is_used) {
    elements = result.elements();
    frame.values[step.instruction->id()] = std::move(result);
  } else {
    elements = std::move(result).TakeElements();
  }
  for (const EvaluationPlan::Projection& projection : projections) {
    Literal& element = elements[projection.index];
    Literal& value = frame.values[projection.value];
    value = projection.is_last ? std::move(element) : element;
    const Shape& declared = projection.instruction->shape();
    if (!(value.shape() == declared)) {
      value = WithDeclaredShape(std::move(value), declared);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> Evaluate(const Module& module,
                                 std::vector<Literal> arguments,
                                 const EvaluatorOptions& options) {
  if (module.entry() == nullptr) {
    return InvalidArgument("module ", module.name(), " has no entry");
  }
  return Evaluate(*module.entry(), std::move(arguments), options);
}

absl::StatusOr<Literal> Evaluate(const Computation& computation,
                                 std::vector<Literal> arguments,
                                 const EvaluatorOptions& options) {
  const int64_t count = computation.parameter_count();
  if (std::cmp_not_equal(arguments.size(), count)) {
    return InvalidArgument("got ", arguments.size(), " arguments, ",
                           computation.name(), " takes ", count);
  }
  for (int64_t i = 0; i < count; ++i) {
    const Instruction* parameter = computation.parameter(i);
    if (parameter == nullptr) {
      return InvalidArgument("parameter ", i, " is missing");
    }
    if (!Compatible(arguments[i].shape(), parameter->shape())) {
      return InvalidArgument("argument ", i, " has shape ",
                             ToString(arguments[i].shape(), false),
                             ", parameter %", parameter->name(), " has ",
                             ToString(parameter->shape(), false));
    }
  }
  Evaluator evaluator(*computation.parent(), options, TotalBytes(arguments));
  return evaluator.Call(computation, std::move(arguments));
}

}  // namespace hilo::hlo
