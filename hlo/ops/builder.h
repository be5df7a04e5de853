// Builds modules from C++, with shape inference at every step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/ir/module.h"

namespace hilo::hlo {

class Builder;

namespace internal {
struct BuilderState;
}  // namespace internal

// The result of an operation of one Builder: a cheap handle.
//
// A value whose operation was wrong is poisoned: operations on it do nothing
// and give poisoned values, so that one mistake is reported once.
class Value {
 public:
  // A value of no builder; using it is an error.
  Value() = default;

  // False for poisoned values and after Build().
  bool ok() const;
  // The shape; the empty tuple when not ok().
  const Shape& shape() const;

 private:
  friend class Builder;
  Value(std::shared_ptr<const internal::BuilderState> state,
        Instruction* instruction)
      : state_(std::move(state)), instruction_(instruction) {}

  // Shared with the builders of the module: values may outlive them.
  std::shared_ptr<const internal::BuilderState> state_;
  Instruction* instruction_ = nullptr;
};

// A finished computation, for operations that call one.
class Callee {
 public:
  // No computation; using it is an error.
  Callee() = default;

  // For attributes of Builder::Add; null when the computation had errors.
  Computation* computation() const { return computation_; }

 private:
  friend class Builder;
  Callee(std::shared_ptr<const internal::BuilderState> state,
         Computation* computation)
      : state_(std::move(state)), computation_(computation) {}

  // Shared with the builders of the module: callees may outlive them.
  std::shared_ptr<const internal::BuilderState> state_;
  Computation* computation_ = nullptr;
};

// Makes attributes for Builder::Add: With::dimensions({0, 1}). One function
// per row of attributes.def.
struct With {
#define HLO_ATTRIBUTE(Name, accessor, text, Kind, default_value, doc)          \
  static Attribute accessor(AttributeType<AttributeKind::k##Kind> value) {     \
    return {.id = AttributeId::k##Name,                                        \
            .value =                                                           \
                MakeAttributeValue<AttributeKind::k##Kind>(std::move(value))}; \
  }
#include "hlo/ir/attributes.def"
#undef HLO_ATTRIBUTE
};

// Batch and contracting dimensions of a dot.
struct DotDimensions {
  DimensionVector lhs_contracting = {};
  DimensionVector rhs_contracting = {};
  DimensionVector lhs_batch = {};
  DimensionVector rhs_batch = {};
};

// The dimensions of a gather, named as its attributes.
struct GatherDimensions {
  DimensionVector offset_dims = {};
  DimensionVector collapsed_slice_dims = {};
  DimensionVector start_index_map = {};
  DimensionVector operand_batching_dims = {};
  DimensionVector start_indices_batching_dims = {};
  int64_t index_vector_dim = 0;
};

// The dimensions of a scatter, named as its attributes.
struct ScatterDimensions {
  DimensionVector update_window_dims = {};
  DimensionVector inserted_window_dims = {};
  DimensionVector scatter_dims_to_operand_dims = {};
  DimensionVector input_batching_dims = {};
  DimensionVector scatter_indices_batching_dims = {};
  int64_t index_vector_dim = 0;
};

// What a convolution may have besides its window and dimension numbers.
struct ConvolutionOptions {
  int64_t feature_group_count = 1;
  int64_t batch_group_count = 1;
  // The result's element type; by default that of the operands.
  std::optional<ElementType> result_type = {};
};

// How triangular-solve reads its matrix.
struct TriangularSolveOptions {
  bool left_side = true;
  bool lower = true;
  bool unit_diagonal = false;
  TransposeOption transpose_a = TransposeOption::kNoTranspose;
};

// One branch of a conditional and its argument.
struct Branch {
  Value argument = {};
  Callee computation = {};
};

// Builds one computation of a module.
//
//   Builder builder("doubled");
//   Value x = builder.Parameter(0, Shape::Array(ElementType::kF32, {3}), "x");
//   absl::StatusOr<std::unique_ptr<Module>> module =
//       builder.Build(builder.Add(x, x));
//
// Every operation checks its operands and infers its shape. Errors do not
// interrupt building: they are collected, each with the place of the faulty
// call, and returned by Build(). Computations that operations call are built
// by builders of their own:
//
//   Builder sum = builder.Computation("sum");
//   const Shape scalar = Shape::Scalar(ElementType::kF32);
//   Callee add = sum.Finish(sum.Add(sum.Parameter(0, scalar, "a"),
//                                   sum.Parameter(1, scalar, "b")));
//   Value total = builder.Reduce({x}, {zero}, {0}, add);
//
// The operations are documented in hlo/ir/opcodes.def, their attributes in
// hlo/ir/attributes.def. Results have the default layout unless a shape with
// another one is given (transpose permutes that of its operand). Not
// thread-safe; the builders of one module share its state.
class Builder {
 public:
  // Where a call stands; never given explicitly.
  using Location = std::source_location;

