// Kernels of the element-wise opcodes with two operands of one type.
#include <cstdint>

#include "hlo/eval/elementwise_kernel.h"
#include "hlo/eval/scalar_functions.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"

namespace hilo::hlo {
namespace {

template <typename Function, bool is_math, typename T>
void RunBinary(const ElementwiseKernel& /*kernel*/, const void* const* operands,
               void* result, int64_t lanes) {
  const T* x = static_cast<const T*>(operands[0]);
  const T* y = static_cast<const T*>(operands[1]);
  T* out = static_cast<T*>(result);
  for (int64_t i = 0; i < lanes; ++i) {
    out[i] = scalar::ApplyBinary<Function, is_math>(x[i], y[i]);
  }
}

// The binary opcodes whose complex form is written for c128 alone.
constexpr bool IsMath(Opcode opcode) {
  return opcode == Opcode::kAtan2 || opcode == Opcode::kPower;
}

template <typename Function, TypeClasses types, Opcode opcode>
ElementwiseKernel::Function ForType(ElementType type) {
  return DispatchElementType(type, [](auto tag) -> ElementwiseKernel::Function {
    using T = decltype(tag)::type;
    if constexpr (scalar::kHasFunctions<T> &&
                  (types & scalar::ClassBitOf<T>()) != 0) {
      return &RunBinary<Function, IsMath(opcode), T>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace

ElementwiseKernel::Function FindBinaryFunction(Opcode opcode,
                                               ElementType type) {
  switch (opcode) {
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc) \
  case Opcode::k##Name:
#define HLO_OP(Name, text, arity, traits, attributes, doc) case Opcode::k##Name:
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc)
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP
    break;
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc)
#define HLO_OP(Name, text, arity, traits, attributes, doc)
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc) \
  case Opcode::k##Name:                                      \
    return ForType<scalar::Name##Function, types, Opcode::k##Name>(type);
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP
  }
  return nullptr;
}

}  // namespace hilo::hlo
