// The grammar of shardings and replica groups: language reference, sections
// 1.8 and 1.9.
#include "hlo/text/sharding_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/sharding.h"
#include "hlo/text/device_list_parser.h"
#include "hlo/text/lexer.h"
#include "hlo/text/token_reader.h"

namespace hilo::hlo {
namespace {

std::optional<ShardingType> TypeFromWord(absl::string_view word) {
  if (word == "replicated") return ShardingType::kReplicated;
  if (word == "maximal") return ShardingType::kMaximal;
  if (word == "manual") return ShardingType::kManual;
  if (word == "unknown") return ShardingType::kUnknown;
  if (word == "unreduced") return ShardingType::kUnreduced;
  return std::nullopt;
}

// "{replicated, manual}" of last_tile_dims.
bool ParseSubgroupTypes(TokenReader& reader, std::vector<ShardingType>* types) {
  if (!reader.Expect(TokenKind::kLeftBrace, "after last_tile_dims=")) {
    return false;
  }
  do {
    const std::optional<ShardingType> type =
        reader.Is(TokenKind::kShardingWord) ? TypeFromWord(reader.token().text)
                                            : std::nullopt;
    if (!type.has_value()) return reader.FailExpected("a subgroup type");
    types->push_back(*type);
    reader.Advance();
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace, "after the subgroup types");
}

// What may follow the devices: subgroups.
bool ParseSubgroups(TokenReader& reader, Sharding* value) {
  const int64_t place = reader.offset();
  if (reader.AcceptWord("last_tile_dim_replicate")) {
    value->subgroup_types = {ShardingType::kReplicated};
  } else if (reader.AcceptAttribute("last_tile_dims")) {
    if (!ParseSubgroupTypes(reader, &value->subgroup_types)) return false;
  }
  if (value->subgroup_types.size() > value->tile_dims.size()) {
    return reader.Fail(
        place,
        absl::StrCat(value->subgroup_types.size(), " subgroup types for ",
                     value->tile_dims.size(), " tile dimensions"));
  }
  return true;
}

// After "devices=": "[2,2]0,1,2,3" or "[4,2]<=[8]".
bool ParseTiles(TokenReader& reader, Sharding* value) {
  value->type = ShardingType::kTiled;
  const int64_t place = reader.offset();
  int64_t tile_count = 0;
  if (!ParseSizes(reader, "tile dimensions", &value->tile_dims, &tile_count)) {
    return false;
  }
  if (reader.Accept(TokenKind::kLessEqual)) {
    int64_t device_count = 0;
    if (!ParseIotaDevices(reader, &value->devices, &device_count)) return false;
    return CheckDeviceCount(reader, place, tile_count, device_count);
  }
  if (tile_count == 1) {
    return reader.Fail(place, "one device cannot be tiled",
                       "write {maximal device=N}");
  }
  if (!reader.ReadInts(TokenKind::kRightBrace, &value->devices.ids)) {
    return false;
  }
  return CheckDeviceCount(reader, place, tile_count,
                          static_cast<int64_t>(value->devices.ids.size()));
}

// "mesh[...], [{'x'}, {?}]" without what follows.
bool ParseDimensionAxes(TokenReader& reader, Sharding* value) {
  if (!reader.Expect(TokenKind::kLeftBracket, "before the dimensions' axes")) {
    return false;
  }
  if (reader.Accept(TokenKind::kRightBracket)) return true;
  do {
    AxisList axes;
    bool is_open = false;
    if (!ParseAxes(reader, value->mesh, &axes, &is_open)) return false;
    value->dimension_axes.push_back(std::move(axes));
    value->dimension_is_open.push_back(is_open);
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBracket, "after the dimensions' axes");
}

// "sum", "max" or "min", which may stand before unreduced axes.
bool ParseReduction(TokenReader& reader, std::string* reduction) {
  for (const absl::string_view word : {"sum", "max", "min"}) {
    if (reader.AcceptWord(word)) {
      *reduction = std::string(word);
      return true;
    }
  }
  return true;
}

// "{...}" of "metadata=", without its braces.
bool ParseMetadataText(TokenReader& reader, std::string* metadata) {
  absl::string_view raw;
  if (!reader.ReadRawBraces(&raw)) return false;
  *metadata = std::string(raw.substr(1, raw.size() - 2));
  return true;
}

// ", replicated={'z'}" and the like after the dimensions of a named sharding.
bool ParseNamedExtra(TokenReader& reader, Sharding* value) {
  const auto axes_of = [&](AxisList* axes) {
    bool is_open = false;
    return ParseAxes(reader, value->mesh, axes, &is_open);
  };
  if (reader.AcceptAttribute("replicated")) {
    return axes_of(&value->replicated_axes);
  }
  if (reader.AcceptAttribute("manual")) return axes_of(&value->manual_axes);
  if (reader.AcceptAttribute("unreduced")) {
    return ParseReduction(reader, &value->reduction) &&
           axes_of(&value->unreduced_axes);
  }
  if (reader.AcceptAttribute("metadata")) {
    return ParseMetadataText(reader, &value->metadata);
  }
  return reader.FailExpected(
      "replicated=, unreduced=, manual= or metadata= in a named sharding");
}

// Whether every axis is used at most once.
bool CheckAxesOnce(TokenReader& reader, int64_t place, const Sharding& value) {
  std::vector<AxisReference> used;
  const auto add = [&](const AxisList& axes) {
    used.insert(used.end(), axes.begin(), axes.end());
  };
  for (const AxisList& axes : value.dimension_axes) add(axes);
  add(value.replicated_axes);
  add(value.unreduced_axes);
  add(value.manual_axes);
  const auto key = [](const AxisReference& a) {
    return std::pair(a.axis, a.sub_axis_pre_size);
  };
  std::ranges::sort(used, [&](const AxisReference& a, const AxisReference& b) {
    return key(a) < key(b);
  });
  for (size_t i = 1; i < used.size(); ++i) {
    if (key(used[i - 1]) == key(used[i])) {
      return reader.Fail(
          place, absl::StrCat("mesh axis '", value.mesh.axes[used[i].axis].name,
                              "' is used twice"));
    }
  }
  return true;
}

// From "mesh" on.
bool ParseNamed(TokenReader& reader, Sharding* value) {
  value->type = ShardingType::kNamed;
  const int64_t place = reader.offset();
  if (!ParseMesh(reader, &value->mesh)) return false;
  if (!reader.Expect(TokenKind::kComma, "after the mesh")) return false;
  if (reader.Is(TokenKind::kShardingWord)) {
    const std::optional<ShardingType> type = TypeFromWord(reader.token().text);
    if (!type.has_value() || *type == ShardingType::kMaximal) {
      return reader.FailExpected("replicated, manual or unreduced");
    }
    value->whole = *type;
    reader.Advance();
  } else if (reader.IsAttribute("unreduced")) {
    reader.Advance();
    value->whole = ShardingType::kUnreduced;
    return ParseReduction(reader, &value->reduction);
  } else if (!ParseDimensionAxes(reader, value)) {
    return false;
  }
  while (reader.Accept(TokenKind::kComma)) {
    if (!ParseNamedExtra(reader, value)) return false;
  }
  return CheckAxesOnce(reader, place, *value);
}

// "maximal_mesh[device_id=5]".
bool ParseMaximalMesh(TokenReader& reader, Sharding* value) {
  value->type = ShardingType::kNamed;
  value->whole = ShardingType::kMaximal;
  if (!reader.Expect(TokenKind::kLeftBracket, "after maximal_mesh")) {
    return false;
  }
  if (!reader.AcceptAttribute("device_id")) {
    return reader.FailExpected("device_id=");
  }
  return reader.ReadInt(&value->device, "a device id") &&
         reader.Expect(TokenKind::kRightBracket, "after the device id");
}

// "replicated", "maximal device=3", ...
bool ParseTrivial(TokenReader& reader, Sharding* value) {
  const std::optional<ShardingType> type = TypeFromWord(reader.token().text);
  if (!type.has_value()) return reader.FailExpected("a sharding");
  value->type = *type;
  reader.Advance();
  if (*type != ShardingType::kMaximal) return true;
  if (!reader.AcceptAttribute("device")) {
    return reader.FailExpected("device=", "write {maximal device=0}");
  }
  return reader.ReadInt(&value->device, "a device id");
}

bool ParseTupleElements(TokenReader& reader, Sharding* value) {
  value->type = ShardingType::kTuple;
  if (reader.Is(TokenKind::kRightBrace)) return true;
  do {
    Sharding element;
    if (!ParseSharding(reader, &element)) return false;
    value->elements.push_back(std::move(element));
  } while (reader.Accept(TokenKind::kComma));
  return true;
}

// The part of a sharding that says its type.
bool ParseBody(TokenReader& reader, Sharding* value) {
  if (reader.Is(TokenKind::kLeftBrace) || reader.Is(TokenKind::kRightBrace)) {
    return ParseTupleElements(reader, value);
  }
  if (reader.Is(TokenKind::kShardingWord)) return ParseTrivial(reader, value);
  if (reader.AcceptAttribute("devices")) {
    return ParseTiles(reader, value) && ParseSubgroups(reader, value);
  }
  if (reader.IsWord("mesh")) return ParseNamed(reader, value);
  if (reader.AcceptWord("maximal_mesh")) {
    return ParseMaximalMesh(reader, value);
  }
  return reader.FailExpected("a sharding",
                             "as {replicated} or {devices=[2,1]<=[2]}");
}

// Shard groups and metadata, in any order, before the final brace.
bool ParseSuffixes(TokenReader& reader, Sharding* value) {
  while (!reader.Is(TokenKind::kRightBrace)) {
    if (reader.IsWord("shard_as") || reader.IsWord("shard_like")) {
      value->has_shard_group = true;
      value->shard_group_is_like = reader.IsWord("shard_like");
      reader.Advance();
      if (!reader.ReadInt(&value->shard_group_id, "a shard group")) {
        return false;
      }
    } else if (reader.AcceptAttribute("metadata")) {
      if (!ParseMetadataText(reader, &value->metadata)) return false;
    } else if (value->type == ShardingType::kTiled &&
               value->subgroup_types.empty() &&
               (reader.IsWord("last_tile_dim_replicate") ||
                reader.IsAttribute("last_tile_dims"))) {
      if (!ParseSubgroups(reader, value)) return false;
    } else {
      return reader.FailExpected("'}' after a sharding");
    }
  }
  return true;
}

}  // namespace

bool ParseSharding(TokenReader& reader, Sharding* value) {
  const Nesting nesting(reader);
  if (!nesting.ok()) return false;
  return reader.Expect(TokenKind::kLeftBrace, "before a sharding") &&
         ParseBody(reader, value) && ParseSuffixes(reader, value) &&
         reader.Expect(TokenKind::kRightBrace, "after a sharding");
}

bool ParseReplicaGroups(TokenReader& reader, ReplicaGroups* value) {
  if (reader.Is(TokenKind::kLeftBracket)) {
    return ParseIotaGroups(reader, value);
  }
  if (reader.IsWord("mesh")) return ParseMeshGroups(reader, value);
  if (!reader.Expect(TokenKind::kLeftBrace, "before replica groups")) {
    return false;
  }
  if (reader.Accept(TokenKind::kRightBrace)) return true;
  do {
    DimensionVector group;
    if (!reader.ReadIntList(&group)) return false;
    value->groups.push_back(std::move(group));
  } while (reader.Accept(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace, "after replica groups");
}

bool ParseDomain(TokenReader& reader, Domain* value) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before a domain")) return false;
  if (!reader.AcceptAttribute("kind")) return reader.FailExpected("kind=");
  const int64_t place = reader.offset();
  std::string kind;
  if (!reader.ReadString(&kind)) return false;
  if (kind != "sharding") {
    return reader.Fail(place,
                       absl::StrCat("unknown domain kind ", Quoted(kind)),
                       "only \"sharding\" is known");
  }
  if (!reader.Expect(TokenKind::kComma, "after the kind")) return false;
  if (!reader.AcceptAttribute("entry")) return reader.FailExpected("entry=");
  if (!ParseSharding(reader, &value->entry)) return false;
  if (!reader.Expect(TokenKind::kComma, "after the entry")) return false;
  if (!reader.AcceptAttribute("exit")) return reader.FailExpected("exit=");
  return ParseSharding(reader, &value->exit) &&
         reader.Expect(TokenKind::kRightBrace, "after a domain");
}

}  // namespace hilo::hlo
