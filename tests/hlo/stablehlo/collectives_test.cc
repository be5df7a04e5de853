// Tests of communication in StableHLO, with one device taking part.
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "hlo/stablehlo/stablehlo.h"
#include "hlo/text/printer.h"
#include "tests/hlo/stablehlo/run_program.h"

namespace hilo::tests {
namespace {

const char kAddition[] =
    "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "%c = stablehlo.add %a, %b : tensor<f32>\n"
    "stablehlo.return %c : tensor<f32>\n})";

TEST_CASE("stablehlo: one device communicates with itself") {
  const std::string groups = "replica_groups = dense<[[0]]> : tensor<1x1xi64>";
  const std::string type = " : (tensor<2x2xf32>) -> tensor<2x2xf32>";
  for (const std::string& operation : {
           absl::StrCat("\"stablehlo.all_reduce\"(%x) ", kAddition, " {",
                        groups,
                        ", channel_handle = #stablehlo.channel_handle<handle "
                        "= 1, type = 0>, use_global_device_ids}"),
           absl::StrCat("\"stablehlo.all_gather\"(%x) {all_gather_dim = 1 : "
                        "i64, ",
                        groups, "}"),
           absl::StrCat("\"stablehlo.all_to_all\"(%x) {split_dimension = 1 : "
                        "i64, concat_dimension = 0 : i64, split_count = 1 : "
                        "i64, ",
                        groups, "}"),
           absl::StrCat("\"stablehlo.reduce_scatter\"(%x) ", kAddition,
                        " {scatter_dimension = 0 : i64, ", groups, "}"),
           std::string("\"stablehlo.collective_permute\"(%x) "
                       "{source_target_pairs = dense<[[0, 0]]> : "
                       "tensor<1x2xi64>}"),
           absl::StrCat("\"stablehlo.collective_broadcast\"(%x) {", groups,
                        "}"),
           absl::StrCat("\"stablehlo.cross-replica-sum\"(%x) {", groups, "}"),
           absl::StrCat("\"stablehlo.collective_reduce\"(%x) ", kAddition, " {",
                        groups, "}"),
       }) {
    CAPTURE(operation);
    CHECK(
        CheckStableHloBody(
            absl::StrCat(
                "%x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : "
                "tensor<2x2xf32>\n%0 = ",
                operation, type, "\ncheck.expect_eq %0, %x : tensor<2x2xf32>"))
            .empty());
  }
}

TEST_CASE("stablehlo: several arrays are communicated at once") {
  CHECK(
      CheckStableHloBody(
          absl::StrCat(
              "%x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
              "%y = stablehlo.constant dense<3.0> : tensor<f32>\n"
              "%0:2 = \"stablehlo.all_reduce\"(%x, %y) ",
              kAddition,
              " {replica_groups = dense<0> : tensor<1x1xi64>} : "
              "(tensor<2xf32>, "
              "tensor<f32>) -> (tensor<2xf32>, tensor<f32>)\n"
              "%1:2 = \"stablehlo.all_to_all\"(%0#0, %x) {split_dimension = 0 "
              ": "
              "i64, concat_dimension = 0 : i64, split_count = 1 : i64, "
              "replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>, "
              "tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)\n"
              "check.expect_eq %1#0, %1#1 : tensor<2xf32>\n"
              "check.expect_eq %0#1, %y : tensor<f32>"))
          .empty());
}

TEST_CASE("stablehlo: what is started is awaited") {
  CHECK(CheckStableHloBody(R"(
%x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
%f = "stablehlo.async_start"(%x) ({
^bb0(%a: tensor<2xf32>):
  %b = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  stablehlo.return %b : tensor<2xf32>
}) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
%0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
%r = stablehlo.replica_id : tensor<ui32>
%p = stablehlo.partition_id : tensor<ui32>
check.expect_eq %r, %p : tensor<ui32>
check.expect_eq %0, %x : tensor<2xf32>)")
            .empty());
}

struct TransferRow {
  std::string text;
  // Parts of the module's text.
  std::string expected;
};

TEST_CASE("stablehlo: communication becomes that of HLO") {
  for (const TransferRow& row : {
           TransferRow{"%0:2 = \"stablehlo.recv\"(%t) {channel_handle = "
                       "#stablehlo.channel_handle<handle = 1, type = 3>, "
                       "is_host_transfer = true} : (!stablehlo.token) -> "
                       "(tensor<2xf32>, !stablehlo.token)\n",
                       "recv(%t), channel_id=1, is_host_transfer=true"},
           TransferRow{"%0 = \"stablehlo.send\"(%x, %t) {channel_handle = "
                       "#stablehlo.channel_handle<handle = 2, type = 1>, "
                       "source_target_pairs = dense<[[0, 1], [1, 0]]> : "
                       "tensor<2x2xi64>} : (tensor<4x2xf32>, "
                       "!stablehlo.token) -> !stablehlo.token\n",
                       "channel_id=2, frontend_attributes={"
                       "_xla_send_recv_source_target_pairs={{0,1},{1,0}}}"},
           TransferRow{"%0:3 = \"stablehlo.infeed\"(%t) {infeed_config = "
                       "\"c\", layout = [[0], [0]]} : (!stablehlo.token) -> "
                       "(tensor<2xf32>, tensor<3xi32>, !stablehlo.token)\n",
                       "((f32[2]{0}, s32[3]{0}), token[]) infeed(%t), "
                       "infeed_config=\"c\""},
           TransferRow{"%0 = \"stablehlo.outfeed\"(%x, %t) {outfeed_config = "
                       "\"c\"} : (tensor<4x2xf32>, !stablehlo.token) -> "
                       "!stablehlo.token\n",
                       "outfeed(%x, %t), outfeed_shape=f32[4,2]{1,0}, "
                       "outfeed_config=\"c\""},
           TransferRow{"%0 = \"stablehlo.all_to_all\"(%x) {split_dimension = 0 "
                       ": i64, concat_dimension = 1 : i64, split_count = 2 : "
                       "i64, replica_groups = dense<[[0, 1], [2, -1]]> : "
                       "tensor<2x2xi64>} : (tensor<4x2xf32>) -> "
                       "tensor<2x4xf32>\n",
                       "f32[2,2,2]{2,1,0} transpose(%reshape), "
                       "dimensions={1,0,2}"},
           TransferRow{"%0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 1 "
                       ": i64, channel_handle = #stablehlo.channel_handle<"
                       "handle = 5, type = 1>, replica_groups = dense<[[0, "
                       "1], [2, -1]]> : tensor<2x2xi64>} : (tensor<4x2xf32>) "
                       "-> tensor<4x4xf32>\n",
                       "channel_id=5, replica_groups={{0,1},{2}}"},
       }) {
    const std::string text = absl::StrCat(
        "func.func @main(%x: tensor<4x2xf32>, %t: !stablehlo.token) {\n",
        row.text, "return\n}\n");
    CAPTURE(text);
    const auto module = ParseStableHlo(text, "test.mlir");
    CAPTURE(module.status().message());
    REQUIRE(module.ok());
    const std::string printed = hlo::Print(**module);
    CAPTURE(printed);
    CHECK(absl::StrContains(printed, row.expected));
  }
}

TEST_CASE("stablehlo: mistakes of communication") {
  for (const TransferRow& row : {
           TransferRow{"%0 = \"stablehlo.all_to_all\"(%x) {split_dimension = 0 "
                       ": i64, concat_dimension = 1 : i64, split_count = 3 : "
                       "i64} : (tensor<4x2xf32>) -> tensor<2x4xf32>\n",
                       "dimension 0 of f32[4,2] has no 3 parts"},
           TransferRow{"%0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 1 "
                       ": i64, replica_groups = #stablehlo.mesh_axes<axes = "
                       "[]>} : (tensor<4x2xf32>) -> tensor<4x4xf32>\n",
                       "stablehlo.all_gather: replica groups that are not a "
                       "list are not supported"},
           TransferRow{"%0 = \"stablehlo.collective_reduce\"(%x) : "
                       "(tensor<4x2xf32>) -> tensor<4x2xf32>\n",
                       "collective_reduce: 'replica_groups' is missing"},
           TransferRow{"%0 = \"stablehlo.collective_reduce\"(%x) "
                       "{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : "
                       "(tensor<4x2xf32>) -> tensor<4x2xf32>\n",
                       "groups of several members are not supported"},
       }) {
    CAPTURE(row.text);
    const std::string message = CheckStableHlo(absl::StrCat(
        "func.func @main(%x: tensor<4x2xf32>) {\n", row.text, "return\n}\n"));
    CAPTURE(message);
    CHECK(absl::StrContains(message, row.expected));
  }
}

}  // namespace
}  // namespace hilo::tests
