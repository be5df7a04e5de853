// The builder's element-wise, structural and data movement operations.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/builder.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

DimensionVector ToVector(absl::Span<const int64_t> values) {
  return {values.begin(), values.end()};
}

// `first` and then `rest`.
std::vector<Value> Join(std::vector<Value> first,
                        absl::Span<const Value> rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

// An array shape of the value's element type; the empty tuple, which no
// operation takes for an array, when the value is none.
Shape ArrayOfTypeOf(const Value& value, absl::Span<const int64_t> dimensions) {
  if (!value.shape().IsArray()) return {};
  return Shape::Array(value.shape().element_type(), dimensions);
}

// The value's dimensions with another element type; `type` must be one that
// arrays have, else the result is the empty tuple.
Shape OfType(const Value& value, ElementType type) {
  if (!value.shape().IsArray() || !IsArrayType(type)) return {};
  Shape shape = WithElementType(value.shape(), type);
  shape.ClearLayout();
  return shape;
}

}  // namespace

Value Builder::Clamp(const Value& min, const Value& operand, const Value& max,
                     const Location& location) {
  return Emit(Opcode::kClamp, {}, {min, operand, max}, {}, location);
}

Value Builder::Compare(const Value& lhs, const Value& rhs,
                       ComparisonDirection direction,
                       std::optional<ComparisonType> type,
                       const Location& location) {
  std::vector<Attribute> attributes = {With::direction(direction)};
  const ComparisonType default_type =
      DefaultComparisonType(lhs.shape().element_type());
  // FLOAT is the attribute's default and would read as absent.
  if (type == ComparisonType::kFloat && type != default_type && lhs.ok()) {
    return Fail(location, TextOf(Opcode::kCompare),
                InvalidArgument("comparison type FLOAT does not fit operands "
                                "of type ",
                                TextOf(lhs.shape().element_type()),
                                ", expected ", TextOf(default_type)));
  }
  if (type && *type != default_type) attributes.push_back(With::type(*type));
  return Emit(Opcode::kCompare, {}, {lhs, rhs}, std::move(attributes),
              location);
}

Value Builder::Complex(const Value& real, const Value& imag,
                       const Location& location) {
  return Emit(Opcode::kComplex, {}, {real, imag}, {}, location);
}

Value Builder::Convert(const Value& operand, ElementType type,
                       const Location& location) {
  return EmitDeclared(Opcode::kConvert, OfType(operand, type), {operand}, {},
                      location);
}

Value Builder::ReducePrecision(const Value& operand, int64_t exponent_bits,
                               int64_t mantissa_bits,
                               const Location& location) {
  return Emit(
      Opcode::kReducePrecision, {}, {operand},
      {With::exponent_bits(exponent_bits), With::mantissa_bits(mantissa_bits)},
      location);
}

Value Builder::Select(const Value& predicate, const Value& on_true,
                      const Value& on_false, const Location& location) {
  return Emit(Opcode::kSelect, {}, {predicate, on_true, on_false}, {},
              location);
}

Value Builder::StochasticConvert(const Value& operand, const Value& random,
                                 ElementType type, const Location& location) {
  return EmitDeclared(Opcode::kStochasticConvert, OfType(operand, type),
                      {operand, random}, {}, location);
}

Value Builder::Constant(Literal value, const Location& location) {
  const Shape shape = value.shape();
  return EmitDeclared(Opcode::kConstant, shape, {},
                      {With::value(std::move(value))}, location);
}

Value Builder::Iota(const Shape& shape, int64_t dimension,
                    const Location& location) {
  return EmitDeclared(Opcode::kIota, shape, {},
                      {With::iota_dimension(dimension)}, location);
}

Value Builder::Tuple(absl::Span<const Value> elements,
                     const Location& location) {
  return Emit(Opcode::kTuple, {}, elements, {}, location);
}

Value Builder::GetTupleElement(const Value& tuple, int64_t index,
                               const Location& location) {
  return Emit(Opcode::kGetTupleElement, {}, {tuple}, {With::index(index)},
              location);
}

Value Builder::AfterAll(absl::Span<const Value> tokens,
                        const Location& location) {
  return Emit(Opcode::kAfterAll, {}, tokens, {}, location);
}

