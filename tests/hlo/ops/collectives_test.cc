// Tests of the shape rules of collectives and host transfers.
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "hlo/ir/sharding.h"
#include "hlo/ops/replica_groups.h"
#include "tests/hlo/ops/infer_text.h"

namespace hilo::hlo {
namespace {

constexpr absl::string_view kAddDevices =
    ", to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] "
    "add(a, b) }";

TEST_CASE("gathers and scatters multiply and divide a dimension") {
  CheckInference({
      {"f32[4,3] all-gather(f32[4,3] x), dimensions={0}", "f32[4,3]"},
      {"f32[8,3] all-gather(f32[4,3] x), dimensions={0}, "
       "replica_groups={{0,1}}",
       "f32[8,3]"},
      {"(f32[8], f32[2]) all-gather(f32[4] x, f32[1] y), dimensions={0}",
       "(f32[8], f32[2])"},
      {"f32[8,3] all-gather(f32[4,3] x), dimensions={0}, "
       "replica_groups={{0,1,2}}",
       "but a group has 3 devices"},
      {"f32[9,3] all-gather(f32[4,3] x), dimensions={0}", "not a multiple"},
      {"f32[8] all-gather(f32[4,3] x), dimensions={0}", "expected the rank"},
      {"f32[4,3] all-gather(f32[4,3] x), dimensions={}",
       "dimensions must hold one dimension"},
      {"f32[4,3] all-gather(f32[4,3] x), dimensions={2}", "out of range"},
      {absl::StrCat("f32[4,3] reduce-scatter(f32[8,3] x), dimensions={0}",
                    kAddDevices),
       "f32[4,3]"},
      {absl::StrCat("f32[3,3] reduce-scatter(f32[8,3] x), dimensions={0}",
                    kAddDevices),
       "not a multiple"},
      {absl::StrCat("f32[4,3] reduce-scatter(f32[8,3] x), dimensions={}",
                    kAddDevices),
       "dimensions must hold one dimension"},
  });
}

TEST_CASE("all-reduce keeps shapes and checks its reducer") {
  CheckInference({
      {absl::StrCat("f32[4] all-reduce(f32[4] x)", kAddDevices), "f32[4]"},
      {absl::StrCat("(f32[4], f32[3]) all-reduce(f32[4] x, f32[3] y)",
                    kAddDevices),
       "(f32[4], f32[3])"},
      {absl::StrCat("f32[5] all-reduce(f32[4] x)", kAddDevices),
       "declared f32[5], expected f32[4]"},
      {"f32[4] all-reduce(f32[4] x), to_apply={ ROOT a = f32[] parameter(0) }",
       "expected 2"},
      {absl::StrCat("s32[4] all-reduce(s32[4] x)", kAddDevices), "s32[]"},
  });
}

TEST_CASE("permutes, exchanges and transfers check operands and results") {
  CheckInference({
      {"f32[4] collective-permute(f32[4] x), source_target_pairs={{0,1},{1,0}}",
       "f32[4]"},
      {"f32[4] collective-permute(f32[4] x), source_target_pairs={{0,1},{0,2}}",
       "lets device 0 send twice"},
      {"f32[4] collective-permute(f32[4] x), "
       "source_target_pairs={{0,1},{2,1}}",
       "lets device 1 receive twice"},
      {"(f32[4], f32[4], u32[], u32[]) collective-permute-start(f32[4] x), "
       "source_target_pairs={{0,1}}",
       "(f32[4], f32[4], u32[], u32[])"},
      {"(f32[4], f32[5]) collective-permute-start(f32[4] x), "
       "source_target_pairs={{0,1}}",
       "expected (f32[4], f32[4])"},
      {"f32[4] all-to-all(f32[4] x), dimensions={0}, replica_groups={{0,1}}",
       "f32[4]"},
      {"f32[3] all-to-all(f32[3] x), dimensions={0}, replica_groups={{0,1}}",
       "not a multiple of the 2 devices"},
      {"(f32[4], f32[4]) all-to-all(f32[4] x, f32[4] y)", "(f32[4], f32[4])"},
      {"(f32[4], f32[3]) all-to-all(f32[4] x, f32[3] y)", "dimensions differ"},
      {"f32[9] ragged-all-to-all(f32[4] x, f32[9] y, s32[1] a, s32[1] b, "
       "s32[1] c, s32[1] d)",
       "f32[9]"},
      {"f32[9] ragged-all-to-all(f32[4] x, f32[9] y, s32[1] a, s32[2] b, "
       "s32[1] c, s32[1] d)",
       "dimensions differ"},
      {"(f32[4], u32[], token[]) send(f32[4] x, token[] t), channel_id=1",
       "(f32[4], u32[], token[])"},
      {"(f32[4], u32[], token[]) send(f32[4] x, f32[] t), channel_id=1",
       "expected a token"},
      {"(f32[4], token[]) recv(token[] t), channel_id=1",
       "expected (value, u32[], token[])"},
      {"token[] outfeed(f32[4] x, token[] t), outfeed_shape=f32[5]",
       "outfeed_shape is f32[5], operand 0 is f32[4]"},
  });
}

ReplicaGroups Explicit(
    std::initializer_list<std::initializer_list<int64_t>> lists) {
  ReplicaGroups groups;
  for (const auto& ids : lists) groups.groups.emplace_back(ids);
  return groups;
}

ReplicaGroups Iota(int64_t count, int64_t size,
                   std::initializer_list<int64_t> reshape,
                   std::initializer_list<int64_t> transpose = {}) {
  ReplicaGroups groups;
  groups.iota_group_count = count;
  groups.iota_group_size = size;
  groups.iota_devices.reshape_dims.assign(reshape);
  groups.iota_devices.transpose_perm.assign(transpose);
  return groups;
}

ReplicaGroups OnMesh(std::vector<MeshAxis> axes, AxisList references,
                     std::initializer_list<int64_t> ids = {}) {
  ReplicaGroups groups;
  groups.mesh.axes = std::move(axes);
  groups.mesh.devices.ids.assign(ids);
  groups.mesh_axes = std::move(references);
  return groups;
}

constexpr int64_t kHuge = int64_t{1} << 61;

TEST_CASE("replica groups are checked without being expanded") {
  const auto valid = std::to_array<std::pair<ReplicaGroups, int64_t>>({
      {Explicit({}), 0},
      {Explicit({{0, 1}, {2, 3}}), 2},
      {Explicit({{0, 1}, {2}}), 0},
      {Iota(1, kHuge, {kHuge}), kHuge},
      {Iota(2, 4, {2, 4}, {1, 0}), 4},
      {OnMesh({{"x", kHuge}, {"y", 2}}, {{0, 0, 0}}), kHuge},
      {OnMesh({{"x", 8}}, {{0, 2, 2}}), 2},
      {OnMesh({{"x", 2}}, {{0, 0, 0}}, {1, 0}), 2},
  });
  for (const auto& [groups, expected] : valid) {
    const auto size = CheckReplicaGroups(groups);
    REQUIRE(size.ok());
    CHECK(*size == expected);
  }
}

TEST_CASE("replica groups that contradict themselves are errors") {
  const auto invalid = std::to_array<ReplicaGroups>({
      Explicit({{0, 1}, {1}}),
      Explicit({{0, -1}}),
      Explicit({{0}, {}}),
      Iota(2, 4, {4}),
      Iota(2, 4, {2, 4}, {0, 0}),
      Iota(kHuge, kHuge, {kHuge, kHuge}),
      Iota(-1, 4, {4}),
      OnMesh({{"x", 2}}, {{1, 0, 0}}),
      OnMesh({{"x", kHuge}, {"y", kHuge}}, {{1, 0, 0}}),
      OnMesh({{"x", 4}}, {{0, 0, 0}}, {0, 1}),
      OnMesh({{"x", 4}}, {{0, 3, 2}}),
      OnMesh({{"x", 4}}, {{0, 0, 0}, {0, 0, 0}}),
  });
  for (const ReplicaGroups& groups : invalid) {
    CHECK_FALSE(CheckReplicaGroups(groups).ok());
  }
}

}  // namespace
}  // namespace hilo::hlo
