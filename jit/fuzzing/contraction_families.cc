// Products: dots, convolutions, transforms, triangular systems, normalisation.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
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

bool CanMultiply(ElementType type) {
  return type != ElementType::kF8E8M0FNU && type != ElementType::kPred;
}

void GenerateDot(Scope& scope) {
  const Value lhs = scope.AnyArray(hlo::kNumericTypes, 1);
  const Shape& shape = lhs.shape();
  if (!CanMultiply(shape.element_type())) return;
  hlo::DotDimensions dimensions;
  // Sizes of the right side, with what each of them is.
  struct Part {
    int64_t size;
    int64_t contracting = -1;
    int64_t batch = -1;
  };
  std::vector<Part> parts;
  DimensionVector result;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t kind = scope.random().Below(100);
    const bool must_contract =
        i + 1 == shape.rank() && dimensions.lhs_contracting.empty();
    if (kind < 45 || (must_contract && kind < 95)) {
      parts.push_back({.size = shape.dimension(i), .contracting = i});
      dimensions.lhs_contracting.push_back(i);
    } else if (kind < 60) {
      parts.push_back({.size = shape.dimension(i), .batch = i});
      dimensions.lhs_batch.push_back(i);
    } else {
      result.push_back(shape.dimension(i));
    }
    if (kind >= 45 && kind < 60 && !must_contract) {
      result.push_back(shape.dimension(i));
    }
  }
  while (parts.size() < 4 && scope.random().Chance(50)) {
    parts.push_back({.size = scope.NewSize()});
    result.push_back(parts.back().size);
  }
  if (!scope.Fits(result)) return;
  scope.random().Shuffle(parts);
  DimensionVector sizes;
  dimensions.rhs_contracting.resize(dimensions.lhs_contracting.size());
  dimensions.rhs_batch.resize(dimensions.lhs_batch.size());
  const auto place = [](const DimensionVector& list, int64_t dimension) {
    return std::ranges::find(list, dimension) - list.begin();
  };
  for (const Part& part : parts) {
    const auto position = static_cast<int64_t>(sizes.size());
    sizes.push_back(part.size);
    if (part.contracting >= 0) {
      dimensions.rhs_contracting[static_cast<size_t>(
          place(dimensions.lhs_contracting, part.contracting))] = position;
    }
    if (part.batch >= 0) {
      dimensions.rhs_batch[static_cast<size_t>(
          place(dimensions.lhs_batch, part.batch))] = position;
    }
  }
  if (!scope.Fits(sizes)) return;
  const Value rhs = scope.Operand(Shape::Array(shape.element_type(), sizes));
  scope.Keep(scope.builder().Dot(lhs, rhs, dimensions));
}

int64_t ConvolutionSize(int64_t size, const hlo::WindowDimension& d) {
  const int64_t dilated = size == 0 ? 0 : (size - 1) * d.base_dilation + 1;
  const int64_t padded = dilated + d.padding_low + d.padding_high;
  const int64_t window = (d.size - 1) * d.window_dilation + 1;
  return padded < window ? 0 : (padded - window) / d.stride + 1;
}

// A permutation of 0 ... count - 1.
DimensionVector Permutation(Scope& scope, int64_t count) {
  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) order.push_back(i);
  if (scope.random().Chance(60)) scope.random().Shuffle(order);
  return {order.begin(), order.end()};
}

// The value with zeros in place of what is not finite. The CPU backend
// multiplies padding by weights, the evaluator skips it: infinite weights
// differ there.
Value OnlyFinite(hlo::Builder& builder, const Value& value) {
  const Shape& shape = value.shape();
  if (hlo::IsComplex(shape.element_type())) {
    return builder.Complex(OnlyFinite(builder, builder.Real(value)),
                           OnlyFinite(builder, builder.Imag(value)));
  }
  if (!hlo::IsFloat(shape.element_type())) return value;
  const Value zero =
      builder.Constant(hlo::Literal(Shape::Scalar(shape.element_type())));
  return builder.Select(builder.IsFinite(value), value,
                        builder.Broadcast(zero, shape.dimensions(), {}));
}

