// Arithmetic on lists of dimensions, for rules about shapes.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/types/span.h"

#include "hlo/ir/shape.h"
#include "passes/rewriter.h"

namespace hilo::passes {

// How a reshape that only adds and drops dimensions of size 1 maps them.
struct UnitReshape {
  // By operand dimension: the result dimension, or -1 where it is dropped.
  hlo::DimensionVector to_result;
  // By result dimension: the operand dimension, or -1 where it is new.
  hlo::DimensionVector to_operand;
};

// The map from `from` to `to`; nullopt when larger dimensions change. Unit
// dimensions are kept where they fit, from the first on.
std::optional<UnitReshape> MatchUnitReshape(const hlo::Shape& from,
                                            const hlo::Shape& to);

// inverse[permutation[i]] = i.
hlo::DimensionVector InversePermutation(absl::Span<const int64_t> permutation);

bool Contains(absl::Span<const int64_t> dimensions, int64_t dimension);
bool IsAscending(absl::Span<const int64_t> dimensions);

// The position of `dimension` in the list; -1 when it is not there.
int64_t PositionIn(absl::Span<const int64_t> dimensions, int64_t dimension);

// broadcast(operand), dimensions={...} with the operand transposed so that
// its dimensions keep their order.
hlo::Instruction* SortedBroadcast(hlo::Instruction* operand,
                                  absl::Span<const int64_t> sizes,
                                  absl::Span<const int64_t> dimensions,
                                  Rewriter& rewriter);

// Whether all dimensions are taken whole.
bool IsWholeSlice(const hlo::SliceDimensions& slice, const hlo::Shape& shape);

}  // namespace hilo::passes
