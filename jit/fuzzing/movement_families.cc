// Data movement: the same elements at other places.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
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
using hlo::Shape;
using hlo::Value;

void GenerateBroadcast(Scope& scope) {
  const Value operand = scope.AnyArray();
  const Shape& shape = operand.shape();
  DimensionVector sizes;
  DimensionVector mapped;
  for (int64_t i = 0; i <= shape.rank(); ++i) {
    while (sizes.size() < 6 && scope.random().Chance(35)) {
      sizes.push_back(scope.random().Between(1, 5));
    }
    if (i == shape.rank()) break;
    mapped.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(shape.dimension(i));
  }
  if (!scope.Fits(sizes)) return;
  scope.Keep(scope.builder().Broadcast(operand, sizes, mapped));
}

void GenerateReshape(Scope& scope) {
  const Value operand = scope.AnyArray();
  const Shape& shape = operand.shape();
  // Merges neighbours, splits sizes, adds and keeps units.
  DimensionVector sizes;
  for (const int64_t size : shape.dimensions()) {
    const int64_t kind = scope.random().Below(4);
    const int64_t factor = scope.random().Between(2, 4);
    if (kind == 0 && !sizes.empty()) {
      sizes.back() *= size;
    } else if (kind == 1 && size % factor == 0) {
      sizes.push_back(factor);
      sizes.push_back(size / factor);
    } else {
      sizes.push_back(size);
    }
    if (scope.random().Chance(15)) sizes.push_back(1);
  }
  scope.Keep(scope.builder().Reshape(operand, sizes));
}

void GenerateTranspose(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 2);
  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(operand.shape().rank()));
  for (int64_t i = 0; i < operand.shape().rank(); ++i) order.push_back(i);
  scope.random().Shuffle(order);
  scope.Keep(scope.builder().Transpose(operand, order));
}

void GenerateSlice(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 1);
  DimensionVector starts;
  DimensionVector limits;
  DimensionVector strides;
  for (const int64_t size : operand.shape().dimensions()) {
    starts.push_back(
        scope.random().Chance(40) ? 0 : scope.random().Between(0, size));
    limits.push_back(scope.random().Chance(40)
                         ? size
                         : scope.random().Between(starts.back(), size));
    strides.push_back(scope.random().Chance(70) ? 1
                                                : scope.random().Between(2, 4));
  }
  scope.Keep(scope.builder().Slice(operand, starts, limits, strides));
}

void GeneratePad(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 1);
  const Shape& shape = operand.shape();
  hlo::PaddingConfig padding;
  DimensionVector sizes;
  for (const int64_t size : shape.dimensions()) {
    hlo::PaddingDimension pad;
    if (scope.random().Chance(60)) pad.low = scope.random().Between(-3, 3);
    if (scope.random().Chance(60)) pad.high = scope.random().Between(-3, 3);
    if (scope.random().Chance(25)) pad.interior = scope.random().Between(1, 2);
    const int64_t inner = size + std::max<int64_t>(size - 1, 0) * pad.interior;
    if (inner + pad.low + pad.high < 0) pad.low = pad.high = 0;
    sizes.push_back(inner + pad.low + pad.high);
    padding.push_back(pad);
  }
  if (!scope.Fits(sizes)) return;
  const Value value = scope.Operand(Shape::Scalar(shape.element_type()));
  scope.Keep(scope.builder().Pad(operand, value, padding));
}

void GenerateConcatenate(Scope& scope) {
  const Value first = scope.AnyArray(hlo::kArrayTypes, 1);
  Shape shape = first.shape();
  const int64_t dimension = scope.random().Below(shape.rank());
  std::vector<Value> operands = {first};
  const int64_t count = scope.random().Between(1, 4);
  int64_t total = shape.dimension(dimension);
  for (int64_t i = 1; i < count; ++i) {
    if (scope.random().Chance(40)) {
      shape.set_dimension(dimension, scope.random().Between(0, 6));
    }
    total += shape.dimension(dimension);
    operands.push_back(scope.random().Chance(15) ? operands.back()
                                                 : scope.Operand(shape));
    total += operands.back().shape().dimension(dimension);
  }
  shape.set_dimension(dimension, total);
  if (!scope.Fits(shape.dimensions())) return;
  scope.random().Shuffle(operands);
  scope.Keep(scope.builder().Concatenate(operands, dimension));
}

