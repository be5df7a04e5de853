// Tests of loops, branches, calls and the evaluator's limits.
#include <string>

#include "absl/strings/str_cat.h"
#include <catch2/catch.hpp>

#include "tests/hlo/eval/evaluate_text.h"

namespace hilo::hlo {
namespace {

std::string CountingLoop(const std::string& type, const std::string& direction,
                         const std::string& limit, const std::string& step) {
  return absl::StrCat(R"(
HloModule loop
condition {
  state = )",
                      type, R"([] parameter(0)
  limit = )",
                      type, "[] constant(", limit, R"()
  ROOT r = pred[] compare(state, limit), direction=)",
                      direction, R"(
}
body {
  state = )",
                      type, R"([] parameter(0)
  step = )",
                      type, "[] constant(", step, R"()
  ROOT r = )",
                      type, R"([] add(state, step)
}
ENTRY e {
  start = )",
                      type, R"([] parameter(0)
  ROOT r = )",
                      type, R"([] while(start), condition=condition, body=body
})");
}

TEST_CASE("loops count and wrap") {
  CHECK(EvaluateText(CountingLoop("u32", "LT", "7", "1"), {"u32[] 0"}) == "7");
  CHECK(EvaluateText(CountingLoop("u32", "NE", "0", "1"),
                     {"u32[] 4294967290"}) == "0");
  CHECK(EvaluateText(CountingLoop("s32", "LT", "10", "3"), {"s32[] 0"}) ==
        "12");
  CHECK(EvaluateText(CountingLoop("s32", "LT", "2147483647", "1"),
                     {"s32[] 2147483646"}) == "2147483647");
  CHECK(EvaluateText(CountingLoop("s32", "LT", "10", "3"), {"s32[] 50"}) ==
        "50");
}

TEST_CASE("conditionals run one branch") {
  const std::string module = R"(
HloModule m
first { ROOT x = s32[] parameter(0) }
second {
  x = s32[] parameter(0)
  ROOT r = s32[] negate(x)
}
third {
  x = s32[] parameter(0)
  ROOT r = s32[] multiply(x, x)
}
ENTRY e {
  index = s32[] parameter(0)
  x = s32[] parameter(1)
  ROOT r = s32[] conditional(index, x, x, x), branch_computations={first, second, third}
})";
  CHECK(EvaluateText(module, {"s32[] 0", "s32[] 5"}) == "5");
  CHECK(EvaluateText(module, {"s32[] 1", "s32[] 5"}) == "-5");
  CHECK(EvaluateText(module, {"s32[] 2", "s32[] 5"}) == "25");
  CHECK(EvaluateText(module, {"s32[] -1", "s32[] 5"}) == "25");
  CHECK(EvaluateText(module, {"s32[] 3", "s32[] 5"}) == "25");
}

TEST_CASE("a pred selects the first branch when true") {
  const std::string module = R"(
HloModule m
yes { ROOT x = s32[] parameter(0) }
no {
  x = s32[] parameter(0)
  ROOT r = s32[] negate(x)
}
ENTRY e {
  p = pred[] parameter(0)
  x = s32[] parameter(1)
  ROOT r = s32[] conditional(p, x, x), true_computation=yes, false_computation=no
})";
  CHECK(EvaluateText(module, {"pred[] true", "s32[] 5"}) == "5");
  CHECK(EvaluateText(module, {"pred[] false", "s32[] 5"}) == "-5");
}

TEST_CASE("values that are read again are not written over") {
  const std::string module = R"(
HloModule m
double {
  x = s32[2] parameter(0)
  ROOT r = s32[2] add(x, x)
}
ENTRY e {
  x = s32[2] parameter(0)
  twice = s32[2] call(x), to_apply=double
  pair = (s32[2], s32[2]) tuple(twice, x)
  first = s32[2] get-tuple-element(pair), index=0
  negated = s32[2] negate(first)
  again = s32[2] get-tuple-element(pair), index=0
  sum = s32[2] add(negated, again)
  ROOT r = (s32[2], s32[2], s32[2], s32[2]) tuple(sum, twice, x, negated)
})";
  CHECK(EvaluateText(module, {"s32[2] {1, 2}"}) ==
        "( {0, 0}, {2, 4}, {1, 2}, {-2, -4} )");
}

TEST_CASE("dead instructions do not run, side effects do") {
  const std::string dead = R"(
HloModule m
ENTRY e {
  x = s32[] parameter(0)
  dead = s32[] custom-call(x), custom_call_target="nonsense"
  ROOT r = s32[] negate(x)
})";
  CHECK(EvaluateText(dead, {"s32[] 5"}) == "-5");
  const std::string effect = R"(
HloModule m
ENTRY e {
  x = s32[] parameter(0)
  t = token[] after-all()
  out = token[] outfeed(x, t), outfeed_shape=s32[]
  ROOT r = s32[] negate(x)
})";
  CHECK(EvaluateText(effect, {"s32[] 5"}) ==
        "error: %out (outfeed): needs a host queue, which the evaluator lacks");
}

TEST_CASE("limits name the instruction") {
  const std::string forever = CountingLoop("s32", "GE", "-1", "0");
  CHECK(EvaluateText(forever, {"s32[] 1"}, {.step_limit = 1000})
            .find("the limit of 1000 instructions is reached") !=
        std::string::npos);
  const std::string idle = R"(
HloModule m
condition { ROOT p = pred[] parameter(0) }
body { ROOT p = pred[] parameter(0) }
ENTRY e {
  p = pred[] parameter(0)
  ROOT r = pred[] while(p), condition=condition, body=body
})";
  CHECK(EvaluateText(idle, {"pred[] true"}, {.step_limit = 1000})
            .find("the limit of 1000 instructions is reached") !=
        std::string::npos);
  const std::string large = R"(
HloModule m
ENTRY e {
  i = f32[1000,1000] iota(), iota_dimension=0
  ROOT big = f32[1000,1000] negate(i)
})";
  CHECK(EvaluateText(large, {}, {.memory_limit_bytes = 3000000}) ==
        "error: %i (iota): needs 4000000 bytes for f32[1000,1000], but 0 of "
        "3000000 are in use");
  // The negation takes the iota's memory.
  CHECK(EvaluateText(large, {}, {.memory_limit_bytes = 5000000}).substr(0, 1) ==
        "{");
}

TEST_CASE("memory is free once values die") {
  std::string module =
      "HloModule m\nENTRY e {\n  v0 = f32[1000] parameter(0)\n";
  for (int i = 1; i < 100; ++i) {
    absl::StrAppend(&module, "  i", i,
                    " = f32[1000] iota(), iota_dimension=0\n  v", i,
                    " = f32[1000] add(v", i - 1, ", i", i, ")\n");
  }
  module += "  s = f32[1] slice(v99), slice={[1:2]}\n";
  module += "  ROOT r = f32[] reshape(s)\n}\n";
  std::string zeros = "f32[1000] {0";
  for (int i = 1; i < 1000; ++i) zeros += ", 0";
  zeros += "}";
  CHECK(EvaluateText(module, {zeros}, {.memory_limit_bytes = 20000}) == "99");
}

TEST_CASE("arguments have to fit") {
  const std::string module = R"(
HloModule m
ENTRY e {
  ROOT x = s32[2] parameter(0)
})";
  CHECK(EvaluateText(module, {}) == "error: got 0 arguments, e takes 1");
  CHECK(EvaluateText(module, {"s32[3] {1, 2, 3}"}) ==
        "error: argument 0 has shape s32[3], parameter %x has s32[2]");
}

}  // namespace
}  // namespace hilo::hlo
