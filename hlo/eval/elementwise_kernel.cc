// Finds the kernel of an element-wise instruction, and runs it.
#include "hlo/eval/elementwise_kernel.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// The largest compute type behind a load or store: uint64_t.
constexpr int64_t kBlockBytes = ElementwiseKernel::kMaxLanes * 8;

// Unary and binary rows: narrow floats are loaded as, and stored from, float.
absl::StatusOr<ElementwiseKernel> FindRowKernel(
    const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  ElementwiseKernel kernel;
  const ElementType type = KernelOperandType(instruction, 0);
  const ElementwiseKernel::Conversion load = LoadNarrowFloat(type);
  const ElementType compute = load != nullptr ? ElementType::kF32 : type;
  if (IsElementwiseUnary(opcode)) {
    kernel.operand_count = 1;
    kernel.function = FindUnaryFunction(opcode, compute);
  } else {
    kernel.operand_count = 2;
    kernel.function = FindBinaryFunction(opcode, compute);
  }
  kernel.load = {load, load, nullptr};
  if (load != nullptr && !InfoOf(opcode).Has(kPredicateResult)) {
    kernel.store = StoreNarrowFloat(type);
  }
  if (kernel.function == nullptr) {
    return Unimplemented("operands of ", TextOf(type), " are not taken");
  }
  return kernel;
}

}  // namespace

void ElementwiseKernel::Run(const void* const* operands, void* result,
                            int64_t lanes) const {
  using Block = std::array<std::byte, kBlockBytes>;
  alignas(64) std::array<Block, kMaxOperands + 1> blocks;
  std::array<const void*, kMaxOperands> loaded = {};
  for (int i = 0; i < operand_count; ++i) {
    loaded[i] = operands[i];
    if (load[i] == nullptr) continue;
    load[i](operands[i], blocks[i].data(), lanes);
    loaded[i] = blocks[i].data();
  }
  if (store == nullptr) {
    function(*this, loaded.data(), result, lanes);
    return;
  }
  function(*this, loaded.data(), blocks[kMaxOperands].data(), lanes);
  store(blocks[kMaxOperands].data(), result, lanes);
}

ElementType KernelOperandType(const Instruction& instruction, int64_t i) {
  const Opcode opcode = instruction.opcode();
  const OpcodeInfo& info = InfoOf(opcode);
  const ElementType own = instruction.operand_shape(i).element_type();
  const ElementType result = instruction.shape().element_type();
  if (opcode == Opcode::kCompare) {
    return instruction.operand_shape(0).element_type();
  }
  if (IsElementwiseBinary(opcode) || opcode == Opcode::kClamp ||
      opcode == Opcode::kReducePrecision ||
      (opcode == Opcode::kSelect && i > 0)) {
    return result;
  }
  if (IsElementwiseUnary(opcode) && !info.Has(kComponentResult) &&
      !info.Has(kPredicateResult)) {
    return result;
  }
  return own;
}

absl::StatusOr<ElementwiseKernel> FindElementwiseKernel(
    const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  if (!InfoOf(opcode).Has(kElementwise) && !IsElementwiseUnary(opcode) &&
      !IsElementwiseBinary(opcode)) {
    return Unimplemented("not element-wise");
  }
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (!instruction.operand_shape(i).IsArray()) {
      return InvalidArgument("operand ", i, " is not an array");
    }
  }
  if (!instruction.shape().IsArray() || instruction.operand_count() == 0) {
    return InvalidArgument("not an operation on arrays");
  }
  if (IsElementwiseUnary(opcode) || IsElementwiseBinary(opcode)) {
    return FindRowKernel(instruction);
  }
  const ElementType result = instruction.shape().element_type();
  if (opcode == Opcode::kClamp) return FindClampKernel(result);
  if (opcode == Opcode::kCompare) return FindCompareKernel(instruction);
  if (opcode == Opcode::kSelect) return FindSelectKernel(result);
  if (opcode == Opcode::kComplex) {
    return FindComplexKernel(KernelOperandType(instruction, 0));
  }
  if (opcode == Opcode::kConvert) {
    return FindConvertKernel(KernelOperandType(instruction, 0), result);
  }
  if (opcode == Opcode::kReducePrecision) {
    return FindReducePrecisionKernel(instruction);
  }
  if (opcode == Opcode::kStochasticConvert) {
    return FindStochasticConvertKernel(instruction);
  }
  return Unimplemented("has no kernel");
}

}  // namespace hilo::hlo
