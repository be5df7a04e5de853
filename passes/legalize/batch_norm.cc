// Expansions of batch normalisations and of convolutions in batch groups.
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/legalize/legalize.h"
#include "passes/rewriter.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// What one normalisation works with: all in f32, or in f64 for f64.
class BatchNorm {
 public:
  BatchNorm(const Instruction& instruction, Rewriter& rewriter)
      : instruction_(instruction), rewriter_(rewriter) {
    const Shape& shape = instruction.operand_shape(0);
    type_ = shape.element_type() == ElementType::kF64 ? ElementType::kF64
                                                      : ElementType::kF32;
    feature_ = instruction.feature_index();
    for (int64_t i = 0; i < shape.rank(); ++i) {
      if (i == feature_) continue;
      others_.push_back(i);
      count_ *= static_cast<double>(shape.dimension(i));
    }
    for (Instruction* operand : instruction.operands()) {
      operands_.push_back(rewriter.Convert(operand, type_));
    }
    features_ = Shape::Array(type_, {shape.dimension(feature_)});
  }

  Instruction* operand(int64_t i) const { return operands_[i]; }
  double count() const { return count_; }

  Instruction* Add(Instruction* a, Instruction* b) {
    return rewriter_.Binary(Opcode::kAdd, a, b);
  }
  Instruction* Subtract(Instruction* a, Instruction* b) {
    return rewriter_.Binary(Opcode::kSubtract, a, b);
  }
  Instruction* Multiply(Instruction* a, Instruction* b) {
    return rewriter_.Binary(Opcode::kMultiply, a, b);
  }
  Instruction* Divide(Instruction* a, Instruction* b) {
    return rewriter_.Binary(Opcode::kDivide, a, b);
  }

  // A number for every feature.
  Instruction* Number(double value) {
    return rewriter_.Splat(rewriter_.Scalar(type_, value), features_);
  }
  // A value per feature, for every element.
  Instruction* Spread(Instruction* per_feature) {
    return rewriter_.Broadcast(
        per_feature, instruction_.operand_shape(0).dimensions(), {feature_});
  }
  // Sums over all but the features.
  Instruction* Sum(Instruction* array) {
    if (adder_ == nullptr) {
      adder_ = MakeScalarComputation(rewriter_.module(), Opcode::kAdd, type_);
    }
    return rewriter_.Reduce(array, rewriter_.Scalar(type_, 0), others_, adder_);
  }
  // 1 / sqrt(variance + epsilon).
  Instruction* InverseDeviation(Instruction* variance) {
    Instruction* sum = Add(variance, Number(instruction_.epsilon()));
    return Divide(Number(1), rewriter_.Unary(Opcode::kSqrt, sum));
  }
  // (x - mean) * inverse * scale + offset.
  Instruction* Normalize(Instruction* centered, Instruction* variance) {
    Instruction* scaled =
        Multiply(Multiply(centered, Spread(InverseDeviation(variance))),
                 Spread(operand(1)));
    return Add(scaled, Spread(operand(2)));
  }
  Instruction* ToResult(Instruction* value, int64_t i) {
    const Shape& shape = instruction_.shape();
    return rewriter_.Convert(value, shape.IsTuple()
                                        ? shape.element(i).element_type()
                                        : shape.element_type());
  }

 private:
  const Instruction& instruction_;
  Rewriter& rewriter_;
  ElementType type_ = ElementType::kF32;
  int64_t feature_ = 0;
  DimensionVector others_;
  double count_ = 1;
  std::vector<Instruction*> operands_;
  Shape features_;
  hlo::Computation* adder_ = nullptr;
};

}  // namespace

absl::StatusOr<Instruction*> ExpandBatchNormInference(Instruction& instruction,
                                                      Rewriter& rewriter) {
  BatchNorm norm(instruction, rewriter);
  Instruction* centered =
      norm.Subtract(norm.operand(0), norm.Spread(norm.operand(3)));
  return norm.ToResult(norm.Normalize(centered, norm.operand(4)), 0);
}

