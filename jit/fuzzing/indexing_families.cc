// Operations whose places depend on values: dynamic slices, gathers, scatters,
// sorts.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
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

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Opcode;
using hlo::Shape;
using hlo::Value;

// One start index per dimension, all of one type.
std::vector<Value> StartIndices(Scope& scope, const Shape& shape) {
  std::vector<Value> starts;
  for (const int64_t size : shape.dimensions()) {
    Value start = scope.Index(size);
    if (!starts.empty() && start.shape() != starts[0].shape()) {
      start = scope.builder().Convert(start, starts[0].shape().element_type());
    }
    starts.push_back(start);
  }
  return starts;
}

DimensionVector SmallerSizes(Scope& scope, const Shape& shape) {
  DimensionVector sizes;
  for (const int64_t size : shape.dimensions()) {
    sizes.push_back(
        scope.random().Chance(40) ? size : scope.random().Between(0, size));
  }
  return sizes;
}

void GenerateDynamicSlice(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 1);
  const DimensionVector sizes = SmallerSizes(scope, operand.shape());
  scope.Keep(scope.builder().DynamicSlice(
      operand, StartIndices(scope, operand.shape()), sizes));
}

void GenerateDynamicUpdateSlice(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 1);
  const Shape& shape = operand.shape();
  const Value update = scope.Operand(
      Shape::Array(shape.element_type(), SmallerSizes(scope, shape)));
  scope.Keep(scope.builder().DynamicUpdateSlice(operand, update,
                                                StartIndices(scope, shape)));
}

ElementType IndexType(Scope& scope) {
  constexpr std::array kTypes = {ElementType::kS32, ElementType::kS32,
                                 ElementType::kS64, ElementType::kU32,
                                 ElementType::kS8,  ElementType::kU8};
  return scope.random().Pick(kTypes);
}

// Indices near 0 ... `size`, of this shape.
Value Indices(Scope& scope, const DimensionVector& dimensions, int64_t size) {
  const Shape shape = Shape::Array(IndexType(scope), dimensions);
  if (scope.random().Chance(40)) return scope.Operand(shape);
  // Random bits, brought into range.
  const Value any = scope.Operand(Shape::Array(ElementType::kU32, dimensions));
  const Value limit =
      scope.Scalar(ElementType::kU32, static_cast<double>(size + 2));
  const Value splat = dimensions.empty()
                          ? limit
                          : scope.builder().Broadcast(limit, dimensions, {});
  return scope.builder().Convert(scope.builder().Remainder(any, splat),
                                 shape.element_type());
}

// What gather and scatter have in common: which operand dimensions are
// indexed, and how the window lies.
struct Indexing {
  DimensionVector mapped;
  DimensionVector collapsed;
  // By operand dimension.
  DimensionVector slice_sizes;
  // Sizes of the window dimensions that are kept.
  DimensionVector window;
  DimensionVector batch;
  // Shape of the indices, and where the index vector lies in it.
  DimensionVector indices;
  int64_t index_vector_dim = 0;
  // In the result of a gather, the updates of a scatter.
  DimensionVector window_positions;
  DimensionVector sizes;
};

void PlaceWindow(Scope& scope, Indexing& indexing) {
  const size_t rank = indexing.window.size() + indexing.batch.size();
  std::vector<int64_t> positions;
  positions.reserve(rank);
  for (size_t i = 0; i < rank; ++i)
    positions.push_back(static_cast<int64_t>(i));
  scope.random().Shuffle(positions);
  positions.resize(indexing.window.size());
  std::ranges::sort(positions);
  indexing.window_positions.assign(positions.begin(), positions.end());
  size_t window = 0;
  size_t batch = 0;
  for (size_t i = 0; i < rank; ++i) {
    const bool is_window =
        window < positions.size() && std::cmp_equal(positions[window], i);
    indexing.sizes.push_back(is_window ? indexing.window[window++]
                                       : indexing.batch[batch++]);
  }
}

Indexing ChooseIndexing(Scope& scope, const Shape& operand) {
  Indexing indexing;
  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(operand.rank()));
  for (int64_t i = 0; i < operand.rank(); ++i) order.push_back(i);
  scope.random().Shuffle(order);
  const int64_t mapped =
      scope.random().Between(1, std::min<int64_t>(operand.rank(), 3));
  indexing.mapped.assign(order.begin(), order.begin() + mapped);
  for (int64_t i = 0; i < operand.rank(); ++i) {
    const int64_t size = operand.dimension(i);
    const bool is_mapped =
        std::ranges::find(indexing.mapped, i) != indexing.mapped.end();
    int64_t slice = is_mapped
                        ? scope.random().Between(0, std::min<int64_t>(size, 3))
                        : size;
    if (is_mapped && size > 0 && scope.random().Chance(60)) slice = 1;
    indexing.slice_sizes.push_back(slice);
    if (is_mapped && slice == 1 && scope.random().Chance(70)) {
      indexing.collapsed.push_back(i);
    } else {
      indexing.window.push_back(slice);
    }
  }
  const int64_t batch_rank = scope.random().Between(0, 2);
  for (int64_t i = 0; i < batch_rank; ++i) {
    indexing.batch.push_back(scope.random().Between(1, 7));
  }
  indexing.indices = indexing.batch;
  indexing.index_vector_dim = scope.random().Between(0, batch_rank);
  if (mapped == 1 && scope.random().Chance(50)) {
    indexing.index_vector_dim = batch_rank;
  } else {
    indexing.indices.insert(
        indexing.indices.begin() + indexing.index_vector_dim, mapped);
  }
  PlaceWindow(scope, indexing);
  return indexing;
}

