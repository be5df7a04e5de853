// Runs the passes that decide where arrays lie.
#include "tests/passes/buffer_fixture.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "catch2/catch.hpp"

#include "hlo/analysis/array_leaves.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "hlo/verify/verify.h"
#include "passes/buffer_assignment/buffer_assignment.h"
#include "passes/buffer_assignment/buffer_options.h"
#include "passes/buffer_assignment/check_buffers.h"
#include "passes/copy_insertion/copy_insertion.h"
#include "passes/layout_assignment/layout_assignment.h"
#include "passes/pass_context.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

bool CanShare(const hlo::Instruction& instruction, int64_t operand,
              int64_t /*operand_leaf*/, int64_t /*output_leaf*/) {
  const hlo::Opcode opcode = instruction.opcode();
  const bool is_elementwise = hlo::IsElementwiseUnary(opcode) ||
                              hlo::IsElementwiseBinary(opcode) ||
                              hlo::InfoOf(opcode).Has(hlo::kElementwise);
  const hlo::Shape& from = instruction.operand_shape(operand);
  return is_elementwise && from.IsArray() && instruction.shape().IsArray() &&
         SameDimensions(from, instruction.shape()) &&
         hlo::StoredBytes(from) == hlo::StoredBytes(instruction.shape());
}

int64_t ScratchBytes(const hlo::Instruction& instruction) {
  constexpr int64_t kSortBytes = 1000;
  return instruction.opcode() == hlo::Opcode::kSort ? kSortBytes : 0;
}

template <typename T>
void Count(hlo::Literal* literal) {
  absl::Span<T> values = literal->mutable_data<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(static_cast<float>(i % 7 + 1));
  }
}

hlo::Literal CountingLiteral(const hlo::Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<hlo::Literal> elements;
    for (const hlo::Shape& element : shape.elements()) {
      elements.push_back(CountingLiteral(element));
    }
    return hlo::Literal::Tuple(std::move(elements));
  }
  hlo::Literal literal(WithoutLayout(shape));
  if (shape.element_type() == hlo::ElementType::kF32) Count<float>(&literal);
  if (shape.element_type() == hlo::ElementType::kS32) Count<int32_t>(&literal);
  if (shape.element_type() == hlo::ElementType::kU8) Count<uint8_t>(&literal);
  return literal;
}

}  // namespace

BufferOptions ElementwiseSharing() {
  return {.scratch_bytes = ScratchBytes, .can_share = CanShare};
}

absl::StatusOr<AssignedModule> AssignChecked(
    std::unique_ptr<hlo::Module> module, const BufferOptions& options) {
  const PassContext context;
  RETURN_IF_ERROR(AssignLayouts(*module, context).status());
  RETURN_IF_ERROR(hlo::Verify(*module)) << "after layout assignment";
  RETURN_IF_ERROR(InsertCopies(*module, context, options).status());
  RETURN_IF_ERROR(hlo::Verify(*module)) << "after copy insertion";
  ASSIGN_OR_RETURN(BufferAssignment buffers, AssignBuffers(*module, options));
  RETURN_IF_ERROR(CheckBuffers(*module, buffers, options));
  return AssignedModule{.module = std::move(module),
                        .buffers = std::move(buffers)};
}

AssignedModule AssignText(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<hlo::Module>> module = hlo::Parse(text);
  INFO(module.status());
  REQUIRE(module.ok());
  absl::StatusOr<AssignedModule> assigned =
      AssignChecked(*std::move(module), ElementwiseSharing());
  INFO(assigned.status());
  REQUIRE(assigned.ok());
  return *std::move(assigned);
}

int64_t CountOpcode(const hlo::Module& module, hlo::Opcode opcode) {
  int64_t count = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == opcode) ++count;
    }
  }
  return count;
}

const hlo::Instruction& Named(const hlo::Module& module,
                              absl::string_view name) {
  const hlo::Instruction* found = nullptr;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->name() == name) found = instruction.get();
    }
  }
  INFO(name);
  REQUIRE(found != nullptr);
  return *found;
}

std::vector<hlo::Literal> CountingArguments(const hlo::Module& module) {
  std::vector<hlo::Literal> arguments;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    arguments.push_back(CountingLiteral(parameter->shape()));
  }
  return arguments;
}

}  // namespace hilo::passes
