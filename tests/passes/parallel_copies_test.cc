// Tests the order of copies that overwrite each other's sources.
#include "passes/copy_insertion/parallel_copies.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "catch2/catch.hpp"

namespace hilo::passes {
namespace {

struct CopiesRow {
  std::vector<PlaceCopy> copies;
  size_t steps;
};

TEST_CASE("copies happen as if at once") {
  for (const CopiesRow& row : {
           CopiesRow{{}, 0},
           CopiesRow{{{0, 1}}, 1},
           // A chain.
           CopiesRow{{{0, 1}, {1, 2}, {2, 3}}, 3},
           // One source, two targets.
           CopiesRow{{{0, 1}, {0, 2}, {1, 0}}, 4},
           // Circles of two and three, and what hangs on them.
           CopiesRow{{{0, 1}, {1, 0}}, 3},
           CopiesRow{{{5, 6}, {0, 1}, {1, 2}, {2, 0}, {0, 5}}, 6},
       }) {
    std::map<int32_t, int32_t> memory;
    std::map<int64_t, int32_t> temporaries;
    for (int32_t place = 0; place < 10; ++place) memory[place] = place;
    const std::vector<CopyStep> steps = OrderCopies(row.copies);
    CHECK(steps.size() == row.steps);
    for (const CopyStep& step : steps) {
      const PlaceCopy& copy = row.copies[step.copy];
      if (step.to_temporary) {
        temporaries[step.copy] = memory[copy.source_place];
      } else {
        memory[copy.target_place] = temporaries.contains(step.copy)
                                        ? temporaries[step.copy]
                                        : memory[copy.source_place];
      }
    }
    for (const PlaceCopy& copy : row.copies) {
      CHECK(memory[copy.target_place] == copy.source_place);
    }
  }
}

}  // namespace
}  // namespace hilo::passes
