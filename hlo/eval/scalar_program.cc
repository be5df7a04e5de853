// Compiles computations over scalars to lists of kernels, and runs them.
#include "hlo/eval/scalar_program.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/eval/elementwise_kernel.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kMaxScalarBytes = 16;
constexpr int kMaxStepOperands = ElementwiseKernel::kMaxOperands;
// Beyond these, a computation is better evaluated as arrays.
constexpr int kMaxCallDepth = 16;
constexpr size_t kMaxSteps = 1000;

// Values of one scalar: a vector of lanes.
struct alignas(64) Lanes {
  std::array<std::byte, ScalarProgram::kMaxLanes * kMaxScalarBytes> bytes;
};

struct Step {
  ElementwiseKernel kernel;
  std::array<int32_t, kMaxStepOperands> operands = {};
  int32_t result = 0;
};

// A result leaf: where it is found, and how many bytes an element takes.
struct Result {
  int32_t slot = 0;
  int64_t element_bytes = 0;
};

// What stands for an instruction while compiling: the slots of its leaves.
using Slots = std::vector<int32_t>;

}  // namespace

// Slots 0 ... parameter_count - 1 are the caller's arguments; the others are
// vectors of lanes, of which constants are filled once.
struct ScalarProgram::Code {
  int32_t parameter_count = 0;
  std::vector<Step> steps;
  std::vector<Result> results;
  std::vector<Lanes> lanes;
  // The result that the last step may write itself, or -1.
  int32_t direct_result = -1;

  std::byte* LanesOf(int32_t slot) {
    return lanes[slot - parameter_count].bytes.data();
  }
  int32_t AddSlot() {
    lanes.emplace_back();
    return parameter_count + static_cast<int32_t>(lanes.size()) - 1;
  }
};

namespace {

// Builds the code of one program; each function is false when the computation
// has something that programs cannot do.
template <typename Code>
class Compiler {
 public:
  explicit Compiler(Code* code) : code_(code) {}

  bool Compile(const Computation& computation) {
    Slots parameters;
    code_->parameter_count =
        static_cast<int32_t>(computation.parameter_count());
    for (int32_t i = 0; i < code_->parameter_count; ++i) {
      parameters.push_back(i);
    }
    std::vector<Slots> arguments;
    for (const int32_t slot : parameters) arguments.push_back({slot});
    Slots root;
    if (!Inline(computation, arguments, &root)) return false;
    return AddResults(*computation.root(), root);
  }

 private:
  bool Inline(const Computation& computation,
              const std::vector<Slots>& arguments, Slots* result) {
    if (depth_ >= kMaxCallDepth || computation.root() == nullptr) return false;
    ++depth_;
    std::vector<Slots> values(computation.instruction_count());
    for (const auto& instruction : computation.instructions()) {
      if (code_->steps.size() > kMaxSteps) return false;
      for (int64_t i = 0; i < instruction->operand_count(); ++i) {
        if (instruction->operand(i)->id() >= instruction->id()) return false;
      }
      if (!Add(*instruction, arguments, &values)) return false;
    }
    --depth_;
    *result = values[computation.root()->id()];
    return true;
  }

  bool Add(const Instruction& instruction, const std::vector<Slots>& arguments,
           std::vector<Slots>* values) {
    Slots& result = (*values)[instruction.id()];
    const Opcode opcode = instruction.opcode();
    if (opcode == Opcode::kParameter) {
      return AddParameter(instruction, arguments, &result);
    }
    if (opcode == Opcode::kConstant) return AddConstant(instruction, &result);
    if (opcode == Opcode::kTuple) {
      return AddTuple(instruction, *values, &result);
    }
    if (opcode == Opcode::kGetTupleElement) {
      return AddTupleElement(instruction, *values, &result);
    }
    if (opcode == Opcode::kCall) {
      return AddCall(instruction, instruction.to_apply(), values);
    }
    if (opcode == Opcode::kFusion) {
      return AddCall(instruction, instruction.calls(), values);
    }
    if (opcode == Opcode::kCopy) {
      result = (*values)[instruction.operand(0)->id()];
      return true;
    }
    return AddKernel(instruction, *values, &result);
  }

  static bool AddParameter(const Instruction& instruction,
                           const std::vector<Slots>& arguments, Slots* result) {
    const size_t number = instruction.parameter_number();
    if (!instruction.shape().IsScalar() || number >= arguments.size()) {
      return false;
    }
    *result = arguments[number];
    return true;
  }

  static bool AddTuple(const Instruction& instruction,
                       const std::vector<Slots>& values, Slots* result) {
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      if (!instruction.operand_shape(i).IsScalar()) return false;
      result->push_back(values[instruction.operand(i)->id()][0]);
    }
    return true;
  }

  static bool AddTupleElement(const Instruction& instruction,
                              const std::vector<Slots>& values, Slots* result) {
    const Slots& tuple = values[instruction.operand(0)->id()];
    const size_t index = instruction.index();
    if (!instruction.shape().IsScalar() || index >= tuple.size()) return false;
    *result = {tuple[index]};
    return true;
  }

