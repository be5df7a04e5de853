// How values are divided among devices: kept and printed, never used by a
// single-device backend.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hlo/ir/layout.h"

namespace hilo::hlo {

// One axis of a mesh: 'x'=2.
struct MeshAxis {
  std::string name;
  int64_t size = 1;

  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const MeshAxis& a) {
    return H::combine(std::move(h), a.name, a.size);
  }
};

// A list of device ids: explicit, or iota(product of reshape_dims) reshaped to
// reshape_dims and transposed by transpose_perm ("[4,2]T(1,0)").
struct DeviceList {
  DimensionVector ids;  // explicit ids; empty for iota
  DimensionVector reshape_dims;
  DimensionVector transpose_perm;

  bool is_iota() const { return !reshape_dims.empty(); }
  friend bool operator==(const DeviceList&, const DeviceList&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const DeviceList& d) {
    return H::combine(std::move(h), d.ids, d.reshape_dims, d.transpose_perm);
  }
};

// A named grid of devices: mesh['x'=2,'y'=4], device_ids=(...).
struct Mesh {
  std::vector<MeshAxis> axes;
  DeviceList devices;  // empty: 0, 1, 2, ...

  friend bool operator==(const Mesh&, const Mesh&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Mesh& m) {
    return H::combine(std::move(h), m.axes, m.devices);
  }
};

// An axis of the mesh, by index, or a part of it: 'y':(2)2.
struct AxisReference {
  int64_t axis = 0;
  // 0: the whole axis.
  int64_t sub_axis_pre_size = 0;
  int64_t sub_axis_size = 0;

  friend bool operator==(const AxisReference&, const AxisReference&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const AxisReference& a) {
    return H::combine(std::move(h), a.axis, a.sub_axis_pre_size,
                      a.sub_axis_size);
  }
};
using AxisList = std::vector<AxisReference>;

enum class ShardingType : uint8_t {
  kReplicated,
  kMaximal,  // on one device
  kTuple,
  kTiled,
  kManual,
  kUnknown,
  kUnreduced,
  kNamed,  // by mesh axes
};

struct Sharding {
  ShardingType type = ShardingType::kReplicated;
  int64_t device = 0;  // kMaximal

  // kTiled: dimensions of the tile assignment and its devices. The trailing
  // `subgroup_types` dimensions are subgroups of those types.
  DimensionVector tile_dims;
  DeviceList devices;
  std::vector<ShardingType> subgroup_types;

  // kNamed: axes per dimension; open dimensions end in "?".
  Mesh mesh;
  std::vector<AxisList> dimension_axes;
  std::vector<bool> dimension_is_open;
  AxisList replicated_axes;
  AxisList unreduced_axes;
  AxisList manual_axes;
  std::string reduction;  // "", "sum", "max" or "min"
  // kNamed standing for a whole sharding: "{mesh[...], replicated}"; the type
  // it names, or kNamed when it does not.
  ShardingType whole = ShardingType::kNamed;

  std::vector<Sharding> elements;  // kTuple

  // "shard_as 5" or "shard_like 5".
  bool has_shard_group = false;
  bool shard_group_is_like = false;
  int64_t shard_group_id = 0;

  // The text between the braces of "metadata={...}", verbatim.
  std::string metadata;

  friend bool operator==(const Sharding&, const Sharding&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Sharding& s) {
    return H::combine(std::move(h), s.type, s.device, s.tile_dims, s.devices,
                      s.subgroup_types, s.mesh, s.dimension_axes,
                      s.dimension_is_open, s.replicated_axes, s.unreduced_axes,
                      s.manual_axes, s.reduction, s.whole, s.elements,
                      s.has_shard_group, s.shard_group_is_like,
                      s.shard_group_id, s.metadata);
  }
};

// Groups of devices that communicate: explicit lists, an iota of
// groups x members, or axes of a mesh.
struct ReplicaGroups {
  std::vector<DimensionVector> groups;
  // Iota form: [group_count, group_size]<=[...]T(...).
  int64_t iota_group_count = 0;
  int64_t iota_group_size = 0;
  DeviceList iota_devices;
  // Mesh form.
  Mesh mesh;
  AxisList mesh_axes;

  friend bool operator==(const ReplicaGroups&, const ReplicaGroups&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const ReplicaGroups& g) {
    return H::combine(std::move(h), g.groups, g.iota_group_count,
                      g.iota_group_size, g.iota_devices, g.mesh, g.mesh_axes);
  }
};

}  // namespace hilo::hlo
