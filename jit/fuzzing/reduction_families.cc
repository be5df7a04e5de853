// Reductions, windows and scans.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
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

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Opcode;
using hlo::Shape;
using hlo::Value;

// A reducer and its neutral element.
struct NeutralReducer {
  Opcode opcode;
  hlo::Callee callee;
  Value init;
};

std::vector<Opcode> ReducerOpcodes(ElementType type) {
  if (type == ElementType::kPred) return {Opcode::kAnd, Opcode::kOr};
  if (hlo::IsComplex(type)) return {Opcode::kAdd};
  if (hlo::IsFloat(type)) {
    return {Opcode::kAdd, Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum,
            Opcode::kMultiply};
  }
  return {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum, Opcode::kMultiply,
          Opcode::kAnd, Opcode::kOr,      Opcode::kXor};
}

// Any initial value will do: it counts once.
NeutralReducer MakeReducer(Scope& scope, ElementType type) {
  const Opcode opcode = scope.random().Pick(ReducerOpcodes(type));
  double neutral = 0;
  if (opcode == Opcode::kMultiply || opcode == Opcode::kAnd) neutral = 1;
  const bool is_other = scope.random().Chance(30);
  const Value init = is_other ? scope.Operand(Shape::Scalar(type))
                              : scope.Scalar(type, neutral);
  return {.opcode = opcode, .callee = scope.Binary(opcode, type), .init = init};
}

DimensionVector SomeDimensions(Scope& scope, int64_t rank) {
  DimensionVector dimensions;
  for (int64_t i = 0; i < rank; ++i) {
    if (scope.random().Chance(50)) dimensions.push_back(i);
  }
  if (dimensions.empty() && rank > 0 && scope.random().Chance(90)) {
    dimensions.push_back(scope.random().Below(rank));
  }
  return dimensions;
}

bool CanReduce(ElementType type) { return type != ElementType::kF8E8M0FNU; }

void GenerateReduce(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 1);
  const Shape& shape = operand.shape();
  if (!CanReduce(shape.element_type())) return;
  const NeutralReducer reducer = MakeReducer(scope, shape.element_type());
  scope.Keep(scope.builder().Reduce({operand}, {reducer.init},
                                    SomeDimensions(scope, shape.rank()),
                                    reducer.callee));
}

// The largest (smallest) element and its first index, NaN first of all.
hlo::Callee ArgReducer(Scope& scope, ElementType type, bool is_max) {
  hlo::Builder body = scope.NewComputation("arg");
  const Shape value = Shape::Scalar(type);
  const Shape index = Shape::Scalar(ElementType::kS32);
  const Value a = body.Parameter(0, value, "a");
  const Value i = body.Parameter(1, index, "i");
  const Value b = body.Parameter(2, value, "b");
  const Value j = body.Parameter(3, index, "j");
  using Direction = hlo::ComparisonDirection;
  Value takes_a = body.Compare(a, b, is_max ? Direction::kGt : Direction::kLt);
  Value is_equal = body.Compare(a, b, Direction::kEq);
  if (hlo::IsFloat(type)) {
    const Value a_is_nan = body.Compare(a, a, Direction::kNe);
    const Value b_is_nan = body.Compare(b, b, Direction::kNe);
    takes_a = body.Or(takes_a, body.And(a_is_nan, body.Not(b_is_nan)));
    is_equal = body.Or(is_equal, body.And(a_is_nan, b_is_nan));
  }
  const Value is_first = body.Compare(i, j, Direction::kLt);
  const Value wins = body.Or(takes_a, body.And(is_equal, is_first));
  return body.Finish(
      body.Tuple({body.Select(wins, a, b), body.Select(wins, i, j)}));
}

void GenerateArgReduce(Scope& scope) {
  const Value operand =
      scope.AnyArray(hlo::kFloatTypes | hlo::kIntegerTypes, 1);
  const Shape& shape = operand.shape();
  const ElementType type = shape.element_type();
  if (!CanReduce(type)) return;
  const bool is_max = scope.random().Chance(60);
  const int64_t dimension = scope.random().Below(shape.rank());
  const Value indices = scope.builder().Iota(
      Shape::Array(ElementType::kS32, shape.dimensions()), dimension);
  // The least value loses against every other, at an index behind all.
  const Value least = scope.Scalar(type, is_max ? -1e300 : 1e300);
  const Value none = scope.Scalar(ElementType::kS32, 1e6);
  scope.Keep(scope.builder().Reduce({operand, indices}, {least, none},
                                    {dimension},
                                    ArgReducer(scope, type, is_max)));
}

int64_t OutputSize(int64_t size, const hlo::WindowDimension& d) {
  const int64_t dilated = size == 0 ? 0 : (size - 1) * d.base_dilation + 1;
  const int64_t padded = dilated + d.padding_low + d.padding_high;
  const int64_t window = (d.size - 1) * d.window_dilation + 1;
  return padded < window || padded < 0 ? 0 : (padded - window) / d.stride + 1;
}

