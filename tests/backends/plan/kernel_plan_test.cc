// Tests kernel plans: what they decide, how they are read, and that kernels
// follow them.
#include "backends/plan/kernel_plan.h"

#include <array>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "backends/cpu/cpu_compiler.h"
#include "hlo/text/parser.h"
#include "runtime/base/source.h"

namespace hilo::backends {
namespace {

absl::StatusOr<GivenPlans> Read(absl::string_view text) {
  return GivenPlans::Parse(
      std::make_shared<Source>("plans.txt", std::string(text)));
}

TEST_CASE("a given plan decides, within its range") {
  const GivenPlans plans =
      Read("# comment\n\nfusion.1: loop lanes=4 grain=3 # units=9\n").value();
  KernelPlan plan(plans.Find("fusion.1"));
  plan.set_kind("loop");
  CHECK(plan.Decide("lanes", 8,
                    {.minimum = 1, .maximum = 8, .is_power_of_two = true}) ==
        4);
  CHECK(plan.Decide("lanes", 2, {.minimum = 1, .maximum = 2}) == 4);
  CHECK(plan.Decide("grain", 5, {.minimum = 1, .maximum = 9}) == 3);
  CHECK(plan.Decide("unroll", 2, {.minimum = 1, .maximum = 9}) == 2);
  plan.Note("units", 9);
  CHECK(plan.Check().ok());
  CHECK(plan.ToString() == "loop lanes=4 grain=3 unroll=2 # units=9");
  CHECK(plans.Find("fusion.2") == nullptr);
  CHECK(plans.CheckAllAreKnown({"fusion", "fusion.1"}).ok());
}

TEST_CASE("what a plan cannot decide is an error at its place") {
  struct Row {
    absl::string_view text;
    absl::string_view message;
  };
  const auto rows = std::to_array<Row>({
      {"f: loop lanes=16", "plans.txt:1:9: error: lanes must be from 1 to 8"},
      {"f: loop lanes=3", "plans.txt:1:9: error: lanes must be a power of two"},
      {"f: dot lanes=8", "plans.txt:1:1: error: the kernel is of kind loop"},
      {"f: loop tile=8",
       "plans.txt:1:9: error: a loop kernel does not decide 'tile'"},
  });
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const GivenPlans plans = Read(row.text).value();
    KernelPlan plan(plans.Find("f"));
    plan.set_kind("loop");
    plan.Decide("lanes", 8,
                {.minimum = 1, .maximum = 8, .is_power_of_two = true});
    const absl::Status status = plan.Check();
    CHECK(status.code() == absl::StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(status.message()),
               Catch::Contains(std::string(row.message)));
  }
}

TEST_CASE("texts that are no plans are refused with their places") {
  struct Row {
    absl::string_view text;
    absl::string_view message;
  };
  const auto rows = std::to_array<Row>({
      {"fusion loop", "plans.txt:1:1: error: expected 'INSTRUCTION: KIND"},
      {"ok: loop\nfusion:", "plans.txt:2:1: error: expected 'INSTRUCTION:"},
      {"f: loop lanes", "plans.txt:1:9: error: expected NAME=VALUE"},
      {"f: loop lanes=x", "plans.txt:1:9: error: expected NAME=VALUE"},
      {"f: loop lanes=99999999999999999999", "error: expected NAME=VALUE"},
      {"f: loop a=1 a=2", "plans.txt:1:13: error: 'a' is decided twice"},
      {"f: loop\nf: loop", "plans.txt:2:1: error: a second plan for 'f'"},
  });
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const absl::StatusOr<GivenPlans> plans = Read(row.text);
    CHECK(plans.status().code() == absl::StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(plans.status().message()),
               Catch::Contains(std::string(row.message)));
  }
}

absl::StatusOr<std::string> CompileText(absl::string_view plan_text,
                                        CpuStage stage) {
  constexpr absl::string_view kModule = R"(
HloModule sums
ENTRY main {
  x = f32[1000,64] parameter(0)
  y = f32[1000,64] parameter(1)
  ROOT sum = f32[1000,64] add(x, y)
})";
  const GivenPlans plans = Read(plan_text).value();
  return CompileToStage(hlo::Parse(kModule).value(),
                        {.triple = "", .cpu = "x86-64-v3", .features = ""},
                        stage, {.emission = {.plans = &plans}});
}

TEST_CASE("kernels follow given plans") {
  const std::string chosen = CompileText("", CpuStage::kLlvm).value();
  CHECK(absl::StrContains(chosen, "<8 x float>"));
  const std::string given =
      CompileText("sum: loop lanes=2", CpuStage::kLlvm).value();
  CHECK(absl::StrContains(given, "<2 x float>"));
  CHECK_FALSE(absl::StrContains(given, "<8 x float>"));
  CHECK_THAT(CompileText("sum: loop grain=7", CpuStage::kPlan).value(),
             Catch::StartsWith("sum: loop lanes=8 grain=7 # units="));
  CHECK_THAT(std::string(CompileText("total: loop lanes=2", CpuStage::kPlan)
                             .status()
                             .message()),
             Catch::Contains("plans.txt:1:1: error: no instruction 'total'"));
}

TEST_CASE("a printed plan can be given back") {
  const std::string printed = CompileText("", CpuStage::kPlan).value();
  CHECK(CompileText(printed, CpuStage::kPlan).value() == printed);
}

TEST_CASE("lanes that are summed cannot be decided") {
  const GivenPlans plans = Read("r: row-reduction lanes=4").value();
  KernelPlan plan(plans.Find("r"));
  plan.set_kind("row-reduction");
  CHECK(plan.Fix("lanes", 8) == 8);
  CHECK_THAT(std::string(plan.Check().message()),
             Catch::Contains("1:18: error: lanes can only be 8 here"));
}

}  // namespace
}  // namespace hilo::backends
