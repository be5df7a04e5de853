// The builder's reductions, linear algebra, random numbers and control flow.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/ir/attribute.h"
#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "hlo/ops/builder.h"

namespace hilo::hlo {
namespace {

DimensionVector ToDimensions(absl::Span<const int64_t> values) {
  return {values.begin(), values.end()};
}

std::vector<Value> JoinLists(absl::Span<const Value> first,
                             absl::Span<const Value> rest) {
  std::vector<Value> all(first.begin(), first.end());
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

std::vector<Attribute> DotAttributes(const DotDimensions& dimensions) {
  return {With::lhs_batch_dims(dimensions.lhs_batch),
          With::lhs_contracting_dims(dimensions.lhs_contracting),
          With::rhs_batch_dims(dimensions.rhs_batch),
          With::rhs_contracting_dims(dimensions.rhs_contracting)};
}

std::vector<Attribute> BatchNormAttributes(double epsilon,
                                           int64_t feature_index) {
  return {With::epsilon(epsilon), With::feature_index(feature_index)};
}

// Asks shape inference for a result type; the empty tuple asks for none.
Shape ResultTypeHint(std::optional<ElementType> type) {
  if (!type || !IsArrayType(*type)) return {};
  return Shape::Scalar(*type);
}

}  // namespace

Value Builder::Map(absl::Span<const Value> operands, const Callee& function,
                   const Location& location) {
  if (!CanCall(Opcode::kMap, {function}, location)) return Poisoned();
  int64_t rank = 0;
  for (const Value& operand : operands) {
    rank = std::max(rank, operand.shape().rank());
  }
  DimensionVector dimensions;
  for (int64_t i = 0; i < rank; ++i) dimensions.push_back(i);
  return Emit(Opcode::kMap, {}, operands,
              {With::dimensions(std::move(dimensions)),
               With::to_apply(function.computation())},
              location);
}

Value Builder::Reduce(absl::Span<const Value> inputs,
                      absl::Span<const Value> inits,
                      absl::Span<const int64_t> dimensions,
                      const Callee& reducer, const Location& location) {
  if (!CanCall(Opcode::kReduce, {reducer}, location)) return Poisoned();
  return Emit(Opcode::kReduce, {}, JoinLists(inputs, inits),
              {With::dimensions(ToDimensions(dimensions)),
               With::to_apply(reducer.computation())},
              location);
}

Value Builder::ReduceWindow(absl::Span<const Value> inputs,
                            absl::Span<const Value> inits, const Window& window,
                            const Callee& reducer, const Location& location) {
  if (!CanCall(Opcode::kReduceWindow, {reducer}, location)) return Poisoned();
  return Emit(Opcode::kReduceWindow, {}, JoinLists(inputs, inits),
              {With::window(window), With::to_apply(reducer.computation())},
              location);
}

Value Builder::Scan(absl::Span<const Value> inputs,
                    absl::Span<const Value> carries, int64_t dimension,
                    const Callee& body, bool is_reverse, bool is_associative,
                    const Location& location) {
  if (!CanCall(Opcode::kScan, {body}, location)) return Poisoned();
  return Emit(
      Opcode::kScan, {}, JoinLists(inputs, carries),
      {With::dimensions({dimension}),
       With::num_carries(static_cast<int64_t>(carries.size())),
       With::is_reverse(is_reverse), With::is_associative(is_associative),
       With::to_apply(body.computation())},
      location);
}

Value Builder::SelectAndScatter(const Value& operand, const Value& source,
                                const Value& init, const Window& window,
                                const Callee& select, const Callee& scatter,
                                const Location& location) {
  if (!CanCall(Opcode::kSelectAndScatter, {select, scatter}, location)) {
    return Poisoned();
  }
  return Emit(Opcode::kSelectAndScatter, {}, {operand, source, init},
              {With::window(window), With::select(select.computation()),
               With::scatter(scatter.computation())},
              location);
}

Value Builder::BatchNormGrad(const Value& operand, const Value& scale,
                             const Value& mean, const Value& variance,
                             const Value& gradient, double epsilon,
                             int64_t feature_index, const Location& location) {
  return Emit(Opcode::kBatchNormGrad, {},
              {operand, scale, mean, variance, gradient},
              BatchNormAttributes(epsilon, feature_index), location);
}

Value Builder::BatchNormInference(const Value& operand, const Value& scale,
                                  const Value& offset, const Value& mean,
                                  const Value& variance, double epsilon,
                                  int64_t feature_index,
                                  const Location& location) {
  return Emit(Opcode::kBatchNormInference, {},
              {operand, scale, offset, mean, variance},
              BatchNormAttributes(epsilon, feature_index), location);
}

Value Builder::BatchNormTraining(const Value& operand, const Value& scale,
                                 const Value& offset, double epsilon,
                                 int64_t feature_index,
                                 const Location& location) {
  return Emit(Opcode::kBatchNormTraining, {}, {operand, scale, offset},
              BatchNormAttributes(epsilon, feature_index), location);
}

Value Builder::Cholesky(const Value& operand, bool lower,
                        const Location& location) {
  return Emit(Opcode::kCholesky, {}, {operand}, {With::lower(lower)}, location);
}

Value Builder::Convolution(const Value& lhs, const Value& rhs,
                           const Window& window,
                           const ConvolutionDimensionNumbers& numbers,
                           const ConvolutionOptions& options,
                           const Location& location) {
  return Emit(Opcode::kConvolution, ResultTypeHint(options.result_type),
              {lhs, rhs},
              {With::window(window), With::dim_labels(numbers),
               With::feature_group_count(options.feature_group_count),
               With::batch_group_count(options.batch_group_count)},
              location);
}

Value Builder::Dot(const Value& lhs, const Value& rhs,
                   const DotDimensions& dimensions,
                   std::optional<ElementType> result_type,
                   const Location& location) {
  return Emit(Opcode::kDot, ResultTypeHint(result_type), {lhs, rhs},
              DotAttributes(dimensions), location);
}

Value Builder::Fft(const Value& operand, FftType type,
                   absl::Span<const int64_t> lengths,
                   const Location& location) {
  return Emit(Opcode::kFft, {}, {operand},
              {With::fft_type(type), With::fft_length(ToDimensions(lengths))},
              location);
}

Value Builder::RaggedDot(const Value& lhs, const Value& rhs,
                         const Value& group_sizes,
                         const DotDimensions& dimensions,
                         absl::Span<const int64_t> lhs_ragged_dims,
                         absl::Span<const int64_t> rhs_group_dims,
                         std::optional<ElementType> result_type,
                         const Location& location) {
  std::vector<Attribute> attributes = DotAttributes(dimensions);
  attributes.push_back(With::lhs_ragged_dims(ToDimensions(lhs_ragged_dims)));
  attributes.push_back(With::rhs_group_dims(ToDimensions(rhs_group_dims)));
  return Emit(Opcode::kRaggedDot, ResultTypeHint(result_type),
              {lhs, rhs, group_sizes}, std::move(attributes), location);
}

Value Builder::ScaledDot(const Value& lhs, const Value& rhs,
                         const Value& lhs_scale, const Value& rhs_scale,
                         const DotDimensions& dimensions,
                         std::optional<ElementType> result_type,
                         const Location& location) {
  return Emit(Opcode::kScaledDot, ResultTypeHint(result_type),
              {lhs, rhs, lhs_scale, rhs_scale}, DotAttributes(dimensions),
              location);
}

Value Builder::TriangularSolve(const Value& a, const Value& b,
                               const TriangularSolveOptions& options,
                               const Location& location) {
  return Emit(Opcode::kTriangularSolve, {}, {a, b},
              {With::left_side(options.left_side), With::lower(options.lower),
               With::unit_diagonal(options.unit_diagonal),
               With::transpose_a(options.transpose_a)},
              location);
}

Value Builder::Rng(RandomDistribution distribution, const Value& a,
                   const Value& b, const Shape& shape,
                   const Location& location) {
  return EmitDeclared(Opcode::kRng, shape, {a, b},
                      {With::distribution(distribution)}, location);
}

Value Builder::RngBitGenerator(const Value& state, RandomAlgorithm algorithm,
                               const Shape& shape, const Location& location) {
  return EmitDeclared(Opcode::kRngBitGenerator,
                      Shape::Tuple({WithoutLayout(state.shape()), shape}),
                      {state}, {With::random_algorithm(algorithm)}, location);
}

Value Builder::RngGetAndUpdateState(int64_t delta, const Location& location) {
  return EmitDeclared(Opcode::kRngGetAndUpdateState,
                      Shape::Array(ElementType::kU64, {2}), {},
                      {With::delta(delta)}, location);
}

Value Builder::Call(absl::Span<const Value> operands, const Callee& callee,
                    const Location& location) {
  if (!CanCall(Opcode::kCall, {callee}, location)) return Poisoned();
  return Emit(Opcode::kCall, {}, operands,
              {With::to_apply(callee.computation())}, location);
}

Value Builder::Conditional(const Value& predicate, const Branch& on_true,
                           const Branch& on_false, const Location& location) {
  if (!CanCall(Opcode::kConditional,
               {on_true.computation, on_false.computation}, location)) {
    return Poisoned();
  }
  return Emit(Opcode::kConditional, {},
              {predicate, on_true.argument, on_false.argument},
              {With::true_computation(on_true.computation.computation()),
               With::false_computation(on_false.computation.computation())},
              location);
}

Value Builder::Conditional(const Value& index,
                           absl::Span<const Branch> branches,
                           const Location& location) {
  std::vector<Value> operands = {index};
  std::vector<hlo::Computation*> computations;
  for (const Branch& branch : branches) {
    if (!CanCall(Opcode::kConditional, {branch.computation}, location)) {
      return Poisoned();
    }
    operands.push_back(branch.argument);
    computations.push_back(branch.computation.computation());
  }
  return Emit(Opcode::kConditional, {}, operands,
              {With::branch_computations(std::move(computations))}, location);
}

Value Builder::CustomCall(std::string target, absl::Span<const Value> operands,
                          const Shape& shape, std::vector<Attribute> attributes,
                          const Location& location) {
  attributes.push_back(With::custom_call_target(std::move(target)));
  return EmitDeclared(Opcode::kCustomCall, shape, operands,
                      std::move(attributes), location);
}

Value Builder::Fusion(FusionKind kind, absl::Span<const Value> operands,
                      const Callee& callee, const Location& location) {
  if (!CanCall(Opcode::kFusion, {callee}, location)) return Poisoned();
  return Emit(Opcode::kFusion, {}, operands,
              {With::fusion_kind(kind), With::calls(callee.computation())},
              location);
}

Value Builder::While(const Value& init, const Callee& condition,
                     const Callee& body, const Location& location) {
  if (!CanCall(Opcode::kWhile, {condition, body}, location)) {
    return Poisoned();
  }
  return Emit(Opcode::kWhile, {}, {init},
              {With::condition(condition.computation()),
               With::body(body.computation())},
              location);
}

}  // namespace hilo::hlo
