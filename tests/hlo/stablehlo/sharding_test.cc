// Tests of shardings, which say nothing of the values on one device.
#include <string>

#include "absl/strings/match.h"
#include <catch2/catch.hpp>

#include "tests/hlo/stablehlo/run_program.h"

namespace hilo::tests {
namespace {

// As JAX writes them.
TEST_CASE("stablehlo: one device has all of what is divided") {
  CHECK(CheckStableHlo(R"(
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=1, "y"=1], device_ids=[0]> {stablehlo.mesh = {axes = [{name = "x", size = 1 : i64}]}}
  sdy.mesh @empty_mesh = <[]>
  func.func public @main() -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x", ?}p1]> : tensor<2xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<2xf32>
    %3 = sdy.propagation_barrier %2 allowed_direction=NONE : tensor<2xf32>
    sdy.sharding_group %3 group_id=21 : tensor<2xf32>
    %4:2 = sdy.manual_computation(%3, %2) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%arg1: tensor<2xf32>, %arg2: tensor<2xf32>) {
      %6 = stablehlo.add %arg1, %arg2 : tensor<2xf32>
      %7 = "stablehlo.all_reduce"(%6) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %8 = stablehlo.add %arg3, %arg4 : tensor<f32>
        stablehlo.return %8 : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %7, %6 : tensor<2xf32>, tensor<2xf32>
    } : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    check.expect_eq_const %4#0, dense<[2.0, 4.0]> : tensor<2xf32>
    return %4#1 : tensor<2xf32>
  }
})")
            .empty());
}

TEST_CASE("stablehlo: computations on several devices are errors") {
  CHECK(absl::StrContains(
      CheckStableHloBody(R"(
%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
%1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<1xf32>) {
  sdy.return %a : tensor<1xf32>
} : (tensor<2xf32>) -> tensor<2xf32>)"),
      "sdy.manual_computation divides f32[2] into parts f32[1]: computing on "
      "several devices is not supported"));
  CHECK(absl::StrContains(
      CheckStableHloBody("%0 = stablehlo.constant dense<1> : tensor<i32>\n"
                         "%1 = sdy.reshard %0 <@mesh, [{}]"),
      "expected ':', got the end of the file"));
  CHECK(absl::StrContains(CheckStableHlo("sdy.mesh @m <[]>"), "expected '='"));
}

}  // namespace
}  // namespace hilo::tests
