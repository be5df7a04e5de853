// Checks of the computations that instructions call.
//
// A computation that is still being built may lack its root or parameters;
// every function here reports that as an error.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "hlo/ir/computation.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {

// Whether float types of different precision may stand for each other.
enum class FloatPrecision : uint8_t { kExact, kAny };

// Whether the shapes are compatible, in the given sense.
bool Compatible(const Shape& a, const Shape& b, FloatPrecision precision);

// The shape of the root of `computation`, which the attribute `what` names.
// Errors: no root.
absl::StatusOr<Shape> RootShape(const Computation& computation,
                                absl::string_view what);

// The shape of each parameter. Errors: a number that is missing.
absl::StatusOr<std::vector<Shape>> ParameterShapes(
    const Computation& computation, absl::string_view what);

// Errors unless the parameters have these shapes.
absl::Status CheckParameters(const Computation& computation,
                             absl::string_view what,
                             absl::Span<const Shape> shapes,
                             FloatPrecision precision);

// Errors unless the root has this shape.
absl::Status CheckRoot(const Computation& computation, absl::string_view what,
                       const Shape& shape, FloatPrecision precision);

// The element types that `reducer` gives when it folds `inputs` (arrays or
// scalars) into accumulators that start as `inits`: parameters (accumulators,
// elements), all scalars, and as root a scalar or a tuple of scalars.
//
// Accumulators have the root's types; elements and inits may differ from them
// in float precision. Errors: anything else.
absl::StatusOr<std::vector<ElementType>> CheckReducer(
    const Computation& reducer, absl::string_view what,
    absl::Span<const Shape> inputs, absl::Span<const Shape> inits);

}  // namespace hilo::hlo
