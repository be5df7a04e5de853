// The rows of scalar_functions.def as types with a static Apply.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "hlo/eval/complex_functions.h"
#include "hlo/eval/elementwise_kernel.h"
#include "hlo/eval/float_functions.h"
#include "hlo/eval/integer_functions.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/opcode.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo::scalar {

#define HLO_SCALAR_UNARY(Name, expression) \
  struct Name##Function {                  \
    template <int kBits, typename T>       \
    static auto Apply(T x) {               \
      return expression;                   \
    }                                      \
  };
#define HLO_SCALAR_BINARY(Name, expression) \
  struct Name##Function {                   \
    template <int kBits, typename T>        \
    static auto Apply(T x, T y) {           \
      return expression;                    \
    }                                       \
  };
#include "hlo/eval/scalar_functions.def"
#undef HLO_SCALAR_UNARY
#undef HLO_SCALAR_BINARY

// The element class of T, as a bit.
template <typename T>
constexpr TypeClasses ClassBitOf() {
  switch (NumericTraits<T>::kind) {
    case NumericKind::kPred:
      return ClassBit(ElementClass::kPredicate);
    case NumericKind::kSignedInteger:
      return ClassBit(ElementClass::kSigned);
    case NumericKind::kUnsignedInteger:
      return ClassBit(ElementClass::kUnsigned);
    case NumericKind::kFloat:
      return ClassBit(ElementClass::kFloat);
    case NumericKind::kComplex:
      return ClassBit(ElementClass::kComplex);
  }
  return 0;
}

// Whether functions are instantiated for T itself, if its class is admitted.
template <typename T>
inline constexpr bool kHasFunctions = !kIsNarrowFloat<T>;

// The number that functions get for an element, and the element they give.
template <bool is_math, typename T>
auto ToCompute(T x) {
  if constexpr (kIsNarrowInteger<T>) {
    return x.value();
  } else if constexpr (is_math && std::is_same_v<T, std::complex<float>>) {
    return std::complex<double>(x);
  } else {
    return x;
  }
}
template <typename T, typename Result>
auto FromCompute(Result result) {
  if constexpr (kIsNarrowInteger<T>) {
    return T::FromValue(result);
  } else if constexpr (std::is_same_v<T, std::complex<float>> &&
                       std::is_same_v<Result, std::complex<double>>) {
    return std::complex<float>(static_cast<float>(result.real()),
                               static_cast<float>(result.imag()));
  } else {
    return result;
  }
}

template <typename Function, bool is_math, typename T>
auto ApplyUnary(T x) {
  return FromCompute<T>(
      Function::template Apply<NumericTraits<T>::kBits>(ToCompute<is_math>(x)));
}
template <typename Function, bool is_math, typename T>
auto ApplyBinary(T x, T y) {
  return FromCompute<T>(Function::template Apply<NumericTraits<T>::kBits>(
      ToCompute<is_math>(x), ToCompute<is_math>(y)));
}

}  // namespace hilo::hlo::scalar
