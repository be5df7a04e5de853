// Tests that layouts become default ones and results stay the same.
#include "passes/layout_assignment/layout_assignment.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "catch2/catch.hpp"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/verify/verify.h"
#include "passes/pass_context.h"
#include "tests/passes/buffer_fixture.h"
#include "tests/passes/compare_literals.h"
#include "tests/support/parse_text.h"

namespace hilo::passes {
namespace {

struct LayoutRow {
  const char* what;
  // Copies and bitcasts afterwards.
  int64_t copies;
  int64_t bitcasts;
  const char* text;
};

TEST_CASE("layouts are assigned without changing results") {
  for (
      const LayoutRow& row : {
          LayoutRow{"nothing to do", 0, 0, R"(HloModule m
ENTRY e { x = f32[2,3] parameter(0) ROOT y = f32[2,3] negate(x) })"},
          LayoutRow{"entry layouts", 2, 0, R"(HloModule m
ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  ROOT y = f32[2,3]{0,1} negate(x)
})"},
          LayoutRow{
              "the header's layouts", 1, 0,
              R"(HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}
ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  ROOT y = f32[2,3]{0,1} negate(x)
})"},
          LayoutRow{"dimensions of size 1", 0, 2, R"(HloModule m
ENTRY e {
  x = f32[1,3]{0,1} parameter(0)
  ROOT y = f32[1,3]{0,1} negate(x)
})"},
          LayoutRow{"tuples", 3, 0, R"(HloModule m
ENTRY e {
  x = (f32[2,3]{0,1}, (f32[4], f32[5,6]{0,1})) parameter(0)
  a = f32[2,3]{0,1} get-tuple-element(x), index=0
  b = (f32[4], f32[5,6]{0,1}) get-tuple-element(x), index=1
  c = f32[4] get-tuple-element(b), index=0
  n = f32[2,3] copy(a)
  ROOT t = (f32[2,3], f32[4]) tuple(n, c)
})"},
          LayoutRow{"a bitcast that transposes", 1, 0, R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[2,3]{0,1} copy(x)
  ROOT z = f32[3,2] bitcast(y)
})"},
          LayoutRow{"a bitcast that stays", 0, 1, R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[2,3] negate(x)
  ROOT z = s32[6] bitcast(y)
})"},
          LayoutRow{"a bitcast between widths", 1, 0, R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[2,3]{0,1} copy(x)
  ROOT z = u8[2,12] bitcast(y)
})"},
          LayoutRow{"a fused bitcast", 0, 0, R"(HloModule m
f {
  x = f32[2,3] parameter(0)
  y = f32[2,3]{0,1} copy(x)
  ROOT z = f32[3,2] bitcast(y)
}
ENTRY e {
  x = f32[2,3] parameter(0)
  ROOT r = f32[3,2] fusion(x), kind=kLoop, calls=f
})"},
          LayoutRow{"tiles and memory spaces", 0, 0, R"(HloModule m
ENTRY e {
  x = f32[2,3]{1,0:T(8,128)S(5)} parameter(0)
  ROOT y = f32[2,3]{1,0:T(8,128)} negate(x)
})"},
      }) {
    CAPTURE(row.what);
    const std::unique_ptr<hlo::Module> before = tests::ParseText(row.text);
    const std::unique_ptr<hlo::Module> module = tests::ParseText(row.text);
    const PassContext context;
    REQUIRE(AssignLayouts(*module, context).ok());
    CHECK(hlo::Verify(*module).ok());
    CHECK(module->entry_layout() == before->entry_layout());
    int64_t fused_copies = 0;
    for (const auto& computation : module->computations()) {
      if (computation->name() == "f") fused_copies = 1;
    }
    CHECK(CountOpcode(*module, hlo::Opcode::kCopy) ==
          row.copies + fused_copies);
    CHECK(CountOpcode(*module, hlo::Opcode::kBitcast) == row.bitcasts);
    const std::vector<hlo::Literal> arguments = CountingArguments(*before);
    const absl::StatusOr<hlo::Literal> a = hlo::Evaluate(*before, arguments);
    const absl::StatusOr<hlo::Literal> b = hlo::Evaluate(*module, arguments);
    REQUIRE(a.ok());
    INFO(b.status());
    REQUIRE(b.ok());
    CHECK(DifferenceOf(*a, *b) == kNoDifference);
    const absl::StatusOr<bool> again = AssignLayouts(*module, context);
    REQUIRE(again.ok());
  }
}

TEST_CASE("packed arrays are unpacked at the border") {
  const std::unique_ptr<hlo::Module> module = tests::ParseText(R"(HloModule m
ENTRY e {
  x = s4[10]{0:E(4)} parameter(0)
  y = s4[10]{0:E(4)} negate(x)
  ROOT z = u8[5] bitcast(y)
})");
  REQUIRE(AssignLayouts(*module, PassContext{}).ok());
  CHECK(hlo::Verify(*module).ok());
  CHECK(CountOpcode(*module, hlo::Opcode::kCopy) == 1);
  CHECK(CountOpcode(*module, hlo::Opcode::kBitcast) == 0);
  CHECK(CountOpcode(*module, hlo::Opcode::kBitcastConvert) == 1);
}

TEST_CASE("custom calls get the layouts that they ask for") {
  const std::unique_ptr<hlo::Module> module = tests::ParseText(R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[2,3]{0,1} custom-call(x), custom_call_target="f",
      operand_layout_constraints={f32[2,3]{0,1}}
  ROOT z = f32[2,3] negate(y)
})");
  REQUIRE(AssignLayouts(*module, PassContext{}).ok());
  CHECK(hlo::Verify(*module).ok());
  const hlo::Instruction& call = Named(*module, "y");
  CHECK(hlo::ToString(call.shape()) == "f32[2,3]{0,1}");
  CHECK(hlo::ToString(call.operand_shape(0)) == "f32[2,3]{0,1}");
  CHECK(CountOpcode(*module, hlo::Opcode::kCopy) == 2);
  CHECK(Named(*module, "z").operand_shape(0).HasDefaultLayout());
}

TEST_CASE("a bitcast of padded elements to another type is not supported") {
  const std::unique_ptr<hlo::Module> module = tests::ParseText(R"(HloModule m
ENTRY e {
  x = s4[10] parameter(0)
  ROOT z = u8[10] bitcast(x)
})");
  const absl::StatusOr<bool> changed = AssignLayouts(*module, PassContext{});
  CHECK(changed.status().code() == absl::StatusCode::kUnimplemented);
  CHECK(std::string(changed.status().message()).find("bitcast z") !=
        std::string::npos);
}

}  // namespace
}  // namespace hilo::passes
