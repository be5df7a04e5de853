// Unsigned keys that are ordered as the elements they stand for.
#include "runtime/host/sort_key.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "runtime/base/numeric_types.h"
#include "runtime/host/element_code.h"
#include "runtime/host/sort.h"
#include "runtime/host/vector_clones.h"

namespace hilo::runtime {
namespace {

// The place of a float among all codes of its type, from 0 up.
template <typename T>
int FloatNumber(T value, bool has_nan_place) {
  constexpr int kHalf = 1 << (NumericTraits<T>::kBits - 1);
  const int bits = value.bits();
  if constexpr (!T::kHasSign) return bits;
  if (has_nan_place && ConvertElement<float>(value) == 0) return kHalf;
  return bits < kHalf ? kHalf + bits : 2 * kHalf - 1 - bits;
}

// The key of the element of one byte with these bits: from 1 to 256 but for
// NaN where it has a place of its own.
template <typename T>
uint16_t ByteKey(const SortKey& key, uint8_t bits) {
  constexpr uint16_t kLast = 0xffff;
  int number = bits;
  if constexpr (NumericTraits<T>::is_float) {
    // Bits that no element has are cut off.
    const T value = T::FromBits(bits & ((1U << T::kBits) - 1));
    const bool has_nan_place = key.order != SortOrder::kTotal;
    if (has_nan_place && std::isnan(ConvertElement<float>(value))) {
      return key.order == SortOrder::kNanLast ? kLast : 0;
    }
    number = FloatNumber(value, has_nan_place);
  } else if constexpr (NumericTraits<T>::is_signed_integer) {
    number = static_cast<int8_t>(bits) + 128;
  }
  return static_cast<uint16_t>(key.is_descending != 0 ? 256 - number
                                                      : 1 + number);
}

}  // namespace

template <typename Bits>
WideKeys<Bits>::WideKeys(const SortKey& key) {
  DispatchElementCode(key.type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (sizeof(T) == sizeof(Bits)) {
      if constexpr (NumericTraits<T>::is_float) {
        negative_mask_ = Bits(~Bits{0});
        positive_mask_ = kSign;
        has_nan_place_ = key.order != SortOrder::kTotal;
        const auto infinity = std::bit_cast<Bits>(NumericTraits<T>::infinity());
        infinity_ = has_nan_place_ ? infinity : infinity_;
      } else if constexpr (NumericTraits<T>::is_signed_integer) {
        negative_mask_ = positive_mask_ = kSign;
      }
    }
  });
  if (key.is_descending != 0) {
    negative_mask_ = Bits(~negative_mask_);
    positive_mask_ = Bits(~positive_mask_);
  }
  if (key.order == SortOrder::kNanLast) nan_key_ = Bits(~Bits{0});
}

template class WideKeys<uint16_t>;
template class WideKeys<uint32_t>;
template class WideKeys<uint64_t>;

ByteKeys::ByteKeys(const SortKey& key) {
  DispatchElementCode(key.type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (sizeof(T) == 1) {
      for (int i = 0; i < 256; ++i) {
        keys_[i] = ByteKey<T>(key, static_cast<uint8_t>(i));
      }
    }
  });
}

// The compiler makes vectors of these loops; keys are copied lest the loops
// seem to change them.
#define HILO_KEY_LOOPS(Bits)                                                 \
  template <>                                                                \
  HILO_VECTOR_CLONES bool FillKeys<Bits>(const WideKeys<Bits>& keys,         \
                                         const Bits* elements, int64_t size, \
                                         Bits* output) {                     \
    const WideKeys<Bits> copy = keys;                                        \
    Bits special = 0;                                                        \
    for (int64_t i = 0; i < size; ++i) {                                     \
      special |= Bits{copy.IsSpecial(elements[i])};                          \
      output[i] = copy.From(elements[i]);                                    \
    }                                                                        \
    return special != 0;                                                     \
  }                                                                          \
  template <>                                                                \
  HILO_VECTOR_CLONES void RestoreElements<Bits>(                             \
      const WideKeys<Bits>& keys, const Bits* input, int64_t size,           \
      Bits* elements) {                                                      \
    const WideKeys<Bits> copy = keys;                                        \
    for (int64_t i = 0; i < size; ++i) elements[i] = copy.Restore(input[i]); \
  }
HILO_KEY_LOOPS(uint16_t)
HILO_KEY_LOOPS(uint32_t)
HILO_KEY_LOOPS(uint64_t)
#undef HILO_KEY_LOOPS

int64_t ElementBytes(ElementCode type) {
  return DispatchElementCode(type, [](auto tag) -> int64_t {
    return sizeof(typename decltype(tag)::type);
  });
}

}  // namespace hilo::runtime
