// Rows of operations between devices, and with the host.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/sharding.h"
#include "hlo/stablehlo/print_table.h"
#include "hlo/stablehlo/print_values.h"
#include "runtime/base/status.h"

namespace hilo::stablehlo {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;

// No machine has as many devices.
constexpr int64_t kMostDevices = int64_t{1} << 20;

// The ids of an iota that is reshaped and transposed, in order. Errors: too
// many.
absl::StatusOr<std::vector<int64_t>> ExpandDevices(
    const hlo::DeviceList& devices) {
  const DimensionVector& sizes = devices.reshape_dims;
  int64_t count = 1;
  std::vector<int64_t> strides(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = count;
    if (__builtin_mul_overflow(count, sizes[d], &count) ||
        count > kMostDevices) {
      return Unimplemented("more than ", kMostDevices,
                           " devices are not written one by one");
    }
  }
  std::vector<int64_t> ids(static_cast<size_t>(count));
  for (int64_t position = 0; position < count; ++position) {
    int64_t rest = position;
    for (size_t i = sizes.size(); i-- > 0;) {
      const size_t d = devices.transpose_perm.empty()
                           ? i
                           : static_cast<size_t>(devices.transpose_perm[i]);
      ids[static_cast<size_t>(position)] += rest % sizes[d] * strides[d];
      rest /= sizes[d];
    }
  }
  return ids;
}

// "dense<[[0, 1]]> : tensor<1x2xi64>"; short groups are filled with -1.
absl::StatusOr<std::string> GroupsText(const hlo::ReplicaGroups& groups) {
  if (!groups.mesh_axes.empty()) {
    return Unimplemented("groups by axes of a mesh are not written");
  }
  if (groups.iota_devices.is_iota()) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                     ExpandDevices(groups.iota_devices));
    return DenseText({groups.iota_group_count, groups.iota_group_size}, ids);
  }
  size_t longest = 0;
  for (const DimensionVector& group : groups.groups) {
    longest = std::max(longest, group.size());
  }
  std::vector<int64_t> ids;
  for (const DimensionVector& group : groups.groups) {
    ids.insert(ids.end(), group.begin(), group.end());
    ids.insert(ids.end(), longest - group.size(), -1);
  }
  return DenseText({static_cast<int64_t>(groups.groups.size()),
                    static_cast<int64_t>(longest)},
                   ids);
}

// Kinds of channels: between devices, to the host, from the host.
constexpr int kDeviceToDevice = 1;
constexpr int kDeviceToHost = 2;
constexpr int kHostToDevice = 3;

void AddChannel(int64_t id, int type, OperationDetails* details) {
  details->Add("channel_handle",
               absl::StrCat("#stablehlo.channel_handle<handle = ", id,
                            ", type = ", type, ">"));
}

// Groups and channel, which all have.
absl::Status AddCommunication(const Instruction& instruction,
                              OperationDetails* details) {
  ASSIGN_OR_RETURN(const std::string groups,
                   GroupsText(instruction.replica_groups()));
  details->Add("replica_groups", groups);
  if (instruction.channel_id() != 0) {
    AddChannel(instruction.channel_id(), kDeviceToDevice, details);
  }
  if (instruction.use_global_device_ids()) {
    details->entries.emplace_back("use_global_device_ids");
  }
  return absl::OkStatus();
}

absl::Status DescribeAllGather(const Instruction& instruction,
                               OperationDetails* details) {
  details->Add("all_gather_dim", IntegerText(instruction.dimensions()[0]));
  return AddCommunication(instruction, details);
}

absl::Status DescribeReduceScatter(const Instruction& instruction,
                                   OperationDetails* details) {
  details->Add("scatter_dimension", IntegerText(instruction.dimensions()[0]));
  return AddCommunication(instruction, details);
}

// Each device sends a part of one array: with an array for each device there is
// no such operation.
absl::Status DescribeAllToAll(const Instruction& instruction,
                              OperationDetails* details) {
  if (instruction.dimensions().empty()) {
    return Unimplemented(
        "its all_to_all divides an array, it takes none per device");
  }
  const hlo::ReplicaGroups& groups = instruction.replica_groups();
  int64_t count = 0;
  if (groups.iota_devices.is_iota()) {
    count = groups.iota_group_size;
  } else if (!groups.groups.empty()) {
    count = static_cast<int64_t>(groups.groups.front().size());
  }
  if (count == 0) {
    return Unimplemented("the number of devices in a group is not known");
  }
  const std::string dimension = IntegerText(instruction.dimensions()[0]);
  details->Add("concat_dimension", dimension);
  details->Add("split_count", IntegerText(count));
  details->Add("split_dimension", dimension);
  return AddCommunication(instruction, details);
}

