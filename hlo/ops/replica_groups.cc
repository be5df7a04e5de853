// Checks device groups without expanding them.
#include "hlo/ops/replica_groups.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/ir/layout.h"
#include "hlo/ir/sharding.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

absl::StatusOr<int64_t> CheckExplicitGroups(const ReplicaGroups& groups) {
  absl::flat_hash_set<int64_t> seen;
  bool same_size = true;
  for (const DimensionVector& group : groups.groups) {
    if (group.empty() && groups.groups.size() > 1) {
      return InvalidArgument("replica_groups holds an empty group");
    }
    same_size &= group.size() == groups.groups.front().size();
    for (const int64_t id : group) {
      if (id < 0) {
        return InvalidArgument("replica_groups names device ", id);
      }
      if (!seen.insert(id).second) {
        return InvalidArgument("replica_groups names device ", id, " twice");
      }
    }
  }
  if (groups.groups.empty() || !same_size) return 0;
  return static_cast<int64_t>(groups.groups.front().size());
}

// The product of positive sizes; an error when one is not, or on overflow.
absl::StatusOr<int64_t> Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (size < 1) {
      return InvalidArgument("replica_groups has a dimension of ", size);
    }
    if (__builtin_mul_overflow(product, size, &product)) {
      return InvalidArgument("replica_groups names more than 2^63-1 devices");
    }
  }
  return product;
}

// Error unless `list` says which `count` devices there are, in which order.
absl::Status CheckDeviceList(const DeviceList& list, int64_t count) {
  if (!list.is_iota()) {
    if (list.ids.empty()) return absl::OkStatus();
    if (std::cmp_equal(list.ids.size(), count)) {
      return absl::OkStatus();
    }
    return InvalidArgument("replica_groups lists ", list.ids.size(),
                           " device ids for ", count, " devices");
  }
  ASSIGN_OR_RETURN(const int64_t listed, Product(list.reshape_dims));
  if (listed != count) {
    return InvalidArgument("replica_groups lists ", listed, " device ids for ",
                           count, " devices");
  }
  const auto rank = static_cast<int64_t>(list.reshape_dims.size());
  if (list.transpose_perm.empty() || IsPermutation(list.transpose_perm, rank)) {
    return absl::OkStatus();
  }
  return InvalidArgument("replica_groups transposes ", rank,
                         " dimensions by a list that is no permutation");
}

absl::StatusOr<int64_t> CheckIotaGroups(const ReplicaGroups& groups) {
  ASSIGN_OR_RETURN(const int64_t count,
                   Product({groups.iota_group_count, groups.iota_group_size}));
  RETURN_IF_ERROR(CheckDeviceList(groups.iota_devices, count));
  return groups.iota_group_size;
}

// The number of devices along an axis or a part of it.
absl::StatusOr<int64_t> AxisSize(const Mesh& mesh,
                                 const AxisReference& reference) {
  const auto axis_count = static_cast<int64_t>(mesh.axes.size());
  if (reference.axis < 0 || reference.axis >= axis_count) {
    return InvalidArgument("replica_groups names axis ", reference.axis,
                           ", the mesh has ", axis_count);
  }
  const MeshAxis& axis = mesh.axes[reference.axis];
  if (reference.sub_axis_pre_size == 0 && reference.sub_axis_size == 0) {
    return axis.size;
  }
  ASSIGN_OR_RETURN(const int64_t outer, Product({reference.sub_axis_pre_size,
                                                 reference.sub_axis_size}));
  if (axis.size % outer == 0) return reference.sub_axis_size;
  return InvalidArgument("replica_groups takes part (",
                         reference.sub_axis_pre_size, ")",
                         reference.sub_axis_size, " of axis '", axis.name,
                         "', which has ", axis.size, " devices");
}

absl::StatusOr<int64_t> CheckMeshGroups(const ReplicaGroups& groups) {
  DimensionVector axis_sizes;
  for (const MeshAxis& axis : groups.mesh.axes) axis_sizes.push_back(axis.size);
  ASSIGN_OR_RETURN(const int64_t count, Product(axis_sizes));
  RETURN_IF_ERROR(CheckDeviceList(groups.mesh.devices, count));
  DimensionVector group_sizes;
  absl::flat_hash_set<AxisReference> seen;
  for (const AxisReference& reference : groups.mesh_axes) {
    ASSIGN_OR_RETURN(const int64_t size, AxisSize(groups.mesh, reference));
    group_sizes.push_back(size);
    if (seen.insert(reference).second) continue;
    return InvalidArgument("replica_groups names axis '",
                           groups.mesh.axes[reference.axis].name, "' twice");
  }
  return Product(group_sizes);
}

}  // namespace

absl::StatusOr<int64_t> CheckReplicaGroups(const ReplicaGroups& groups) {
  if (!groups.mesh.axes.empty() || !groups.mesh_axes.empty()) {
    return CheckMeshGroups(groups);
  }
  if (groups.iota_devices.is_iota() || groups.iota_group_count != 0 ||
      groups.iota_group_size != 0) {
    return CheckIotaGroups(groups);
  }
  return CheckExplicitGroups(groups);
}

absl::Status CheckSourceTargetPairs(const std::vector<DimensionVector>& pairs) {
  absl::flat_hash_set<int64_t> sources;
  absl::flat_hash_set<int64_t> targets;
  for (const DimensionVector& pair : pairs) {
    if (pair.size() != 2) {
      return InvalidArgument("source_target_pairs has an entry of ",
                             pair.size(), " ids, expected 2");
    }
    if (pair[0] < 0 || pair[1] < 0) {
      return InvalidArgument("source_target_pairs names device ",
                             pair[0] < 0 ? pair[0] : pair[1]);
    }
    if (!sources.insert(pair[0]).second) {
      return InvalidArgument("source_target_pairs lets device ", pair[0],
                             " send twice");
    }
    if (!targets.insert(pair[1]).second) {
      return InvalidArgument("source_target_pairs lets device ", pair[1],
                             " receive twice");
    }
  }
  return absl::OkStatus();
}

}  // namespace hilo::hlo
