// Walks rows in vectors: reductions with accumulators one a lane, and maps.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"

#include "backends/codegen/dimension_groups.h"
#include "backends/codegen/element_emitter.h"

namespace hilo::backends {

using RowValues = std::vector<ElementValue>;

// What is done with each vector of a row.
struct RowBody {
  // The values at an index, one a lane; whatever else is to happen there.
  std::function<absl::StatusOr<RowValues>(ElementEmitter& emitter,
                                          const ArrayIndex& index)>
      load;
  // Two lots of such values as one; null where nothing is reduced.
  std::function<absl::StatusOr<RowValues>(
      ElementEmitter& emitter, const RowValues& a, const RowValues& b)>
      combine;
};

// The loops over one row: `groups` are its dimensions, the last of which is
// walked in vectors of `lanes` elements, no more than it has. The order in
// which elements are combined depends on nothing else.
class RowLoops {
 public:
  RowLoops(std::vector<DimensionGroup> groups, int lanes);

  // `initial` (scalars) combined with all values of a row, whose first element
  // is at `index`. Up to `accumulators` vectors are combined side by side.
  absl::StatusOr<RowValues> Reduce(ElementEmitter& emitter,
                                   const ArrayIndex& index,
                                   const RowValues& initial,
                                   int64_t accumulators,
                                   const RowBody& body) const;
  // Loads all vectors of a row.
  absl::Status Map(ElementEmitter& emitter, const ArrayIndex& index,
                   const RowBody& body) const;

 private:
  absl::StatusOr<RowValues> ReduceInner(ElementEmitter& emitter,
                                        const ArrayIndex& index,
                                        int64_t accumulators,
                                        const RowBody& body) const;
  absl::StatusOr<RowValues> AddVectors(ElementEmitter& emitter,
                                       const ArrayIndex& index, int64_t begin,
                                       int64_t end, int64_t step,
                                       const RowValues& carried,
                                       const RowBody& body) const;
  absl::StatusOr<RowValues> AddRest(ElementEmitter& emitter,
                                    const ArrayIndex& index, int64_t begin,
                                    const RowValues& total,
                                    const RowBody& body) const;
  absl::Status MapInner(ElementEmitter& emitter, const ArrayIndex& index,
                        const RowBody& body) const;
  absl::StatusOr<RowValues> LoadVector(ElementEmitter& emitter,
                                       ArrayIndex index, Coordinate first,
                                       llvm::Value* mask,
                                       const RowBody& body) const;
  absl::StatusOr<RowValues> CombineLanes(ElementEmitter& emitter,
                                         RowValues values,
                                         const RowBody& body) const;
  llvm::Value* MaskFrom(ElementEmitter& emitter, int64_t begin) const;

  // Outer dimensions of a row, and the one that is walked in vectors.
  std::vector<DimensionGroup> outer_;
  std::vector<int64_t> outer_sizes_;
  DimensionGroup inner_;
  int lanes_;
};

}  // namespace hilo::backends
