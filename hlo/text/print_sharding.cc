// Prints shardings and replica groups (language reference, 1.8 and 1.9).
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/sharding.h"
#include "hlo/text/print_attribute.h"

namespace hilo::hlo {
namespace {

absl::string_view NameOf(ShardingType type) {
  switch (type) {
    case ShardingType::kReplicated:
      return "replicated";
    case ShardingType::kMaximal:
      return "maximal";
    case ShardingType::kTuple:
      return "tuple";
    case ShardingType::kTiled:
      return "devices";
    case ShardingType::kManual:
      return "manual";
    case ShardingType::kUnknown:
      return "unknown";
    case ShardingType::kUnreduced:
      return "unreduced";
    case ShardingType::kNamed:
      return "mesh";
  }
  return "";
}

std::string Joined(absl::Span<const int64_t> values) {
  return absl::StrJoin(values, ",");
}

// "[4,2]T(1,0)"; no T for a single dimension.
void AppendIota(const DeviceList& devices, std::string* out) {
  absl::StrAppend(out, "[", Joined(devices.reshape_dims), "]");
  if (devices.reshape_dims.size() > 1) {
    absl::StrAppend(out, "T(", Joined(devices.transpose_perm), ")");
  }
}

void AppendMesh(const Mesh& mesh, std::string* out) {
  out->append("mesh[");
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    absl::StrAppend(out, i > 0 ? "," : "", "'", mesh.axes[i].name,
                    "'=", mesh.axes[i].size);
  }
  out->push_back(']');
  if (mesh.devices.is_iota()) {
    out->append(", device_ids=(");
    AppendIota(mesh.devices, out);
    out->push_back(')');
  } else if (!mesh.devices.ids.empty()) {
    absl::StrAppend(out, ", device_ids=(", Joined(mesh.devices.ids), ")");
  }
}

void AppendAxes(const Mesh& mesh, const AxisList& axes, bool is_open,
                absl::string_view separator, std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const AxisReference& axis : axes) {
    absl::StrAppend(out, first ? "" : separator, "'", mesh.axes[axis.axis].name,
                    "'");
    first = false;
    if (axis.sub_axis_size != 0) {
      absl::StrAppend(out, ":(", axis.sub_axis_pre_size, ")",
                      axis.sub_axis_size);
    }
  }
  if (is_open) absl::StrAppend(out, first ? "" : separator, "?");
  out->push_back('}');
}

void AppendTiled(const Sharding& s, std::string* out) {
  absl::StrAppend(out, "devices=[", Joined(s.tile_dims), "]");
  if (s.devices.is_iota()) {
    out->append("<=");
    AppendIota(s.devices, out);
  } else {
    absl::StrAppend(out, Joined(s.devices.ids));
  }
  if (s.subgroup_types.empty()) return;
  if (s.subgroup_types.size() == 1 &&
      s.subgroup_types[0] == ShardingType::kReplicated) {
    out->append(" last_tile_dim_replicate");
    return;
  }
  out->append(" last_tile_dims={");
  for (size_t i = 0; i < s.subgroup_types.size(); ++i) {
    absl::StrAppend(out, i > 0 ? ", " : "", NameOf(s.subgroup_types[i]));
  }
  out->push_back('}');
}

void AppendNamedExtra(const Sharding& s, absl::string_view name,
                      const AxisList& axes, std::string* out) {
  if (axes.empty()) return;
  absl::StrAppend(out, ", ", name, "=");
  if (name == "unreduced") absl::StrAppend(out, s.reduction);
  AppendAxes(s.mesh, axes, /*is_open=*/false, ", ", out);
}

void AppendNamed(const Sharding& s, std::string* out) {
  if (s.whole == ShardingType::kMaximal) {
    absl::StrAppend(out, "maximal_mesh[device_id=", s.device, "]");
    return;
  }
  AppendMesh(s.mesh, out);
  if (s.whole != ShardingType::kNamed) {
    absl::StrAppend(out, ", ", NameOf(s.whole));
    if (!s.reduction.empty()) absl::StrAppend(out, "=", s.reduction);
    return;
  }
  out->append(", [");
  for (size_t i = 0; i < s.dimension_axes.size(); ++i) {
    if (i > 0) out->append(", ");
    AppendAxes(s.mesh, s.dimension_axes[i], s.dimension_is_open[i], ", ", out);
  }
  out->push_back(']');
  AppendNamedExtra(s, "replicated", s.replicated_axes, out);
  AppendNamedExtra(s, "unreduced", s.unreduced_axes, out);
  AppendNamedExtra(s, "manual", s.manual_axes, out);
}

void AppendBody(const Sharding& s, std::string* out) {
  switch (s.type) {
    case ShardingType::kTuple:
      for (size_t i = 0; i < s.elements.size(); ++i) {
        if (i > 0) out->append(", ");
        AppendSharding(s.elements[i], out);
      }
      return;
    case ShardingType::kMaximal:
      absl::StrAppend(out, "maximal device=", s.device);
      return;
    case ShardingType::kTiled:
      AppendTiled(s, out);
      return;
    case ShardingType::kNamed:
      AppendNamed(s, out);
      return;
    case ShardingType::kReplicated:
    case ShardingType::kManual:
    case ShardingType::kUnknown:
    case ShardingType::kUnreduced:
      absl::StrAppend(out, NameOf(s.type));
      return;
  }
}

}  // namespace

void AppendSharding(const Sharding& s, std::string* out) {
  out->push_back('{');
  AppendBody(s, out);
  if (s.has_shard_group) {
    absl::StrAppend(out, s.shard_group_is_like ? " shard_like " : " shard_as ",
                    s.shard_group_id);
  }
  if (!s.metadata.empty()) {
    absl::StrAppend(out, s.type == ShardingType::kNamed ? ", " : " ",
                    "metadata={", s.metadata, "}");
  }
  out->push_back('}');
}

void AppendReplicaGroups(const ReplicaGroups& groups, std::string* out) {
  if (!groups.mesh_axes.empty()) {
    AppendMesh(groups.mesh, out);
    out->push_back(' ');
    AppendAxes(groups.mesh, groups.mesh_axes, /*is_open=*/false, ",", out);
    return;
  }
  if (groups.iota_devices.is_iota()) {
    absl::StrAppend(out, "[", groups.iota_group_count, ",",
                    groups.iota_group_size, "]<=");
    AppendIota(groups.iota_devices, out);
    return;
  }
  out->push_back('{');
  for (size_t i = 0; i < groups.groups.size(); ++i) {
    absl::StrAppend(out, i > 0 ? ",{" : "{", Joined(groups.groups[i]), "}");
  }
  out->push_back('}');
}

}  // namespace hilo::hlo
