// Counts and lists the arrays inside tuples.
#include "hlo/analysis/array_leaves.h"

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/shape.h"
#include "runtime/base/check.h"

namespace hilo::hlo {
namespace {

void AppendArrayLeaves(const Shape& shape, std::vector<const Shape*>* leaves) {
  if (shape.IsArray()) leaves->push_back(&shape);
  if (shape.IsBuffer()) leaves->push_back(&shape.element(0));
  if (!shape.IsTuple()) return;
  for (const Shape& element : shape.elements()) {
    AppendArrayLeaves(element, leaves);
  }
}

}  // namespace

bool IsArrayLeaf(const Shape& shape) {
  return shape.IsArray() || shape.IsBuffer();
}

int64_t ArrayLeafCount(const Shape& shape) {
  if (IsArrayLeaf(shape)) return 1;
  if (!shape.IsTuple()) return 0;
  int64_t count = 0;
  for (const Shape& element : shape.elements()) {
    count += ArrayLeafCount(element);
  }
  return count;
}

std::vector<const Shape*> ArrayLeaves(const Shape& shape) {
  std::vector<const Shape*> leaves;
  AppendArrayLeaves(shape, &leaves);
  return leaves;
}

ArrayLeafRange ArrayLeavesAt(const Shape& shape,
                             absl::Span<const int64_t> index) {
  ArrayLeafRange range;
  const Shape* at = &shape;
  for (const int64_t i : index) {
    DCHECK(at->IsTuple() && i < at->element_count());
    for (int64_t j = 0; j < i; ++j) {
      range.first += ArrayLeafCount(at->element(j));
    }
    at = &at->element(i);
  }
  range.count = ArrayLeafCount(*at);
  return range;
}

int64_t StoredBytes(const Shape& array) {
  constexpr int64_t kBitsPerByte = 8;
  const int64_t element_bits = array.BufferElementBits();
  const int64_t count = array.ElementCount();
  // Whole bytes are multiplied as such: bits might overflow.
  if (element_bits % kBitsPerByte == 0) {
    return count * (element_bits / kBitsPerByte);
  }
  return count / kBitsPerByte * element_bits +
         (count % kBitsPerByte * element_bits + kBitsPerByte - 1) /
             kBitsPerByte;
}

}  // namespace hilo::hlo
