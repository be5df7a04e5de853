// Control flow and calls: operations with computations that hold any others.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/builder.h"
#include "jit/fuzzing/families.h"
#include "jit/fuzzing/scope.h"

namespace hilo::fuzzing {
namespace {

using hlo::ElementType;
using hlo::Opcode;
using hlo::Shape;
using hlo::Value;

std::vector<Value> SomeArrays(Scope& scope, int64_t least, int64_t most) {
  std::vector<Value> arrays;
  const int64_t count = scope.random().Between(least, most);
  arrays.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) arrays.push_back(scope.AnyArray());
  return arrays;
}

std::vector<Shape> ShapesOf(absl::Span<const Value> values) {
  std::vector<Shape> shapes;
  shapes.reserve(values.size());
  for (const Value& value : values) {
    shapes.push_back(WithoutLayout(value.shape()));
  }
  return shapes;
}

// Values of these shapes; some are what the computation began with.
std::vector<Value> Results(Scope& scope, absl::Span<const Shape> shapes) {
  std::vector<Value> results;
  results.reserve(shapes.size());
  for (const Shape& shape : shapes) results.push_back(scope.Operand(shape));
  return results;
}

hlo::Callee Condition(Scope& scope, const Shape& state, int64_t turns) {
  hlo::Builder builder = scope.NewComputation("condition");
  const Value parameter = builder.Parameter(0, state, "state");
  Value counter = builder.GetTupleElement(parameter, 0);
  const Value limit = builder.ConstantScalar(static_cast<int32_t>(turns));
  Value goes_on =
      builder.Compare(counter, limit, hlo::ComparisonDirection::kLt);
  // At times a loop ends early, on what it computes.
  for (int64_t i = 1; i < state.element_count(); ++i) {
    if (state.element(i) != Shape::Scalar(ElementType::kPred)) continue;
    if (scope.random().Chance(50)) continue;
    goes_on = builder.And(goes_on, builder.GetTupleElement(parameter, i));
  }
  return builder.Finish(goes_on);
}

void GenerateWhile(Scope& scope) {
  std::vector<Value> carries = SomeArrays(scope, 1, 4);
  carries.insert(carries.begin(), scope.Scalar(ElementType::kS32, 0));
  const std::vector<Shape> shapes = ShapesOf(carries);
  const Shape state = Shape::Tuple(shapes);
  const int64_t turns = scope.random().Between(0, 6);

  hlo::Builder builder = scope.NewComputation("body");
  Scope body(builder, scope.random(), scope.choices(), scope.depth() + 1);
  const Value parameter = builder.Parameter(0, state, "state");
  std::vector<Value> old;
  for (int64_t i = 0; i < state.element_count(); ++i) {
    old.push_back(builder.GetTupleElement(parameter, i));
    body.Keep(old.back());
  }
  GenerateOperations(body, scope.random().Between(1, 8));
  std::vector<Value> next = Results(body, shapes);
  next[0] = builder.Add(old[0], builder.ConstantScalar(int32_t{1}));
  for (size_t i = 1; i < next.size(); ++i) {
    // Carries that stay, or change places.
    if (scope.random().Chance(15)) next[i] = old[i];
  }
  const hlo::Callee callee = builder.Finish(builder.Tuple(next));
  const hlo::Callee condition = Condition(scope, state, turns);
  scope.Keep(scope.builder().Add(Opcode::kWhile, {},
                                 {scope.builder().Tuple(carries)},
                                 {hlo::With::condition(condition.computation()),
                                  hlo::With::body(callee.computation())}));
}

// A computation of one tuple, with results of these shapes.
hlo::Callee TupleFunction(Scope& scope, const std::string& name,
                          const Shape& argument,
                          absl::Span<const Shape> results) {
  hlo::Builder builder = scope.NewComputation(name);
  Scope body(builder, scope.random(), scope.choices(), scope.depth() + 1);
  const Value parameter = builder.Parameter(0, argument, "argument");
  body.Keep(parameter);
  GenerateOperations(body, scope.random().Between(0, 6));
  const std::vector<Value> values = Results(body, results);
  if (values.size() == 1) return builder.Finish(values[0]);
  return builder.Finish(builder.Tuple(values));
}

std::vector<Shape> NewResults(Scope& scope, absl::Span<const Value> arguments) {
  std::vector<Shape> results;
  const int64_t count = scope.random().Between(1, 3);
  results.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    results.push_back(
        !arguments.empty() && scope.random().Chance(60)
            ? WithoutLayout(scope.random().Pick(arguments).shape())
            : scope.NewShape());
  }
  return results;
}