Value Builder::AddDependency(const Value& operand, const Value& token,
                             const Location& location) {
  return Emit(Opcode::kAddDependency, {}, {operand, token}, {}, location);
}

Value Builder::Domain(const Value& operand, const hlo::Domain& domain,
                      const Location& location) {
  return Emit(Opcode::kDomain, {}, {operand}, {With::domain(domain)}, location);
}

Value Builder::OptimizationBarrier(const Value& operand,
                                   const Location& location) {
  return Emit(Opcode::kOptimizationBarrier, {}, {operand}, {}, location);
}

Value Builder::PartitionId(const Location& location) {
  return Emit(Opcode::kPartitionId, {}, {}, {}, location);
}

Value Builder::ReplicaId(const Location& location) {
  return Emit(Opcode::kReplicaId, {}, {}, {}, location);
}

Value Builder::Bitcast(const Value& operand, const Shape& shape,
                       const Location& location) {
  return EmitDeclared(Opcode::kBitcast, shape, {operand}, {}, location);
}

Value Builder::BitcastConvert(const Value& operand, ElementType type,
                              const Location& location) {
  const Shape hint = IsArrayType(type) ? Shape::Scalar(type) : Shape();
  return Emit(Opcode::kBitcastConvert, hint, {operand}, {}, location);
}

Value Builder::Broadcast(const Value& operand,
                         absl::Span<const int64_t> dimensions,
                         absl::Span<const int64_t> broadcast_dimensions,
                         const Location& location) {
  return EmitDeclared(
      Opcode::kBroadcast, ArrayOfTypeOf(operand, dimensions), {operand},
      {With::dimensions(ToVector(broadcast_dimensions))}, location);
}

Value Builder::Concatenate(absl::Span<const Value> operands, int64_t dimension,
                           const Location& location) {
  return Emit(Opcode::kConcatenate, {}, operands,
              {With::dimensions({dimension})}, location);
}

Value Builder::Copy(const Value& operand, const Location& location) {
  return Emit(Opcode::kCopy, {}, {operand}, {}, location);
}

Value Builder::CopyStart(const Value& operand, const Location& location) {
  return Emit(Opcode::kCopyStart, {}, {operand}, {}, location);
}

Value Builder::CopyDone(const Value& operand, const Location& location) {
  return Emit(Opcode::kCopyDone, {}, {operand}, {}, location);
}

Value Builder::DynamicReshape(const Value& operand,
                              absl::Span<const Value> sizes,
                              absl::Span<const int64_t> bounds,
                              const Location& location) {
  Shape shape = ArrayOfTypeOf(operand, bounds);
  for (int64_t i = 0; i < shape.rank() && i < Shape::kMaxRank; ++i) {
    shape.set_dynamic_dimension(i, true);
  }
  return EmitDeclared(Opcode::kDynamicReshape, shape, Join({operand}, sizes),
                      {}, location);
}

Value Builder::DynamicSlice(const Value& operand,
                            absl::Span<const Value> starts,
                            absl::Span<const int64_t> sizes,
                            const Location& location) {
  return Emit(Opcode::kDynamicSlice, {}, Join({operand}, starts),
              {With::dynamic_slice_sizes(ToVector(sizes))}, location);
}

Value Builder::DynamicUpdateSlice(const Value& operand, const Value& update,
                                  absl::Span<const Value> starts,
                                  const Location& location) {
  return Emit(Opcode::kDynamicUpdateSlice, {}, Join({operand, update}, starts),
              {}, location);
}

Value Builder::Gather(const Value& operand, const Value& start_indices,
                      const GatherDimensions& dimensions,
                      absl::Span<const int64_t> slice_sizes,
                      bool indices_are_sorted, const Location& location) {
  return Emit(Opcode::kGather, {}, {operand, start_indices},
              {With::offset_dims(dimensions.offset_dims),
               With::collapsed_slice_dims(dimensions.collapsed_slice_dims),
               With::start_index_map(dimensions.start_index_map),
               With::operand_batching_dims(dimensions.operand_batching_dims),
               With::start_indices_batching_dims(
                   dimensions.start_indices_batching_dims),
               With::index_vector_dim(dimensions.index_vector_dim),
               With::slice_sizes(ToVector(slice_sizes)),
               With::indices_are_sorted(indices_are_sorted)},
              location);
}

