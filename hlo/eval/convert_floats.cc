// Conversion between arrays of floating-point types.
#include "hlo/eval/convert_floats.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "hlo/ir/element_type.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kBlockElements = 256;

// Every float type's values are doubles.
void LoadDoubles(ElementType type, const void* source, int64_t first,
                 int64_t count, double* values) {
  DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (NumericTraits<T>::is_float) {
      const T* elements = static_cast<const T*>(source) + first;
      for (int64_t i = 0; i < count; ++i) {
        values[i] = ConvertElement<double>(elements[i]);
      }
    }
  });
}

void StoreDoubles(ElementType type, const double* values, int64_t first,
                  int64_t count, void* destination) {
  DispatchElementType(type, [&](auto tag) {
    using T = decltype(tag)::type;
    if constexpr (NumericTraits<T>::is_float) {
      T* elements = static_cast<T*>(destination) + first;
      for (int64_t i = 0; i < count; ++i) {
        elements[i] = ConvertElement<T>(values[i]);
      }
    }
  });
}

}  // namespace

void ConvertFloats(ElementType source_type, const void* source,
                   ElementType destination_type, void* destination,
                   int64_t count) {
  if (count == 0) return;
  if (source_type == destination_type) {
    std::memcpy(destination, source, count * StorageBytes(source_type));
    return;
  }
  std::array<double, kBlockElements> values;
  for (int64_t i = 0; i < count; i += kBlockElements) {
    const int64_t size = std::min(kBlockElements, count - i);
    LoadDoubles(source_type, source, i, size, values.data());
    StoreDoubles(destination_type, values.data(), i, size, destination);
  }
}

Literal ConvertFloats(const Literal& literal, ElementType type) {
  const ElementType source_type = literal.shape().element_type();
  if (source_type == type) return literal;
  Literal result(WithElementType(literal.shape(), type));
  ConvertFloats(source_type, literal.untyped_data(), type,
                result.mutable_untyped_data(), literal.element_count());
  return result;
}

}  // namespace hilo::hlo