void GenerateConditional(Scope& scope) {
  const bool is_two_way = scope.random().Chance(60);
  const int64_t count = is_two_way ? 2 : scope.random().Between(1, 4);
  const std::vector<Value> first = SomeArrays(scope, 1, 3);
  const std::vector<Shape> results = NewResults(scope, first);
  std::vector<hlo::Branch> branches;
  for (int64_t i = 0; i < count; ++i) {
    const std::vector<Value> arguments =
        scope.random().Chance(60) ? first : SomeArrays(scope, 1, 3);
    const Value tuple = scope.builder().Tuple(arguments);
    branches.push_back(
        {.argument = tuple,
         .computation = TupleFunction(
             scope, "branch", Shape::Tuple(ShapesOf(arguments)), results)});
  }
  if (is_two_way) {
    scope.Keep(scope.builder().Conditional(
        scope.Operand(Shape::Scalar(ElementType::kPred)), branches[0],
        branches[1]));
    return;
  }
  scope.Keep(scope.builder().Conditional(
      scope.Operand(Shape::Scalar(ElementType::kS32)), branches));
}

// A computation with one parameter per argument.
hlo::Callee Function(Scope& scope, const std::string& name,
                     absl::Span<const Value> arguments,
                     absl::Span<const Shape> results) {
  hlo::Builder builder = scope.NewComputation(name);
  Scope body(builder, scope.random(), scope.choices(), scope.depth() + 1);
  for (size_t i = 0; i < arguments.size(); ++i) {
    body.Keep(builder.Parameter(static_cast<int64_t>(i),
                                WithoutLayout(arguments[i].shape()), "x"));
  }
  GenerateOperations(body, scope.random().Between(1, 6));
  const std::vector<Value> values = Results(body, results);
  if (values.size() == 1) return builder.Finish(values[0]);
  return builder.Finish(builder.Tuple(values));
}

void GenerateCall(Scope& scope) {
  const std::vector<Value> arguments = SomeArrays(scope, 0, 3);
  const std::vector<Shape> results = NewResults(scope, arguments);
  const hlo::Callee callee = Function(scope, "called", arguments, results);
  const Value value = scope.builder().Call(arguments, callee);
  scope.Keep(value);
  // The same again, on other arguments.
  if (!arguments.empty() && scope.random().Chance(40)) {
    std::vector<Value> others;
    others.reserve(arguments.size());
    for (const Value& argument : arguments) {
      others.push_back(scope.Operand(WithoutLayout(argument.shape())));
    }
    scope.Keep(scope.builder().Call(others, callee));
  }
}

// A step of a scan: (slices..., carry) -> (output, carry).
void GenerateScan(Scope& scope) {
  const Value input = scope.AnyArray(hlo::kArrayTypes, 1);
  const int64_t along = scope.random().Below(input.shape().rank());
  hlo::DimensionVector sizes(input.shape().dimensions().begin(),
                             input.shape().dimensions().end());
  sizes.erase(sizes.begin() + along);
  const Shape slice = Shape::Array(input.shape().element_type(), sizes);
  const Value carry = scope.AnyArray();
  const Shape carried = WithoutLayout(carry.shape());
  hlo::Builder builder = scope.NewComputation("step");
  Scope body(builder, scope.random(), scope.choices(), scope.depth() + 1);
  body.Keep(builder.Parameter(0, slice, "slice"));
  body.Keep(builder.Parameter(1, carried, "carry"));
  GenerateOperations(body, scope.random().Between(1, 4));
  const Value output = body.Operand(slice);
  const Value next = body.Operand(carried);
  const hlo::Callee callee = builder.Finish(builder.Tuple({output, next}));
  scope.Keep(scope.builder().Scan({input}, {carry}, along, callee,
                                  scope.random().Chance(30)));
}

constexpr std::array kControlFamilies = {
    Family{.name = "while",
           .weight = 5,
           .is_nested = true,
           .generate = &GenerateWhile},
    Family{.name = "conditional",
           .weight = 4,
           .is_nested = true,
           .generate = &GenerateConditional},
    Family{.name = "call",
           .weight = 2,
           .is_nested = true,
           .generate = &GenerateCall},
    Family{.name = "scan",
           .weight = 1,
           .is_nested = true,
           .generate = &GenerateScan},
};

}  // namespace

absl::Span<const Family> ControlFamilies() { return kControlFamilies; }

}  // namespace hilo::fuzzing