// A dimension of a convolution's window, and the input's size along it.
std::pair<hlo::WindowDimension, int64_t> ChooseSpatialDimension(Scope& scope) {
  hlo::WindowDimension d;
  d.size = scope.random().Between(1, 4);
  d.stride = scope.random().Chance(60) ? 1 : scope.random().Between(2, 3);
  if (scope.random().Chance(60)) {
    d.padding_low = scope.random().Between(-1, 3);
    d.padding_high = scope.random().Between(-1, 3);
  }
  if (scope.random().Chance(20)) d.base_dilation = 2;
  if (scope.random().Chance(20)) d.window_dilation = 2;
  d.reversed = scope.random().Chance(15);
  const int64_t size = scope.random().Between(1, 9);
  if (size + d.padding_low + d.padding_high < 0) {
    d.padding_low = d.padding_high = 0;
  }
  return {d, size};
}

void GenerateConvolution(Scope& scope) {
  const ElementType type = scope.NewType(hlo::kNumericTypes);
  if (!CanMultiply(type)) return;
  const int64_t spatial = scope.random().Between(0, 3);
  const int64_t groups =
      scope.random().Chance(30) ? scope.random().Between(2, 4) : 1;
  const bool has_batch_groups = groups > 1 && scope.random().Chance(30);
  int64_t batch = scope.random().Between(1, 3);
  if (has_batch_groups) batch *= groups;
  const int64_t kernel_input = scope.random().Between(1, 5);
  const int64_t input_feature = kernel_input * (has_batch_groups ? 1 : groups);
  const int64_t output_feature = groups * scope.random().Between(1, 5);
  const int64_t rank = spatial + 2;
  const DimensionVector input_places = Permutation(scope, rank);
  const DimensionVector kernel_places = Permutation(scope, rank);
  const DimensionVector output_places = Permutation(scope, rank);
  hlo::ConvolutionDimensionNumbers numbers;
  numbers.input_batch = input_places[0];
  numbers.input_feature = input_places[1];
  numbers.kernel_input_feature = kernel_places[0];
  numbers.kernel_output_feature = kernel_places[1];
  numbers.output_batch = output_places[0];
  numbers.output_feature = output_places[1];
  DimensionVector input(static_cast<size_t>(rank), 1);
  DimensionVector kernel = input;
  input[static_cast<size_t>(input_places[0])] = batch;
  input[static_cast<size_t>(input_places[1])] = input_feature;
  kernel[static_cast<size_t>(kernel_places[0])] = kernel_input;
  kernel[static_cast<size_t>(kernel_places[1])] = output_feature;
  DimensionVector result = {batch, output_feature};
  hlo::Window window;
  for (int64_t i = 0; i < spatial; ++i) {
    const auto place = static_cast<size_t>(i + 2);
    numbers.input_spatial.push_back(input_places[place]);
    numbers.kernel_spatial.push_back(kernel_places[place]);
    numbers.output_spatial.push_back(output_places[place]);
    const auto [d, size] = ChooseSpatialDimension(scope);
    window.dimensions.push_back(d);
    input[static_cast<size_t>(input_places[place])] = size;
    kernel[static_cast<size_t>(kernel_places[place])] = d.size;
    result.push_back(ConvolutionSize(size, d));
  }
  if (!scope.Fits(input) || !scope.Fits(kernel) || !scope.Fits(result)) return;
  const Value lhs = scope.Operand(Shape::Array(type, input));
  const Value rhs =
      OnlyFinite(scope.builder(), scope.Operand(Shape::Array(type, kernel)));
  scope.Keep(scope.builder().Convolution(
      lhs, rhs, window, numbers,
      {.feature_group_count = has_batch_groups ? 1 : groups,
       .batch_group_count = has_batch_groups ? groups : 1}));
}