void GenerateGather(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 1);
  const Indexing indexing = ChooseIndexing(scope, operand.shape());
  if (!scope.Fits(indexing.sizes)) return;
  const Value indices = Indices(scope, indexing.indices,
                                operand.shape().dimension(indexing.mapped[0]));
  scope.Keep(
      scope.builder().Gather(operand, indices,
                             {.offset_dims = indexing.window_positions,
                              .collapsed_slice_dims = indexing.collapsed,
                              .start_index_map = indexing.mapped,
                              .index_vector_dim = indexing.index_vector_dim},
                             indexing.slice_sizes));
}

// A combiner whose order does not matter.
hlo::Callee Combiner(Scope& scope, ElementType type) {
  std::vector<Opcode> opcodes = {Opcode::kMaximum, Opcode::kMinimum};
  if (hlo::IsComplex(type)) opcodes = {Opcode::kAdd};
  if (!hlo::IsComplex(type) && type != ElementType::kF8E8M0FNU) {
    opcodes.push_back(Opcode::kAdd);
    opcodes.push_back(Opcode::kAdd);
  }
  if (hlo::IsInteger(type)) opcodes.push_back(Opcode::kMultiply);
  return scope.Binary(scope.random().Pick(opcodes), type);
}

// (old, new) -> new.
hlo::Callee Overwrite(Scope& scope, ElementType type) {
  hlo::Builder body = scope.NewComputation("overwrite");
  body.Parameter(0, Shape::Scalar(type), "old");
  return body.Finish(body.Parameter(1, Shape::Scalar(type), "new"));
}

void GenerateScatter(Scope& scope) {
  const Value operand = scope.AnyArray(hlo::kArrayTypes, 1);
  const ElementType type = operand.shape().element_type();
  const Indexing indexing = ChooseIndexing(scope, operand.shape());
  if (!scope.Fits(indexing.sizes)) return;
  const Value indices = Indices(scope, indexing.indices,
                                operand.shape().dimension(indexing.mapped[0]));
  const Value updates = scope.Operand(Shape::Array(type, indexing.sizes));
  const hlo::Callee combiner = scope.random().Chance(30)
                                   ? Overwrite(scope, type)
                                   : Combiner(scope, type);
  scope.Keep(
      scope.builder().Scatter({operand}, indices, {updates},
                              {.update_window_dims = indexing.window_positions,
                               .inserted_window_dims = indexing.collapsed,
                               .scatter_dims_to_operand_dims = indexing.mapped,
                               .index_vector_dim = indexing.index_vector_dim},
                              combiner));
}

// Compares the first keys, in one direction.
void GenerateSort(Scope& scope) {
  const Value key = scope.AnyArray(hlo::kFloatTypes | hlo::kIntegerTypes, 1);
  const Shape& shape = key.shape();
  if (shape.element_type() == ElementType::kF8E8M0FNU) return;
  std::vector<Value> operands = {key};
  const int64_t payloads = scope.random().Between(0, 2);
  for (int64_t i = 0; i < payloads; ++i) {
    operands.push_back(
        scope.Operand(Shape::Array(scope.NewType(), shape.dimensions())));
  }
  hlo::Builder body = scope.NewComputation("order");
  std::vector<Value> parameters;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape scalar = Shape::Scalar(operands[i].shape().element_type());
    for (int64_t side = 0; side < 2; ++side) {
      const int64_t number = 2 * static_cast<int64_t>(i) + side;
      parameters.push_back(body.Parameter(number, scalar, "x"));
    }
  }
  std::optional<hlo::ComparisonType> comparison;
  if (hlo::IsFloat(shape.element_type())) {
    comparison = hlo::ComparisonType::kTotalOrder;
  }
  const hlo::Callee comparator = body.Finish(
      body.Compare(parameters[0], parameters[1],
                   scope.random().Chance(60) ? hlo::ComparisonDirection::kLt
                                             : hlo::ComparisonDirection::kGt,
                   comparison));
  scope.Keep(scope.builder().Sort(operands, comparator,
                                  scope.random().Below(shape.rank()),
                                  scope.random().Chance(50)));
}

void GenerateTopK(Scope& scope) {
  const Value operand =
      scope.AnyArray(hlo::kFloatTypes | hlo::kIntegerTypes, 1);
  const Shape& shape = operand.shape();
  if (shape.element_type() == ElementType::kF8E8M0FNU) return;
  scope.Keep(scope.builder().TopK(
      operand, scope.random().Between(0, shape.dimensions().back()),
      scope.random().Chance(60)));
}

constexpr std::array kIndexingFamilies = {
    Family{.name = "dynamic-slice",
           .weight = 4,
           .generate = &GenerateDynamicSlice},
    Family{.name = "dynamic-update-slice",
           .weight = 5,
           .generate = &GenerateDynamicUpdateSlice},
    Family{.name = "gather", .weight = 4, .generate = &GenerateGather},
    Family{.name = "scatter", .weight = 4, .generate = &GenerateScatter},
    Family{.name = "sort", .weight = 3, .generate = &GenerateSort},
    Family{.name = "topk", .weight = 1, .generate = &GenerateTopK},
};

}  // namespace

absl::Span<const Family> IndexingFamilies() { return kIndexingFamilies; }

}  // namespace hilo::fuzzing
