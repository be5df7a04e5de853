// Finds operands, and makes them where there are none.
#include "jit/fuzzing/scope.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/builder.h"
#include "jit/fuzzing/random_source.h"
#include "jit/generated_inputs.h"
#include "passes/rewriter.h"

namespace hilo::fuzzing {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Literal;
using hlo::Opcode;
using hlo::Shape;
using hlo::Value;

Literal RandomLiteral(const Shape& shape, RandomSource& random) {
  return MixedInput(shape, 0, random.Next());
}

Value Scope::NewParameter(const Shape& shape) {
  const int64_t number = parameter_count_++;
  const Value value =
      builder_.Parameter(number, shape, absl::StrCat("p", number));
  Keep(value);
  return value;
}

void Scope::Keep(const Value& value) {
  const Shape& shape = value.shape();
  if (shape.IsArray()) values_.push_back(value);
  if (!shape.IsTuple()) return;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    Keep(builder_.GetTupleElement(value, i));
  }
}

std::optional<Value> Scope::Find(
    const std::function<bool(const Shape& shape)>& fits) {
  std::vector<Value> found;
  for (const Value& value : values_) {
    if (fits(value.shape())) found.push_back(value);
  }
  if (found.empty()) return std::nullopt;
  // The later half by preference: chains get long.
  const auto count = static_cast<int64_t>(found.size());
  const int64_t first = random_.Chance(60) ? count / 2 : 0;
  return found[static_cast<size_t>(random_.Between(first, count - 1))];
}

Value Scope::Operand(const Shape& shape) {
  if (random_.Chance(85)) {
    if (std::optional<Value> value = Find(
            [&](const Shape& other) { return Compatible(shape, other); })) {
      return *value;
    }
  }
  using Way = std::optional<Value> (Scope::*)(const Shape&);
  std::vector<Way> ways = {&Scope::ByConversion, &Scope::ByReshape,
                           &Scope::ByPadding, &Scope::ByBroadcast};
  random_.Shuffle(ways);
  if (parameter_count_ < parameter_limit_ && random_.Chance(50)) {
    return NewParameter(MaybeOddLayout(shape));
  }
  for (const Way way : ways) {
    if (std::optional<Value> value = (this->*way)(shape)) {
      Keep(*value);
      return *value;
    }
  }
  const Value value = Constant(shape);
  Keep(value);
  return value;
}

Value Scope::AnyArray(hlo::TypeClasses classes, int64_t min_rank) {
  const std::optional<Value> found = Find([&](const Shape& shape) {
    return hlo::Contains(classes, shape.element_type()) &&
           shape.rank() >= min_rank;
  });
  if (found && random_.Chance(90)) return *found;
  return Operand(NewShape(classes, min_rank));
}

std::optional<Value> Scope::ByConversion(const Shape& shape) {
  const std::optional<Value> value = Find([&](const Shape& other) {
    return SameDimensions(shape, other) &&
           (!hlo::IsComplex(other.element_type()) ||
            hlo::IsComplex(shape.element_type()));
  });
  if (!value) return std::nullopt;
  return builder_.Convert(*value, shape.element_type());
}

std::optional<Value> Scope::ByReshape(const Shape& shape) {
  const std::optional<Value> value = Find([&](const Shape& other) {
    return shape.element_type() == other.element_type() &&
           shape.ElementCount() == other.ElementCount();
  });
  if (!value) return std::nullopt;
  return builder_.Reshape(*value, shape.dimensions());
}

std::optional<Value> Scope::ByPadding(const Shape& shape) {
  const std::optional<Value> value = Find([&](const Shape& other) {
    return shape.element_type() == other.element_type() && shape.rank() > 0 &&
           shape.rank() == other.rank();
  });
  if (!value) return std::nullopt;
  hlo::PaddingConfig padding;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t size = value->shape().dimension(i);
    const int64_t low = random_.Between(-std::min<int64_t>(size, 2), 2);
    padding.push_back(
        {.low = low, .high = shape.dimension(i) - size - low, .interior = 0});
  }
  return builder_.Pad(*value, Operand(Shape::Scalar(shape.element_type())),
                      padding);
}

std::optional<Value> Scope::ByBroadcast(const Shape& shape) {
  if (shape.rank() == 0) return std::nullopt;
  // Each dimension is kept or not.
  DimensionVector kept;
  DimensionVector sizes;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (!random_.Chance(40)) continue;
    kept.push_back(i);
    sizes.push_back(shape.dimension(i));
  }
  if (static_cast<int64_t>(kept.size()) == shape.rank()) return std::nullopt;
  const Value operand = Operand(Shape::Array(shape.element_type(), sizes));
  return builder_.Broadcast(operand, shape.dimensions(), kept);
}

