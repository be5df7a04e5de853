// Prepares library calls: transforms, factors, systems, selections, packing.
#include "backends/cpu/host_function.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"

#include "backends/buffer_conversion.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/target_traits.h"
#include "runtime/base/check.h"
#include "runtime/base/status.h"
#include "runtime/host/element_code.h"
#include "runtime/host/fft.h"
#include "runtime/host/linear_algebra.h"
#include "runtime/host/top_k.h"

namespace hilo::backends {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using passes::TargetTraits;

struct HostRow {
  Opcode opcode;
  absl::StatusOr<HostFunction> (*plan)(const Instruction& instruction,
                                       const TargetTraits& traits);
};

constexpr auto kHostFunctions = std::to_array<HostRow>({
    {.opcode = Opcode::kCholesky, .plan = &PlanCholesky},
    {.opcode = Opcode::kCustomCall, .plan = &PlanCustomCall},
    {.opcode = Opcode::kFft, .plan = &PlanFft},
    {.opcode = Opcode::kSort, .plan = &PlanSort},
    {.opcode = Opcode::kTopK, .plan = &PlanTopK},
    {.opcode = Opcode::kTriangularSolve, .plan = &PlanTriangularSolve},
});

bool IsPacked(const Shape& shape) {
  return shape.IsArray() && shape.BufferElementBits() < 8;
}

// A copy between whole bytes per element and several elements a byte.
bool IsPackingCopy(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kCopy &&
         (IsPacked(instruction.shape()) ||
          IsPacked(instruction.operand_shape(0)));
}

// Matrices of a batch: elements of all dimensions but the last two.
int64_t BatchOf(const Shape& shape, int64_t inner_rank) {
  int64_t batch = 1;
  for (int64_t d = 0; d + inner_rank < shape.rank(); ++d) {
    batch *= shape.dimension(d);
  }
  return batch;
}

}  // namespace

runtime::ElementCode CodeOf(hlo::ElementType type) {
  const std::optional<runtime::ElementCode> code =
      runtime::ElementCodeOf(hlo::TextOf(type));
  CHECK(code.has_value()) << "the library lacks " << hlo::TextOf(type);
  return *code;
}

bool IsHostFunction(const Instruction& instruction) {
  return IsPackingCopy(instruction) ||
         std::ranges::find(kHostFunctions, instruction.opcode(),
                           &HostRow::opcode) != kHostFunctions.end();
}

absl::StatusOr<HostFunction> PlanHostFunction(const Instruction& instruction,
                                              const TargetTraits& traits) {
  if (IsPackingCopy(instruction)) return PlanPackingCopy(instruction, traits);
  for (const HostRow& row : kHostFunctions) {
    if (row.opcode == instruction.opcode()) {
      return row.plan(instruction, traits);
    }
  }
  return Unimplemented(hlo::TextOf(instruction.opcode()), " '",
                       instruction.name(), "' is no library function");
}

absl::StatusOr<HostFunction> PlanPackingCopy(const Instruction& instruction,
                                             const TargetTraits& traits) {
  (void)traits;
  // Unpacked forms keep their layout; a literal is the step between.
  HostFunction function;
  function.run = [from = instruction.operand_shape(0),
                  to = instruction.shape()](void*, void* const* arguments) {
    hlo::Literal literal(hlo::WithoutLayout(from));
    DecodeElements(static_cast<const std::byte*>(arguments[0]), from, literal);
    EncodeElements(literal, to, static_cast<std::byte*>(arguments[1]));
  };
  return function;
}

absl::StatusOr<HostFunction> PlanTopK(const Instruction& instruction,
                                      const TargetTraits& traits) {
  const Shape& operand = instruction.operand_shape(0);
  const runtime::TopKRows rows{
      .type = CodeOf(operand.element_type()),
      .largest = instruction.largest() ? 1 : 0,
      .rows = BatchOf(operand, 1),
      .row_size = operand.dimension(operand.rank() - 1),
      .k = instruction.k(),
      .slots = traits.cores};
  HostFunction function;
  function.scratch_bytes = runtime::ScratchBytes(rows);
  function.run = [rows, has_scratch = function.scratch_bytes > 0](
                     void* workers, void* const* arguments) {
    hilo_top_k(workers, &rows, arguments[0], arguments[1],
               static_cast<int32_t*>(arguments[2]),
               has_scratch ? arguments[3] : nullptr);
  };
  return function;
}

