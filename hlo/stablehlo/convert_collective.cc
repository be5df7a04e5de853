// Communication between devices.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ir/sharding.h"
#include "hlo/stablehlo/attribute_reader.h"
#include "hlo/stablehlo/converter.h"
#include "hlo/stablehlo/syntax.h"

namespace hilo::stablehlo {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

}  // namespace

void Converter::SetChannel(AttributeReader* reader, const Operation& operation,
                           Instruction& instruction) {
  int64_t channel = reader->Integer("channel_id", 0);
  const Attribute* handle = operation.attributes.Find("channel_handle");
  if (handle != nullptr && handle->kind != AttributeKind::kUnit) {
    channel = reader->Structure("channel_handle").Integer("handle", 0);
  }
  if (channel != 0) instruction.set_channel_id(channel);
}

void Converter::SetGroups(AttributeReader* reader, const Operation& operation,
                          Instruction& instruction) {
  const Attribute* given = operation.attributes.Find("replica_groups");
  if (given != nullptr && given->kind != AttributeKind::kDense &&
      given->kind != AttributeKind::kArray) {
    reader->Error("replica groups that are not a list are not supported");
    return;
  }
  hlo::ReplicaGroups groups;
  groups.groups = reader->Rows("replica_groups");
  instruction.set_replica_groups(groups);
  SetChannel(reader, operation, instruction);
  if (reader->Bool("use_global_device_ids")) {
    instruction.set_use_global_device_ids(true);
  }
}

bool Converter::ConvertAllGather(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t dimension = reader.Integer("all_gather_dim");
  Instruction* gather = AddSimple(operation, Opcode::kAllGather);
  if (gather == nullptr) return false;
  SetGroups(&reader, operation, *gather);
  gather->set_dimensions({dimension});
  return reader.ok() && SetResults(operation, gather);
}

bool Converter::ConvertAllReduce(const Operation& operation) {
  AttributeReader reader = Read(operation);
  hlo::Computation* reducer = ConvertRegion(operation, 0, "reducer");
  if (reducer == nullptr) return false;
  Instruction* reduce = AddSimple(operation, Opcode::kAllReduce);
  if (reduce == nullptr) return false;
  SetGroups(&reader, operation, *reduce);
  reduce->set_to_apply(reducer);
  return reader.ok() && SetResults(operation, reduce);
}

// An all-reduce that adds.
bool Converter::ConvertCrossReplicaSum(const Operation& operation) {
  AttributeReader reader = Read(operation);
  Instruction* reduce = AddSimple(operation, Opcode::kAllReduce);
  if (reduce == nullptr || !HasOperands(operation, 1)) return false;
  SetGroups(&reader, operation, *reduce);
  reduce->set_to_apply(
      MakeReducer(reduce->operand_shape(0).element_type(), operation.offset));
  return reader.ok() && SetResults(operation, reduce);
}

// With one member in each group, nothing is reduced.
bool Converter::ConvertCollectiveReduce(const Operation& operation) {
  AttributeReader reader = Read(operation);
  std::vector<Instruction*> operands;
  if (!reader.Has("replica_groups")) {
    reader.Error("'replica_groups' is missing");
    return false;
  }
  for (const DimensionVector& group : reader.Rows("replica_groups")) {
    if (group.size() <= 1) continue;
    reader.Error("groups of several members are not supported");
    break;
  }
  if (!reader.ok() || !UseOperands(operation, &operands)) return false;
  // The number of the member that gets the result may come last.
  if (operands.size() < operation.results.size()) {
    return Error(operation.offset,
                 "collective_reduce has a result for each of its operands");
  }
  for (size_t i = 0; i < operation.results.size(); ++i) {
    Shape shape;
    if (!ShapeOf(operation.results[i], operation.offset, &shape)) return false;
    if (shape != operands[i]->shape()) {
      return Error(operation.offset,
                   absl::StrCat("collective_reduce of ",
                                ToString(operands[i]->shape(), false),
                                " does not give ", ToString(shape, false)));
    }
    scope_->values[operation.results[i]] = operands[i];
  }
  return true;
}

