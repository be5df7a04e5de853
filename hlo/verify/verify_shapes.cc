// Rules about shapes and attributes of single instructions.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/shape_inference.h"
#include "hlo/verify/rules.h"
#include "hlo/verify/verification.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Error unless elements of `type` can take `bits` bits of a buffer.
absl::Status CheckElementBits(ElementType type, int64_t bits) {
  const ElementTypeInfo& info = InfoOf(type);
  if (bits == 0 || bits == int64_t{8} * info.storage_bytes) {
    return absl::OkStatus();
  }
  const bool is_packed = bits == 1 || bits == 2 || bits == 4;
  if (is_packed && info.storage_bytes == 1 && bits >= info.bits) {
    return absl::OkStatus();
  }
  return InvalidArgument("layout property E(", bits, ") does not suit ",
                         info.text, ", whose elements have ", info.bits,
                         " bits");
}

absl::Status CheckElementSizes(const Shape& shape) {
  for (const Shape& element : shape.elements()) {
    RETURN_IF_ERROR(CheckElementSizes(element));
  }
  if (!shape.IsArray() || shape.HasDefaultLayout()) return absl::OkStatus();
  const Layout layout = shape.layout();
  if (!layout.properties) return absl::OkStatus();
  return CheckElementBits(shape.element_type(),
                          layout.properties->element_size_bits);
}

absl::Status CheckShape(const Shape& shape) {
  RETURN_IF_ERROR(ValidateShape(shape));
  return CheckElementSizes(shape);
}

// The first invalid shape among result and attributes.
absl::Status CheckShapesOf(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckShape(instruction.shape()));
  for (const Attribute& attribute : instruction.attributes()) {
    if (InfoOf(attribute.id).kind == AttributeKind::kShape) {
      RETURN_IF_ERROR(
          CheckShape(ValueAs<AttributeKind::kShape>(attribute.value)));
    }
    if (InfoOf(attribute.id).kind != AttributeKind::kShapeList) continue;
    for (const Shape& shape :
         ValueAs<AttributeKind::kShapeList>(attribute.value)) {
      RETURN_IF_ERROR(CheckShape(shape));
    }
  }
  return absl::OkStatus();
}

// Whether `opcode` takes the attribute at all.
bool TakesAttribute(Opcode opcode, AttributeId id) {
  const OpcodeInfo& info = InfoOf(opcode);
  if (id == AttributeId::kResultAccuracy) return info.Has(kMathFunction);
  if (id == AttributeId::kParameterReplication) {
    return opcode == Opcode::kParameter;
  }
  if (id >= kFirstCommonAttribute) return true;
  return absl::c_any_of(info.attributes,
                        [&](const AttributeUse& use) { return use.id == id; });
}

std::string AttributeName(AttributeId id) {
  if (id == AttributeId::kParameterNumber) return "parameter number";
  if (id == AttributeId::kValue) return "constant value";
  return absl::StrCat("attribute '", TextOf(id), "'");
}

void VerifyAttributesOf(const Instruction& instruction,
                        Verification& verification) {
  for (const Attribute& attribute : instruction.attributes()) {
    if (TakesAttribute(instruction.opcode(), attribute.id)) continue;
    verification.Error(instruction,
                       absl::StrCat("takes no ", AttributeName(attribute.id)));
  }
  if (!instruction.has_parameter_replication()) return;
  const size_t leaves = instruction.shape().Leaves().size();
  const size_t count = instruction.parameter_replication().size();
  if (leaves == count) return;
  verification.Error(
      instruction, absl::StrCat("parameter_replication has ", count,
                                " entries, the shape has ", leaves, " leaves"));
}

// Whether everything that a shape rule looks at can be looked at.
bool CanInfer(const Instruction& instruction,
              const Verification& verification) {
  if (!verification.IsSound(instruction)) return false;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (!verification.IsSound(*instruction.operand(i))) return false;
  }
  return absl::c_all_of(
      instruction.called_computations(), [&](const Computation* callee) {
        return callee == nullptr || verification.IsSound(*callee);
      });
}

// Splits "message; remedy".
void ReportStatus(const Instruction& instruction, absl::string_view text,
                  Verification& verification) {
  const size_t separator = text.rfind("; ");
  std::string remedy;
  if (separator != absl::string_view::npos) {
    remedy = std::string(text.substr(separator + 2));
    text = text.substr(0, separator);
  }
  Diagnostic& diagnostic =
      verification.Error(instruction, text, std::move(remedy));
  verification.AddOperandNotes(instruction, &diagnostic);
}

// A size that is known must be within the bound.
void VerifyDimensionSize(const Instruction& instruction,
                         Verification& verification) {
  const absl::Span<const int64_t> dimensions = instruction.dimensions();
  if (instruction.operand_count() != 2 || dimensions.size() != 1) return;
  const Shape& operand = instruction.operand_shape(0);
  const Instruction& size = *instruction.operand(1);
  const int64_t dimension = dimensions[0];
  if (!operand.IsArray() || dimension < 0 || dimension >= operand.rank() ||
      size.opcode() != Opcode::kConstant ||
      size.value().shape() != Shape::Scalar(ElementType::kS32)) {
    return;
  }
  const int64_t value = size.value().data<int32_t>()[0];
  const int64_t bound = operand.dimension(dimension);
  if (value >= 0 && value <= bound) return;
  Diagnostic& diagnostic =
      verification.Error(instruction, absl::StrCat("the size is ", value,
                                                   ", the bound of "
                                                   "dimension ",
                                                   dimension, " is ", bound));
  verification.AddOperandNotes(instruction, &diagnostic);
}

}  // namespace

void VerifyValidShapes(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      const absl::Status status = CheckShapesOf(*instruction);
      if (status.ok()) continue;
      verification.Error(*instruction, status.message());
      verification.MarkUnsound(*instruction);
      // Callers would trip over parameters and root.
      if (instruction->opcode() == Opcode::kParameter ||
          instruction.get() == computation->root()) {
        verification.MarkUnsound(*computation);
      }
    }
  }
}

void VerifyAttributes(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      VerifyAttributesOf(*instruction, verification);
    }
  }
}

void VerifyInferredShapes(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!CanInfer(*instruction, verification)) continue;
      const absl::Status status = InferShape(*instruction).status();
      if (status.ok()) continue;
      ReportStatus(*instruction, status.message(), verification);
    }
  }
}

void VerifyDimensionSizes(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kSetDimensionSize) continue;
      if (!CanInfer(*instruction, verification)) continue;
      VerifyDimensionSize(*instruction, verification);
    }
  }
}

}  // namespace hilo::hlo
