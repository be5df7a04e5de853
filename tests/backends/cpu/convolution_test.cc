// Tests of the kernels of convolutions against the evaluator.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "catch2/catch.hpp"
#include "llvm/IR/Module.h"

#include "backends/cpu/convolution_plan.h"
#include "backends/cpu/matmul_emitter.h"
#include "backends/cpu/matmul_plan.h"
#include "backends/plan/kernel_plan.h"
#include "hlo/eval/evaluator.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "runtime/base/source.h"
#include "tests/backends/cpu/run_kernel.h"

namespace hilo::backends {
namespace {

struct Convolution {
  std::string lhs;
  std::string rhs;
  std::string output;
  std::string attributes;
};

// Compares the kernel with the evaluator, on small integers.
void CheckConvolution(const Convolution& row, const TestTarget& target,
                      const std::string& given = "") {
  const std::string text =
      absl::StrCat("HloModule test\nENTRY main {\n  x = ", row.lhs,
                   " parameter(0)\n  y = ", row.rhs,
                   " parameter(1)\n  ROOT r = ", row.output,
                   " convolution(x, y), ", row.attributes, "\n}\n");
  CAPTURE(text, given);
  const auto module = hlo::Parse(text);
  CAPTURE(module.status().ToString());
  REQUIRE(module.ok());
  const hlo::Instruction& convolution = *(*module)->entry()->root();
  const absl::StatusOr<GivenPlans> plans =
      GivenPlans::Parse(std::make_shared<Source>("plans.txt", given));
  REQUIRE(plans.ok());
  KernelPlan decisions(plans->Find("r"));
  decisions.set_kind("convolution");
  const absl::StatusOr<MatmulPlan> plan =
      PlanConvolution(convolution, target.traits, decisions);
  REQUIRE(plan.ok());
  REQUIRE(decisions.Check() == absl::OkStatus());
  CAPTURE(plan->ToString());
  const TestKernel kernel(target, [&](llvm::Module& code) {
    REQUIRE(EmitMatmul(*plan, code, "kernel").ok());
  });
  const std::vector<hlo::Literal> arguments = RandomArguments(**module, true);
  std::vector<char> lhs =
      BytesInLayout(arguments[0], convolution.operand_shape(0));
  std::vector<char> rhs =
      BytesInLayout(arguments[1], convolution.operand_shape(1));
  std::vector<char> output =
      BytesInLayout(hlo::Literal(hlo::WithoutLayout(convolution.shape())),
                    convolution.shape());
  std::ranges::fill(output, '\x55');
  kernel.Run({lhs.data(), rhs.data(), output.data()},
             {plan->units, plan->grain, plan->scratch_bytes()});
  const auto want = hlo::Evaluate(**module, arguments);
  REQUIRE(want.ok());
  CHECK(Difference(LiteralFromLayout(output, convolution.shape()), *want, 0) ==
        kNoDifference);
}

void CheckAll(const std::vector<Convolution>& rows, int64_t cores = 2) {
  const TestTarget target("", cores);
  for (const Convolution& row : rows) CheckConvolution(row, target);
}

TEST_CASE("convolution kernels stride, pad and dilate") {
  CheckAll({
      {"f32[2,9,11,5]", "f32[3,3,5,19]", "f32[2,9,11,19]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
      {"f32[2,9,11,5]", "f32[3,3,5,19]", "f32[2,7,9,19]",
       "window={size=3x3}, dim_labels=b01f_01io->b01f"},
      {"f32[1,24,25,3]", "f32[7,7,3,16]", "f32[1,12,13,16]",
       "window={size=7x7 stride=2x2 pad=3_2x3_3}, "
       "dim_labels=b01f_01io->b01f"},
      {"f32[1,20,21,4]", "f32[3,3,4,8]", "f32[1,16,17,8]",
       "window={size=3x3 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
      {"f32[1,6,5,4]", "f32[3,3,4,8]", "f32[1,13,15,8]",
       "window={size=3x3 pad=2_2x2_1 lhs_dilate=2x3}, "
       "dim_labels=b01f_01io->b01f"},
      {"f32[1,10,10,4]", "f32[3,3,4,8]", "f32[1,5,7,8]",
       "window={size=3x3 pad=-2_-1x1_-2}, dim_labels=b01f_01io->b01f"},
      {"f32[1,6,6,4]", "f32[2,3,4,8]", "f32[1,4,5,8]",
       "window={size=2x3 stride=2x1 pad=-1_-2x-3_-1 lhs_dilate=2x2}, "
       "dim_labels=b01f_01io->b01f"},
      {"f32[1,8,8,4]", "f32[3,3,4,8]", "f32[1,8,8,8]",
       "window={size=3x3 pad=1_1x1_1 rhs_reversal=1x1}, "
       "dim_labels=b01f_01io->b01f"},
      {"f32[3,8,8,40]", "f32[1,1,40,24]", "f32[3,8,8,24]",
       "window={size=1x1}, dim_labels=b01f_01io->b01f"},
      {"f32[3,9,8,40]", "f32[1,1,40,24]", "f32[3,5,4,24]",
       "window={size=1x1 stride=2x2}, dim_labels=b01f_01io->b01f"},
      {"f32[1,7,7,64]", "f32[3,3,64,130]", "f32[1,7,7,130]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
      // Padding on one side only, and more than the input.
      {"f32[1,4,4,3]", "f32[1,1,3,8]", "f32[1,9,4,8]",
       "window={size=1x1 pad=0_5x0_0}, dim_labels=b01f_01io->b01f"},
      {"f32[1,2,2,3]", "f32[2,2,3,8]", "f32[1,12,1,8]",
       "window={size=2x2 pad=6_5x0_0}, dim_labels=b01f_01io->b01f"},
  });
}

TEST_CASE("convolution kernels take dimensions in any order") {
  CheckAll({
      {"f32[2,5,9,11]", "f32[19,5,3,3]", "f32[2,19,9,11]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"},
      {"f32[2,5,19,21]", "f32[19,5,3,3]", "f32[2,19,10,11]",
       "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"},
      {"f32[2,40,6,7]", "f32[24,40,1,1]", "f32[2,24,6,7]",
       "window={size=1x1}, dim_labels=bf01_oi01->bf01"},
      {"f32[9,2,11,5]", "f32[3,5,19,3]", "f32[11,19,2,9]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=0b1f_0io1->1fb0"},
      // One and three spatial dimensions, and none.
      {"f32[2,50,7]", "f32[4,7,9]", "f32[2,51,9]",
       "window={size=4 pad=2_2}, dim_labels=b0f_0io->b0f"},
      {"f32[2,7,50]", "f32[9,7,4]", "f32[2,9,51]",
       "window={size=4 pad=2_2}, dim_labels=bf0_oi0->bf0"},
      {"f32[2,1,300]", "f32[1,1,30]", "f32[2,1,300]",
       "window={size=30 pad=29_0}, dim_labels=bf0_oi0->bf0"},
      {"f32[2,5,6,7,3]", "f32[2,3,2,3,9]", "f32[2,5,6,7,9]",
       "window={size=2x3x2 pad=1_0x1_1x0_1}, dim_labels=b012f_012io->b012f"},
      {"f32[6,9]", "f32[9,5]", "f32[6,5]", "dim_labels=bf_io->bf"},
      // Layouts.
      {"f32[2,9,11,5]{2,1,3,0}", "f32[3,3,5,19]{0,1,2,3}",
       "f32[2,9,11,19]{2,1,3,0}",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
  });
}

TEST_CASE("convolution kernels group features and batches") {
  const std::vector<Convolution> rows = {
      {"f32[2,9,11,24]", "f32[3,3,1,24]", "f32[2,9,11,24]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
       "feature_group_count=24"},
      {"f32[2,9,11,19]", "f32[3,3,1,19]", "f32[2,5,6,19]",
       "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
       "feature_group_count=19"},
      {"f32[2,9,11,10]", "f32[3,3,1,10]", "f32[2,7,9,10]",
       "window={size=3x3}, dim_labels=b01f_01io->b01f, "
       "feature_group_count=10"},
      {"f32[2,9,11,6]", "f32[3,3,1,12]", "f32[2,9,11,12]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
       "feature_group_count=6"},
      {"f32[2,9,11,12]", "f32[3,3,4,15]", "f32[2,9,11,15]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
       "feature_group_count=3"},
      {"f32[2,12,9,11]", "f32[12,1,3,3]", "f32[2,12,9,11]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, "
       "feature_group_count=12"},
      {"f32[6,9,11,5]", "f32[3,3,5,12]", "f32[2,7,9,12]",
       "window={size=3x3}, dim_labels=b01f_01io->b01f, batch_group_count=3"},
      {"f32[6,9,11,1]", "f32[3,3,1,6]", "f32[1,9,11,6]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
       "batch_group_count=6"},
      // The gradient of weights, as programs write it.
      {"f32[2,9,11,5]", "f32[2,9,11,7]", "f32[5,3,3,7]",
       "window={size=9x11 pad=1_1x1_1}, dim_labels=f01b_i01o->b01f"},
      {"f32[2,9,11,5]", "f32[2,5,6,7]", "f32[5,3,3,7]",
       "window={size=5x6 pad=1_1x1_1 rhs_dilate=2x2}, "
       "dim_labels=f01b_i01o->b01f"},
  };
  CheckAll(rows);
  CheckAll(rows, 1);
}

// A convolution of each feature by itself, over two dimensions that are alike.
struct FeatureConvolution {
  int64_t batch = 1;
  int64_t size = 1;
  int64_t features = 1;
  int64_t window = 3;
  int64_t low = 1;
  int64_t high = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t base_dilation = 1;
  int64_t multiplier = 1;
};

Convolution TextOf(const FeatureConvolution& c, const std::string& type) {
  const int64_t padded = (c.size - 1) * c.base_dilation + 1 + c.low + c.high;
  const int64_t extent = (c.window - 1) * c.dilation + 1;
  const int64_t output = padded < extent ? 0 : (padded - extent) / c.stride + 1;
  const int64_t features = c.features * c.multiplier;
  const auto twice = [](const std::string& one) { return one + "x" + one; };
  return {
      .lhs = absl::StrCat(type, "[", c.batch, ",", c.size, ",", c.size, ",",
                          c.features, "]"),
      .rhs = absl::StrCat(type, "[", c.window, ",", c.window, ",1,", features,
                          "]"),
      .output = absl::StrCat(type, "[", c.batch, ",", output, ",", output, ",",
                             features, "]"),
      .attributes = absl::StrCat(
          "window={size=", twice(absl::StrCat(c.window)),
          " stride=", twice(absl::StrCat(c.stride)),
          " pad=", twice(absl::StrCat(c.low, "_", c.high)),
          " lhs_dilate=", twice(absl::StrCat(c.base_dilation)),
          " rhs_dilate=", twice(absl::StrCat(c.dilation)),
          "}, dim_labels=b01f_01io->b01f, feature_group_count=", c.features)};
}

TEST_CASE("convolution kernels take feature by feature") {
  std::vector<FeatureConvolution> rows;
  for (const int64_t size : {1, 3, 5, 7, 17}) {
    rows.push_back({.size = size, .features = 24});
    rows.push_back({.batch = 2, .size = size, .features = 19, .stride = 2});
    rows.push_back({.size = size,
                    .features = 5,
                    .window = 5,
                    .low = 2,
                    .high = 2,
                    .stride = 2});
    // Padding larger than the window, and than the input.
    rows.push_back({.size = size, .features = 17, .low = 5, .high = 9});
    rows.push_back({.size = size,
                    .features = 8,
                    .window = 2,
                    .low = 7,
                    .high = 0,
                    .stride = 3});
    rows.push_back(
        {.size = size, .features = 12, .low = 2, .high = 2, .dilation = 2});
    rows.push_back(
        {.size = size, .features = 9, .window = 9, .low = 4, .high = 4});
    rows.push_back({.size = size,
                    .features = 16,
                    .low = 1,
                    .high = 2,
                    .base_dilation = 2});
    for (const int64_t multiplier : {2, 3, 4, 8}) {
      rows.push_back(
          {.batch = 2, .size = size, .features = 7, .multiplier = multiplier});
    }
  }
  rows.push_back(
      {.size = 17, .features = 33, .window = 7, .low = 0, .high = 0});
  rows.push_back({.size = 17, .features = 16, .low = -2, .high = -3});
  rows.push_back(
      {.size = 12, .features = 16, .window = 12, .low = 0, .high = 0});
  // More positions on padding than have code of their own.
  rows.push_back({.size = 40, .features = 3, .low = 20, .high = 20});
  for (const char* cpu : {"", "x86-64", "x86-64-v3"}) {
    const TestTarget target(cpu, 2);
    for (const FeatureConvolution& row : rows) {
      CheckConvolution(TextOf(row, "f32"), target);
    }
    for (const char* type : {"f64", "bf16", "f16", "s32", "s8", "u16", "c64"}) {
      for (const int64_t stride : {1, 2}) {
        CheckConvolution(
            TextOf({.batch = 2, .size = 17, .features = 21, .stride = stride},
                   type),
            target);
      }
      CheckConvolution(
          TextOf({.size = 7, .features = 10, .multiplier = 2}, type), target);
    }
  }
}

TEST_CASE("features by themselves lie in any order of positions") {
  CheckAll({
      {"f32[1,9,11,24]{3,1,2,0}", "f32[3,2,1,24]", "f32[1,9,12,24]{3,1,2,0}",
       "window={size=3x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
       "feature_group_count=24"},
      {"f32[9,11,2,24]", "f32[3,3,1,24]", "f32[2,9,11,24]",
       "window={size=3x3 pad=1_1x1_1 rhs_reversal=0x1}, "
       "dim_labels=01bf_01io->b01f, feature_group_count=24"},
      {"f32[2,50,17]", "f32[4,1,17]", "f32[2,50,17]",
       "window={size=4 pad=3_0}, dim_labels=b0f_0io->b0f, "
       "feature_group_count=17"},
      {"f32[2,1,50,16]", "f32[1,4,1,16]", "f32[2,1,47,16]",
       "window={size=1x4}, dim_labels=b01f_01io->b01f, "
       "feature_group_count=16"},
      {"f32[2,5,6,7,9]", "f32[2,3,2,1,9]", "f32[2,5,6,7,9]",
       "window={size=2x3x2 pad=1_0x1_1x0_1}, "
       "dim_labels=b012f_012io->b012f, feature_group_count=9"},
      {"f32[6,9]", "f32[1,9]", "f32[6,9]",
       "dim_labels=bf_io->bf, feature_group_count=9"},
      // The gradient of weights.
      {"f32[2,9,11,16]", "f32[2,9,11,16]", "f32[3,3,1,16]",
       "window={size=9x11 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf, "
       "batch_group_count=16"},
  });
}

TEST_CASE("features by themselves need no copy of the input") {
  const TestTarget target("x86-64-v3");
  const auto scratch_bytes = [&](const FeatureConvolution& row,
                                 const std::string& type) {
    const Convolution text = TextOf(row, type);
    const auto module = hlo::Parse(absl::StrCat(
        "HloModule test\nENTRY main {\n  x = ", text.lhs,
        " parameter(0)\n  y = ", text.rhs, " parameter(1)\n  ROOT r = ",
        text.output, " convolution(x, y), ", text.attributes, "\n}\n"));
    REQUIRE(module.ok());
    KernelPlan decisions;
    const auto plan =
        PlanConvolution(*(*module)->entry()->root(), target.traits, decisions);
    REQUIRE(plan.ok());
    CHECK(plan->lanes_along == MatmulLanes::kFeatures);
    return plan->scratch_bytes();
  };
  for (const char* type : {"f32", "f64", "bf16", "f16", "s8"}) {
    CHECK(scratch_bytes({.size = 112, .features = 64}, type) == 0);
    CHECK(scratch_bytes({.size = 14, .features = 512, .stride = 2}, type) == 0);
  }
  // Holes, and elements that are slow to load.
  CHECK(scratch_bytes({.size = 14, .features = 64, .base_dilation = 2},
                      "f32") != 0);
  CHECK(scratch_bytes({.size = 14, .features = 64}, "f8e4m3fn") != 0);
}

TEST_CASE("plans by hand do not change features by themselves") {
  const Convolution row = TextOf(
      {.size = 17, .features = 21, .window = 5, .low = 6, .high = 3}, "f32");
  for (const char* given :
       {"lanes=1", "lanes=4 row_tile=3", "row_tile=1 column_tile=2",
        "row_tile=16", "row_tile=7 column_tile=3", "row_block=1",
        "row_block=5 column_block=2"}) {
    CheckConvolution(row, TestTarget("x86-64-v3", 2),
                     absl::StrCat("r: convolution ", given));
  }
}

TEST_CASE("convolution kernels know all element types") {
  const TestTarget target;
  struct Row {
    std::string lhs, rhs, output;
  };
  for (const Row& row :
       {Row{"f64", "f64", "f64"}, Row{"bf16", "bf16", "bf16"},
        Row{"f16", "f16", "f32"}, Row{"s8", "s8", "s32"},
        Row{"u8", "s8", "s32"}, Row{"s16", "s16", "s16"},
        Row{"u64", "u64", "u64"}, Row{"c64", "c64", "c64"},
        Row{"c128", "c128", "c128"}, Row{"f8e4m3fn", "f8e4m3fn", "f32"}}) {
    CheckConvolution(
        {absl::StrCat(row.lhs, "[2,8,9,5]"),
         absl::StrCat(row.rhs, "[3,3,5,11]"),
         absl::StrCat(row.output, "[2,8,9,11]"),
         "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
        target);
    CheckConvolution({absl::StrCat(row.lhs, "[2,5,8,9]"),
                      absl::StrCat(row.rhs, "[11,5,3,3]"),
                      absl::StrCat(row.output, "[2,11,6,7]"),
                      "window={size=3x3}, dim_labels=bf01_oi01->bf01"},
                     target);
    CheckConvolution(
        {absl::StrCat(row.lhs, "[2,8,9,12]"),
         absl::StrCat(row.rhs, "[3,3,1,12]"),
         absl::StrCat(row.output, "[2,8,9,12]"),
         "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
         "feature_group_count=12"},
        target);
  }
}

TEST_CASE("convolution kernels take empty arrays") {
  CheckAll({
      {"f32[0,8,9,5]", "f32[3,3,5,11]", "f32[0,6,7,11]",
       "window={size=3x3}, dim_labels=b01f_01io->b01f"},
      {"f32[2,8,9,0]", "f32[3,3,0,11]", "f32[2,6,7,11]",
       "window={size=3x3}, dim_labels=b01f_01io->b01f"},
      {"f32[2,0,9,5]", "f32[3,3,5,11]", "f32[2,2,7,11]",
       "window={size=3x3 pad=2_2x0_0}, dim_labels=b01f_01io->b01f"},
      {"f32[2,8,9,5]", "f32[3,3,5,0]", "f32[2,6,7,0]",
       "window={size=3x3}, dim_labels=b01f_01io->b01f"},
  });
}

TEST_CASE("large convolution kernels work in blocks") {
  CheckAll({
      {"f32[1,56,56,64]", "f32[3,3,64,64]", "f32[1,56,56,64]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
      {"f32[1,64,40,40]", "f32[48,64,3,3]", "f32[1,48,40,40]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01"},
      {"f32[3,30,30,96]", "f32[3,3,1,96]", "f32[3,30,30,96]",
       "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
       "feature_group_count=96"},
      {"bf16[1,28,28,64]", "bf16[3,3,64,64]", "bf16[1,14,14,64]",
       "window={size=3x3 stride=2x2 pad=1_1x1_1}, "
       "dim_labels=b01f_01io->b01f"},
  });
}

}  // namespace
}  // namespace hilo::backends
