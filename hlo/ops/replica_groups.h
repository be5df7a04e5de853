// Checks of the device groups of collectives.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/sharding.h"

namespace hilo::hlo {

// The number of devices in each group, or 0 when the text does not say: no
// groups ("all devices"), or groups of different sizes. Never expands the
// iota and mesh forms.
//
// Errors: negative or repeated ids, an empty group, forms whose sizes do not
// agree or do not fit in 63 bits, an axis that the mesh does not have.
absl::StatusOr<int64_t> CheckReplicaGroups(const ReplicaGroups& groups);

// Errors: a pair that has not two ids, a negative id, a device that sends or
// receives twice.
absl::Status CheckSourceTargetPairs(const std::vector<DimensionVector>& pairs);

}  // namespace hilo::hlo
