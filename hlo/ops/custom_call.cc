// The shape rule of custom-call.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/output_aliasing.h"
#include "hlo/ops/shape_inference.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

absl::Status CheckLayoutConstraints(const Instruction& instruction) {
  const std::vector<Shape>& constraints =
      instruction.operand_layout_constraints();
  if (constraints.empty()) return absl::OkStatus();
  if (static_cast<int64_t>(constraints.size()) != instruction.operand_count()) {
    return InvalidArgument("operand_layout_constraints has ",
                           constraints.size(), " shapes for ",
                           instruction.operand_count(), " operands");
  }
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (Compatible(constraints[i], instruction.operand_shape(i))) continue;
    return InvalidArgument("operand_layout_constraints has ",
                           ShapeText(constraints[i]), " for operand ", i,
                           ", which is ",
                           ShapeText(instruction.operand_shape(i)));
  }
  return absl::OkStatus();
}

// Errors unless `buffer` is b(`array`).
absl::Status CheckBufferOf(const Shape& buffer, const Shape& array) {
  if (array.IsArray() && buffer.IsBuffer() &&
      Compatible(buffer, Shape::Buffer(array))) {
    return absl::OkStatus();
  }
  return InvalidArgument("expected an array and a buffer of it, got ",
                         ShapeText(array), " and ", ShapeText(buffer));
}

absl::Status CheckOnlyAlias(const Instruction& instruction) {
  const size_t count = instruction.output_to_operand_aliasing().size();
  if (count == 1) return absl::OkStatus();
  return InvalidArgument("output_to_operand_aliasing has ", count,
                         " pairs, expected 1");
}

// The rules of targets that turn arrays into buffers and back.
absl::Status CheckBufferTarget(const Instruction& instruction) {
  const std::string& target = instruction.custom_call_target();
  const Shape& result = instruction.shape();
  if (target == "CreateBuffer") {
    if (result.IsBuffer()) return absl::OkStatus();
    return InvalidArgument("the result of CreateBuffer is ", ShapeText(result),
                           ", expected a buffer");
  }
  if (target != "Pin" && target != "Unpin") return absl::OkStatus();
  if (instruction.operand_count() != 1) {
    return InvalidArgument(target, " has ", instruction.operand_count(),
                           " operands, expected 1");
  }
  const Shape& operand = instruction.operand_shape(0);
  RETURN_IF_ERROR(target == "Pin" ? CheckBufferOf(result, operand)
                                  : CheckBufferOf(operand, result));
  return CheckOnlyAlias(instruction);
}

}  // namespace

absl::StatusOr<Shape> InferCustomCall(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckLayoutConstraints(instruction));
  RETURN_IF_ERROR(CheckOutputAliasing(instruction));
  RETURN_IF_ERROR(CheckBufferTarget(instruction));
  return instruction.shape();
}

}  // namespace hilo::hlo
