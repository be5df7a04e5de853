// Reads the parts that shardings and replica groups share: lists of devices,
// meshes and their axes.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

#include "hlo/ir/sharding.h"
#include "hlo/text/token_reader.h"

namespace hilo::hlo {

// Each leaves the reader after what it read. False on errors, which are
// reported. Nothing is allocated in proportion to a number in the text.

// "[2,4]": positive sizes; `*product` is their product.
bool ParseSizes(TokenReader& reader, absl::string_view what,
                DimensionVector* sizes, int64_t* product);

// "[4,2]T(1,0)", what stands after "<=": `*count` is the number of devices. An
// identity transpose is read as a single dimension.
bool ParseIotaDevices(TokenReader& reader, DeviceList* devices, int64_t* count);

// "mesh['x'=2,'y'=4]" with optional ", device_ids=(...)".
bool ParseMesh(TokenReader& reader, Mesh* mesh);

// "{'x', 'y':(2)2, ?}", axes of `mesh`.
bool ParseAxes(TokenReader& reader, const Mesh& mesh, AxisList* axes,
               bool* is_open);

// "[2,4]<=[8]" and "mesh['x'=2] {'x'}" of replica_groups.
bool ParseIotaGroups(TokenReader& reader, ReplicaGroups* groups);
bool ParseMeshGroups(TokenReader& reader, ReplicaGroups* groups);

// Reports at `place` when the numbers differ.
bool CheckDeviceCount(TokenReader& reader, int64_t place, int64_t needed,
                      int64_t given);

}  // namespace hilo::hlo
