// Rules about tuples, copies, constants and empty arrays.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/call_graph.h"
#include "passes/rewriter.h"
#include "passes/rules/rule.h"
#include "runtime/base/convert_element.h"
#include "runtime/base/numeric_traits.h"

namespace hilo::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;

bool IsAnyOpcode(Opcode /*opcode*/) { return true; }

Instruction* ElementOfTuple(Instruction& instruction, Rewriter& /*rewriter*/) {
  const Instruction* tuple = instruction.operand(0);
  if (tuple->opcode() != Opcode::kTuple) return nullptr;
  return tuple->operand(instruction.index());
}

// tuple(get-tuple-element(t, 0), get-tuple-element(t, 1), ...) of all of t.
Instruction* TupleOfElements(Instruction& instruction, Rewriter& /*rewriter*/) {
  if (instruction.operand_count() == 0) return nullptr;
  Instruction* source = nullptr;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Instruction* element = instruction.operand(i);
    if (element->opcode() != Opcode::kGetTupleElement ||
        element->index() != i ||
        (source != nullptr && element->operand(0) != source)) {
      return nullptr;
    }
    source = element->operand(0);
  }
  return source->shape().element_count() == instruction.operand_count()
             ? source
             : nullptr;
}

Instruction* DropCopy(Instruction& instruction, Rewriter& /*rewriter*/) {
  Instruction* operand = instruction.operand(0);
  return Compatible(operand->shape(), instruction.shape()) ? operand : nullptr;
}

// A dependency on a token that waits for nothing.
Instruction* DependencyOnNothing(Instruction& instruction,
                                 Rewriter& /*rewriter*/) {
  const Instruction* token = instruction.operand(1);
  const bool waits =
      token->opcode() != Opcode::kAfterAll || token->operand_count() > 0;
  return waits ? nullptr : instruction.operand(0);
}

Instruction* SingleToken(Instruction& instruction, Rewriter& /*rewriter*/) {
  if (instruction.operand_count() == 0) return nullptr;
  Instruction* first = instruction.operand(0);
  for (int64_t i = 1; i < instruction.operand_count(); ++i) {
    if (instruction.operand(i) != first) return nullptr;
  }
  return first;
}

// Whether all elements have the bits of the first.
bool IsUniform(const hlo::Literal& literal) {
  const std::byte* data = literal.untyped_data();
  const size_t step = hlo::StorageBytes(literal.shape().element_type());
  const auto bytes = static_cast<size_t>(literal.size_bytes());
  return std::memcmp(data, data + step, bytes - step) == 0;
}

// A constant array of equal elements is a broadcast of one.
Instruction* UniformConstant(Instruction& instruction, Rewriter& rewriter) {
  const hlo::Literal& value = instruction.value();
  if (!value.shape().IsArray() || value.is_elided() ||
      value.shape().rank() == 0 || value.element_count() == 0 ||
      !IsUniform(value)) {
    return nullptr;
  }
  hlo::Literal scalar(hlo::Shape::Scalar(value.shape().element_type()));
  std::memcpy(scalar.mutable_untyped_data(), value.untyped_data(),
              scalar.size_bytes());
  return rewriter.Splat(rewriter.Constant(std::move(scalar)),
                        instruction.shape());
}

// 0, 1, 2, ... is an iota, which needs no memory.
Instruction* CountingConstant(Instruction& instruction, Rewriter& rewriter) {
  const hlo::Literal& value = instruction.value();
  constexpr int64_t kFewElements = 4;
  if (!value.shape().IsArray() || value.is_elided() ||
      value.shape().rank() != 1 || value.element_count() <= kFewElements ||
      !hlo::IsInteger(value.shape().element_type())) {
    return nullptr;
  }
  const bool counts =
      hlo::DispatchElementType(value.shape().element_type(), [&](auto tag) {
        using T = decltype(tag)::type;
        if constexpr (NumericTraits<T>::is_integer) {
          const auto* data = reinterpret_cast<const T*>(value.untyped_data());
          for (int64_t i = 0; i < value.element_count(); ++i) {
            if (!(data[i] == ConvertElement<T>(i))) return false;
          }
          return true;
        }
        return false;
      });
  return counts ? rewriter.Iota(instruction.shape(), 0) : nullptr;
}

// An array without elements needs no computing.
Instruction* EmptyResult(Instruction& instruction, Rewriter& rewriter) {
  const hlo::Shape& shape = instruction.shape();
  if (!shape.IsArray() || shape.IsDynamic() || shape.ElementCount() > 0) {
    return nullptr;
  }
  switch (instruction.opcode()) {
    case Opcode::kConstant:
    case Opcode::kParameter:
    case Opcode::kGetTupleElement:
      return nullptr;
    default:  // NOLINT: all others, as far as they are pure
      break;
  }
  if (!IsPure(instruction)) return nullptr;
  for (const hlo::Computation* callee : instruction.called_computations()) {
    if (!IsPure(*callee)) return nullptr;
  }
  return rewriter.Constant(hlo::Literal(WithoutLayout(shape)));
}

// Element-wise operations on repeated scalars repeat the scalar result.
Instruction* ElementwiseOfSplats(Instruction& instruction, Rewriter& rewriter) {
  if (!instruction.shape().IsArray() || instruction.shape().rank() == 0 ||
      instruction.shape().IsDynamic() || instruction.operand_count() == 0) {
    return nullptr;
  }
  std::vector<Instruction*> scalars;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    scalars.push_back(SplatScalar(instruction.operand(i)));
    if (scalars.back() == nullptr) return nullptr;
  }
  Instruction* scalar = rewriter.Like(
      instruction, hlo::Shape::Scalar(instruction.shape().element_type()),
      scalars);
  return rewriter.Splat(scalar, instruction.shape());
}

constexpr auto kStructureRules = std::to_array<Rule>({
    {.name = "element-of-tuple",
     .text = "get-tuple-element(tuple(x, ...)) => x",
     .opcode = Opcode::kGetTupleElement,
     .apply = &ElementOfTuple},
    {.name = "tuple-of-elements",
     .text = "tuple(get-tuple-element(t, 0), ...) => t",
     .opcode = Opcode::kTuple,
     .apply = &TupleOfElements},
    {.name = "copy",
     .text = "copy(x) => x",
     .opcode = Opcode::kCopy,
     .apply = &DropCopy},
    {.name = "dependency-on-nothing",
     .text = "add-dependency(x, after-all()) => x",
     .opcode = Opcode::kAddDependency,
     .apply = &DependencyOnNothing},
    {.name = "single-token",
     .text = "after-all(t, t) => t",
     .opcode = Opcode::kAfterAll,
     .apply = &SingleToken},
    {.name = "empty-result",
     .text = "an operation with an empty result => constant({})",
     .at_opcodes = &IsAnyOpcode,
     .apply = &EmptyResult},
    {.name = "uniform-constant",
     .text = "constant({a, a, ...}) => broadcast(constant(a))",
     .opcode = Opcode::kConstant,
     .apply = &UniformConstant},
    {.name = "counting-constant",
     .text = "constant({0, 1, 2, ...}) => iota",
     .opcode = Opcode::kConstant,
     .apply = &CountingConstant},
    {.name = "element-wise-of-splats",
     .text = "op(broadcast(a), broadcast(b)) => broadcast(op(a, b))",
     .at_opcodes = &IsElementwise,
     .apply = &ElementwiseOfSplats},
});

}  // namespace

absl::Span<const Rule> StructureRules() { return kStructureRules; }

}  // namespace hilo::passes
