// Tests which array leaves are one value, and how leaves are counted.
#include "hlo/analysis/leaf_values.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "hlo/analysis/aliasing.h"
#include "hlo/analysis/array_leaves.h"
#include "hlo/analysis/sequential_computations.h"
#include "hlo/ir/module.h"
#include "hlo/ir/shape.h"
#include "hlo/text/parser.h"
#include "tests/support/parse_text.h"

namespace hilo::hlo {
namespace {

// A module's leaves and values, asked for by name.
struct Values {
  explicit Values(absl::string_view text)
      : module(tests::ParseText(text)),
        computations(SequentialComputations::Of(*module).value()),
        leaves(*module, computations),
        values(leaves, computations) {}

  LeafId Leaf(absl::string_view name, LeafId number) const {
    for (const auto& computation : module->computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (instruction->name() == name) {
          return leaves.first_leaf(*instruction) + number;
        }
      }
    }
    return -1;
  }
  bool Same(absl::string_view a, LeafId i, absl::string_view b,
            LeafId j) const {
    return values.value(Leaf(a, i)) == values.value(Leaf(b, j));
  }

  std::unique_ptr<Module> module;
  SequentialComputations computations;
  LeafTable leaves;
  LeafValues values;
};

TEST_CASE("array leaves are counted in pre-order without tokens") {
  struct Row {
    const char* shape;
    int64_t count;
  };
  for (const Row& row : {Row{"f32[2]", 1}, Row{"()", 0}, Row{"token[]", 0},
                         Row{"(f32[], (token[], s32[3]), ((pred[])))", 3}}) {
    CAPTURE(row.shape);
    const Shape shape = ParseShape(row.shape).value();
    CHECK(ArrayLeafCount(shape) == row.count);
    CHECK(std::ssize(ArrayLeaves(shape)) == row.count);
  }
  const Shape shape = ParseShape("(f32[], (token[], s32[3]), pred[])").value();
  CHECK(ArrayLeavesAt(shape, {1}).first == 1);
  CHECK(ArrayLeavesAt(shape, {1}).count == 1);
  CHECK(ArrayLeavesAt(shape, {2}).first == 2);
}

TEST_CASE("stored bytes follow the element size of the layout") {
  struct Row {
    const char* shape;
    int64_t bytes;
  };
  for (const Row& row :
       {Row{"f32[3]", 12}, Row{"s4[5]", 5}, Row{"s4[5]{0:E(4)}", 3},
        Row{"pred[9]{0:E(1)}", 2}, Row{"f32[0,4]", 0}}) {
    CAPTURE(row.shape);
    CHECK(StoredBytes(ParseShape(row.shape).value()) == row.bytes);
  }
}

TEST_CASE("values pass through tuples, loops, branches and calls") {
  const Values values(R"(HloModule m
condition {
  p = (s32[], f32[2], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT lt = pred[] compare(i, n), direction=LT
}
body {
  q = (s32[], f32[2], f32[2]) parameter(0)
  j = s32[] get-tuple-element(q), index=0
  one = s32[] constant(1)
  next = s32[] add(j, one)
  same = f32[2] get-tuple-element(q), index=1
  other = f32[2] get-tuple-element(q), index=2
  new = f32[2] add(same, other)
  ROOT t = (s32[], f32[2], f32[2]) tuple(next, same, new)
}
keep { ROOT k = f32[2] parameter(0) }
flip { f = f32[2] parameter(0) ROOT g = f32[2] negate(f) }
pass { h = f32[2] parameter(0) ROOT b = s32[2] bitcast(h) }
ENTRY e {
  x = f32[2] parameter(0)
  c = pred[] parameter(1)
  zero = s32[] constant(0)
  init = (s32[], f32[2], f32[2]) tuple(zero, x, x)
  loop = (s32[], f32[2], f32[2]) while(init), condition=condition, body=body
  kept = f32[2] get-tuple-element(loop), index=1
  made = f32[2] get-tuple-element(loop), index=2
  chosen = f32[2] conditional(c, made, kept), true_computation=keep,
      false_computation=flip
  called = s32[2] call(made), to_apply=pass
  ROOT r = (f32[2], s32[2]) tuple(chosen, called)
})");
  CHECK(values.Same("init", 1, "x", 0));
  CHECK(values.Same("same", 0, "x", 0));
  CHECK(values.Same("p", 1, "x", 0));
  CHECK(values.Same("kept", 0, "x", 0));
  CHECK(values.Same("made", 0, "loop", 2));
  CHECK(values.values.IsDefined(values.Leaf("loop", 2)));
  CHECK(values.values.IsDefined(values.Leaf("q", 2)));
  CHECK(!values.Same("loop", 2, "x", 0));
  CHECK(values.Same("k", 0, "made", 0));
  CHECK(values.Same("f", 0, "x", 0));
  CHECK(values.values.IsDefined(values.Leaf("chosen", 0)));
  CHECK(values.Same("called", 0, "made", 0));
  CHECK(values.Same("r", 1, "made", 0));
}

TEST_CASE("sequential computations have one caller") {
  const auto module = tests::ParseText(R"(HloModule m
f { x = f32[] parameter(0) ROOT n = f32[] negate(x) }
ENTRY e {
  a = f32[] parameter(0)
  b = f32[] call(a), to_apply=f
  ROOT c = f32[] call(b), to_apply=f
})");
  CHECK(SequentialComputations::Of(*module).status().code() ==
        absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("in-place pairs come from opcodes and attributes") {
  const auto module = tests::ParseText(R"(HloModule m
f {
  p = f32[4] parameter(0)
  q = (f32[4], f32[4]) parameter(1)
  a = f32[4] get-tuple-element(q), index=1
  ROOT t = (f32[4], f32[4]) tuple(a, p)
}
ENTRY e {
  x = f32[4] parameter(0)
  y = (f32[4], f32[4]) tuple(x, x)
  ROOT r = (f32[4], f32[4]) fusion(x, y), kind=kLoop, calls=f,
      output_to_operand_aliasing={{0}: (1, {1}), {1}: (0, {})}
})");
  const std::vector<InPlacePair> pairs = InPlacePairs(*module->entry()->root());
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].input == OperandLeaf{.operand = 1, .leaf = 1});
  CHECK(pairs[0].output_leaf == 0);
  CHECK(pairs[1].input == OperandLeaf{.operand = 0, .leaf = 0});
  CHECK(RunsCode(*module->entry()->root()));
  CHECK(!RunsCode(*module->entry()->parameter(0)));
}

}  // namespace
}  // namespace hilo::hlo
