// Tests where copies are needed, and that they change no result.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "catch2/catch.hpp"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/text/parser.h"
#include "passes/copy_insertion/flatten_calls.h"
#include "tests/passes/buffer_fixture.h"
#include "tests/passes/compare_literals.h"

namespace hilo::passes {
namespace {

struct InsertionRow {
  const char* what;
  int64_t copies;
  const char* text;
};

// A loop over `state` with the given body, and i in element 0.
std::string Loop(const std::string& state, const std::string& body,
                 const std::string& entry) {
  return "HloModule m\ncondition {\n  p = (" + state +
         ") parameter(0)\n"
         "  i = s32[] get-tuple-element(p), index=0\n"
         "  n = s32[] constant(3)\n"
         "  ROOT lt = pred[] compare(i, n), direction=LT\n}\n"
         "body {\n  p = (" +
         state +
         ") parameter(0)\n"
         "  i = s32[] get-tuple-element(p), index=0\n"
         "  one = s32[] constant(1)\n"
         "  next = s32[] add(i, one)\n" +
         body + "}\nENTRY main {\n" + entry + "}\n";
}

// Checks the number of copies, and that the module computes the same.
void CheckCopies(const std::string& text, int64_t copies) {
  CAPTURE(text);
  const absl::StatusOr<std::unique_ptr<hlo::Module>> original =
      hlo::Parse(text);
  INFO(original.status());
  REQUIRE(original.ok());
  const AssignedModule assigned = AssignText(text);
  CHECK(CountOpcode(*assigned.module, hlo::Opcode::kCopy) == copies);
  const std::vector<hlo::Literal> arguments = CountingArguments(**original);
  const absl::StatusOr<hlo::Literal> before =
      hlo::Evaluate(**original, arguments);
  const absl::StatusOr<hlo::Literal> after =
      hlo::Evaluate(*assigned.module, arguments);
  INFO(before.status());
  INFO(after.status());
  REQUIRE(before.ok());
  REQUIRE(after.ok());
  CHECK(DifferenceOf(*before, *after) == kNoDifference);
}

TEST_CASE("results get memory of their own") {
  for (const InsertionRow& row : {
           InsertionRow{
               "an argument", 1,
               "HloModule m\nENTRY e { ROOT x = f32[3] parameter(0) }"},
           InsertionRow{
               "a constant", 1,
               "HloModule m\nENTRY e { ROOT c = f32[2] constant({1, 2}) }"},
           InsertionRow{"twice the same", 1, R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[3] negate(x)
  ROOT t = (f32[3], f32[3]) tuple(y, y)
})"},
           InsertionRow{"once", 0, R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[3] negate(x)
  z = f32[3] negate(y)
  w = (f32[3]) tuple(z)
  ROOT t = (f32[3], (f32[3])) tuple(y, w)
})"},
           InsertionRow{"reshaped", 0, R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[2,3] negate(x)
  copied = f32[2,3] copy(y)
  ROOT r = f32[3,2] reshape(copied)
})"},
       }) {
    CAPTURE(row.what);
    CheckCopies(row.text, row.copies);
  }
}

TEST_CASE("updates in place copy what is still read") {
  const std::string begin = R"(HloModule m
ENTRY e {
  x = f32[5] parameter(0)
  i = s32[] parameter(1)
  two = f32[2] constant({8, 9})
  y = f32[5] negate(x)
)";
  for (const InsertionRow& row : {
           InsertionRow{"dead", 0,
                        "  ROOT u = f32[5] dynamic-update-slice(y, two, i)\n}"},
           InsertionRow{"an argument", 1,
                        "  ROOT u = f32[5] dynamic-update-slice(x, two, i)\n}"},
           InsertionRow{"read before", 0, R"(
  u = f32[5] dynamic-update-slice(y, two, i)
  s = f32[1] slice(y), slice={[0:1]}
  ROOT t = (f32[5], f32[1]) tuple(u, s)
})"},
           InsertionRow{"read after", 1, R"(
  u = f32[5] dynamic-update-slice(y, two, i)
  a = f32[5] add(u, y)
  ROOT t = (f32[5], f32[5]) tuple(u, a)
})"},
           InsertionRow{"updated twice", 1, R"(
  u = f32[5] dynamic-update-slice(y, two, i)
  j = s32[] constant(3)
  v = f32[5] dynamic-update-slice(y, two, j)
  ROOT t = (f32[5], f32[5]) tuple(u, v)
})"},
       }) {
    CAPTURE(row.what);
    CheckCopies(begin + row.text, row.copies);
  }
}

