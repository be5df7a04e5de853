// Checks of the computations that instructions call.
#include "hlo/ops/called_computations.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/checks.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// "to_apply %sum".
std::string Describe(const Computation& computation, absl::string_view what) {
  return absl::StrCat(what, " %", computation.name());
}

// The scalar types of a reducer's root, one per accumulator.
absl::StatusOr<std::vector<ElementType>> AccumulatorTypes(
    const Computation& reducer, absl::string_view what, size_t count) {
  ASSIGN_OR_RETURN(const Shape root, RootShape(reducer, what));
  if (count == 1 && root.IsScalar()) {
    return std::vector<ElementType>{root.element_type()};
  }
  const bool is_scalar_tuple =
      root.IsTuple() && count > 1 && root.elements().size() == count &&
      std::all_of(root.elements().begin(), root.elements().end(),
                  [](const Shape& element) { return element.IsScalar(); });
  if (!is_scalar_tuple) {
    return InvalidArgument(
        "the root of ", Describe(reducer, what), " is ", ShapeText(root),
        ", expected ",
        count == 1 ? "a scalar"
                   : absl::StrCat("a tuple of ", count, " scalars"));
  }
  std::vector<ElementType> types;
  for (const Shape& element : root.elements()) {
    types.push_back(element.element_type());
  }
  return types;
}

}  // namespace

bool Compatible(const Shape& a, const Shape& b, FloatPrecision precision) {
  return precision == FloatPrecision::kAny
             ? CompatibleIgnoringFloatPrecision(a, b)
             : Compatible(a, b);
}

absl::StatusOr<Shape> RootShape(const Computation& computation,
                                absl::string_view what) {
  if (computation.root() == nullptr) {
    return InvalidArgument(Describe(computation, what), " has no root");
  }
  return computation.root()->shape();
}

absl::StatusOr<std::vector<Shape>> ParameterShapes(
    const Computation& computation, absl::string_view what) {
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < computation.parameter_count(); ++i) {
    if (computation.parameter(i) == nullptr) {
      return InvalidArgument(Describe(computation, what), " has ",
                             computation.parameter_count(),
                             " parameters, but none with number ", i);
    }
    shapes.push_back(computation.parameter(i)->shape());
  }
  return shapes;
}

absl::Status CheckParameters(const Computation& computation,
                             absl::string_view what,
                             absl::Span<const Shape> shapes,
                             FloatPrecision precision) {
  ASSIGN_OR_RETURN(const std::vector<Shape> parameters,
                   ParameterShapes(computation, what));
  if (parameters.size() != shapes.size()) {
    return InvalidArgument(Describe(computation, what), " has ",
                           parameters.size(), " parameters, expected ",
                           shapes.size());
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (Compatible(parameters[i], shapes[i], precision)) continue;
    return InvalidArgument("parameter ", i, " of ", Describe(computation, what),
                           " is ", ShapeText(parameters[i]), ", expected ",
                           ShapeText(shapes[i]));
  }
  return absl::OkStatus();
}

absl::Status CheckRoot(const Computation& computation, absl::string_view what,
                       const Shape& shape, FloatPrecision precision) {
  ASSIGN_OR_RETURN(const Shape root, RootShape(computation, what));
  if (Compatible(root, shape, precision)) return absl::OkStatus();
  return InvalidArgument("the root of ", Describe(computation, what), " is ",
                         ShapeText(root), ", expected ", ShapeText(shape));
}

absl::StatusOr<std::vector<ElementType>> CheckReducer(
    const Computation& reducer, absl::string_view what,
    absl::Span<const Shape> inputs, absl::Span<const Shape> inits) {
  ASSIGN_OR_RETURN(std::vector<ElementType> types,
                   AccumulatorTypes(reducer, what, inputs.size()));
  std::vector<Shape> parameters;
  parameters.reserve(types.size());
  for (const ElementType type : types) {
    parameters.push_back(Shape::Scalar(type));
  }
  for (const Shape& input : inputs) {
    parameters.push_back(Shape::Scalar(input.element_type()));
  }
  RETURN_IF_ERROR(
      CheckParameters(reducer, what, parameters, FloatPrecision::kAny));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape accumulator = Shape::Scalar(types[i]);
    if (!Compatible(reducer.parameter(static_cast<int64_t>(i))->shape(),
                    accumulator)) {
      return InvalidArgument(
          "accumulator ", i, " of ", Describe(reducer, what), " has type ",
          ShapeText(reducer.parameter(static_cast<int64_t>(i))->shape()),
          " as parameter and ", ShapeText(accumulator), " as result");
    }
    if (!CompatibleIgnoringFloatPrecision(inits[i], accumulator)) {
      return InvalidArgument("initial value ", i, " is ", ShapeText(inits[i]),
                             ", but ", Describe(reducer, what), " gives ",
                             ShapeText(accumulator));
    }
    if (!CompatibleIgnoringFloatPrecision(
            Shape::Scalar(inputs[i].element_type()), accumulator)) {
      return InvalidArgument("operand ", i, " is ", ShapeText(inputs[i]),
                             ", but ", Describe(reducer, what), " gives ",
                             ShapeText(accumulator));
    }
  }
  return types;
}

}  // namespace hilo::hlo