  // Begins a module and its entry computation, both called `name`.
  explicit Builder(std::string name);
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  Builder(Builder&&) noexcept = default;
  Builder& operator=(Builder&&) noexcept = default;
  ~Builder() = default;

  // A builder for another computation of the same module. Its values are its
  // own: what the computation needs comes in through its parameters.
  Builder Computation(std::string name,
                      const Location& location = Location::current());

  // Ends the computation of a builder from Computation(), with `root` as its
  // result. Nothing can be added afterwards.
  Callee Finish(const Value& root,
                const Location& location = Location::current());

  // Ends the entry computation and returns the module, with unique names.
  //
  // Errors: all that were collected, one per line, as "file:line: operation:
  // what is wrong"; a computation that was not finished; a second call.
  absl::StatusOr<std::unique_ptr<Module>> Build(
      const Value& root, const Location& location = Location::current());

  // Any operation. Without `shape`, it is inferred, which is an error where
  // the operands do not say it (convert, iota, custom-call); otherwise it is
  // checked and kept with its layouts.
  Value Add(Opcode opcode, std::optional<Shape> shape,
            absl::Span<const Value> operands,
            std::vector<Attribute> attributes = {},
            const Location& location = Location::current());

  // Sets an attribute of `value`, such as With::sharding or
  // With::operand_precision. Errors as in Add: the shape must not change.
  void SetAttribute(const Value& value, Attribute attribute,
                    const Location& location = Location::current());

  // Makes `after` run after `before`, which must be older than it.
  void AddControlDependency(const Value& before, const Value& after,
                            const Location& location = Location::current());

