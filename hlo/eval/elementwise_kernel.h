// Functions that apply one element-wise instruction to a run of elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/opcode.h"

namespace hilo::hlo {

// Integers of less than 8 bits, kept extended to a byte, and floats that
// compute as float.
template <typename T>
inline constexpr bool kIsNarrowInteger = ::hilo::internal::kIsSmallInt<T>;
template <typename T>
inline constexpr bool kIsNarrowFloat = ::hilo::internal::kIsSmallFloat<T>;

// One element-wise instruction on up to kMaxLanes elements at a time: operands
// are loaded into a compute type, the function runs, the result is stored.
struct ElementwiseKernel {
  static constexpr int64_t kMaxLanes = 512;
  static constexpr int kMaxOperands = 3;

  using Function = void (*)(const ElementwiseKernel& kernel,
                            const void* const* operands, void* result,
                            int64_t lanes);
  using Conversion = void (*)(const void* operand, void* result, int64_t lanes);

  Function function = nullptr;
  int operand_count = 0;
  // To the compute type, whose elements take at most 8 bytes; null when the
  // operand has it.
  std::array<Conversion, kMaxOperands> load = {};
  // From the function's result to the element type; null when they agree.
  Conversion store = nullptr;
  // reduce-precision: what is kept. stochastic-convert: bits of the random
  // numbers, in `exponent_bits`.
  int exponent_bits = 0;
  int mantissa_bits = 0;

  // Applies the kernel to `lanes` (at most kMaxLanes) elements. The result may
  // be the same memory as an operand of the same element size.
  void Run(const void* const* operands, void* result, int64_t lanes) const;
};

// The type in which operand `i` of an element-wise instruction is read: its
// own, unless float types are mixed.
ElementType KernelOperandType(const Instruction& instruction, int64_t i);

// The kernel for an element-wise instruction whose operands have the types
// that KernelOperandType says.
//
// Errors: Unimplemented for opcodes that are not element-wise and for types
// that the opcode does not take.
absl::StatusOr<ElementwiseKernel> FindElementwiseKernel(
    const Instruction& instruction);

// The kernel that converts elements of `from` to `to`.
ElementwiseKernel FindConvertKernel(ElementType from, ElementType to);

// Narrow floats to and from float; null for other types.
ElementwiseKernel::Conversion LoadNarrowFloat(ElementType type);
ElementwiseKernel::Conversion StoreNarrowFloat(ElementType type);

// The families, by file; null for types that the opcode does not take. Narrow
// floats are not among the types: they are loaded as floats.
ElementwiseKernel::Function FindUnaryFunction(Opcode opcode, ElementType type);
ElementwiseKernel::Function FindBinaryFunction(Opcode opcode, ElementType type);
absl::StatusOr<ElementwiseKernel> FindCompareKernel(
    const Instruction& instruction);
absl::StatusOr<ElementwiseKernel> FindClampKernel(ElementType type);
absl::StatusOr<ElementwiseKernel> FindComplexKernel(ElementType component);
absl::StatusOr<ElementwiseKernel> FindReducePrecisionKernel(
    const Instruction& instruction);
absl::StatusOr<ElementwiseKernel> FindSelectKernel(ElementType type);
absl::StatusOr<ElementwiseKernel> FindStochasticConvertKernel(
    const Instruction& instruction);

}  // namespace hilo::hlo
