// Kernels of the element-wise opcodes with one operand.
#include <cstdint>

#include "hlo/eval/elementwise_kernel.h"
#include "hlo/eval/scalar_functions.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"

namespace hilo::hlo {
namespace {

template <typename Function, bool is_math, typename T>
void RunUnary(const ElementwiseKernel& /*kernel*/, const void* const* operands,
              void* result, int64_t lanes) {
  using Result = decltype(scalar::ApplyUnary<Function, is_math>(T{}));
  const T* x = static_cast<const T*>(operands[0]);
  auto* out = static_cast<Result*>(result);
  for (int64_t i = 0; i < lanes; ++i) {
    out[i] = scalar::ApplyUnary<Function, is_math>(x[i]);
  }
}

template <typename Function, TypeClasses types, OpcodeTraits traits>
ElementwiseKernel::Function ForType(ElementType type) {
  return DispatchElementType(type, [](auto tag) -> ElementwiseKernel::Function {
    using T = decltype(tag)::type;
    if constexpr (scalar::kHasFunctions<T> &&
                  (types & scalar::ClassBitOf<T>()) != 0) {
      return &RunUnary<Function, (traits & kMathFunction) != 0, T>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace

ElementwiseKernel::Function FindUnaryFunction(Opcode opcode, ElementType type) {
  switch (opcode) {
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc) \
  case Opcode::k##Name:
#define HLO_OP(Name, text, arity, traits, attributes, doc) case Opcode::k##Name:
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc)
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP
    break;
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc)
#define HLO_OP(Name, text, arity, traits, attributes, doc)
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc) \
  case Opcode::k##Name:                                     \
    return ForType<scalar::Name##Function, types, traits>(type);
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP
  }
  return nullptr;
}

}  // namespace hilo::hlo