absl::StatusOr<HostFunction> PlanFft(const Instruction& instruction,
                                     const TargetTraits& traits) {
  const auto type_of = [](hlo::FftType type) {
    switch (type) {
      case hlo::FftType::kFft:
        return runtime::FftType::kForward;
      case hlo::FftType::kIfft:
        return runtime::FftType::kInverse;
      case hlo::FftType::kRfft:
        return runtime::FftType::kRealForward;
      case hlo::FftType::kIrfft:
        return runtime::FftType::kRealInverse;
    }
    return runtime::FftType::kForward;
  };
  const Shape& operand = instruction.operand_shape(0);
  const auto& lengths = instruction.fft_length();
  const hlo::ElementType part = hlo::ComponentType(operand.element_type());
  runtime::FftDescription description{
      .type = type_of(instruction.fft_type()),
      .is_double = part == hlo::ElementType::kF64,
      .batch = BatchOf(operand, static_cast<int64_t>(lengths.size())),
      .lengths = {lengths.begin(), lengths.end()},
      .slots = traits.cores};
  auto plan = std::make_shared<const runtime::FftPlan>(description);
  HostFunction function;
  function.scratch_bytes = plan->scratch_bytes();
  function.run = [plan, has_scratch = function.scratch_bytes > 0](
                     void* workers, void* const* arguments) {
    plan->Run(workers, arguments[0], arguments[1],
              has_scratch ? arguments[2] : nullptr);
  };
  return function;
}

absl::StatusOr<HostFunction> PlanCholesky(const Instruction& instruction,
                                          const TargetTraits& traits) {
  const Shape& operand = instruction.operand_shape(0);
  const runtime::CholeskyMatrices matrices{
      .type = CodeOf(operand.element_type()),
      .lower = instruction.lower() ? 1 : 0,
      .batch = BatchOf(operand, 2),
      .size = operand.dimension(operand.rank() - 1),
      .slots = traits.cores};
  HostFunction function;
  function.scratch_bytes = runtime::ScratchBytes(matrices);
  function.run = [matrices, has_scratch = function.scratch_bytes > 0](
                     void* workers, void* const* arguments) {
    hilo_cholesky(workers, &matrices, arguments[0], arguments[1],
                  has_scratch ? arguments[2] : nullptr);
  };
  return function;
}

absl::StatusOr<HostFunction> PlanTriangularSolve(const Instruction& instruction,
                                                 const TargetTraits& traits) {
  const auto transpose_of = [](hlo::TransposeOption option) {
    switch (option) {
      case hlo::TransposeOption::kTranspose:
        return runtime::MatrixTranspose::kTranspose;
      case hlo::TransposeOption::kAdjoint:
        return runtime::MatrixTranspose::kAdjoint;
      case hlo::TransposeOption::kNoTranspose:
        break;
    }
    return runtime::MatrixTranspose::kNone;
  };
  const Shape& b = instruction.operand_shape(1);
  const runtime::TriangularSystems systems{
      .type = CodeOf(b.element_type()),
      .left_side = instruction.left_side() ? 1 : 0,
      .lower = instruction.lower() ? 1 : 0,
      .unit_diagonal = instruction.unit_diagonal() ? 1 : 0,
      .transpose = transpose_of(instruction.transpose_a()),
      .batch = BatchOf(b, 2),
      .rows = b.dimension(b.rank() - 2),
      .columns = b.dimension(b.rank() - 1),
      .slots = traits.cores};
  HostFunction function;
  function.scratch_bytes = runtime::ScratchBytes(systems);
  function.run = [systems, has_scratch = function.scratch_bytes > 0](
                     void* workers, void* const* arguments) {
    hilo_triangular_solve(workers, &systems, arguments[0], arguments[1],
                          arguments[2], has_scratch ? arguments[3] : nullptr);
  };
  return function;
}

}  // namespace hilo::backends
