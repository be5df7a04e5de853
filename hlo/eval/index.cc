// Positions, strides and run-time indices of arrays.
#include "hlo/eval/index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "runtime/base/numeric_types.h"

namespace hilo::hlo {
namespace {

template <typename T>
int64_t ReadIndex(const std::byte* elements, int64_t i) {
  const T value = reinterpret_cast<const T*>(elements)[i];
  if constexpr (std::is_same_v<T, uint64_t>) {
    constexpr uint64_t kLimit = std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(std::min(value, kLimit));
  } else {
    return static_cast<int64_t>(value);
  }
}

int64_t ReadNothing(const std::byte* /*data*/, int64_t /*i*/) { return 0; }

}  // namespace

DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions) {
  DimensionVector strides(dimensions.size(), 0);
  // The other dimensions of an empty array may be too large to be multiplied.
  if (Contains(dimensions, 0)) return strides;
  int64_t stride = 1;
  for (size_t i = dimensions.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dimensions[i];
  }
  return strides;
}

bool NextPosition(absl::Span<const int64_t> sizes,
                  absl::Span<int64_t> position) {
  for (size_t i = sizes.size(); i-- > 0;) {
    if (++position[i] < sizes[i]) return true;
    position[i] = 0;
  }
  return false;
}

IndexReader IndexReaderOf(ElementType type) {
  return DispatchElementType(type, [](auto tag) -> IndexReader {
    using T = decltype(tag)::type;
    if constexpr (NumericTraits<T>::is_integer) {
      return &ReadIndex<T>;
    } else {
      return &ReadNothing;
    }
  });
}

int64_t ClampStart(int64_t start, int64_t dimension, int64_t size) {
  return std::max<int64_t>(0, std::min(start, dimension - size));
}

bool Contains(absl::Span<const int64_t> dimensions, int64_t dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

const Shape& ResultShape(const Instruction& instruction, int64_t i) {
  const Shape& shape = instruction.shape();
  return shape.IsTuple() ? shape.element(i) : shape;
}

}  // namespace hilo::hlo
