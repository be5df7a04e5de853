// Unsigned keys that are ordered as the elements they stand for.
#include "hlo/eval/ordered_keys.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo {
namespace {

constexpr uint64_t kSignBit = uint64_t{1} << 63;

// From sign and magnitude in the low `bits` bits to an unsigned order.
constexpr uint64_t KeyOfSignMagnitude(uint64_t code, int bits) {
  const uint64_t sign = uint64_t{1} << (bits - 1);
  const uint64_t mask = sign | (sign - 1);
  return (code & sign) != 0 ? ~code & mask : code | sign;
}

template <typename T>
uint64_t BitsOfFloat(T value) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return value.bits();
  }
}

template <typename T>
uint64_t OrderedKeyOf(T value) {
  constexpr int kBits = NumericTraits<T>::kBits;
  if constexpr (!std::is_floating_point_v<T>) {
    if constexpr (!T::kHasSign) return value.bits();
  }
  return KeyOfSignMagnitude(BitsOfFloat(value), kBits);
}

template <typename T>
uint64_t IntegerKey(T value) {
  const auto bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  if constexpr (NumericTraits<T>::is_signed_integer) return bits ^ kSignBit;
  return bits;
}

template <typename T>
bool FillFloatKeys(const T* elements, int64_t count, uint64_t* keys) {
  for (int64_t i = 0; i < count; ++i) {
    const auto value = ConvertElement<double>(elements[i]);
    if (std::isnan(value)) return false;
    // -0 equals +0.
    keys[i] = OrderedKeyOf(value == 0 ? 0.0 : value);
  }
  return true;
}

template <typename T>
bool FillKeys(ComparisonType order, const T* elements, int64_t count,
              uint64_t* keys) {
  if constexpr (NumericTraits<T>::is_complex) {
    return false;
  } else if constexpr (NumericTraits<T>::is_float) {
    if (order != ComparisonType::kTotalOrder) {
      return FillFloatKeys(elements, count, keys);
    }
    for (int64_t i = 0; i < count; ++i) keys[i] = OrderedKeyOf(elements[i]);
    return true;
  } else {
    for (int64_t i = 0; i < count; ++i) keys[i] = IntegerKey(elements[i]);
    return true;
  }
}

}  // namespace

bool FillOrderedKeys(ElementType type, ComparisonType order,
                     const void* elements, int64_t count, uint64_t* keys) {
  return DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    return FillKeys(order, static_cast<const T*>(elements), count, keys);
  });
}

}  // namespace hilo::hlo