void GenerateFft(Scope& scope) {
  const bool is_double = scope.random().Chance(40);
  const auto type = static_cast<hlo::FftType>(scope.random().Below(4));
  const int64_t length = scope.random().Between(1, 20);
  DimensionVector sizes;
  if (scope.random().Chance(60)) sizes.push_back(scope.random().Between(1, 5));
  sizes.push_back(type == hlo::FftType::kIrfft ? length / 2 + 1 : length);
  ElementType element = is_double ? ElementType::kC128 : ElementType::kC64;
  if (type == hlo::FftType::kRfft) {
    element = is_double ? ElementType::kF64 : ElementType::kF32;
  }
  scope.Keep(scope.builder().Fft(scope.Operand(Shape::Array(element, sizes)),
                                 type, {length}));
}

void GenerateTriangularSolve(Scope& scope) {
  constexpr std::array kTypes = {ElementType::kF32, ElementType::kF64,
                                 ElementType::kC64, ElementType::kC128};
  const ElementType type = scope.random().Pick(kTypes);
  const int64_t size = scope.random().Between(1, 6);
  const int64_t columns = scope.random().Between(1, 5);
  const bool is_left = scope.random().Chance(60);
  DimensionVector matrix = {size, size};
  DimensionVector sides =
      is_left ? DimensionVector{size, columns} : DimensionVector{columns, size};
  if (scope.random().Chance(40)) {
    matrix.insert(matrix.begin(), 3);
    sides.insert(sides.begin(), 3);
  }
  const int64_t transposes = hlo::IsComplex(type) ? 3 : 2;
  scope.Keep(scope.builder().TriangularSolve(
      scope.Operand(Shape::Array(type, matrix)),
      scope.Operand(Shape::Array(type, sides)),
      {.left_side = is_left,
       .lower = scope.random().Chance(50),
       .unit_diagonal = scope.random().Chance(50),
       .transpose_a = static_cast<hlo::TransposeOption>(
           scope.random().Below(transposes))}));
}

void GenerateBatchNorm(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kFloatTypes, 1);
  const Shape& shape = operand.shape();
  const ElementType type = shape.element_type();
  if (type != ElementType::kF32 && type != ElementType::kF64) return;
  const int64_t feature = scope.random().Below(shape.rank());
  const Shape channel = Shape::Array(type, {shape.dimension(feature)});
  const Value scale = scope.Operand(channel);
  const Value offset = scope.Operand(channel);
  constexpr double kEpsilon = 0.5;
  if (scope.random().Chance(50)) {
    scope.Keep(scope.builder().BatchNormTraining(operand, scale, offset,
                                                 kEpsilon, feature));
    return;
  }
  const Value variance = scope.builder().Abs(scope.Operand(channel));
  scope.Keep(scope.builder().BatchNormInference(operand, scale, offset,
                                                scope.Operand(channel),
                                                variance, kEpsilon, feature));
}

void GenerateRandomBits(Scope& scope) {
  constexpr std::array kTypes = {ElementType::kU32, ElementType::kU64,
                                 ElementType::kU8, ElementType::kU16};
  const Value state = scope.Operand(Shape::Array(ElementType::kU64, {2}));
  scope.Keep(scope.builder().RngBitGenerator(
      state,
      scope.random().Chance(50) ? hlo::RandomAlgorithm::kThreeFry
                                : hlo::RandomAlgorithm::kPhilox,
      Shape::Array(scope.random().Pick(kTypes), scope.NewDimensions(0))));
}

constexpr std::array kContractionFamilies = {
    Family{.name = "dot", .weight = 7, .generate = &GenerateDot},
    Family{
        .name = "convolution", .weight = 4, .generate = &GenerateConvolution},
    Family{.name = "fft", .weight = 1, .generate = &GenerateFft},
    Family{.name = "triangular-solve",
           .weight = 1,
           .generate = &GenerateTriangularSolve},
    Family{.name = "batch-norm", .weight = 1, .generate = &GenerateBatchNorm},
    Family{.name = "rng-bit-generator",
           .weight = 1,
           .generate = &GenerateRandomBits},
};

}  // namespace

absl::Span<const Family> ContractionFamilies() { return kContractionFamilies; }

}  // namespace hilo::fuzzing
