// Kernels of reduce-precision and stochastic-convert.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/status/statusor.h"

#include "hlo/eval/elementwise_kernel.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "runtime/base/numeric_types.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// The code of a float, its sign apart, and back.
template <typename T>
uint64_t FloatCodeOf(T x) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(x);
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(x);
  } else {
    return x.bits();
  }
}
template <typename T>
T FromCode(uint64_t code) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(code);
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(code));
  } else {
    return T::FromBits(static_cast<T::Bits>(code));
  }
}
template <typename T>
bool IsNan(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(x);
  } else {
    return x.is_nan();
  }
}
template <typename T>
constexpr int BiasOf() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::max_exponent - 1;
  } else {
    return T::kBias;
  }
}

// Rounds the code's magnitude to `mantissa_bits`, ties to even.
template <typename T>
uint64_t RoundMantissa(uint64_t magnitude, int mantissa_bits) {
  const int dropped = NumericTraits<T>::mantissa_bits - mantissa_bits;
  if (dropped <= 0) return magnitude;
  const uint64_t odd = (magnitude >> dropped) & 1;
  const uint64_t half = uint64_t{1} << (dropped - 1);
  return (magnitude + half - 1 + odd) & ~((uint64_t{1} << dropped) - 1);
}

// The magnitude of x after rounding, in a format of `exponent_bits`.
template <typename T>
T ReducePrecision(T x, int exponent_bits, int mantissa_bits) {
  using Traits = NumericTraits<T>;
  if (IsNan(x)) return x;
  constexpr uint64_t kMagnitude =
      (uint64_t{1} << (Traits::mantissa_bits + Traits::exponent_bits)) - 1;
  const uint64_t code = FloatCodeOf(x);
  const uint64_t sign = code & ~kMagnitude;
  const uint64_t infinity = FloatCodeOf(Traits::infinity());
  uint64_t magnitude = code & kMagnitude;
  if (Traits::has_infinity && magnitude == infinity) return x;
  magnitude = RoundMantissa<T>(magnitude, mantissa_bits);
  if (magnitude > FloatCodeOf(Traits::highest())) magnitude = infinity;
  if (exponent_bits < Traits::exponent_bits) {
    const int largest = (1 << (exponent_bits - 1)) - 1;
    const int exponent =
        static_cast<int>(magnitude >> Traits::mantissa_bits) - BiasOf<T>();
    if (exponent > largest) magnitude = infinity;
    if (exponent <= -largest) magnitude = 0;
  }
  return FromCode<T>(sign | magnitude);
}

template <typename T>
void RunReducePrecision(const ElementwiseKernel& kernel,
                        const void* const* operands, void* result,
                        int64_t lanes) {
  const T* x = static_cast<const T*>(operands[0]);
  T* out = static_cast<T*>(result);
  for (int64_t i = 0; i < lanes; ++i) {
    out[i] = ReducePrecision(x[i], kernel.exponent_bits, kernel.mantissa_bits);
  }
}

template <typename T>
void LoadUnsigned(const void* operand, void* result, int64_t lanes) {
  const T* x = static_cast<const T*>(operand);
  auto* out = static_cast<uint64_t*>(result);
  for (int64_t i = 0; i < lanes; ++i) out[i] = x[i];
}

ElementwiseKernel::Conversion FindUnsignedLoad(ElementType type) {
  switch (InfoOf(type).storage_bytes) {
    case 1:
      return &LoadUnsigned<uint8_t>;
    case 2:
      return &LoadUnsigned<uint16_t>;
    case 4:
      return &LoadUnsigned<uint32_t>;
    case 8:
      return &LoadUnsigned<uint64_t>;
    default:
      return nullptr;
  }
}

// Rounds the magnitude up when `random` is below the fraction's share of the
// 2^random_bits numbers.
template <typename To>
To StochasticConvert(double x, uint64_t random, int random_bits) {
  if (std::isnan(x)) return To{};
  if (std::isinf(x)) return ConvertElement<To>(x);
  double magnitude = std::trunc(std::abs(x));
  const double fraction = std::abs(x) - magnitude;
  const double share = std::ceil(std::ldexp(fraction, random_bits));
  if (share >= 0x1p64 || random < static_cast<uint64_t>(share)) magnitude += 1;
  return ConvertElement<To>(std::copysign(magnitude, x));
}

template <typename From, typename To>
void RunStochasticConvert(const ElementwiseKernel& kernel,
                          const void* const* operands, void* result,
                          int64_t lanes) {
  const From* x = static_cast<const From*>(operands[0]);
  const auto* random = static_cast<const uint64_t*>(operands[1]);
  To* out = static_cast<To*>(result);
  for (int64_t i = 0; i < lanes; ++i) {
    out[i] = StochasticConvert<To>(x[i], random[i], kernel.exponent_bits);
  }
}

template <typename From>
ElementwiseKernel::Function FindStochasticConvert(ElementType to) {
  return DispatchElementType(to, [](auto tag) -> ElementwiseKernel::Function {
    using To = decltype(tag)::type;
    if constexpr (NumericTraits<To>::is_signed_integer) {
      return &RunStochasticConvert<From, To>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace

absl::StatusOr<ElementwiseKernel> FindReducePrecisionKernel(
    const Instruction& instruction) {
  ElementwiseKernel kernel;
  kernel.operand_count = 1;
  kernel.exponent_bits = static_cast<int>(instruction.exponent_bits());
  kernel.mantissa_bits = static_cast<int>(instruction.mantissa_bits());
  const ElementType type = KernelOperandType(instruction, 0);
  kernel.function =
      DispatchElementType(type, [](auto tag) -> ElementwiseKernel::Function {
        using T = decltype(tag)::type;
        if constexpr (NumericTraits<T>::is_float) {
          return &RunReducePrecision<T>;
        } else {
          return nullptr;
        }
      });
  if (kernel.function == nullptr) {
    return Unimplemented(TextOf(type), " is not a float type");
  }
  if (instruction.exponent_bits() < 1 || instruction.mantissa_bits() < 0) {
    return InvalidArgument("no format has ", instruction.exponent_bits(),
                           " exponent bits and ", instruction.mantissa_bits(),
                           " mantissa bits");
  }
  return kernel;
}

absl::StatusOr<ElementwiseKernel> FindStochasticConvertKernel(
    const Instruction& instruction) {
  const ElementType from = instruction.operand_shape(0).element_type();
  const ElementType random = instruction.operand_shape(1).element_type();
  const ElementType to = instruction.shape().element_type();
  ElementwiseKernel kernel;
  kernel.operand_count = 2;
  kernel.exponent_bits = InfoOf(random).bits;
  kernel.load = {LoadNarrowFloat(from), FindUnsignedLoad(random), nullptr};
  if (IsFloat(from) && IsUnsignedInteger(random)) {
    kernel.function = from == ElementType::kF64
                          ? FindStochasticConvert<double>(to)
                          : FindStochasticConvert<float>(to);
  }
  if (kernel.function == nullptr) {
    return Unimplemented("no conversion of ", TextOf(from), " to ", TextOf(to),
                         " with random ", TextOf(random));
  }
  return kernel;
}

}  // namespace hilo::hlo
