// Kernels of compare.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "absl/status/statusor.h"

#include "hlo/eval/elementwise_kernel.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "runtime/base/numeric_traits.h"
#include "runtime/base/small_float.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Complex numbers are ordered by their real parts, then by the imaginary ones;
// a NaN part makes all but NE false.
template <typename T>
bool IsOrdered(std::complex<T> x, std::complex<T> y) {
  return !std::isnan(x.real()) && !std::isnan(x.imag()) &&
         !std::isnan(y.real()) && !std::isnan(y.imag());
}
template <typename T>
bool operator<(std::complex<T> x, std::complex<T> y) {
  if (!IsOrdered(x, y)) return false;
  if (x.real() != y.real()) return x.real() < y.real();
  return x.imag() < y.imag();
}
template <typename T>
bool operator<=(std::complex<T> x, std::complex<T> y) {
  return x < y || x == y;
}

template <ComparisonDirection direction, typename T>
bool Holds(T x, T y) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return x == y;
    case ComparisonDirection::kNe:
      return x != y;
    case ComparisonDirection::kGe:
      return y <= x;
    case ComparisonDirection::kGt:
      return y < x;
    case ComparisonDirection::kLe:
      return x <= y;
    case ComparisonDirection::kLt:
      return x < y;
  }
  return false;
}

template <ComparisonDirection direction, typename T>
void RunCompare(const ElementwiseKernel& /*kernel*/,
                const void* const* operands, void* result, int64_t lanes) {
  const T* x = static_cast<const T*>(operands[0]);
  const T* y = static_cast<const T*>(operands[1]);
  bool* out = static_cast<bool*>(result);
  for (int64_t i = 0; i < lanes; ++i) out[i] = Holds<direction>(x[i], y[i]);
}

template <typename T>
ElementwiseKernel::Function ForDirection(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return &RunCompare<ComparisonDirection::kEq, T>;
    case ComparisonDirection::kNe:
      return &RunCompare<ComparisonDirection::kNe, T>;
    case ComparisonDirection::kGe:
      return &RunCompare<ComparisonDirection::kGe, T>;
    case ComparisonDirection::kGt:
      return &RunCompare<ComparisonDirection::kGt, T>;
    case ComparisonDirection::kLe:
      return &RunCompare<ComparisonDirection::kLe, T>;
    case ComparisonDirection::kLt:
      return &RunCompare<ComparisonDirection::kLt, T>;
  }
  return nullptr;
}

// What stands for T in comparisons by value: narrow integers are kept sign-
// or zero-extended.
template <typename T>
auto ComparedAs() {
  if constexpr (kIsNarrowInteger<T>) {
    return TypeTag<typename T::Value>();
  } else if constexpr (kIsNarrowFloat<T>) {
    return TypeTag<float>();
  } else {
    return TypeTag<T>();
  }
}

// The position of x in the total order: its bits as a signed number, with all
// bits below the sign flipped if negative.
template <typename T>
int64_t TotalOrderKey(T x) {
  if constexpr (std::is_same_v<T, double>) {
    const auto bits = std::bit_cast<int64_t>(x);
    return bits < 0 ? bits ^ INT64_MAX : bits;
  } else if constexpr (std::is_same_v<T, float>) {
    const auto bits = std::bit_cast<int32_t>(x);
    return bits < 0 ? bits ^ INT32_MAX : bits;
  } else {
    const int32_t magnitude = x.bits() & T::kMagnitudeMask;
    if (!x.sign_bit()) return magnitude;
    // The one NaN of types without -0 counts as negative.
    if (T::kFamily == SmallFloatFamily::kUnsignedZero && magnitude == 0) {
      return -(T::kMagnitudeMask + 2);
    }
    return -magnitude - 1;
  }
}

template <typename T>
void LoadTotalOrderKeys(const void* operand, void* result, int64_t lanes) {
  const T* x = static_cast<const T*>(operand);
  auto* out = static_cast<int64_t*>(result);
  for (int64_t i = 0; i < lanes; ++i) out[i] = TotalOrderKey(x[i]);
}

ElementwiseKernel::Conversion FindTotalOrderLoad(ElementType type) {
  return DispatchElementType(type,
                             [](auto tag) -> ElementwiseKernel::Conversion {
                               using T = decltype(tag)::type;
                               if constexpr (NumericTraits<T>::is_float) {
                                 return &LoadTotalOrderKeys<T>;
                               } else {
                                 return nullptr;
                               }
                             });
}

}  // namespace

absl::StatusOr<ElementwiseKernel> FindCompareKernel(
    const Instruction& instruction) {
  const ElementType type = instruction.operand_shape(0).element_type();
  ElementwiseKernel kernel;
  kernel.operand_count = 2;
  const ComparisonType comparison = instruction.comparison_type();
  if (comparison == ComparisonType::kTotalOrder && IsFloat(type)) {
    kernel.load[0] = kernel.load[1] = FindTotalOrderLoad(type);
    kernel.function = ForDirection<int64_t>(instruction.direction());
    return kernel;
  }
  if (comparison != DefaultComparisonType(type)) {
    return InvalidArgument("type=", TextOf(comparison),
                           " does not fit operands of ", TextOf(type));
  }
  kernel.load[0] = kernel.load[1] = LoadNarrowFloat(type);
  kernel.function = DispatchElementType(type, [&](auto tag) {
    using Compared = decltype(ComparedAs<typename decltype(tag)::type>())::type;
    return ForDirection<Compared>(instruction.direction());
  });
  return kernel;
}

}  // namespace hilo::hlo