TEST_CASE("loops copy no more than they must") {
  const std::string update =
      "  v = f32[4] get-tuple-element(p), index=1\n"
      "  w = f32[1] constant({7})\n"
      "  u = f32[4] dynamic-update-slice(v, w, i)\n"
      "  ROOT t = (s32[], f32[4]) tuple(next, u)\n";
  const std::string start =
      "  zero = s32[] constant(0)\n  x = f32[4] parameter(0)\n"
      "  y = f32[4] negate(x)\n";
  const std::string two = "s32[], f32[4], f32[4]";
  const std::string two_parts =
      "  a = f32[4] get-tuple-element(p), index=1\n"
      "  b = f32[4] get-tuple-element(p), index=2\n";
  const std::string run_two =
      start +
      "  z = f32[4] exponential(x)\n"
      "  init = (s32[], f32[4], f32[4]) tuple(zero, y, z)\n"
      "  ROOT l = (s32[], f32[4], f32[4]) while(init), condition=condition, "
      "body=body\n";
  // Copying the constant 0 is always needed.
  SECTION("an accumulator needs none") {
    CheckCopies(Loop("s32[], f32[4]", update,
                     start + "  init = (s32[], f32[4]) tuple(zero, y)\n"
                             "  ROOT l = (s32[], f32[4]) while(init), "
                             "condition=condition, body=body\n"),
                1);
  }
  SECTION("an argument is copied before the loop") {
    CheckCopies(Loop("s32[], f32[4]", update,
                     start + "  init = (s32[], f32[4]) tuple(zero, x)\n"
                             "  ROOT l = (s32[], f32[4]) while(init), "
                             "condition=condition, body=body\n"),
                2);
  }
  SECTION("what is needed later is copied before the loop") {
    CheckCopies(Loop("s32[], f32[4]", update,
                     start + "  init = (s32[], f32[4]) tuple(zero, y)\n"
                             "  l = (s32[], f32[4]) while(init), "
                             "condition=condition, body=body\n"
                             "  a = f32[4] get-tuple-element(l), index=1\n"
                             "  ROOT s = f32[4] add(a, y)\n"),
                2);
  }
  SECTION("what does not change needs none, not even an argument") {
    CheckCopies(
        Loop(two,
             two_parts +
                 "  c = f32[4] add(a, b)\n"
                 "  ROOT t = (s32[], f32[4], f32[4]) tuple(next, c, b)\n",
             start + "  init = (s32[], f32[4], f32[4]) tuple(zero, y, x)\n"
                     "  l = (s32[], f32[4], f32[4]) while(init), "
                     "condition=condition, body=body\n"
                     "  ROOT a = f32[4] get-tuple-element(l), index=1\n"),
        1);
  }
  SECTION("a swap needs a temporary") {
    CheckCopies(
        Loop(two,
             two_parts +
                 "  ROOT t = (s32[], f32[4], f32[4]) tuple(next, b, a)\n",
             run_two),
        4);
  }
  SECTION("a rotation with something new") {
    CheckCopies(
        Loop(two,
             two_parts +
                 "  c = f32[4] add(a, b)\n"
                 "  ROOT t = (s32[], f32[4], f32[4]) tuple(next, b, c)\n",
             run_two),
        3);
  }
  SECTION("one value in two places") {
    CheckCopies(
        Loop(two,
             two_parts +
                 "  c = f32[4] add(a, b)\n"
                 "  ROOT t = (s32[], f32[4], f32[4]) tuple(next, c, c)\n",
             run_two),
        2);
  }
  SECTION("one value begins two places") {
    CheckCopies(
        Loop(two,
             two_parts +
                 "  c = f32[4] negate(a)\n  d = f32[4] exponential(b)\n"
                 "  ROOT t = (s32[], f32[4], f32[4]) tuple(next, c, d)\n",
             start + "  init = (s32[], f32[4], f32[4]) tuple(zero, y, y)\n"
                     "  ROOT l = (s32[], f32[4], f32[4]) while(init), "
                     "condition=condition, body=body\n"),
        2);
  }
}

TEST_CASE("branches copy only where they must") {
  const std::string branches = R"(HloModule m
first {
  p = f32[4] parameter(0)
  i = s32[] constant(1)
  w = f32[1] constant({7})
  ROOT u = f32[4] dynamic-update-slice(p, w, i)
}
second {
  ROOT q = f32[4] parameter(0)
}
ENTRY main {
  c = pred[] parameter(0)
  x = f32[4] parameter(1)
  y = f32[4] negate(x)
)";
  for (const InsertionRow& row : {
           InsertionRow{"both change what is dead", 0,
                        "  ROOT r = f32[4] conditional(c, y, y), "
                        "true_computation=first, false_computation=second\n}"},
           InsertionRow{"the operand is needed later", 2,
                        "  r = f32[4] conditional(c, y, y), "
                        "true_computation=first, false_computation=second\n"
                        "  ROOT s = f32[4] add(r, y)\n}"},
           InsertionRow{"arguments", 2,
                        "  ROOT r = f32[4] conditional(c, x, x), "
                        "true_computation=first, false_computation=second\n}"},
       }) {
    CAPTURE(row.what);
    CheckCopies(branches + row.text, row.copies);
  }
}

TEST_CASE("every call gets a callee of its own") {
  absl::StatusOr<std::unique_ptr<hlo::Module>> module = hlo::Parse(R"(
HloModule m
inner { a = f32[] parameter(0) ROOT n = f32[] negate(a) }
outer { b = f32[] parameter(0) ROOT c = f32[] call(b), to_apply=inner }
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] call(x), to_apply=outer
  z = f32[] call(y), to_apply=outer
  ROOT m = f32[] map(z), dimensions={}, to_apply=inner
})");
  INFO(module.status());
  REQUIRE(module.ok());
  CHECK(FlattenCalls(**module).value());
  CHECK((*module)->computation_count() == 6);
  CHECK(!FlattenCalls(**module).value());
}

}  // namespace
}  // namespace hilo::passes
