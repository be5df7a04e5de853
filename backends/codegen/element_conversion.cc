// Converts elements between types as the convert opcode does.
#include "backends/codegen/element_conversion.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "llvm/IR/IRBuilder.h"

#include "backends/codegen/element_value.h"
#include "backends/codegen/lanes.h"
#include "backends/codegen/stored_form.h"
#include "backends/codegen/target_facts.h"
#include "hlo/ir/element_type.h"
#include "runtime/base/numeric_types.h"

namespace hilo::backends {
namespace {

using hlo::ElementType;

// What a float type can hold.
struct FloatRange {
  int mantissa_bits = 0;
  double highest = 0;
  double smallest_normal = 0;
  bool has_infinity = true;
  bool is_scale = false;
};

FloatRange RangeOf(ElementType type) {
  return hlo::DispatchElementType(type, [](auto tag) -> FloatRange {
    using T = decltype(tag)::type;
    using Traits = NumericTraits<T>;
    if constexpr (internal::kIsSmallFloat<T>) {
      return {.mantissa_bits = T::kMantissaBits,
              .highest = static_cast<double>(Traits::highest()),
              .smallest_normal = std::ldexp(1.0, 1 - T::kBias),
              .has_infinity = Traits::has_infinity,
              .is_scale = T::kFamily == SmallFloatFamily::kScale};
    } else if constexpr (std::is_floating_point_v<T>) {
      return {.mantissa_bits = Traits::mantissa_bits,
              .highest = std::numeric_limits<T>::max(),
              .smallest_normal = std::numeric_limits<T>::min()};
    } else {
      return {};
    }
  });
}

// Whether all values of `from`, infinities and NaN included, are values of
// `to`.
bool Includes(ElementType to, ElementType from) {
  const FloatRange wide = RangeOf(to);
  const FloatRange narrow = RangeOf(from);
  return !wide.is_scale && !narrow.is_scale && wide.has_infinity &&
         wide.mantissa_bits >= narrow.mantissa_bits &&
         wide.highest >= narrow.highest &&
         wide.smallest_normal * std::ldexp(1.0, -wide.mantissa_bits) <=
             narrow.smallest_normal * std::ldexp(1.0, -narrow.mantissa_bits);
}

Lanes ConvertFloat(const Lanes& x, ElementType from, ElementType to,
                   TargetFacts facts) {
  const bool is_double = x.IsDouble();
  if (to == ElementType::kF64) return is_double ? x : ToDouble(x);
  if (to == ElementType::kF32) return is_double ? ToFloat(x) : x;
  if (!is_double && Includes(to, from)) return x;
  const Lanes rounded = RoundTo(to, x, facts);
  if (!is_double) return rounded;
  const Lanes narrow = ToFloat(rounded);
  // Removes the low bits of NaNs.
  return to == ElementType::kBF16 ? RoundTo(to, narrow) : narrow;
}

// Drops the fraction; saturates; NaN becomes 0. No instruction sees a number
// that it cannot convert.
Lanes FloatToInteger(const Lanes& x, ElementType to) {
  const auto width = static_cast<int>(hlo::InfoOf(to).bits);
  const auto storage = 8U * static_cast<unsigned>(hlo::StorageBytes(to));
  const bool is_signed = hlo::IsSignedInteger(to);
  const int magnitude_bits = is_signed ? width - 1 : width;
  const double limit = std::ldexp(1.0, magnitude_bits);
  const int precision = x.IsDouble() ? 53 : 24;
  const bool is_exact = magnitude_bits <= precision;
  const double highest =
      is_exact ? limit - 1 : limit * (1 - std::ldexp(1.0, -precision));
  const double lowest = is_signed ? -limit : 0.0;
  // NaN becomes `lowest` here.
  const Lanes bounded = SmallerOrSecond(LargerOrSecond(x, x.Constant(lowest)),
                                        x.Constant(highest));
  const unsigned converted = std::max(storage, 32U);
  Lanes result = is_signed || width < 32 ? FloatToSigned(bounded, converted)
                                         : FloatToUnsigned(bounded, converted);
  result = ResizeUnsigned(result, storage);
  if (!is_exact) {
    const uint64_t largest = ~uint64_t{0} >> (64 - magnitude_bits);
    result = Select(x >= limit, largest, result);
  }
  return is_signed ? Select(IsNan(x), 0, result) : result;
}

// A double that rounds to at most 30 bits as the integer x of 64 bits does:
// bits too low for a double are replaced by one sticky bit.
Lanes RoundToOdd(const Lanes& x, bool is_signed) {
  const Lanes negative =
      is_signed ? ShiftArithmetic(x, x.Constant(63)) : x.Constant(0);
  const Lanes magnitude = (x ^ negative) - negative;
  const Lanes sticky = Select((magnitude & 0x7FF) != 0, 0x800, x.Constant(0));
  const Lanes cut = (magnitude & ~uint64_t{0x7FF}) | sticky;
  const Lanes is_small = (magnitude >> 53) == 0;
  const Lanes value = UnsignedToFloat(Select(is_small, magnitude, cut), true);
  return is_signed ? Select(x < 0, -value, value) : value;
}

Lanes IntegerToFloat(const Lanes& x, ElementType from, ElementType to) {
  const bool is_signed = hlo::IsSignedInteger(from);
  const auto convert = [&](bool to_double) {
    return is_signed ? SignedToFloat(x, to_double)
                     : UnsignedToFloat(x, to_double);
  };
  if (to == ElementType::kF64) return convert(true);
  if (to == ElementType::kF32) return convert(false);
  // Integers go to f16 and bf16 through f32; to the others they round once.
  if (hlo::InfoOf(to).bits == 16 || x.bits() < 32) {
    return RoundTo(to, convert(false));
  }
  const Lanes wide = x.bits() == 64 ? RoundToOdd(x, is_signed) : convert(true);
  return ToFloat(RoundTo(to, wide));
}

Lanes ConvertInteger(const Lanes& x, ElementType from, ElementType to) {
  const auto storage = 8U * static_cast<unsigned>(hlo::StorageBytes(to));
  const Lanes resized = hlo::IsSignedInteger(from) ? ResizeSigned(x, storage)
                                                   : ResizeUnsigned(x, storage);
  return Wrap(to, resized);
}

Lanes ConvertReal(const Lanes& x, ElementType from, ElementType to,
                  TargetFacts facts) {
  if (from == to) return x;
  if (to == ElementType::kPred) return x != 0;
  if (from == ElementType::kPred) {
    if (hlo::IsFloat(to)) {
      return RoundTo(to, UnsignedToFloat(x, to == ElementType::kF64));
    }
    return Wrap(
        to, AsInteger(x, 8U * static_cast<unsigned>(hlo::StorageBytes(to))));
  }
  if (hlo::IsFloat(from)) {
    return hlo::IsFloat(to) ? ConvertFloat(x, from, to, facts)
                            : FloatToInteger(x, to);
  }
  return hlo::IsFloat(to) ? IntegerToFloat(x, from, to)
                          : ConvertInteger(x, from, to);
}

}  // namespace

ElementValue ConvertElements(llvm::IRBuilderBase& builder,
                             const ElementValue& value, ElementType from,
                             ElementType to, TargetFacts facts) {
  if (from == to) return value;
  const ElementType from_part = hlo::ComponentType(from);
  const ElementType to_part = hlo::ComponentType(to);
  const Lanes real =
      ConvertReal(Lanes(builder, value.real), from_part, to_part, facts);
  if (!hlo::IsComplex(to)) return {real.value(), nullptr};
  if (!hlo::IsComplex(from)) return {real.value(), real.Constant(0).value()};
  return {real.value(),
          ConvertReal(Lanes(builder, value.imag), from_part, to_part, facts)
              .value()};
}

}  // namespace hilo::backends