void GenerateReverse(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 1);
  DimensionVector dimensions;
  for (int64_t i = 0; i < operand.shape().rank(); ++i) {
    if (scope.random().Chance(60)) dimensions.push_back(i);
  }
  scope.Keep(scope.builder().Reverse(operand, dimensions));
}

void GenerateCopy(Scope& scope) {
  const Value operand = scope.AnyArray();
  scope.Keep(scope.builder().Add(
      hlo::Opcode::kCopy, scope.MaybeOddLayout(operand.shape()), {operand}));
}

// One element of a type is one or more of another.
void GenerateBitcastConvert(Scope& scope) {
  const Value operand = scope.AnyArray();
  const Shape& shape = operand.shape();
  const int from = hlo::InfoOf(shape.element_type()).bits;
  std::vector<ElementType> types;
  for (int i = 0; i < hlo::kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    if (!hlo::IsArrayType(type) || hlo::IsComplex(type)) continue;
    const int to = hlo::InfoOf(type).bits;
    const bool is_same = from == to && to >= 8;
    const bool is_wider = to > from && from >= 8 && to % from == 0 &&
                          shape.rank() > 0 &&
                          shape.dimensions().back() == to / from;
    const bool is_narrower =
        to < from && to >= 8 && from % to == 0 &&
        scope.Fits(std::array{shape.ElementCount(), int64_t{from / to}});
    if (is_same || is_wider || is_narrower) types.push_back(type);
  }
  if (types.empty() || hlo::IsComplex(shape.element_type()) ||
      shape.element_type() == ElementType::kPred) {
    return;
  }
  scope.Keep(
      scope.builder().BitcastConvert(operand, scope.random().Pick(types)));
}

void GenerateIota(Scope& scope) {
  const Shape shape = scope.NewShape(hlo::kFloatTypes | hlo::kIntegerTypes, 1);
  if (shape.element_type() == ElementType::kF8E8M0FNU) return;
  scope.Keep(scope.builder().Iota(shape, scope.random().Below(shape.rank())));
}

void GenerateBarrier(Scope& scope) {
  const Value a = scope.AnyArray();
  const Value b = scope.AnyArray();
  scope.Keep(
      scope.builder().OptimizationBarrier(scope.builder().Tuple({a, b})));
}

constexpr std::array kMovementFamilies = {
    Family{.name = "broadcast", .weight = 5, .generate = &GenerateBroadcast},
    Family{.name = "reshape", .weight = 5, .generate = &GenerateReshape},
    Family{.name = "transpose", .weight = 6, .generate = &GenerateTranspose},
    Family{.name = "slice", .weight = 5, .generate = &GenerateSlice},
    Family{.name = "pad", .weight = 5, .generate = &GeneratePad},
    Family{
        .name = "concatenate", .weight = 5, .generate = &GenerateConcatenate},
    Family{.name = "reverse", .weight = 3, .generate = &GenerateReverse},
    Family{.name = "copy", .weight = 2, .generate = &GenerateCopy},
    Family{.name = "bitcast-convert",
           .weight = 2,
           .generate = &GenerateBitcastConvert},
    Family{.name = "iota", .weight = 1, .generate = &GenerateIota},
    Family{.name = "opt-barrier", .weight = 1, .generate = &GenerateBarrier},
};

}  // namespace

absl::Span<const Family> MovementFamilies() { return kMovementFamilies; }

}  // namespace hilo::fuzzing
