// Kernels of convert: any element type to any other.
#include <cstdint>
#include <cstring>

#include "hlo/eval/elementwise_kernel.h"
#include "hlo/ir/element_type.h"

namespace hilo::hlo {
namespace {

template <typename From, typename To>
void RunConvert(const ElementwiseKernel& /*kernel*/,
                const void* const* operands, void* result, int64_t lanes) {
  const From* x = static_cast<const From*>(operands[0]);
  To* out = static_cast<To*>(result);
  for (int64_t i = 0; i < lanes; ++i) out[i] = ConvertElement<To>(x[i]);
}

template <typename T>
void RunCopy(const ElementwiseKernel& /*kernel*/, const void* const* operands,
             void* result, int64_t lanes) {
  std::memmove(result, operands[0], lanes * sizeof(T));
}

template <typename T>
void LoadFloats(const void* operand, void* result, int64_t lanes) {
  const T* x = static_cast<const T*>(operand);
  auto* out = static_cast<float*>(result);
  for (int64_t i = 0; i < lanes; ++i) out[i] = static_cast<float>(x[i]);
}

template <typename T>
void StoreFloats(const void* operand, void* result, int64_t lanes) {
  const auto* x = static_cast<const float*>(operand);
  T* out = static_cast<T*>(result);
  for (int64_t i = 0; i < lanes; ++i) out[i] = T::FromFloat(x[i]);
}

// The type with the same values that T is converted from: narrow integers are
// kept extended to 8 bits, narrow floats are loaded as float.
template <typename T>
auto ConvertedFrom() {
  if constexpr (kIsNarrowInteger<T>) {
    return TypeTag<typename T::Value>();
  } else if constexpr (kIsNarrowFloat<T>) {
    return TypeTag<float>();
  } else {
    return TypeTag<T>();
  }
}

template <typename From>
ElementwiseKernel::Function FindConversionFrom(ElementType to) {
  return DispatchElementType(to, [](auto tag) -> ElementwiseKernel::Function {
    return &RunConvert<From, typename decltype(tag)::type>;
  });
}

}  // namespace

ElementwiseKernel::Conversion LoadNarrowFloat(ElementType type) {
  return DispatchElementType(type,
                             [](auto tag) -> ElementwiseKernel::Conversion {
                               using T = decltype(tag)::type;
                               if constexpr (kIsNarrowFloat<T>) {
                                 return &LoadFloats<T>;
                               } else {
                                 return nullptr;
                               }
                             });
}

ElementwiseKernel::Conversion StoreNarrowFloat(ElementType type) {
  return DispatchElementType(type,
                             [](auto tag) -> ElementwiseKernel::Conversion {
                               using T = decltype(tag)::type;
                               if constexpr (kIsNarrowFloat<T>) {
                                 return &StoreFloats<T>;
                               } else {
                                 return nullptr;
                               }
                             });
}

ElementwiseKernel FindConvertKernel(ElementType from, ElementType to) {
  ElementwiseKernel kernel;
  kernel.operand_count = 1;
  if (from == to) {
    kernel.function =
        DispatchElementType(to, [](auto tag) -> ElementwiseKernel::Function {
          return &RunCopy<typename decltype(tag)::type>;
        });
    return kernel;
  }
  kernel.load[0] = LoadNarrowFloat(from);
  kernel.function = DispatchElementType(from, [to](auto tag) {
    using From = decltype(ConvertedFrom<typename decltype(tag)::type>())::type;
    return FindConversionFrom<From>(to);
  });
  return kernel;
}

}  // namespace hilo::hlo
