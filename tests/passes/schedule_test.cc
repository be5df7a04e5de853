// Tests the order in which instructions run.
#include "passes/scheduling/schedule.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "catch2/catch.hpp"

#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/text/parser.h"

namespace hilo::passes {
namespace {

// The names of the instructions that run code, in order.
std::string OrderOf(const std::string& body) {
  const absl::StatusOr<std::unique_ptr<hlo::Module>> module =
      hlo::Parse("HloModule m\nENTRY e {\n" + body + "}\n");
  INFO(module.status());
  REQUIRE(module.ok());
  const absl::StatusOr<Schedule> schedule = ScheduleModule(**module, {});
  INFO(schedule.status());
  REQUIRE(schedule.ok());
  std::vector<std::string> names;
  for (const hlo::Instruction* instruction : schedule->orders[0]) {
    const hlo::Opcode opcode = instruction->opcode();
    if (opcode == hlo::Opcode::kParameter || opcode == hlo::Opcode::kTuple ||
        opcode == hlo::Opcode::kConstant) {
      continue;
    }
    names.push_back(instruction->name());
  }
  return absl::StrJoin(names, " ");
}

TEST_CASE("what frees memory runs before what takes it") {
  // Both large arrays at once would be the worst order.
  CHECK(OrderOf(R"(
  x = f32[] parameter(0)
  a = f32[1000] broadcast(x), dimensions={}
  b = f32[2000] broadcast(x), dimensions={}
  c = f32[1] slice(a), slice={[0:1]}
  d = f32[1] slice(b), slice={[0:1]}
  ROOT s = f32[1] add(c, d)
)") == "a c b d s");
}

TEST_CASE("readers run before what overwrites in place") {
  CHECK(OrderOf(R"(
  x = f32[10] parameter(0)
  i = s32[] parameter(1)
  y = f32[10] negate(x)
  one = f32[1] constant({1})
  u = f32[10] dynamic-update-slice(y, one, i)
  s = f32[1] slice(y), slice={[0:1]}
  ROOT t = (f32[10], f32[1]) tuple(u, s)
)") == "y s u");
}

TEST_CASE("control predecessors and effects keep their order") {
  CHECK(OrderOf(R"(
  x = f32[10] parameter(0)
  b = f32[10] exponential(x)
  a = f32[10] negate(x), control-predecessors={b}
  ROOT t = (f32[10], f32[10]) tuple(a, b)
)") == "b a");
  CHECK(OrderOf(R"(
  z = f32[] constant(0)
  o = f32[] constant(1)
  a = f32[10] rng(z, o), distribution=rng_uniform
  b = f32[1000] rng(z, o), distribution=rng_uniform
  c = f32[1] slice(b), slice={[0:1]}
  ROOT t = (f32[10], f32[1]) tuple(a, c)
)") == "a b c");
}

}  // namespace
}  // namespace hilo::passes
