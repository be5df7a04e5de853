// The order of copies that happen as if at once.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace hilo::passes {

// A copy from one place to another.
struct PlaceCopy {
  int32_t source_place = 0;
  int32_t target_place = 0;
};

// A step: copy number `copy`, or, with `to_temporary`, its source to a place
// of its own, from which the copy is made later.
struct CopyStep {
  int64_t copy = 0;
  bool to_temporary = false;
  friend bool operator==(const CopyStep&, const CopyStep&) = default;
};

// Steps that have the effect of all copies at once: no place is overwritten
// before it is read. Temporaries only where places change in a circle. No two
// copies have one target.
std::vector<CopyStep> OrderCopies(absl::Span<const PlaceCopy> copies);

}  // namespace hilo::passes