// Each device takes one block of every other device's.
bool Converter::ConvertAllToAll(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t split = reader.Integer("split_dimension");
  const int64_t concat = reader.Integer("concat_dimension");
  const int64_t count = reader.Integer("split_count");
  std::vector<Instruction*> operands;
  if (!reader.ok() || !UseOperands(operation, &operands)) return false;
  if (operands.size() != operation.results.size()) {
    return Error(operation.offset,
                 "all_to_all has a result for each of its operands");
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    Shape shape;
    if (!ShapeOf(operation.results[i], operation.offset, &shape)) return false;
    const Shape& from = operands[i]->shape();
    if (split < 0 || split >= from.rank() || concat < 0 ||
        concat >= from.rank() || count < 1 ||
        from.dimension(split) % count != 0) {
      return Error(
          operation.offset,
          absl::StrCat("all_to_all: dimension ", split, " of ",
                       ToString(from, false), " has no ", count,
                       " parts to be joined along dimension ", concat));
    }
    Instruction* blocks =
        Add(Opcode::kAllToAll, from, {operands[i]}, operation.offset);
    blocks->set_dimensions({split});
    SetGroups(&reader, operation, *blocks);
    scope_->values[operation.results[i]] =
        Interleave(blocks, split, concat, count, shape, operation.offset);
  }
  return reader.ok();
}

// Joins the `count` blocks along `split` along `concat`.
Instruction* Converter::Interleave(Instruction* blocks, int64_t split,
                                   int64_t concat, int64_t count,
                                   const Shape& shape, int64_t offset) {
  const Shape& from = blocks->shape();
  if (split == concat || count == 1) return blocks;
  // The number of the block becomes a dimension of its own, moves before the
  // other one, and disappears in it.
  DimensionVector sizes;
  DimensionVector permutation;
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (d == split) sizes.push_back(count);
    sizes.push_back(d == split ? from.dimension(d) / count : from.dimension(d));
    if (d == concat) permutation.push_back(split);
    permutation.push_back(d < split ? d : d + 1);
  }
  Instruction* divided =
      Add(Opcode::kReshape, Shape::Array(from.element_type(), sizes), {blocks},
          offset);
  DimensionVector moved;
  for (const int64_t d : permutation) {
    moved.push_back(sizes[static_cast<size_t>(d)]);
  }
  Instruction* transposed =
      Add(Opcode::kTranspose, Shape::Array(from.element_type(), moved),
          {divided}, offset);
  transposed->set_dimensions(permutation);
  return Add(Opcode::kReshape, shape, {transposed}, offset);
}

bool Converter::ConvertReduceScatter(const Operation& operation) {
  AttributeReader reader = Read(operation);
  const int64_t dimension = reader.Integer("scatter_dimension");
  hlo::Computation* reducer = ConvertRegion(operation, 0, "reducer");
  if (reducer == nullptr) return false;
  Instruction* scatter = AddSimple(operation, Opcode::kReduceScatter);
  if (scatter == nullptr) return false;
  SetGroups(&reader, operation, *scatter);
  scatter->set_dimensions({dimension});
  scatter->set_to_apply(reducer);
  return reader.ok() && SetResults(operation, scatter);
}

bool Converter::ConvertCollectivePermute(const Operation& operation) {
  AttributeReader reader = Read(operation);
  Instruction* permute = AddSimple(operation, Opcode::kCollectivePermute);
  if (permute == nullptr) return false;
  SetChannel(&reader, operation, *permute);
  permute->set_source_target_pairs(reader.Rows("source_target_pairs"));
  return reader.ok() && SetResults(operation, permute);
}

bool Converter::ConvertCollectiveBroadcast(const Operation& operation) {
  AttributeReader reader = Read(operation);
  Instruction* broadcast = AddSimple(operation, Opcode::kCollectiveBroadcast);
  if (broadcast == nullptr) return false;
  SetGroups(&reader, operation, *broadcast);
  if (reader.Bool("has_dynamic_root")) broadcast->set_has_dynamic_root(true);
  return reader.ok() && SetResults(operation, broadcast);
}

bool Converter::ConvertReplicaId(const Operation& operation) {
  return SetResults(operation, AddSimple(operation, Opcode::kReplicaId));
}

bool Converter::ConvertPartitionId(const Operation& operation) {
  return SetResults(operation, AddSimple(operation, Opcode::kPartitionId));
}

// What each device computes of its part, which is all on one device.
bool Converter::ConvertManualComputation(const Operation& operation) {
  for (const Region& region : operation.regions) {
    for (size_t i = 0;
         i < std::min(region.arguments.size(), operation.operands.size());
         ++i) {
      const std::string whole = TypeOf(operation.operands[i]).ToString();
      const std::string part = TypeOf(region.arguments[i]).ToString();
      if (whole == part) continue;
      return Error(
          operation.operand_offsets[i],
          absl::StrCat(operation.name, " divides ", whole, " into parts ", part,
                       ": computing on several devices is not "
                       "supported"));
    }
  }
  return CallRegion(operation);
}

}  // namespace hilo::stablehlo
