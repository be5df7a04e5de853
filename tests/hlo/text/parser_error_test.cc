// Tests of what the parser refuses, and of what it says.
#include "hlo/ir/module.h"
#include "hlo/text/parser.h"
#include "runtime/base/diagnostic.h"
#include "runtime/base/source.h"
// Both it and Catch define CHECK; the later one, Catch's, is used here.
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include <catch2/catch.hpp>

#include "tests/hlo/text/smoke_module.h"

namespace hilo::hlo {
namespace {

// All errors rendered; empty when there are none.
std::string ErrorsOf(absl::string_view text) {
  const absl::StatusOr<std::unique_ptr<Module>> module = Parse(text);
  return module.ok() ? "" : std::string(module.status().message());
}

int CountErrors(absl::string_view text) {
  const auto source = std::make_shared<const Source>("t", std::string(text));
  Diagnostics diagnostics;
  static_cast<void>(Parse(source, {}, &diagnostics));
  return static_cast<int>(diagnostics.error_count());
}

TEST_CASE("variants of the sample are refused with a reason") {
  struct Row {
    absl::string_view from;
    absl::string_view to;
    absl::string_view message;
  };
  for (const Row& row : {
           Row{"c0 = f32", "c0=f32", "put a space before '='"},
           Row{"reduce(%s, c0)", "reduce(%t, c0)", "no instruction 't'"},
           Row{"%d = f32[]", "ROOT %d = f32[]", "a second ROOT"},
           Row{"dimensions={0}, is_stable",
               "dimensions={0}, dimensions={0}, is_stable", "given twice"},
           Row{"%z = c64[2] constant({(1, -2), (0, 3.5)})",
               "%z = f32[3] constant({1,2})", "has 2 elements"},
           Row{"direction=LT, ", "", "attribute direction is missing"},
           Row{"-> (f32[3], f32[]) {", "-> f32[4] {", "differs from the root"},
           Row{"compare(l, r)", "comparee(l, r)", "did you mean 'compare'"},
           Row{"direction=LT", "direction=LX", "did you mean"},
           Row{"to_apply=lt", "to_apply=ltt", "did you mean 'lt'?"},
           Row{"%bits)", "%bit)", "'bits'"},
           Row{"dot(%p1, %cc)", "dot(%p1)", "takes 2 operands, got 1"},
           Row{"f32[2,3]{0,1} %p0", "f32[3,2] %p0", "is declared as f32[3,2]"},
           Row{"index=1", "index=1, iota_dimension=0", "takes no attribute"},
           Row{"%p2 = u64[2]{0} parameter(2)", "%p2 = u64[2]{0} parameter(1)",
               "is there twice"},
           Row{"parameter(2)", "parameter(3)", "no parameter(2)"},
           Row{"parameter(2)", "parameter(-1)", "is not between"},
           Row{"parameter(2)", "parameter(99999999999)", "cannot hold"},
           Row{"%t = ", "%srt = ", "is defined twice"},
           Row{"%t = ", "%f32 = ", "rename it, for example to f32_"},
           Row{"c0 = f32[] constant(0)", "c0 = constant(0)",
               "shape is missing"},
           Row{"lt {", "sum {", "computation 'sum' is defined twice"},
           Row{"lt {", "ENTRY lt {", "a second ENTRY"},
           Row{"is_scheduled=false", "is_scheduled=0",
               "expected true or false"},
           Row{"is_scheduled=false", "is_scheduled=false, is_scheduled=false",
               "given twice"},
           Row{"/*i=5*/", "/*i=5", "does not end"},
           Row{"u64[2]{0} parameter", "u64[2]{1} parameter", "permutation"},
       }) {
    CAPTURE(row.from, row.to);
    const std::string text =
        absl::StrReplaceAll(tests::kSmokeModule, {{row.from, row.to}});
    REQUIRE(text != tests::kSmokeModule);
    const std::string errors = ErrorsOf(text);
    CAPTURE(errors);
    const bool has_message = absl::StrContains(errors, row.message);
    CHECK(has_message);
  }
}

TEST_CASE("texts that are no module are refused") {
  for (const char* text : {
           "",
           "  // only\n",
           "HloModule",
           "HloModule m",
           "HloModule m,\n",
           "HloModule f32\nENTRY e { a = f32[] parameter(0) }",
           "HloModule m\nENTRY e { }",
           "HloModule m\nENTRY { a = f32[] }",
           "f (p: f32[]) -> f32[] { p = f32[] parameter(0) }",
           "hlo_module { name: \"x\" }",
           "HloModule m\nENTRY e { a = f32[] parameter(0); }",
           "HloModule m\nENTRY e { a = f32[] parameter(0), }",
           "HloModule m\nENTRY e { a = f32[] parameter(0) } HloModule n",
           "HloModule m\nENTRY e (a: u8[],) -> u8[] { a = u8[] parameter(0) }",
           "HloModule m\nENTRY e (%a: u8[]) -> u8[] { a = u8[] parameter(0) }",
           "HloModule m, is_scheduled=true,\nENTRY e{a = u8[] parameter(0)}",
           "HloModule m\nENTRY e { a = f32[] parameter(0) ",
           "HloModule m\nENTRY e { replicated = f32[] parameter(0) }",
           "HloModule m\nENTRY e { a = f32[] parameter(0), dimensions = {0} }",
           "add(f32[], f32[])",
       }) {
    CAPTURE(text);
    CHECK_FALSE(Parse(text).ok());
  }
}

TEST_CASE("one run reports the errors of many statements once each") {
  CHECK(CountErrors("HloModule m\n"
                    "ENTRY e {\n"
                    "  a = f32[] parameter(0)\n"
                    "  b = f32[] nagate(a)\n"
                    "  c = f32[] add(a b)\n"
                    "  d = f32[2] constant({1,2,3})\n"
                    "  e=f32[] negate(a)\n"
                    "  f = f32[] add(b, c)\n"
                    "  g = f32[] add(d, e)\n"
                    "  h = f32[] compare(a, a), direction={}\n"
                    "  ROOT i = f32[] negate(missing)\n"
                    "}\n") == 6);
}

TEST_CASE("errors in one computation do not hide those of the next") {
  CHECK(CountErrors("HloModule m\n"
                    "f { a = f32[] parameter(0) b = f32[] ngate(a) }\n"
                    "g (a: f32[) -> f32[] {\n  a = f32[] parameter(0)\n}\n"
                    "ENTRY e {\n"
                    "  a = f32[] parameter(0)\n"
                    "  b = f32[] call(a), to_apply=f\n"
                    "  c = f32[] call(b), to_apply=g\n"
                    "  ROOT d = f32[] negat(c)\n"
                    "}\n") == 3);
}

TEST_CASE("a computation used before its definition is told so") {
  const std::string errors = ErrorsOf(
      "HloModule m\nENTRY e {\n  a = f32[] parameter(0)\n"
      "  ROOT b = f32[] call(a), to_apply=g\n}\n"
      "g {\n  a = f32[] parameter(0)\n}\n");
  CAPTURE(errors);
  const bool is_told = absl::StrContains(errors, "comes later");
  CHECK(is_told);
}

TEST_CASE("rules of single opcodes are kept") {
  struct Row {
    absl::string_view statement;
    absl::string_view message;
  };
  for (
      const Row& row : {
          Row{"y = f32[] conditional(p, x, x), branch_computations={f, f}",
              "true_computation"},
          Row{"y = f32[] conditional(i, x, x), true_computation=f, "
              "false_computation=f",
              "branch_computations"},
          Row{"y = f32[] conditional(x, x), branch_computations={f}",
              "must be pred[] or s32[]"},
          Row{"y = f32[] all-reduce(x), to_apply=add2, "
              "use_global_device_ids=true",
              "needs a channel_id"},
          Row{"y = f32[] all-reduce(x), to_apply=add2, mode=other",
              "cross_replica"},
          Row{"k = token[] after-all() y = f32[] infeed(k)", "non-empty tuple"},
          Row{"y = f32[] custom-call(x), custom_call_target=\"a\", "
              "operand_layout_constraints={f32[2]}",
              "operand_layout_constraints"},
          Row{"y = f32[] negate(x), control-predecessors={}", "is empty"},
          Row{R"(y = f32[] negate(x), metadata={op_name="a" op_name="b"})",
              "is repeated"},
          Row{"y = f32[] negate(x), result_accuracy={mode=highest}",
              "takes no attribute"},
          Row{"y = (f32[], u32[]) send-start(x)", "unknown opcode"},
          Row{"y = (f32[], f32[]) add-start(x, x)", "the shape must be"},
          Row{"y = f32[] add-done(x)", "operand 0 must be"},
          Row{"v = (f32[2], f32[2]) parameter(3) y = (f32[2], f32[2]) sort(v), "
              "dimensions={0,1}, to_apply=f",
              "must hold one dimension"},
      }) {
    CAPTURE(row.statement);
    const std::string errors = ErrorsOf(absl::StrCat(
        "HloModule m\nf { a = f32[] parameter(0) }\n"
        "add2 { a = f32[] parameter(0) b = f32[] parameter(1) "
        "ROOT c = f32[] add(a, b) }\n"
        "ENTRY e {\n  x = f32[] parameter(0)\n  p = pred[] parameter(1)\n"
        "  i = s32[] parameter(2)\n  ",
        row.statement, "\n}\n"));
    CAPTURE(errors);
    const bool has_message = absl::StrContains(errors, row.message);
    CHECK(has_message);
  }
}

TEST_CASE("a misspelt attribute is skipped with a warning and a suggestion") {
  const std::string text =
      "ENTRY e { a = f32[] parameter(0) ROOT b = f32[] negate(a), "
      "metdata={op_name=\"x\"} }";
  const auto source = std::make_shared<const Source>("t", text);
  Diagnostics diagnostics;
  CHECK(Parse(source, {}, &diagnostics) != nullptr);
  REQUIRE(diagnostics.list().size() == 1);
  CHECK(diagnostics.list()[0].remedy == "did you mean 'metadata'?");
  CHECK(Parse(source, {.unknown_attributes_are_errors = true}, &diagnostics) ==
        nullptr);
}

}  // namespace
}  // namespace hilo::hlo
