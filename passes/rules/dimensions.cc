// Arithmetic on lists of dimensions.
#include "passes/rules/dimensions.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>

#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/shape.h"
#include "passes/rewriter.h"

namespace hilo::passes {

std::optional<UnitReshape> MatchUnitReshape(const hlo::Shape& from,
                                            const hlo::Shape& to) {
  UnitReshape map;
  map.to_result.assign(from.rank(), -1);
  map.to_operand.assign(to.rank(), -1);
  int64_t i = 0;
  int64_t j = 0;
  while (i < from.rank() || j < to.rank()) {
    const bool both = i < from.rank() && j < to.rank();
    if (both && from.dimension(i) == to.dimension(j)) {
      map.to_result[i] = j;
      map.to_operand[j] = i;
      ++i;
      ++j;
    } else if (i < from.rank() && from.dimension(i) == 1) {
      ++i;
    } else if (j < to.rank() && to.dimension(j) == 1) {
      ++j;
    } else {
      return std::nullopt;
    }
  }
  return map;
}

hlo::DimensionVector InversePermutation(absl::Span<const int64_t> permutation) {
  hlo::DimensionVector inverse(permutation.size(), 0);
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[permutation[i]] = static_cast<int64_t>(i);
  }
  return inverse;
}

int64_t PositionIn(absl::Span<const int64_t> dimensions, int64_t dimension) {
  const auto* const found = std::ranges::find(dimensions, dimension);
  return found == dimensions.end() ? -1 : found - dimensions.begin();
}

bool Contains(absl::Span<const int64_t> dimensions, int64_t dimension) {
  return PositionIn(dimensions, dimension) >= 0;
}

bool IsAscending(absl::Span<const int64_t> dimensions) {
  return std::ranges::is_sorted(dimensions);
}

hlo::Instruction* SortedBroadcast(hlo::Instruction* operand,
                                  absl::Span<const int64_t> sizes,
                                  absl::Span<const int64_t> dimensions,
                                  Rewriter& rewriter) {
  if (IsAscending(dimensions)) {
    return rewriter.Broadcast(operand, sizes, dimensions);
  }
  hlo::DimensionVector order(dimensions.size(), 0);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int64_t a, int64_t b) {
    return dimensions[a] < dimensions[b];
  });
  hlo::DimensionVector sorted(dimensions.begin(), dimensions.end());
  std::ranges::sort(sorted);
  return rewriter.Broadcast(rewriter.Transpose(operand, order), sizes, sorted);
}

bool IsWholeSlice(const hlo::SliceDimensions& slice, const hlo::Shape& shape) {
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (slice[i].start != 0 || slice[i].stride != 1 ||
        slice[i].limit != shape.dimension(i)) {
      return false;
    }
  }
  return true;
}

}  // namespace hilo::passes