  bool AddCall(const Instruction& instruction, const Computation* callee,
               std::vector<Slots>* values) {
    if (callee == nullptr) return false;
    std::vector<Slots> arguments;
    arguments.reserve(instruction.operand_count());
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      arguments.push_back((*values)[instruction.operand(i)->id()]);
    }
    return Inline(*callee, arguments, &(*values)[instruction.id()]);
  }

  bool AddConstant(const Instruction& instruction, Slots* result) {
    if (!instruction.shape().IsScalar()) return false;
    const Literal& value = instruction.value();
    if (!(value.shape().IsScalar())) return false;
    const int32_t slot = code_->AddSlot();
    const int64_t bytes = value.size_bytes();
    std::byte* lanes = code_->LanesOf(slot);
    for (int64_t i = 0; i < ScalarProgram::kMaxLanes; ++i) {
      std::memcpy(lanes + i * bytes, value.untyped_data(), bytes);
    }
    *result = {slot};
    return true;
  }

  bool AddKernel(const Instruction& instruction,
                 const std::vector<Slots>& values, Slots* result) {
    if (!instruction.shape().IsScalar()) return false;
    auto kernel = FindElementwiseKernel(instruction);
    if (!kernel.ok()) return false;
    if (instruction.operand_count() != kernel->operand_count) return false;
    Step step;
    step.kernel = *kernel;
    for (int i = 0; i < kernel->operand_count; ++i) {
      const Shape& shape = instruction.operand_shape(i);
      if (!shape.IsScalar() ||
          shape.element_type() != KernelOperandType(instruction, i)) {
        return false;
      }
      step.operands[i] = values[instruction.operand(i)->id()][0];
    }
    step.result = code_->AddSlot();
    code_->steps.push_back(step);
    *result = {step.result};
    return true;
  }

  bool AddResults(const Instruction& root, const Slots& slots) {
    const std::vector<const Shape*> leaves = root.shape().Leaves();
    if (leaves.size() != slots.size()) return false;
    for (size_t i = 0; i < slots.size(); ++i) {
      int32_t slot = slots[i];
      const ElementType type = leaves[i]->element_type();
      if (slot < code_->parameter_count) slot = AddCopy(slot, type);
      code_->results.push_back(
          {.slot = slot, .element_bytes = StorageBytes(type)});
    }
    if (code_->steps.empty()) return true;
    int32_t direct = -1;
    int32_t count = 0;
    for (size_t i = 0; i < code_->results.size(); ++i) {
      if (code_->results[i].slot != code_->steps.back().result) continue;
      direct = static_cast<int32_t>(i);
      ++count;
    }
    if (count == 1) code_->direct_result = direct;
    return true;
  }

  // Results may overwrite arguments, so those that are returned are saved.
  int32_t AddCopy(int32_t slot, ElementType type) {
    Step step;
    step.kernel = FindConvertKernel(type, type);
    step.operands[0] = slot;
    step.result = code_->AddSlot();
    code_->steps.push_back(step);
    return step.result;
  }

  Code* code_;
  int depth_ = 0;
};

}  // namespace

ScalarProgram::ScalarProgram(std::unique_ptr<Code> code)
    : code_(std::move(code)) {}
ScalarProgram::ScalarProgram(ScalarProgram&&) noexcept = default;
ScalarProgram& ScalarProgram::operator=(ScalarProgram&&) noexcept = default;
ScalarProgram::~ScalarProgram() = default;

std::optional<ScalarProgram> ScalarProgram::Compile(
    const Computation& computation) {
  auto code = std::make_unique<Code>();
  if (!Compiler<Code>(code.get()).Compile(computation)) return std::nullopt;
  return ScalarProgram(std::move(code));
}

int64_t ScalarProgram::result_count() const {
  return static_cast<int64_t>(code_->results.size());
}

void ScalarProgram::Run(int64_t lanes, absl::Span<const void* const> arguments,
                        absl::Span<void* const> results) {
  Code& code = *code_;
  for (const Step& step : code.steps) {
    std::array<const void*, kMaxStepOperands> operands = {};
    for (int i = 0; i < step.kernel.operand_count; ++i) {
      const int32_t slot = step.operands[i];
      operands[i] =
          slot < code.parameter_count ? arguments[slot] : code.LanesOf(slot);
    }
    const bool is_direct =
        code.direct_result >= 0 && &step == &code.steps.back();
    void* result =
        is_direct ? results[code.direct_result] : code.LanesOf(step.result);
    step.kernel.Run(operands.data(), result, lanes);
  }
  for (size_t i = 0; i < code.results.size(); ++i) {
    if (std::cmp_equal(i, code.direct_result)) continue;
    const Result& result = code.results[i];
    std::memcpy(results[i], code.LanesOf(result.slot),
                lanes * result.element_bytes);
  }
}

}  // namespace hilo::hlo
