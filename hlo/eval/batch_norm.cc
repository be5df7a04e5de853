// Evaluates the batch normalisations.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/convert_floats.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// The operand seen as [outer, features, inner].
struct FeatureLoops {
  int64_t outer = 1;
  int64_t features = 1;
  int64_t inner = 1;

  int64_t count_per_feature() const { return outer * inner; }
};

FeatureLoops LoopsOf(const Shape& shape, int64_t feature_index) {
  FeatureLoops loops;
  // Without elements, the other dimensions may be too large to be multiplied.
  if (shape.ElementCount() == 0) {
    return {.outer = 0, .features = shape.dimension(feature_index), .inner = 0};
  }
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i < feature_index) loops.outer *= shape.dimension(i);
    if (i == feature_index) loops.features = shape.dimension(i);
    if (i > feature_index) loops.inner *= shape.dimension(i);
  }
  return loops;
}

// Calls f(feature, element offset) for each element.
template <typename F>
void ForEachElement(const FeatureLoops& loops, F&& f) {
  int64_t offset = 0;
  for (int64_t outer = 0; outer < loops.outer; ++outer) {
    for (int64_t feature = 0; feature < loops.features; ++feature) {
      for (int64_t inner = 0; inner < loops.inner; ++inner) {
        f(feature, offset++);
      }
    }
  }
}

// One normalisation, computed in T: f32 for narrow types; sums are in f64.
template <typename T>
class BatchNorm {
 public:
  BatchNorm(const Instruction& instruction, absl::Span<const Literal> operands)
      : instruction_(instruction),
        epsilon_(static_cast<T>(instruction.epsilon())),
        loops_(LoopsOf(operands[0].shape(), instruction.feature_index())) {
    for (const Literal& operand : operands) {
      operands_.push_back(ConvertFloats(operand, ElementTypeOf<T>()));
    }
  }

  Literal Inference() const {
    return Normalize(Operand(3), Operand(4), ResultShape(instruction_, 0));
  }

  Literal Training() const;
  Literal Gradient() const;

 private:
  const T* Operand(int64_t i) const {
    return operands_[i].template data<T>().data();
  }
  T InverseDeviation(T variance) const {
    return T{1} / std::sqrt(variance + epsilon_);
  }
  Literal Normalize(const T* mean, const T* variance, const Shape& shape) const;
  // A result from its elements in T.
  static Literal ToResult(std::vector<T> elements, const Shape& shape) {
    Literal result(shape);
    ConvertFloats(ElementTypeOf<T>(), elements.data(), shape.element_type(),
                  result.mutable_untyped_data(), result.element_count());
    return result;
  }

  const Instruction& instruction_;
  T epsilon_;
  FeatureLoops loops_;
  std::vector<Literal> operands_;
};

template <typename T>
Literal BatchNorm<T>::Normalize(const T* mean, const T* variance,
                                const Shape& shape) const {
  const T* x = Operand(0);
  const T* scale = Operand(1);
  const T* offset = Operand(2);
  std::vector<T> factors(loops_.features);
  for (int64_t i = 0; i < loops_.features; ++i) {
    factors[i] = InverseDeviation(variance[i]);
  }
  std::vector<T> result(shape.ElementCount());
  ForEachElement(loops_, [&](int64_t feature, int64_t i) {
    result[i] = (x[i] - mean[feature]) * factors[feature] * scale[feature] +
                offset[feature];
  });
  return ToResult(std::move(result), shape);
}

template <typename T>
Literal BatchNorm<T>::Training() const {
  const T* x = Operand(0);
  std::vector<double> sums(loops_.features, 0);
  std::vector<double> square_sums(loops_.features, 0);
  ForEachElement(loops_, [&](int64_t feature, int64_t i) {
    const double value = x[i];
    sums[feature] += value;
    square_sums[feature] += value * value;
  });
  const auto count = static_cast<double>(loops_.count_per_feature());
  std::vector<T> mean(loops_.features);
  std::vector<T> variance(loops_.features);
  for (int64_t i = 0; i < loops_.features; ++i) {
    const double exact_mean = sums[i] / count;
    mean[i] = static_cast<T>(exact_mean);
    variance[i] =
        static_cast<T>(square_sums[i] / count - exact_mean * exact_mean);
  }
  std::vector<Literal> results;
  results.push_back(
      Normalize(mean.data(), variance.data(), ResultShape(instruction_, 0)));
  results.push_back(ToResult(std::move(mean), ResultShape(instruction_, 1)));
  results.push_back(
      ToResult(std::move(variance), ResultShape(instruction_, 2)));
  return Literal::Tuple(std::move(results));
}

