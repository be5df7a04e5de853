// Dispatches to the shape rule of an opcode and checks what all have in common.
#include "hlo/ops/shape_inference.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/called_computations.h"
#include "hlo/ops/checks.h"
#include "hlo/ops/elementwise.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

using Rule = absl::StatusOr<Shape> (*)(const Instruction&);

// By opcode.
constexpr auto kRules = std::to_array<Rule>({
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc) InferUnary,
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc) InferBinary,
#define HLO_OP(Name, text, arity, traits, attributes, doc) Infer##Name,
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP
});

// Opcodes whose result may be declared with another float precision than
// follows from the operands.
constexpr auto kMixedPrecision = std::to_array<Opcode>({
    Opcode::kAllGather,
    Opcode::kAllGatherDone,
    Opcode::kAllGatherStart,
    Opcode::kAllReduce,
    Opcode::kAllReduceDone,
    Opcode::kAllReduceStart,
    Opcode::kAsyncDone,
    Opcode::kAsyncStart,
    Opcode::kAsyncUpdate,
    Opcode::kCall,
    Opcode::kCollectivePermute,
    Opcode::kCollectivePermuteDone,
    Opcode::kCollectivePermuteStart,
    Opcode::kConditional,
    Opcode::kConstant,
    Opcode::kConvolution,
    Opcode::kCopyDone,
    Opcode::kCopyStart,
    Opcode::kCustomCall,
    Opcode::kDomain,
    Opcode::kDot,
    Opcode::kFusion,
    Opcode::kGetTupleElement,
    Opcode::kInfeed,
    Opcode::kOptimizationBarrier,
    Opcode::kOutfeed,
    Opcode::kParameter,
    Opcode::kRaggedDot,
    Opcode::kRecv,
    Opcode::kRecvDone,
    Opcode::kReducePrecision,
    Opcode::kReduceWindow,
    Opcode::kScaledDot,
    Opcode::kSend,
    Opcode::kSendDone,
    Opcode::kSort,
    Opcode::kTuple,
    Opcode::kWhile,
});

FloatPrecision DeclaredPrecision(Opcode opcode) {
  const bool is_mixed =
      std::ranges::find(kMixedPrecision, opcode) != std::end(kMixedPrecision);
  return is_mixed ? FloatPrecision::kAny : FloatPrecision::kExact;
}

absl::Status CheckOperandCount(const Instruction& instruction) {
  const int arity = InfoOf(instruction.opcode()).arity;
  if (arity == kVariadic || arity == instruction.operand_count()) {
    return absl::OkStatus();
  }
  return InvalidArgument("got ", instruction.operand_count(),
                         " operands, expected ", arity);
}

// Required computations are named, and none that are named are null. Other
// required attributes may have their default value, which reads as absent.
absl::Status CheckComputations(const Instruction& instruction) {
  for (const AttributeUse& use : InfoOf(instruction.opcode()).attributes) {
    if (use.required && InfoOf(use.id).kind == AttributeKind::kComputation &&
        instruction.FindValue(use.id) == nullptr) {
      return InvalidArgument("attribute ", TextOf(use.id), " is missing");
    }
  }
  for (const Computation* computation : instruction.called_computations()) {
    if (computation == nullptr) {
      return InvalidArgument("a called computation is missing");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferShape(const Instruction& instruction) {
  const Shape& declared = instruction.shape();
  RETURN_IF_ERROR(ValidateShape(declared));
  ASSIGN_OR_RETURN(Shape shape, InferImpliedShape(instruction));
  if (!Compatible(shape, declared, DeclaredPrecision(instruction.opcode()))) {
    return InvalidArgument("the result is declared ", ShapeText(declared),
                           ", but the operands give ", ShapeText(shape));
  }
  if (InfoOf(instruction.opcode()).Has(kShapeRequired)) return declared;
  return shape;
}

absl::StatusOr<Shape> InferUndeclaredShape(const Instruction& instruction) {
  if (InfoOf(instruction.opcode()).Has(kShapeRequired)) {
    return InvalidArgument("the result shape must be stated");
  }
  return InferImpliedShape(instruction);
}

absl::StatusOr<Shape> InferImpliedShape(const Instruction& instruction) {
  RETURN_IF_ERROR(CheckOperandCount(instruction));
  RETURN_IF_ERROR(CheckComputations(instruction));
  ASSIGN_OR_RETURN(
      Shape shape,
      kRules[static_cast<size_t>(instruction.opcode())](instruction));
  RETURN_IF_ERROR(ValidateShape(shape));
  return shape;
}

}  // namespace hilo::hlo
