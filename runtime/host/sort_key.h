// Unsigned keys that are ordered as the elements they stand for.
#pragma once

#include <array>
#include <cstdint>

#include "runtime/host/sort.h"

namespace hilo::runtime {

// Keys of elements of 2, 4 or 8 bytes, by their bits.
template <typename Bits>
class WideKeys {
 public:
  using Element = Bits;
  using Key = Bits;
  static constexpr bool kIsRestorable = true;

  // key.type has as many bytes as Bits.
  explicit WideKeys(const SortKey& key);

  Key From(Element bits) const {
    const Key ordered =
        Masked(has_nan_place_ && bits == kSign ? Bits{0} : bits);
    return IsNan(bits) ? nan_key_ : ordered;
  }

  // Whether elements with other bits may have the same key.
  bool IsSpecial(Element bits) const {
    return has_nan_place_ && (IsNan(bits) || bits == kSign);
  }

  // The element of a key, special ones aside.
  Element Restore(Key key) const {
    const Bits negative = key ^ negative_mask_;
    return (negative & kSign) != 0 ? negative : Bits(key ^ positive_mask_);
  }

 private:
  static constexpr Bits kSign = Bits(Bits{1} << (8 * sizeof(Bits) - 1));

  bool IsNan(Bits bits) const { return Bits(bits & ~kSign) > infinity_; }
  Key Masked(Bits bits) const {
    return bits ^ ((bits & kSign) != 0 ? negative_mask_ : positive_mask_);
  }

  Bits negative_mask_ = 0;
  Bits positive_mask_ = 0;
  // Greater magnitudes are NaNs that have a place of their own.
  Bits infinity_ = Bits(~Bits{0});
  bool has_nan_place_ = false;
  Key nan_key_ = 0;
};

// Keys of elements of one byte, from a table: wider, to have room for NaN
// where all codes are numbers.
class ByteKeys {
 public:
  using Element = uint8_t;
  using Key = uint16_t;
  static constexpr bool kIsRestorable = false;

  // key.type has one byte.
  explicit ByteKeys(const SortKey& key);

  Key From(Element bits) const { return keys_[bits]; }

 private:
  std::array<Key, 256> keys_ = {};
};

// Makes the keys of `size` elements; returns whether any is special.
template <typename Bits>
bool FillKeys(const WideKeys<Bits>& keys, const Bits* elements, int64_t size,
              Bits* output);

// Makes the elements of keys.
template <typename Bits>
void RestoreElements(const WideKeys<Bits>& keys, const Bits* input,
                     int64_t size, Bits* elements);

// Bytes of an element of a type.
int64_t ElementBytes(ElementCode type);

}  // namespace hilo::runtime