void GenerateReduceWindow(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 1);
  const Shape& shape = operand.shape();
  if (!CanReduce(shape.element_type())) return;
  hlo::Window window;
  DimensionVector sizes;
  for (const int64_t size : shape.dimensions()) {
    hlo::WindowDimension d;
    if (scope.random().Chance(60)) {
      d.size = scope.random().Between(1, 4);
      d.stride = scope.random().Between(1, 3);
      d.padding_low = scope.random().Between(-1, 3);
      d.padding_high = scope.random().Between(-1, 3);
      if (scope.random().Chance(20)) d.base_dilation = 2;
      if (scope.random().Chance(20)) d.window_dilation = 2;
    }
    if (size == 0) d.padding_low = d.padding_high = 0;
    window.dimensions.push_back(d);
    sizes.push_back(OutputSize(size, d));
  }
  if (!scope.Fits(sizes)) return;
  const NeutralReducer reducer = MakeReducer(scope, shape.element_type());
  scope.Keep(scope.builder().ReduceWindow({operand}, {reducer.init}, window,
                                          reducer.callee));
}

// Everything up to each element, as frontends write cumulative sums.
void GenerateCumulative(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 1);
  const Shape& shape = operand.shape();
  if (!CanReduce(shape.element_type())) return;
  const int64_t along = scope.random().Below(shape.rank());
  const int64_t size = shape.dimension(along);
  if (size == 0) return;
  hlo::Window window;
  window.dimensions.resize(static_cast<size_t>(shape.rank()));
  hlo::WindowDimension& d = window.dimensions[static_cast<size_t>(along)];
  d.size = size;
  (scope.random().Chance(70) ? d.padding_low : d.padding_high) = size - 1;
  const NeutralReducer reducer = MakeReducer(scope, shape.element_type());
  scope.Keep(scope.builder().ReduceWindow({operand}, {reducer.init}, window,
                                          reducer.callee));
}

void GenerateSelectAndScatter(Scope& scope) {
  const Value operand =
      scope.AnyArray(hlo::kFloatTypes | hlo::kIntegerTypes, 1);
  const Shape& shape = operand.shape();
  const ElementType type = shape.element_type();
  if (!CanReduce(type)) return;
  hlo::Window window;
  DimensionVector sizes;
  for (const int64_t size : shape.dimensions()) {
    hlo::WindowDimension d;
    d.size = scope.random().Between(
        1, std::max<int64_t>(std::min<int64_t>(size, 3), 1));
    d.stride = scope.random().Between(1, 3);
    if (scope.random().Chance(30)) d.padding_low = d.size - 1;
    window.dimensions.push_back(d);
    sizes.push_back(OutputSize(size, d));
  }
  if (!scope.Fits(sizes)) return;
  hlo::Builder select = scope.NewComputation("select");
  const Value a = select.Parameter(0, Shape::Scalar(type), "a");
  const Value b = select.Parameter(1, Shape::Scalar(type), "b");
  const hlo::Callee selector = select.Finish(select.Compare(
      a, b,
      scope.random().Chance(70) ? hlo::ComparisonDirection::kGe
                                : hlo::ComparisonDirection::kLe));
  scope.Keep(scope.builder().SelectAndScatter(
      operand, scope.Operand(Shape::Array(type, sizes)), scope.Scalar(type, 0),
      window, selector, scope.Binary(Opcode::kAdd, type)));
}

// A scalar function of its parameters.
hlo::Callee ScalarFunction(Scope& scope, absl::Span<const Value> operands) {
  hlo::Builder body = scope.NewComputation("function");
  Scope inner(body, scope.random(), scope.choices(), scope.depth() + 1);
  std::vector<Value> parameters;
  parameters.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    parameters.push_back(
        body.Parameter(static_cast<int64_t>(i),
                       Shape::Scalar(operands[i].shape().element_type()), "x"));
  }
  Value root = parameters[0];
  const ElementType type = root.shape().element_type();
  for (const Value& parameter : parameters) {
    Value same = parameter;
    if (same.shape() != root.shape()) {
      if (hlo::IsComplex(same.shape().element_type()) &&
          !hlo::IsComplex(type)) {
        continue;
      }
      same = body.Convert(same, type);
    }
    constexpr std::array kOpcodes = {Opcode::kAdd, Opcode::kMaximum,
                                     Opcode::kMultiply};
    const Opcode opcode =
        hlo::IsComplex(type) ? Opcode::kAdd : scope.random().Pick(kOpcodes);
    root = body.Add(opcode, {}, {root, same});
  }
  return body.Finish(root);
}

void GenerateMap(Scope& scope) {
  const Value first = scope.AnyArray();
  if (!CanReduce(first.shape().element_type())) return;
  std::vector<Value> operands = {first};
  const int64_t count = scope.random().Between(0, 2);
  for (int64_t i = 0; i < count; ++i) {
    const ElementType type = scope.NewType();
    if (!CanReduce(type)) continue;
    operands.push_back(
        scope.Operand(Shape::Array(type, first.shape().dimensions())));
  }
  const hlo::Callee function = ScalarFunction(scope, operands);
  scope.Keep(scope.builder().Map(operands, function));
}

constexpr std::array kReductionFamilies = {
    Family{.name = "reduce", .weight = 10, .generate = &GenerateReduce},
    Family{.name = "arg-reduce", .weight = 2, .generate = &GenerateArgReduce},
    Family{.name = "reduce-window",
           .weight = 4,
           .generate = &GenerateReduceWindow},
    Family{.name = "cumulative", .weight = 2, .generate = &GenerateCumulative},
    Family{.name = "select-and-scatter",
           .weight = 1,
           .generate = &GenerateSelectAndScatter},
    Family{.name = "map", .weight = 1, .generate = &GenerateMap},
};

}  // namespace

absl::Span<const Family> ReductionFamilies() { return kReductionFamilies; }

}  // namespace hilo::fuzzing