absl::Status DescribeCollectiveBroadcast(const Instruction& instruction,
                                         OperationDetails* details) {
  if (instruction.has_dynamic_root() || instruction.operand_count() != 1) {
    return Unimplemented(
        "its collective_broadcast has one operand and a fixed root");
  }
  const std::vector<DimensionVector>& groups =
      instruction.replica_groups().groups;
  if (!std::ranges::all_of(groups, [&](const DimensionVector& group) {
        return group.size() == groups.front().size();
      })) {
    return Unimplemented("its collective_broadcast has groups of one size");
  }
  return AddCommunication(instruction, details);
}

absl::Status DescribeCollectivePermute(const Instruction& instruction,
                                       OperationDetails* details) {
  if (instruction.operand_count() != 1) {
    return Unimplemented("its collective_permute has one operand");
  }
  std::vector<int64_t> ids;
  for (const DimensionVector& pair : instruction.source_target_pairs()) {
    ids.insert(ids.end(), pair.begin(), pair.end());
  }
  details->Add("source_target_pairs",
               DenseText({static_cast<int64_t>(ids.size() / 2), 2}, ids));
  if (instruction.channel_id() != 0) {
    AddChannel(instruction.channel_id(), kDeviceToDevice, details);
  }
  return absl::OkStatus();
}

absl::Status DescribeInfeed(const Instruction& instruction,
                            OperationDetails* details) {
  details->Add("infeed_config", StringText(instruction.infeed_config()));
  return absl::OkStatus();
}

absl::Status DescribeOutfeed(const Instruction& instruction,
                             OperationDetails* details) {
  details->Add("outfeed_config", StringText(instruction.outfeed_config()));
  return absl::OkStatus();
}

absl::Status DescribeTransfer(const Instruction& instruction,
                              OperationDetails* details) {
  const bool is_send = instruction.opcode() == Opcode::kSend;
  const bool is_host = instruction.is_host_transfer();
  const int host_type = is_send ? kDeviceToHost : kHostToDevice;
  AddChannel(instruction.channel_id(), is_host ? host_type : kDeviceToDevice,
             details);
  details->Add("is_host_transfer", BoolText(is_host));
  return absl::OkStatus();
}

}  // namespace

std::vector<OperationRow> CollectiveOperationRows() {
  constexpr auto kGeneric = OperationForm::kGeneric;
  constexpr auto kResultTypes = OperationForm::kResultTypes;
  return {
      {Opcode::kAllGather, "stablehlo.all_gather", kGeneric,
       &DescribeAllGather},
      {Opcode::kAllGatherStart, "stablehlo.all_gather", kGeneric,
       &DescribeAllGather},
      {Opcode::kAllReduce, "stablehlo.all_reduce", kGeneric, &AddCommunication},
      {Opcode::kAllReduceStart, "stablehlo.all_reduce", kGeneric,
       &AddCommunication},
      {Opcode::kAllToAll, "stablehlo.all_to_all", kGeneric, &DescribeAllToAll},
      {Opcode::kCollectiveBroadcast, "stablehlo.collective_broadcast", kGeneric,
       &DescribeCollectiveBroadcast},
      {Opcode::kCollectivePermute, "stablehlo.collective_permute", kGeneric,
       &DescribeCollectivePermute},
      {Opcode::kCollectivePermuteStart, "stablehlo.collective_permute",
       kGeneric, &DescribeCollectivePermute},
      {Opcode::kInfeed, "stablehlo.infeed", kGeneric, &DescribeInfeed},
      {Opcode::kOutfeed, "stablehlo.outfeed", kGeneric, &DescribeOutfeed},
      {Opcode::kPartitionId, "stablehlo.partition_id", kResultTypes},
      {Opcode::kRecv, "stablehlo.recv", kGeneric, &DescribeTransfer},
      {Opcode::kReduceScatter, "stablehlo.reduce_scatter", kGeneric,
       &DescribeReduceScatter},
      {Opcode::kReplicaId, "stablehlo.replica_id", kResultTypes},
      {Opcode::kSend, "stablehlo.send", kGeneric, &DescribeTransfer},
  };
}

}  // namespace hilo::stablehlo
