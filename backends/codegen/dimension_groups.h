// Which neighbouring dimensions of a loop can be walked as one.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "backends/codegen/array_index.h"
#include "hlo/ir/instruction.h"

namespace hilo::backends {

// Dimensions [first, last) as one loop over `size` indices. Dimension last - 1
// is not of size 1.
struct DimensionGroup {
  int64_t first = 0;
  int64_t last = 0;
  int64_t size = 1;
};

// The index of a loop over `from` as one into `to`, whose dimensions are the
// same except for those of size 1, or the first of those.
ArrayIndex IndexInShape(const ArrayIndex& index, const hlo::Shape& from,
                        const hlo::Shape& to, const Coordinate& zero);

// Groups the dimensions of a loop whose body computes elements of `roots` (all
// of the same dimensions, those of size 1 apart) at the loop's index. A group
// is walked with one counter as the coordinate of its last dimension and 0 for
// the others: the counter runs beyond that dimension's size, which is right
// because every array that is read or written has the group's dimensions side
// by side or not at all. Dimensions of size 1 are in no group: their coordinate
// is 0. `arrays` says which instructions are read from memory; what is written
// has the loop's shape, in its layout.
std::vector<DimensionGroup> GroupDimensions(
    const std::vector<const hlo::Instruction*>& roots,
    const hlo::Shape& loop_shape,
    const absl::flat_hash_set<const hlo::Instruction*>& arrays);

}  // namespace hilo::backends