  // Element-wise operations: Negate(x), Add(x, y), ... for each HLO_UNARY and
  // HLO_BINARY row of opcodes.def.
#define HLO_UNARY(Name, text, types, traits, max_ulps, doc)    \
  Value Name(const Value& operand,                             \
             const Location& location = Location::current()) { \
    return Emit(Opcode::k##Name, {}, {operand}, {}, location); \
  }
#define HLO_BINARY(Name, text, types, traits, max_ulps, doc)    \
  Value Name(const Value& lhs, const Value& rhs,                \
             const Location& location = Location::current()) {  \
    return Emit(Opcode::k##Name, {}, {lhs, rhs}, {}, location); \
  }
#define HLO_OP(Name, text, arity, traits, attributes, doc)
#include "hlo/ir/opcodes.def"
#undef HLO_UNARY
#undef HLO_BINARY
#undef HLO_OP

  // Clamps `operand` to min ... max, which may be scalars.
  Value Clamp(const Value& min, const Value& operand, const Value& max,
              const Location& location = Location::current());
  // `type` is by default the usual order of the operands' element type.
  Value Compare(const Value& lhs, const Value& rhs,
                ComparisonDirection direction,
                std::optional<ComparisonType> type = {},
                const Location& location = Location::current());
  Value Complex(const Value& real, const Value& imag,
                const Location& location = Location::current());
  Value Convert(const Value& operand, ElementType type,
                const Location& location = Location::current());
  Value ReducePrecision(const Value& operand, int64_t exponent_bits,
                        int64_t mantissa_bits,
                        const Location& location = Location::current());
  Value Select(const Value& predicate, const Value& on_true,
               const Value& on_false,
               const Location& location = Location::current());
  Value StochasticConvert(const Value& operand, const Value& random,
                          ElementType type,
                          const Location& location = Location::current());

  // Leaves and structure. Parameters are numbered from 0, without gaps.
  Value Parameter(int64_t number, const Shape& shape, std::string name,
                  const Location& location = Location::current());
  Value Constant(Literal value, const Location& location = Location::current());
  // T is the C++ type of an element type: float, int32_t, bool, BFloat16, ...
  template <typename T>
  Value ConstantScalar(T value,
                       const Location& location = Location::current()) {
    return Constant(Literal::Scalar<T>(value), location);
  }
  Value Iota(const Shape& shape, int64_t dimension,
             const Location& location = Location::current());
  Value Tuple(absl::Span<const Value> elements,
              const Location& location = Location::current());
  Value GetTupleElement(const Value& tuple, int64_t index,
                        const Location& location = Location::current());
  Value AfterAll(absl::Span<const Value> tokens,
                 const Location& location = Location::current());
  Value AddDependency(const Value& operand, const Value& token,
                      const Location& location = Location::current());
  Value Domain(const Value& operand, const hlo::Domain& domain,
               const Location& location = Location::current());
  Value OptimizationBarrier(const Value& operand,
                            const Location& location = Location::current());
  Value PartitionId(const Location& location = Location::current());
  Value ReplicaId(const Location& location = Location::current());

  // Data movement.
  Value Bitcast(const Value& operand, const Shape& shape,
                const Location& location = Location::current());
  // A narrower type adds a last dimension, a wider one takes it away.
  Value BitcastConvert(const Value& operand, ElementType type,
                       const Location& location = Location::current());
  // Operand dimension i becomes result dimension broadcast_dimensions[i].
  Value Broadcast(const Value& operand, absl::Span<const int64_t> dimensions,
                  absl::Span<const int64_t> broadcast_dimensions,
                  const Location& location = Location::current());
  Value Concatenate(absl::Span<const Value> operands, int64_t dimension,
                    const Location& location = Location::current());
  Value Copy(const Value& operand,
             const Location& location = Location::current());
  Value CopyStart(const Value& operand,
                  const Location& location = Location::current());
  Value CopyDone(const Value& operand,
                 const Location& location = Location::current());
  // `sizes` are s32[] values, `bounds` the largest they take.
  Value DynamicReshape(const Value& operand, absl::Span<const Value> sizes,
                       absl::Span<const int64_t> bounds,
                       const Location& location = Location::current());
  // `starts`: one scalar integer per dimension.
  Value DynamicSlice(const Value& operand, absl::Span<const Value> starts,
                     absl::Span<const int64_t> sizes,
                     const Location& location = Location::current());
  Value DynamicUpdateSlice(const Value& operand, const Value& update,
                           absl::Span<const Value> starts,
                           const Location& location = Location::current());
  Value Gather(const Value& operand, const Value& start_indices,
               const GatherDimensions& dimensions,
               absl::Span<const int64_t> slice_sizes,
               bool indices_are_sorted = false,
               const Location& location = Location::current());
  Value GetDimensionSize(const Value& operand, int64_t dimension,
                         const Location& location = Location::current());
  Value Pad(const Value& operand, const Value& padding_value,
            const PaddingConfig& padding,
            const Location& location = Location::current());
  Value Reshape(const Value& operand, absl::Span<const int64_t> dimensions,
                const Location& location = Location::current());
  Value Reverse(const Value& operand, absl::Span<const int64_t> dimensions,
                const Location& location = Location::current());
  Value Scatter(absl::Span<const Value> operands, const Value& indices,
                absl::Span<const Value> updates,
                const ScatterDimensions& dimensions, const Callee& combiner,
                bool indices_are_sorted = false, bool unique_indices = false,
                const Location& location = Location::current());
  Value SetDimensionSize(const Value& operand, const Value& size,
                         int64_t dimension,
                         const Location& location = Location::current());
  // Without `strides`, all are 1.
  Value Slice(const Value& operand, absl::Span<const int64_t> starts,
              absl::Span<const int64_t> limits,
              absl::Span<const int64_t> strides = {},
              const Location& location = Location::current());
  // `comparator` takes (a0, b0, a1, b1, ...): whether a comes before b.
  Value Sort(absl::Span<const Value> operands, const Callee& comparator,
             int64_t dimension, bool is_stable = false,
             const Location& location = Location::current());
  Value TopK(const Value& operand, int64_t k, bool largest = true,
             const Location& location = Location::current());
  Value Transpose(const Value& operand, absl::Span<const int64_t> permutation,
                  const Location& location = Location::current());

  // Reductions and windows. A reducer takes (accumulators..., elements...).
  Value Map(absl::Span<const Value> operands, const Callee& function,
            const Location& location = Location::current());
  Value Reduce(absl::Span<const Value> inputs, absl::Span<const Value> inits,
               absl::Span<const int64_t> dimensions, const Callee& reducer,
               const Location& location = Location::current());
  Value ReduceWindow(absl::Span<const Value> inputs,
                     absl::Span<const Value> inits, const Window& window,
                     const Callee& reducer,
                     const Location& location = Location::current());
  // `body` takes (slices..., carries...) and gives (outputs..., carries...).
  Value Scan(absl::Span<const Value> inputs, absl::Span<const Value> carries,
             int64_t dimension, const Callee& body, bool is_reverse = false,
             bool is_associative = false,
             const Location& location = Location::current());
  Value SelectAndScatter(const Value& operand, const Value& source,
                         const Value& init, const Window& window,
                         const Callee& select, const Callee& scatter,
                         const Location& location = Location::current());

  // Linear algebra.
  Value BatchNormGrad(const Value& operand, const Value& scale,
                      const Value& mean, const Value& variance,
                      const Value& gradient, double epsilon,
                      int64_t feature_index,
                      const Location& location = Location::current());
  Value BatchNormInference(const Value& operand, const Value& scale,
                           const Value& offset, const Value& mean,
                           const Value& variance, double epsilon,
                           int64_t feature_index,
                           const Location& location = Location::current());
  Value BatchNormTraining(const Value& operand, const Value& scale,
                          const Value& offset, double epsilon,
                          int64_t feature_index,
                          const Location& location = Location::current());
  Value Cholesky(const Value& operand, bool lower = true,
                 const Location& location = Location::current());
  Value Convolution(const Value& lhs, const Value& rhs, const Window& window,
                    const ConvolutionDimensionNumbers& numbers,
                    const ConvolutionOptions& options = {},
                    const Location& location = Location::current());
  // The result's element type is by default that of the operands.
  Value Dot(const Value& lhs, const Value& rhs, const DotDimensions& dimensions,
            std::optional<ElementType> result_type = {},
            const Location& location = Location::current());
  Value Fft(const Value& operand, FftType type,
            absl::Span<const int64_t> lengths,
            const Location& location = Location::current());
  Value RaggedDot(const Value& lhs, const Value& rhs, const Value& group_sizes,
                  const DotDimensions& dimensions,
                  absl::Span<const int64_t> lhs_ragged_dims,
                  absl::Span<const int64_t> rhs_group_dims,
                  std::optional<ElementType> result_type = {},
                  const Location& location = Location::current());
  Value ScaledDot(const Value& lhs, const Value& rhs, const Value& lhs_scale,
                  const Value& rhs_scale, const DotDimensions& dimensions,
                  std::optional<ElementType> result_type = {},
                  const Location& location = Location::current());
  Value TriangularSolve(const Value& a, const Value& b,
                        const TriangularSolveOptions& options = {},
                        const Location& location = Location::current());

  // Random numbers.
  Value Rng(RandomDistribution distribution, const Value& a, const Value& b,
            const Shape& shape, const Location& location = Location::current());
  // The tuple (next state, bits of `shape`).
  Value RngBitGenerator(const Value& state, RandomAlgorithm algorithm,
                        const Shape& shape,
                        const Location& location = Location::current());
  Value RngGetAndUpdateState(int64_t delta,
                             const Location& location = Location::current());

  // Control flow and calls.
  Value Call(absl::Span<const Value> operands, const Callee& callee,
             const Location& location = Location::current());
  // A pred[] selects the first branch when true, else the second.
  Value Conditional(const Value& predicate, const Branch& on_true,
                    const Branch& on_false,
                    const Location& location = Location::current());
  // An s32[] selects a branch; out of range, the last one.
  Value Conditional(const Value& index, absl::Span<const Branch> branches,
                    const Location& location = Location::current());
  Value CustomCall(std::string target, absl::Span<const Value> operands,
                   const Shape& shape, std::vector<Attribute> attributes = {},
                   const Location& location = Location::current());
  Value Fusion(FusionKind kind, absl::Span<const Value> operands,
               const Callee& callee,
               const Location& location = Location::current());
  // Repeats state = body(state) while condition(state).
  Value While(const Value& init, const Callee& condition, const Callee& body,
              const Location& location = Location::current());

 private:
  Builder(std::shared_ptr<internal::BuilderState> state,
          hlo::Computation* computation)
      : state_(std::move(state)), computation_(computation) {}

  // Appends an operation. Its shape is what InferImpliedShape makes of `hint`.
  Value Emit(Opcode opcode, const Shape& hint, absl::Span<const Value> operands,
             std::vector<Attribute> attributes, const Location& location);
  // Appends an operation whose result has `shape`.
  Value EmitDeclared(Opcode opcode, const Shape& shape,
                     absl::Span<const Value> operands,
                     std::vector<Attribute> attributes,
                     const Location& location);

  // Poisoned, and silent about it.
  Value Poisoned() const { return {state_, nullptr}; }
  // Reports an error.
  Value Fail(const Location& location, absl::string_view operation,
             const absl::Status& status);

  // Whether an operation on `operands` and `attributes` can be appended;
  // reports what is wrong unless something is poisoned.
  bool CanEmit(Opcode opcode, absl::Span<const Value> operands,
               absl::Span<const Attribute> attributes,
               const Location& location);
  // Whether `callees` can be called; reports as CanEmit does.
  bool CanCall(Opcode opcode, absl::Span<const Callee> callees,
               const Location& location);
  absl::Status CheckUsable() const;
  absl::Status CheckValue(const Value& value) const;
  absl::Status CheckAttribute(Opcode opcode, const Attribute& attribute) const;
  absl::Status CheckCalled(const hlo::Computation* computation) const;
  Instruction* Append(Opcode opcode, const Shape& shape,
                      absl::Span<const Value> operands,
                      std::vector<Attribute> attributes);
  // Sets the root; false, with a report, when that cannot be.
  bool Close(const Value& root, const Location& location);

  // Shared by the builders, values and callees of one module.
  std::shared_ptr<internal::BuilderState> state_;
  hlo::Computation* computation_ = nullptr;
};

}  // namespace hilo::hlo
