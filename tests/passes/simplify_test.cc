// Tests what simplification does to small modules, and that it keeps values.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "catch2/catch.hpp"

#include "hlo/eval/evaluator.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/module.h"
#include "hlo/text/printer.h"
#include "jit/generated_inputs.h"
#include "passes/pass_context.h"
#include "passes/runner.h"
#include "tests/passes/compare_literals.h"
#include "tests/support/parse_text.h"

namespace hilo::passes {
namespace {

hlo::Literal Run(const hlo::Module& module) {
  std::vector<hlo::Literal> inputs;
  int64_t leaf = 0;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    inputs.push_back(GenerateInput(parameter->shape(), leaf++, 1, {}));
  }
  absl::StatusOr<hlo::Literal> value = hlo::Evaluate(module, inputs);
  INFO(value.status());
  REQUIRE(value.ok());
  return *std::move(value);
}

// The module after the pipeline, as short text; its value is checked.
std::string Optimized(const std::string& text) {
  const std::unique_ptr<hlo::Module> before = tests::ParseText(text);
  const std::unique_ptr<hlo::Module> after = before->Clone();
  const absl::Status status =
      RunPasses(*after, PassContext{}, {.verify = true});
  INFO(status);
  REQUIRE(status.ok());
  std::string printed = hlo::Print(*after, hlo::PrintOptions::Short());
  INFO(printed);
  CHECK(DifferenceOf(Run(*before), Run(*after)) == kNoDifference);
  return printed;
}

std::string Entry(const std::string& body) {
  return "HloModule m\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
         "ROOT c = f32[] add(a, b) }\nmax { a = f32[] parameter(0)\n"
         "b = f32[] parameter(1)\nROOT c = f32[] maximum(a, b) }\n"
         "ENTRY e {\n" +
         body + "\n}\n";
}

struct SimplifyRow {
  std::string name;
  std::string body;
  // What is left, and what is gone.
  std::vector<std::string> holds;
  std::vector<std::string> lacks;
};

void CheckSimplified(const SimplifyRow& row) {
  CAPTURE(row.name);
  const std::string text = Optimized(Entry(row.body));
  CAPTURE(text);
  for (const std::string& part : row.holds) {
    CAPTURE(part);
    CHECK(absl::StrContains(text, part));
  }
  for (const std::string& part : row.lacks) {
    CAPTURE(part);
    CHECK_FALSE(absl::StrContains(text, part));
  }
}

TEST_CASE("rules about shapes fit where they should") {
  for (const SimplifyRow& row : {
           SimplifyRow{"reshapes meet",
                       "x = f32[2,3] parameter(0)\ny = f32[6] reshape(x)\n"
                       "ROOT z = f32[3,2] reshape(y)",
                       {"f32[3,2]{1,0} reshape(x)"},
                       {"f32[6]"}},
           SimplifyRow{"transposes meet",
                       "x = f32[2,3,5] parameter(0)\n"
                       "y = f32[5,3,2] transpose(x), dimensions={2,1,0}\n"
                       "ROOT z = f32[2,3,5] transpose(y), dimensions={2,1,0}",
                       {"ROOT x"},
                       {"transpose"}},
           SimplifyRow{"unit dimensions move for free",
                       "x = f32[1,3,5] parameter(0)\n"
                       "ROOT y = f32[3,1,5] transpose(x), dimensions={1,0,2}",
                       {"reshape(x)"},
                       {"transpose"}},
           SimplifyRow{"a slice of a slice",
                       "x = f32[20] parameter(0)\n"
                       "y = f32[8] slice(x), slice={[2:18:2]}\n"
                       "ROOT z = f32[2] slice(y), slice={[1:7:3]}",
                       {"slice={[4:11:6]}"},
                       {"f32[8]"}},
           SimplifyRow{"a slice of a concatenation",
                       "x = f32[5] parameter(0)\ny = f32[7] parameter(1)\n"
                       "z = f32[3] parameter(2)\n"
                       "c = f32[15] concatenate(x, y, z), dimensions={0}\n"
                       "ROOT r = f32[4] slice(c), slice={[6:10]}",
                       {"slice(y), slice={[1:5]}"},
                       {"concatenate"}},
           SimplifyRow{"a slice of padding and of what is padded",
                       "x = f32[5] parameter(0)\nv = f32[] parameter(1)\n"
                       "p = f32[11] pad(x, v), padding=2_4\n"
                       "a = f32[2] slice(p), slice={[0:2]}\n"
                       "b = f32[3] slice(p), slice={[3:6]}\n"
                       "ROOT t = (f32[2], f32[3]) tuple(a, b)",
                       {"broadcast(v)", "slice(x), slice={[1:4]}"},
                       {"pad("}},
           SimplifyRow{"a reversed slice",
                       "x = f32[10] parameter(0)\n"
                       "y = f32[10] reverse(x), dimensions={0}\n"
                       "ROOT z = f32[3] slice(y), slice={[1:8:3]}",
                       {"slice={[2:9:3]}", "f32[3]{0} reverse("},
                       {}},
           SimplifyRow{"neighbours are joined",
                       "x = f32[3,8] parameter(0)\n"
                       "a = f32[3,5] slice(x), slice={[0:3], [0:5]}\n"
                       "b = f32[3,3] slice(x), slice={[0:3], [5:8]}\n"
                       "ROOT z = f32[3,8] concatenate(a, b), dimensions={1}",
                       {"ROOT x"},
                       {"concatenate", "slice"}},
           SimplifyRow{"an iota is broadcast",
                       "i = s32[3,5] iota(), iota_dimension=1\n"
                       "c = s32[] constant(9)\nb = s32[3,5] broadcast(c)\n"
                       "ROOT z = pred[3,5] compare(i, b), direction=LT",
                       {"broadcast("},
                       {"iota", "compare"}},
           SimplifyRow{
               "a dynamic slice at known places",
               "x = f32[5,7] parameter(0)\nc = s32[] constant(9)\n"
               "d = s32[] constant(2)\nROOT z = f32[2,3] dynamic-slice(x, c, d)"
               ", dynamic_slice_sizes={2,3}",
               {"slice={[3:5], [2:5]}"},
               {"dynamic"}},
           SimplifyRow{"a gather of one row",
                       "x = f32[5,7] parameter(0)\ni = s32[1] parameter(1)\n"
                       "ROOT z = f32[7] gather(x, i), offset_dims={0}, "
                       "collapsed_slice_dims={0}, start_index_map={0}, "
                       "index_vector_dim=0, slice_sizes={1,7}",
                       {"dynamic-slice("},
                       {"gather"}},
       }) {
    CheckSimplified(row);
  }
}

TEST_CASE("rules about reductions and products fit where they should") {
  for (const SimplifyRow& row : {
           SimplifyRow{
               "unit dimensions are not reduced",
               "x = f32[1,3,5] parameter(0)\nz = f32[] constant(0)\n"
               "ROOT r = f32[5] reduce(x, z), dimensions={0,1}, to_apply=add",
               {"dimensions={1}"},
               {"dimensions={0,1}"}},
           SimplifyRow{
               "a maximum over what is repeated",
               "x = f32[3] parameter(0)\nz = f32[] constant(-inf)\n"
               "b = f32[3,4] broadcast(x), dimensions={0}\n"
               "ROOT r = f32[3] reduce(b, z), dimensions={1}, to_apply=max",
               {"ROOT x"},
               {"reduce"}},
           SimplifyRow{"a transposed operand of a dot",
                       "x = f32[5,3] parameter(0)\ny = f32[5,7] parameter(1)\n"
                       "t = f32[3,5] transpose(x), dimensions={1,0}\n"
                       "ROOT r = f32[3,7] dot(t, y), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}",
                       {"lhs_contracting_dims={0}"},
                       {"transpose"}},
           SimplifyRow{"a transposed dot",
                       "x = f32[3,5] parameter(0)\ny = f32[5,7] parameter(1)\n"
                       "d = f32[3,7] dot(x, y), lhs_contracting_dims={1}, "
                       "rhs_contracting_dims={0}\n"
                       "ROOT r = f32[7,3] transpose(d), dimensions={1,0}",
                       {"dot(y, x)"},
                       {"transpose"}},
           SimplifyRow{
               "a dot of rows in another order",
               "x = f32[2,3,5,40] parameter(0)\ny = f32[2,7,40] parameter(1)\n"
               "t = f32[5,2,3,40] transpose(x), dimensions={2,0,1,3}\n"
               "n = f32[5,2,3,40] negate(t)\n"
               "ROOT r = f32[2,7,5,3] dot(y, n), lhs_batch_dims={0}, "
               "rhs_batch_dims={1}, lhs_contracting_dims={2}, "
               "rhs_contracting_dims={3}",
               {"f32[2,3,5,40]{3,2,1,0} negate(x)",
                "f32[2,7,3,5]{3,2,1,0} dot(", "transpose(",
                "dimensions={0,1,3,2}"},
               {}},
           SimplifyRow{
               "a sum of rows in another order",
               "x = f32[2,3,5] parameter(0)\nz = f32[] constant(0)\n"
               "t = f32[3,2,5] transpose(x), dimensions={1,0,2}\n"
               "ROOT r = f32[3,2] reduce(t, z), dimensions={2}, to_apply=add",
               {"f32[2,3]{1,0} reduce(x", "f32[3,2]{1,0} transpose("},
               {}},
           SimplifyRow{"what is done to rows in another order",
                       "x = f32[2,3,5] parameter(0)\nb = f32[5] parameter(1)\n"
                       "c = f32[2,3] parameter(2)\n"
                       "t = f32[3,2,5] transpose(x), dimensions={1,0,2}\n"
                       "u = f32[3,2] transpose(c), dimensions={1,0}\n"
                       "bb = f32[3,2,5] broadcast(b), dimensions={2}\n"
                       "cb = f32[3,2,5] broadcast(u), dimensions={0,1}\n"
                       "s = f32[3,2,5] add(t, bb)\n"
                       "p = f32[3,2,5] multiply(s, cb)\n"
                       "ROOT r = f32[2,3,5] transpose(p), dimensions={1,0,2}",
                       {"f32[2,3,5]{2,1,0} multiply("},
                       {"transpose"}},
           SimplifyRow{
               "a batch of one",
               "x = f32[1,3,5] parameter(0)\ny = f32[1,5,7] parameter(1)\n"
               "ROOT d = f32[1,3,7] dot(x, y), lhs_batch_dims={0}, "
               "lhs_contracting_dims={2}, rhs_batch_dims={0}, "
               "rhs_contracting_dims={1}",
               {"f32[3,7]{1,0} dot("},
               {"batch"}},
           SimplifyRow{
               "a convolution of single points",
               "x = f32[2,3,4,5] parameter(0)\ny = f32[1,1,5,7] parameter(1)\n"
               "ROOT c = f32[2,3,4,7] convolution(x, y), window={size=1x1}, "
               "dim_labels=b01f_01io->b01f",
               {"dot("},
               {"convolution"}},
           SimplifyRow{"what only moves is kept apart from what rounds",
                       "x = f32[5] parameter(0)\nz = f32[] constant(0)\n"
                       "b = f32[5] broadcast(z)\nROOT r = f32[5] add(x, b)",
                       {"add("},
                       {}},
       }) {
    CheckSimplified(row);
  }
}

TEST_CASE("loops and branches are simplified") {
  const std::string loop =
      "HloModule m\nbody { s = (s32[], f32[3,3], f32[3], f32[]) parameter(0)\n"
      "i = s32[] get-tuple-element(s), index=0\n"
      "w = f32[3,3] get-tuple-element(s), index=1\n"
      "x = f32[3] get-tuple-element(s), index=2\n"
      "u = f32[] get-tuple-element(s), index=3\n"
      "one = s32[] constant(1)\nnext = s32[] add(i, one)\n"
      "ww = f32[3,3] dot(w, w), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n"
      "y = f32[3] dot(ww, x), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\nuu = f32[] add(u, u)\n"
      "ROOT t = (s32[], f32[3,3], f32[3], f32[]) tuple(next, w, y, uu) }\n"
      "cond { s = (s32[], f32[3,3], f32[3], f32[]) parameter(0)\n"
      "i = s32[] get-tuple-element(s), index=0\nn = s32[] constant(TURNS)\n"
      "ROOT c = pred[] compare(i, n), direction=LT }\n"
      "ENTRY e { w = f32[3,3] parameter(0)\nx = f32[3] parameter(1)\n"
      "u = f32[] parameter(2)\nz = s32[] constant(0)\n"
      "t = (s32[], f32[3,3], f32[3], f32[]) tuple(z, w, x, u)\n"
      "l = (s32[], f32[3,3], f32[3], f32[]) while(t), condition=cond, "
      "body=body\nROOT r = f32[3] get-tuple-element(l), index=2 }\n";
  const auto with_turns = [&](const std::string& turns) {
    std::string text = loop;
    text.replace(text.find("TURNS"), 5, turns);
    return Optimized(text);
  };
  CHECK_FALSE(absl::StrContains(with_turns("0"), "while"));
  CHECK_FALSE(absl::StrContains(with_turns("2"), "while"));
  const std::string long_loop = with_turns("100");
  CAPTURE(long_loop);
  // The counter, the hoisted product and the vector.
  CHECK(
      absl::StrContains(long_loop, "(s32[], f32[3]{0}, f32[3,3]{1,0}) while"));
  CHECK_FALSE(absl::StrContains(long_loop, "add(u"));

  const std::string branches =
      "HloModule m\nt { x = f32[3] parameter(0)\n"
      "ROOT y = f32[3] exponential(x) }\nf { x = f32[3] parameter(0)\n"
      "ROOT y = f32[3] negate(x) }\nENTRY e { p = pred[] PREDICATE\n"
      "x = f32[3] parameter(0)\nROOT r = f32[3] conditional(p, x, x), "
      "true_computation=t, false_computation=f }\n";
  const auto with_predicate = [&](const std::string& predicate) {
    std::string text = branches;
    text.replace(text.find("PREDICATE"), 9, predicate);
    return Optimized(text);
  };
  CHECK(absl::StrContains(with_predicate("constant(true)"), "exponential"));
  CHECK(absl::StrContains(with_predicate("constant(false)"), "ROOT y"));
  CHECK(absl::StrContains(with_predicate("parameter(1)"), "select("));
}

TEST_CASE("equal computations and values are computed once") {
  const std::string text = Optimized(
      "HloModule m\na { x = f32[] parameter(0)\ny = f32[] parameter(1)\n"
      "ROOT z = f32[] add(x, y) }\nb { p = f32[] parameter(0)\n"
      "q = f32[] parameter(1)\nROOT r = f32[] add(p, q) }\n"
      "ENTRY e { x = f32[3,5] parameter(0)\nz = f32[] constant(0)\n"
      "s = f32[3] reduce(x, z), dimensions={1}, to_apply=a\n"
      "t = f32[3] reduce(x, z), dimensions={1}, to_apply=b\n"
      "ROOT r = f32[3] multiply(s, t) }\n");
  CAPTURE(text);
  CHECK(absl::StrContains(text, "multiply(s, s)"));
  CHECK_FALSE(absl::StrContains(text, "to_apply=b"));
}

TEST_CASE("the runner selects, stops and refuses") {
  const auto run = [](const RunnerOptions& options) {
    const std::unique_ptr<hlo::Module> module = tests::ParseText(
        "ENTRY e { x = f32[2] parameter(0)\nROOT y = f32[2] copy(x) }");
    return RunPasses(*module, PassContext{}, options);
  };
  std::vector<PassTiming> timings;
  CHECK(run({.stop_after = "prepare", .timings = &timings}).ok());
  CHECK(timings.size() == 2);
  timings.clear();
  CHECK(run({.disabled = {"legalize"}, .pass_limit = 2, .timings = &timings})
            .ok());
  REQUIRE(timings.size() == 2);
  CHECK(timings[1].pass == "algebraic-simplification");
  CHECK(timings[1].changed);
  std::vector<std::string> seen;
  CHECK(run({.passes = {"algebraic-simplification", "dead-code-elimination"},
             .after_change =
                 [&](absl::string_view pass, const hlo::Module&) {
                   seen.emplace_back(pass);
                 }})
            .ok());
  CHECK(seen == std::vector<std::string>{"algebraic-simplification"});
  CHECK(absl::StrContains(run({.passes = {"legalise"}}).message(),
                          "did you mean 'legalize'"));
}

}  // namespace
}  // namespace hilo::passes
