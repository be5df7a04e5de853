// Rows of elements put into another order.
#include "runtime/host/permute.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/base/check.h"

namespace hilo::runtime {
namespace {

// Elements are only aligned as their own type asks; all sizes are constants.
template <int bytes>
struct Element {
  std::array<std::byte, bytes> content;
};

template <typename T>
void PermuteElements(const RowPermutation& row, const uint32_t* order,
                     int64_t size) {
  const auto* from = reinterpret_cast<const T*>(row.from);
  auto* to = reinterpret_cast<T*>(row.to);
  if (row.from != row.to) {
    for (int64_t i = 0; i < size; ++i) {
      to[i * row.stride] = from[order[i] * row.stride];
    }
    return;
  }
  auto* copy = reinterpret_cast<T*>(row.copy);
  for (int64_t i = 0; i < size; ++i) copy[i] = from[order[i] * row.stride];
  for (int64_t i = 0; i < size; ++i) to[i * row.stride] = copy[i];
}

}  // namespace

void Permute(const RowPermutation& row, const uint32_t* order, int64_t size) {
  switch (row.bytes) {
    case 1:
      return PermuteElements<Element<1>>(row, order, size);
    case 2:
      return PermuteElements<Element<2>>(row, order, size);
    case 4:
      return PermuteElements<Element<4>>(row, order, size);
    case 8:
      return PermuteElements<Element<8>>(row, order, size);
    case 16:
      return PermuteElements<Element<16>>(row, order, size);
    default:
      CHECK(false) << "no element has " << row.bytes << " bytes";
  }
}

}  // namespace hilo::runtime