Value Builder::GetDimensionSize(const Value& operand, int64_t dimension,
                                const Location& location) {
  return Emit(Opcode::kGetDimensionSize, {}, {operand},
              {With::dimensions({dimension})}, location);
}

Value Builder::Pad(const Value& operand, const Value& padding_value,
                   const PaddingConfig& padding, const Location& location) {
  return Emit(Opcode::kPad, {}, {operand, padding_value},
              {With::padding(padding)}, location);
}

Value Builder::Reshape(const Value& operand,
                       absl::Span<const int64_t> dimensions,
                       const Location& location) {
  return EmitDeclared(Opcode::kReshape, ArrayOfTypeOf(operand, dimensions),
                      {operand}, {}, location);
}

Value Builder::Reverse(const Value& operand,
                       absl::Span<const int64_t> dimensions,
                       const Location& location) {
  return Emit(Opcode::kReverse, {}, {operand},
              {With::dimensions(ToVector(dimensions))}, location);
}

Value Builder::Scatter(absl::Span<const Value> operands, const Value& indices,
                       absl::Span<const Value> updates,
                       const ScatterDimensions& dimensions,
                       const Callee& combiner, bool indices_are_sorted,
                       bool unique_indices, const Location& location) {
  if (!CanCall(Opcode::kScatter, {combiner}, location)) return Poisoned();
  std::vector<Value> all(operands.begin(), operands.end());
  all.push_back(indices);
  return Emit(Opcode::kScatter, {}, Join(std::move(all), updates),
              {With::update_window_dims(dimensions.update_window_dims),
               With::inserted_window_dims(dimensions.inserted_window_dims),
               With::scatter_dims_to_operand_dims(
                   dimensions.scatter_dims_to_operand_dims),
               With::input_batching_dims(dimensions.input_batching_dims),
               With::scatter_indices_batching_dims(
                   dimensions.scatter_indices_batching_dims),
               With::index_vector_dim(dimensions.index_vector_dim),
               With::indices_are_sorted(indices_are_sorted),
               With::unique_indices(unique_indices),
               With::to_apply(combiner.computation())},
              location);
}

Value Builder::SetDimensionSize(const Value& operand, const Value& size,
                                int64_t dimension, const Location& location) {
  return Emit(Opcode::kSetDimensionSize, {}, {operand, size},
              {With::dimensions({dimension})}, location);
}

Value Builder::Slice(const Value& operand, absl::Span<const int64_t> starts,
                     absl::Span<const int64_t> limits,
                     absl::Span<const int64_t> strides,
                     const Location& location) {
  if (starts.size() != limits.size() ||
      (!strides.empty() && strides.size() != starts.size())) {
    return Fail(
        location, TextOf(Opcode::kSlice),
        InvalidArgument("got ", starts.size(), " starts, ", limits.size(),
                        " limits and ", strides.size(), " strides"));
  }
  SliceDimensions slice;
  for (size_t i = 0; i < starts.size(); ++i) {
    slice.push_back({.start = starts[i],
                     .limit = limits[i],
                     .stride = strides.empty() ? 1 : strides[i]});
  }
  return Emit(Opcode::kSlice, {}, {operand}, {With::slice(std::move(slice))},
              location);
}

Value Builder::Sort(absl::Span<const Value> operands, const Callee& comparator,
                    int64_t dimension, bool is_stable,
                    const Location& location) {
  if (!CanCall(Opcode::kSort, {comparator}, location)) return Poisoned();
  return Emit(Opcode::kSort, {}, operands,
              {With::dimensions({dimension}), With::is_stable(is_stable),
               With::to_apply(comparator.computation())},
              location);
}

Value Builder::TopK(const Value& operand, int64_t k, bool largest,
                    const Location& location) {
  return Emit(Opcode::kTopK, {}, {operand},
              {With::k(k), With::largest(largest)}, location);
}

Value Builder::Transpose(const Value& operand,
                         absl::Span<const int64_t> permutation,
                         const Location& location) {
  return Emit(Opcode::kTranspose, {}, {operand},
              {With::dimensions(ToVector(permutation))}, location);
}

}  // namespace hilo::hlo