template <typename T>
Literal BatchNorm<T>::Gradient() const {
  const T* x = Operand(0);
  const T* scale = Operand(1);
  const T* mean = Operand(2);
  const T* variance = Operand(3);
  const T* gradient = Operand(4);
  std::vector<double> sums(loops_.features, 0);
  std::vector<double> centered_sums(loops_.features, 0);
  ForEachElement(loops_, [&](int64_t feature, int64_t i) {
    const double value = gradient[i];
    sums[feature] += value;
    centered_sums[feature] +=
        value * (static_cast<double>(x[i]) - mean[feature]);
  });
  const T count = static_cast<T>(loops_.count_per_feature());
  std::vector<T> factors(loops_.features);
  std::vector<T> slopes(loops_.features);
  std::vector<T> scale_gradient(loops_.features);
  std::vector<T> offset_gradient(loops_.features);
  for (int64_t i = 0; i < loops_.features; ++i) {
    const T inverse = InverseDeviation(variance[i]);
    factors[i] = scale[i] * inverse / count;
    slopes[i] =
        static_cast<T>(centered_sums[i] / (double{variance[i]} + epsilon_));
    scale_gradient[i] = static_cast<T>(centered_sums[i] * inverse);
    offset_gradient[i] = static_cast<T>(sums[i]);
  }
  std::vector<T> result(operands_[0].element_count());
  ForEachElement(loops_, [&](int64_t feature, int64_t i) {
    result[i] =
        factors[feature] * (count * gradient[i] - offset_gradient[feature] -
                            (x[i] - mean[feature]) * slopes[feature]);
  });
  std::vector<Literal> results;
  results.push_back(ToResult(std::move(result), ResultShape(instruction_, 0)));
  results.push_back(
      ToResult(std::move(scale_gradient), ResultShape(instruction_, 1)));
  results.push_back(
      ToResult(std::move(offset_gradient), ResultShape(instruction_, 2)));
  return Literal::Tuple(std::move(results));
}

// Calls f with a BatchNorm of the type to compute in.
template <typename F>
absl::StatusOr<Literal> WithBatchNorm(const Instruction& instruction,
                                      absl::Span<const Literal> operands,
                                      EvaluationContext& context, F&& f) {
  for (const Literal& operand : operands) {
    if (!IsFloat(operand.shape().element_type())) {
      return Unimplemented("element type ",
                           TextOf(operand.shape().element_type()));
    }
  }
  // At most: operands and a result in f64.
  constexpr int64_t kArrayCount = 3;
  RETURN_IF_ERROR(context.CheckMemory(
      instruction, kArrayCount * static_cast<int64_t>(sizeof(double)) *
                       operands[0].element_count()));
  if (operands[0].shape().element_type() == ElementType::kF64) {
    return f(BatchNorm<double>(instruction, operands));
  }
  return f(BatchNorm<float>(instruction, operands));
}

}  // namespace

absl::StatusOr<Literal> EvaluateBatchNormInference(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& context) {
  return WithBatchNorm(
      instruction, operands, context,
      [](const auto& batch_norm) { return batch_norm.Inference(); });
}

absl::StatusOr<Literal> EvaluateBatchNormTraining(
    const Instruction& instruction, absl::Span<Literal> operands,
    EvaluationContext& context) {
  return WithBatchNorm(
      instruction, operands, context,
      [](const auto& batch_norm) { return batch_norm.Training(); });
}

absl::StatusOr<Literal> EvaluateBatchNormGrad(const Instruction& instruction,
                                              absl::Span<Literal> operands,
                                              EvaluationContext& context) {
  return WithBatchNorm(
      instruction, operands, context,
      [](const auto& batch_norm) { return batch_norm.Gradient(); });
}

}  // namespace hilo::hlo