ElementType Scope::NewType(hlo::TypeClasses classes) {
  std::vector<ElementType> fitting;
  for (const ElementType type : choices_.types) {
    if (hlo::Contains(classes, type)) fitting.push_back(type);
  }
  if (!fitting.empty()) return random_.Pick(fitting);
  for (const ElementType type :
       {ElementType::kF32, ElementType::kS32, ElementType::kU32,
        ElementType::kPred, ElementType::kC64}) {
    if (hlo::Contains(classes, type)) return type;
  }
  return ElementType::kF32;
}

int64_t Scope::NewSize() {
  const int64_t kind = random_.Below(100);
  if (kind < 2) return 0;
  if (kind < 15) return 1;
  if (kind < 55) return random_.Between(2, 5);
  if (kind < 75) return random_.Between(6, 9);
  if (kind < 87) return random_.Between(15, 17);
  if (kind < 95) return random_.Between(31, 34);
  if (kind < 98) return random_.Between(63, 66);
  return random_.Between(100, 300);
}

bool Scope::Fits(absl::Span<const int64_t> dimensions) const {
  int64_t count = 1;
  for (const int64_t size : dimensions) {
    if (size < 0) return false;
    count *= size;
    if (count > choices_.max_elements) return false;
  }
  return true;
}

DimensionVector Scope::NewDimensions(int64_t min_rank) {
  if (!choices_.favourites.empty() && random_.Chance(55)) {
    const DimensionVector& dimensions = random_.Pick(choices_.favourites);
    if (std::cmp_greater_equal(dimensions.size(), min_rank)) return dimensions;
  }
  constexpr auto kRanks =
      std::to_array<int64_t>({0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5});
  const int64_t rank = std::max(
      min_rank, kRanks[random_.Below(static_cast<int64_t>(kRanks.size()))]);
  DimensionVector dimensions;
  for (int64_t i = 0; i < rank; ++i) {
    dimensions.push_back(NewSize());
    if (!Fits(dimensions)) dimensions.back() = random_.Between(1, 2);
    if (!Fits(dimensions)) dimensions.back() = 1;
  }
  return dimensions;
}

Shape Scope::NewShape(hlo::TypeClasses classes, int64_t min_rank) {
  return Shape::Array(NewType(classes), NewDimensions(min_rank));
}

Shape Scope::MaybeOddLayout(Shape shape) {
  shape.ClearLayout();
  if (!choices_.has_odd_layouts || shape.rank() < 2 || random_.Chance(40)) {
    return shape;
  }
  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(shape.rank()));
  for (int64_t i = 0; i < shape.rank(); ++i) order.push_back(i);
  random_.Shuffle(order);
  hlo::Layout layout;
  layout.minor_to_major.assign(order.begin(), order.end());
  shape.set_layout(layout);
  return shape;
}

Value Scope::Index(int64_t size) {
  if (random_.Chance(60)) {
    if (const std::optional<Value> value = Find([&](const Shape& shape) {
          return shape.rank() == 0 && hlo::IsInteger(shape.element_type());
        })) {
      return *value;
    }
  }
  constexpr std::array kIndexTypes = {ElementType::kS32, ElementType::kS32,
                                      ElementType::kS64, ElementType::kU8,
                                      ElementType::kU32, ElementType::kS8};
  const ElementType type =
      kIndexTypes[random_.Below(static_cast<int64_t>(kIndexTypes.size()))];
  return Scalar(type, static_cast<double>(random_.Between(-2, size + 2)));
}

Value Scope::Scalar(ElementType type, double value) {
  return builder_.Constant(passes::ScalarLiteral(type, value));
}

Value Scope::Constant(const Shape& shape) {
  const ElementType type = shape.element_type();
  const bool is_real =
      type != ElementType::kPred && type != ElementType::kF8E8M0FNU;
  if (shape.rank() > 0 && is_real && random_.Chance(30)) {
    return builder_.Iota(shape, random_.Below(shape.rank()));
  }
  if (shape.ElementCount() > 64 || random_.Chance(20)) {
    Value scalar =
        builder_.Constant(RandomLiteral(Shape::Scalar(type), random_));
    if (shape.rank() == 0) return scalar;
    return builder_.Broadcast(scalar, shape.dimensions(), {});
  }
  return builder_.Constant(
      RandomLiteral(Shape::Array(type, shape.dimensions()), random_));
}

hlo::Builder Scope::NewComputation(const std::string& name) {
  return builder_.Computation(
      absl::StrCat(name, "_", ++choices_.computation_count));
}

hlo::Callee Scope::Binary(Opcode opcode, ElementType type) {
  hlo::Builder body = NewComputation(std::string(hlo::TextOf(opcode)));
  const Value x = body.Parameter(0, Shape::Scalar(type), "x");
  const Value y = body.Parameter(1, Shape::Scalar(type), "y");
  const Value root = random_.Chance(50) ? body.Add(opcode, {}, {x, y})
                                        : body.Add(opcode, {}, {y, x});
  return body.Finish(root);
}

}  // namespace hilo::fuzzing
