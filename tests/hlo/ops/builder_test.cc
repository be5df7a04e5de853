// Tests of the builder of modules.
#include "hlo/ops/builder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "catch2/catch.hpp"

#include "hlo/ir/attribute.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/module.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {
namespace {

Shape OneFloat() { return Shape::Scalar(ElementType::kF32); }

std::string ShapeOf(const Value& value) {
  return ToString(value.shape(), /*with_layout=*/false);
}

// A computation (f32[], f32[]) -> f32[] that adds.
Callee Sum(Builder& builder) {
  Builder sum = builder.Computation("sum");
  return sum.Finish(sum.Add(sum.Parameter(0, OneFloat(), "a"),
                            sum.Parameter(1, OneFloat(), "b")));
}

// The message of the error that building with `root` gives.
std::string ErrorOf(Builder& builder, const Value& root) {
  return std::string(builder.Build(root).status().message());
}

TEST_CASE("builder builds a multilayer perceptron") {
  Builder builder("mlp");
  const Value x =
      builder.Parameter(0, Shape::Array(ElementType::kF32, {5, 3}), "x");
  const Value weights =
      builder.Parameter(1, Shape::Array(ElementType::kF32, {3, 7}), "weights");
  const Value bias =
      builder.Parameter(2, Shape::Array(ElementType::kF32, {7}), "bias");
  const Value product =
      builder.Dot(x, weights, {.lhs_contracting = {1}, .rhs_contracting = {0}});
  const Value sum = builder.Add(product, builder.Broadcast(bias, {5, 7}, {1}));
  const Value zeros =
      builder.Broadcast(builder.ConstantScalar(0.0F), {5, 7}, {});
  const Value hidden = builder.Maximum(sum, zeros);
  CHECK(ShapeOf(hidden) == "f32[5,7]");
  const Value total = builder.Reduce({hidden}, {builder.ConstantScalar(0.0F)},
                                     {1}, Sum(builder));
  CHECK(ShapeOf(total) == "f32[5]");

  absl::StatusOr<std::unique_ptr<Module>> module = builder.Build(total);
  REQUIRE(module.ok());
  CHECK((*module)->name() == "mlp");
  CHECK((*module)->computation_count() == 2);
  const Computation* entry = (*module)->entry();
  CHECK(entry->parameter_count() == 3);
  CHECK(entry->root()->opcode() == Opcode::kReduce);
  CHECK(entry->root()->to_apply()->name() == "sum");
}

TEST_CASE("builder builds loops and branches") {
  Builder builder("loop");
  const Shape counter = Shape::Scalar(ElementType::kS32);
  Builder condition = builder.Computation("condition");
  const Value seen = condition.Parameter(0, counter, "i");
  const Callee less = condition.Finish(condition.Compare(
      seen, condition.ConstantScalar<int32_t>(10), ComparisonDirection::kLt));
  Builder body = builder.Computation("body");
  const Value i = body.Parameter(0, counter, "i");
  const Callee next = body.Finish(body.Add(i, body.ConstantScalar<int32_t>(1)));

  const Value loop =
      builder.While(builder.ConstantScalar<int32_t>(0), less, next);
  CHECK(ShapeOf(loop) == "s32[]");
  const Value branch = builder.Conditional(builder.ConstantScalar(true),
                                           {loop, next}, {loop, next});
  CHECK(ShapeOf(branch) == "s32[]");
  const Value indexed =
      builder.Conditional(loop, {{branch, next}, {loop, next}, {loop, next}});
  CHECK(ShapeOf(indexed) == "s32[]");
  CHECK(builder.Build(indexed).ok());
}

TEST_CASE("builder reaches every opcode through Add") {
  Builder builder("general");
  const Value x =
      builder.Parameter(0, Shape::Array(ElementType::kF32, {3}), "x");
  const Value reversed =
      builder.Add(Opcode::kReverse, {}, {x}, {With::dimensions({0})});
  CHECK(ShapeOf(reversed) == "f32[3]");
  const Value called =
      builder.Add(Opcode::kCustomCall, Shape::Array(ElementType::kF32, {2}),
                  {reversed}, {With::custom_call_target("foo")});
  CHECK(ShapeOf(called) == "f32[2]");
  builder.SetAttribute(called, With::backend_config("config"));
  builder.AddControlDependency(reversed, called);
  const auto module = builder.Build(called);
  REQUIRE(module.ok());
  const Instruction* root = (*module)->entry()->root();
  CHECK(root->backend_config() == "config");
  CHECK(root->control_predecessors().size() == 1);
}

TEST_CASE("builder reports each mistake once, with its line") {
  Builder builder("wrong");
  const Value x =
      builder.Parameter(0, Shape::Array(ElementType::kF32, {3}), "x");
  const Value y =
      builder.Parameter(1, Shape::Array(ElementType::kF32, {5}), "y");
  const int first_line = __LINE__ + 1;
  const Value sum = builder.Add(x, y);
  CHECK(!sum.ok());
  CHECK(ShapeOf(sum) == "()");
  // What follows from the mistake is silent.
  const Value negated = builder.Negate(builder.Tanh(sum));
  const int second_line = __LINE__ + 1;
  const Value slice = builder.Slice(x, {0}, {4});
  const absl::Status status =
      builder.Build(builder.Tuple({negated, slice})).status();
  CHECK(status.code() == absl::StatusCode::kInvalidArgument);
  CHECK(status.message() ==
        absl::StrCat(__FILE__, ":", first_line,
                     ": add: operand dimensions differ: operand 0 is f32[3], "
                     "operand 1 is f32[5]\n",
                     __FILE__, ":", second_line,
                     ": slice: slice [0:4] of dimension 0 is not within its 3 "
                     "elements"));
}

TEST_CASE("builder rejects values of other builders") {
  Builder other("other");
  const Value foreign = other.ConstantScalar(1.0F);
  {
    Builder builder("builder");
    CHECK(absl::StrContains(ErrorOf(builder, builder.Negate(foreign)),
                            "operand 0 belongs to another module"));
  }
  {
    Builder builder("builder");
    Builder inner = builder.Computation("inner");
    const Value local = inner.ConstantScalar(1.0F);
    inner.Finish(local);
    CHECK(absl::StrContains(
        ErrorOf(builder, builder.Negate(local)),
        "operand 0 belongs to computation %inner; pass it to computation "
        "%builder as an argument"));
  }
  {
    Builder builder("builder");
    CHECK(absl::StrContains(ErrorOf(builder, builder.Negate(Value())),
                            "operand 0 is an empty Value"));
  }
  {
    Builder builder("builder");
    const Value x = builder.ConstantScalar(1.0F);
    CHECK(absl::StrContains(ErrorOf(builder, builder.Call({x}, Callee())),
                            "a callee is empty"));
  }
  {
    Builder builder("builder");
    const Value x = builder.ConstantScalar(1.0F);
    CHECK(absl::StrContains(ErrorOf(builder, builder.Call({x, x}, Sum(other))),
                            "a callee belongs to another module"));
  }
}

TEST_CASE("builder rejects what is unfinished or finished twice") {
  Builder builder("builder");
  Builder inner = builder.Computation("inner");
  const Value x = builder.ConstantScalar(1.0F);
  CHECK(absl::StrContains(ErrorOf(builder, x),
                          "computation %inner was not finished"));

  Builder second("second");
  Builder body = second.Computation("body");
  const Value one = body.ConstantScalar(1.0F);
  body.Finish(one);
  CHECK(!body.Negate(one).ok());
  CHECK(absl::StrContains(ErrorOf(second, second.ConstantScalar(1.0F)),
                          "computation %body is already finished"));

  Builder third("third");
  const Value root = third.ConstantScalar(1.0F);
  CHECK(third.Build(root).ok());
  CHECK(!root.ok());
  CHECK(!third.Negate(root).ok());
  CHECK(third.Build(root).status().message() == "the module was already built");
}

TEST_CASE("builder rejects wrong parameters") {
  struct Row {
    std::vector<int64_t> numbers;
    absl::string_view message;
  };
  for (const Row& row :
       {Row{{0, 0}, "number 0 is already taken by %p"},
        Row{{-1}, "number -1 is not in 0 ... 999999"},
        Row{{int64_t{1} << 40}, "is not in 0 ... 999999"},
        Row{{0, 2}, "has 3 parameters, but none with number 1"}}) {
    Builder builder("parameters");
    Value last;
    for (const int64_t number : row.numbers) {
      last = builder.Parameter(number, OneFloat(), "p");
    }
    CHECK(absl::StrContains(ErrorOf(builder, last), row.message));
  }
}

TEST_CASE("builder rejects attributes that do not belong") {
  Builder builder("attributes");
  const Value x = builder.ConstantScalar(1.0F);
  const Value y = builder.Add(Opcode::kNegate, {}, {x}, {With::k(3)});
  CHECK(absl::StrContains(ErrorOf(builder, y),
                          "attribute k does not belong to negate"));

  Builder kinds("kinds");
  const Value z =
      kinds.Add(Opcode::kGetTupleElement, {}, {kinds.Tuple({})},
                {{.id = AttributeId::kIndex,
                  .value = MakeAttributeValue<AttributeKind::kBool>(true)}});
  CHECK(absl::StrContains(ErrorOf(kinds, z),
                          "attribute index is a Bool, expected a Int"));
}

TEST_CASE("builder makes names that the text format can hold") {
  Builder builder("a b");
  const Value x = builder.Parameter(0, OneFloat(), "f32");
  const Value y = builder.Parameter(1, OneFloat(), "3/x");
  const auto module = builder.Build(builder.Add(x, builder.Add(x, y)));
  REQUIRE(module.ok());
  CHECK((*module)->name() == "a_b");
  const Computation* entry = (*module)->entry();
  CHECK(entry->instruction(0)->name() == "f32_");
  CHECK(entry->instruction(1)->name() == "_3_x");
  CHECK(entry->instruction(2)->name() == "add");
  CHECK(entry->instruction(3)->name() == "add.1");
}

}  // namespace
}  // namespace hilo::hlo
