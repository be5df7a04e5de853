// Kernels of clamp, complex and select.
#include <complex>
#include <cstdint>

#include "absl/status/statusor.h"

#include "hlo/eval/elementwise_kernel.h"
#include "hlo/eval/scalar_functions.h"
#include "hlo/ir/element_type.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

template <typename T>
void RunClamp(const ElementwiseKernel& /*kernel*/, const void* const* operands,
              void* result, int64_t lanes) {
  const T* low = static_cast<const T*>(operands[0]);
  const T* x = static_cast<const T*>(operands[1]);
  const T* high = static_cast<const T*>(operands[2]);
  T* out = static_cast<T*>(result);
  for (int64_t i = 0; i < lanes; ++i) {
    out[i] = scalar::ApplyBinary<scalar::MinimumFunction, false>(
        scalar::ApplyBinary<scalar::MaximumFunction, false>(x[i], low[i]),
        high[i]);
  }
}

template <typename T>
void RunComplex(const ElementwiseKernel& /*kernel*/,
                const void* const* operands, void* result, int64_t lanes) {
  const T* real = static_cast<const T*>(operands[0]);
  const T* imag = static_cast<const T*>(operands[1]);
  auto* out = static_cast<std::complex<T>*>(result);
  for (int64_t i = 0; i < lanes; ++i) out[i] = {real[i], imag[i]};
}

template <typename T>
void RunSelect(const ElementwiseKernel& /*kernel*/, const void* const* operands,
               void* result, int64_t lanes) {
  const bool* predicate = static_cast<const bool*>(operands[0]);
  const T* on_true = static_cast<const T*>(operands[1]);
  const T* on_false = static_cast<const T*>(operands[2]);
  T* out = static_cast<T*>(result);
  for (int64_t i = 0; i < lanes; ++i) {
    out[i] = predicate[i] ? on_true[i] : on_false[i];
  }
}

}  // namespace

absl::StatusOr<ElementwiseKernel> FindClampKernel(ElementType type) {
  ElementwiseKernel kernel;
  kernel.operand_count = 3;
  const ElementwiseKernel::Conversion load = LoadNarrowFloat(type);
  kernel.load = {load, load, load};
  kernel.store = StoreNarrowFloat(type);
  kernel.function =
      DispatchElementType(load != nullptr ? ElementType::kF32 : type,
                          [](auto tag) -> ElementwiseKernel::Function {
                            using T = decltype(tag)::type;
                            if constexpr (scalar::kHasFunctions<T>) {
                              return &RunClamp<T>;
                            } else {
                              return nullptr;
                            }
                          });
  return kernel;
}

absl::StatusOr<ElementwiseKernel> FindComplexKernel(ElementType component) {
  ElementwiseKernel kernel;
  kernel.operand_count = 2;
  if (component == ElementType::kF32) {
    kernel.function = &RunComplex<float>;
  } else if (component == ElementType::kF64) {
    kernel.function = &RunComplex<double>;
  } else {
    return Unimplemented("no complex type has parts of ", TextOf(component));
  }
  return kernel;
}

absl::StatusOr<ElementwiseKernel> FindSelectKernel(ElementType type) {
  ElementwiseKernel kernel;
  kernel.operand_count = 3;
  kernel.function =
      DispatchElementType(type, [](auto tag) -> ElementwiseKernel::Function {
        return &RunSelect<typename decltype(tag)::type>;
      });
  return kernel;
}

}  // namespace hilo::hlo
