// Tests of leaves, identities, communication and structural custom calls.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/hlo/eval/evaluate_text.h"

namespace hilo::hlo {
namespace {

TEST_CASE("iota counts along one dimension") {
  CheckApply({
      {"s32[2,3] iota(), iota_dimension=1", {}, "{ { 0, 1, 2 }, { 0, 1, 2 } }"},
      {"s32[2,3] iota(), iota_dimension=0", {}, "{ { 0, 0, 0 }, { 1, 1, 1 } }"},
      {"s2[5] iota(), iota_dimension=0", {}, "{0, 1, -2, -1, 0}"},
      {"f4e2m1fn[8] iota(), iota_dimension=0", {}, "{0, 1, 2, 3, 4, 4, 6, 6}"},
      {"c64[2] iota(), iota_dimension=0", {}, "{(0, 0), (1, 0)}"},
      {"f32[0] iota(), iota_dimension=0", {}, "{}"},
  });
}

TEST_CASE("identities and ids of one device") {
  CheckApply({
      {"u32[] replica-id()", {}, "0"},
      {"u32[] partition-id()", {}, "0"},
      {"f32[2]{0} copy(x)", {"f32[2] {1, 2}"}, "{1, 2}"},
      {"f32[2,2]{0,1} copy(x)",
       {"f32[2,2] {{1, 2}, {3, 4}}"},
       "{ { 1, 2 }, { 3, 4 } }"},
      {"f32[2] opt-barrier(x)", {"f32[2] {1, 2}"}, "{1, 2}"},
      {"s32[] get-dimension-size(x), dimensions={1}",
       {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}"},
       "3"},
      {"f32[<=2] set-dimension-size(x, y), dimensions={0}",
       {"f32[2] {1, 2}", "s32[] 2"},
       "{1, 2}"},
      {"f32[<=2] set-dimension-size(x, y), dimensions={0}",
       {"f32[2] {1, 2}", "s32[] 1"},
       "error: %result (set-dimension-size): size 1 of dimension 0 is below "
       "its bound 2: values of run-time size are not supported"},
  });
}

TEST_CASE("collectives of one device") {
  const std::string module = R"(
HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
  reduced = f32[2] all-reduce(x), replica_groups={}, to_apply=add
  gathered = f32[2] all-gather(reduced), replica_groups={{0}}, dimensions={0}
  start = (f32[2], f32[2]) all-gather-start(gathered), replica_groups={{0}}, dimensions={0}
  done = f32[2] all-gather-done(start)
  moved = f32[2] collective-permute(done), source_target_pairs={{0,0}}
  lost = f32[2] collective-permute(done), source_target_pairs={{0,1}}
  ROOT r = (f32[2], f32[2]) tuple(moved, lost)
})";
  CHECK(EvaluateText(module, {"f32[2] {1, 2}"}) == "( {1, 2}, {0, 0} )");
  CHECK(Apply("f32[4] all-gather(x), replica_groups={{0,1}}, dimensions={0}",
              {"f32[2] {1, 2}"}) ==
        "error: %result (all-gather): groups of 2 devices communicate, but "
        "one device runs");
}

TEST_CASE("copies and asynchronous computations finish at once") {
  const std::string module = R"(
HloModule m
negate {
  a = f32[] parameter(0)
  ROOT r = f32[] negate(a)
}
ENTRY e {
  x = f32[] parameter(0)
  cs = (f32[], f32[], u32[]) copy-start(x)
  cd = f32[] copy-done(cs)
  as = ((f32[]), f32[], u32[]) async-start(cd), calls=negate
  au = ((f32[]), f32[], u32[]) async-update(as)
  ROOT ad = f32[] async-done(au)
})";
  CHECK(EvaluateText(module, {"f32[] 3"}) == "-3");
}

TEST_CASE("structural custom calls") {
  CheckApply({
      {"f32[2] custom-call(x), custom_call_target=\"Sharding\"",
       {"f32[2] {1, 2}"},
       "{1, 2}"},
      {"f32[2] custom-call(x), "
       "custom_call_target=\"annotate_device_placement\"",
       {"f32[2] {1, 2}"},
       "{1, 2}"},
      {"f32[1] custom-call(x), custom_call_target=\"SPMDFullToShardShape\"",
       {"f32[2] {1, 2}"},
       "error: %result (custom-call): \"SPMDFullToShardShape\" divides f32[2] "
       "into f32[1], but one device runs"},
      {"u64[] custom-call(), custom_call_target=\"GetRngSeed\"", {}, "0"},
      {"u64[1] custom-call(x, y), custom_call_target=\"X64Combine\"",
       {"u32[1] {1}", "u32[1] {2}"},
       "{8589934593}"},
      {"u32[1] custom-call(x), custom_call_target=\"X64SplitHigh\"",
       {"u64[1] {8589934593}"},
       "{2}"},
      {"f32[] custom-call(x), custom_call_target=\"Shardin\"",
       {"f32[] 1"},
       "error: %result (custom-call): the target \"Shardin\" is not known; "
       "did you mean 'Sharding'?"},
  });
}

}  // namespace
}  // namespace hilo::hlo