absl::StatusOr<Instruction*> ExpandBatchNormTraining(Instruction& instruction,
                                                     Rewriter& rewriter) {
  BatchNorm norm(instruction, rewriter);
  Instruction* count = norm.Number(norm.count());
  Instruction* mean = norm.Divide(norm.Sum(norm.operand(0)), count);
  Instruction* centered = norm.Subtract(norm.operand(0), norm.Spread(mean));
  // Squares of differences: the difference of squares would cancel.
  Instruction* variance =
      norm.Divide(norm.Sum(norm.Multiply(centered, centered)), count);
  return rewriter.Tuple({norm.ToResult(norm.Normalize(centered, variance), 0),
                         norm.ToResult(mean, 1), norm.ToResult(variance, 2)});
}

absl::StatusOr<Instruction*> ExpandBatchNormGrad(Instruction& instruction,
                                                 Rewriter& rewriter) {
  BatchNorm norm(instruction, rewriter);
  Instruction* scale = norm.operand(1);
  Instruction* variance = norm.operand(3);
  Instruction* gradient = norm.operand(4);
  Instruction* count = norm.Number(norm.count());
  Instruction* centered =
      norm.Subtract(norm.operand(0), norm.Spread(norm.operand(2)));
  Instruction* gradient_sum = norm.Sum(gradient);
  Instruction* centered_sum = norm.Sum(norm.Multiply(gradient, centered));
  Instruction* inverse = norm.InverseDeviation(variance);
  Instruction* slope = norm.Divide(
      centered_sum, norm.Add(variance, norm.Number(instruction.epsilon())));
  Instruction* factor = norm.Divide(norm.Multiply(scale, inverse), count);
  Instruction* difference =
      norm.Subtract(norm.Subtract(norm.Multiply(norm.Spread(count), gradient),
                                  norm.Spread(gradient_sum)),
                    norm.Multiply(centered, norm.Spread(slope)));
  return rewriter.Tuple(
      {norm.ToResult(norm.Multiply(norm.Spread(factor), difference), 0),
       norm.ToResult(norm.Multiply(centered_sum, inverse), 1),
       norm.ToResult(gradient_sum, 2)});
}

// [groups of batches, features] become [batches, groups of features].
absl::StatusOr<Instruction*> ExpandBatchGroups(Instruction& instruction,
                                               Rewriter& rewriter) {
  const int64_t groups = instruction.batch_group_count();
  if (groups == 1 || instruction.feature_group_count() != 1) return nullptr;
  Instruction* input = instruction.operand(0);
  const hlo::ConvolutionDimensionNumbers& labels = instruction.dim_labels();
  DimensionVector split;
  for (int64_t i = 0; i < input->shape().rank(); ++i) {
    if (i == labels.input_batch) split.push_back(groups);
    split.push_back(i == labels.input_batch
                        ? input->shape().dimension(i) / groups
                        : input->shape().dimension(i));
  }
  // Dimension numbers behind the batch move up by one; the groups go right
  // before the features.
  const auto moved = [&](int64_t d) {
    return d >= labels.input_batch ? d + 1 : d;
  };
  DimensionVector permutation;
  DimensionVector joined;
  for (int64_t i = 0; i < input->shape().rank(); ++i) {
    const bool is_feature = i == labels.input_feature;
    if (is_feature) permutation.push_back(labels.input_batch);
    permutation.push_back(moved(i));
    int64_t size = input->shape().dimension(i);
    if (is_feature) size *= groups;
    if (i == labels.input_batch) size /= groups;
    joined.push_back(size);
  }
  Instruction* grouped = rewriter.Reshape(
      rewriter.Transpose(rewriter.Reshape(input, split), permutation), joined);
  Instruction* result =
      rewriter.Like(instruction, WithoutLayout(instruction.shape()),
                    {grouped, instruction.operand(1)});
  result->set_batch_group_count(1);
  result->set_feature_group_count(groups);
  return result;
}

}  // namespace hilo::passes
