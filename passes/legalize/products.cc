// Expansions of products: ragged, scaled, and of floats to integers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/ir/attribute_values.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/legalize/legalize.h"
#include "passes/rewriter.h"
#include "runtime/base/status.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

using Dimensions = absl::Span<const int64_t>;

constexpr ElementType kIndexType = ElementType::kS64;

bool IsIn(Dimensions dimensions, int64_t dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

int64_t PlaceIn(Dimensions dimensions, int64_t dimension) {
  return std::ranges::find(dimensions, dimension) - dimensions.begin();
}

DimensionVector FreeDimensions(const Shape& shape, Dimensions contracting,
                               Dimensions batch) {
  DimensionVector free;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (!IsIn(contracting, i) && !IsIn(batch, i)) free.push_back(i);
  }
  return free;
}

DimensionVector Plus(Dimensions dimensions, int64_t number) {
  DimensionVector result;
  for (const int64_t dimension : dimensions) {
    result.push_back(dimension + number);
  }
  return result;
}

// What a ragged dot does, as dense products and masks.
class RaggedDotExpansion {
 public:
  RaggedDotExpansion(Instruction& dot, Rewriter& rewriter)
      : dot_(dot),
        rewriter_(rewriter),
        ragged_(dot.lhs_ragged_dims()[0]),
        lhs_batch_(dot.lhs_batch_dims()),
        rhs_batch_(dot.rhs_batch_dims()),
        lhs_contracting_(dot.lhs_contracting_dims()),
        rhs_contracting_(dot.rhs_contracting_dims()),
        lhs_free_(
            FreeDimensions(dot.operand_shape(0), lhs_contracting_, lhs_batch_)),
        limit_(dot.operand_shape(0).dimension(ragged_)) {
    FindGroups();
  }

  absl::StatusOr<Instruction*> Run() {
    if (IsIn(lhs_batch_, ragged_)) return RunBatch();
    if (IsIn(lhs_contracting_, ragged_)) return RunContracting();
    return RunFree();
  }

 private:
  // Where the groups begin and end, along the last dimension; they end with
  // the ragged dimension.
  void FindGroups() {
    Instruction* sizes = rewriter_.Convert(dot_.operand(2), kIndexType);
    const Shape shape = sizes->shape();
    const auto splat = [&](int64_t value) {
      return rewriter_.Splat(
          rewriter_.IntegerScalar(kIndexType, static_cast<uint64_t>(value)),
          shape);
    };
    sizes = rewriter_.Binary(
        Opcode::kMinimum, rewriter_.Binary(Opcode::kMaximum, sizes, splat(0)),
        splat(limit_));
    hlo::Window window;
    window.dimensions.resize(static_cast<size_t>(shape.rank()));
    const int64_t groups = shape.dimensions().back();
    window.dimensions.back().size = std::max<int64_t>(groups, 1);
    window.dimensions.back().padding_low = std::max<int64_t>(groups - 1, 0);
    Instruction* sums =
        groups <= 1 ? sizes
                    : rewriter_.Add(
                          Opcode::kReduceWindow,
                          {sizes, rewriter_.IntegerScalar(kIndexType, 0)},
                          {With::window(window),
                           With::to_apply(MakeScalarComputation(
                               rewriter_.module(), Opcode::kAdd, kIndexType))});
    starts_ = rewriter_.Binary(Opcode::kMinimum,
                               rewriter_.Binary(Opcode::kSubtract, sums, sizes),
                               splat(limit_));
    ends_ = rewriter_.Binary(Opcode::kMinimum, sums, splat(limit_));
  }

  // Where places along `ragged` of an array of these sizes belong to the group
  // of their place along the last one of `dimensions`. `dimensions` are those
  // of the group sizes.
  Instruction* InGroup(Dimensions sizes, int64_t ragged,
                       const DimensionVector& dimensions) {
    const Shape shape = Shape::Array(kIndexType, sizes);
    Instruction* place = rewriter_.Iota(shape, ragged);
    Instruction* start = rewriter_.Broadcast(starts_, sizes, dimensions);
    Instruction* end = rewriter_.Broadcast(ends_, sizes, dimensions);
    return rewriter_.Binary(
        Opcode::kAnd,
        rewriter_.Compare(hlo::ComparisonDirection::kGe, place, start),
        rewriter_.Compare(hlo::ComparisonDirection::kLt, place, end));
  }

  // The value where `mask` is true, else zeros.
  Instruction* Masked(Instruction* mask, Instruction* value) {
    Instruction* zero = rewriter_.Constant(
        hlo::Literal(Shape::Scalar(value->shape().element_type())));
    return rewriter_.Select(mask, value, rewriter_.Splat(zero, value->shape()));
  }

  Instruction* Dot(Dimensions sizes, Instruction* lhs, Instruction* rhs,
                   Dimensions lhs_batch, Dimensions rhs_batch,
                   Dimensions lhs_contracting, Dimensions rhs_contracting) {
    const auto list = [](Dimensions dimensions) {
      return DimensionVector(dimensions.begin(), dimensions.end());
    };
    return rewriter_.Add(Opcode::kDot,
                         Shape::Array(dot_.shape().element_type(), sizes),
                         {lhs, rhs},
                         {With::lhs_batch_dims(list(lhs_batch)),
                          With::lhs_contracting_dims(list(lhs_contracting)),
                          With::rhs_batch_dims(list(rhs_batch)),
                          With::rhs_contracting_dims(list(rhs_contracting))});
  }

  // How many dimensions of the group sizes stand before the groups.
  int64_t prefix_rank() const { return starts_->shape().rank() - 1; }

  // The product with the matrices of all groups; of each row, that of its own.
  Instruction* RunFree() {
    const int64_t group = dot_.rhs_group_dims()[0];
    const DimensionVector rhs_free =
        FreeDimensions(dot_.operand_shape(1), rhs_contracting_, rhs_batch_);
    const auto batch = static_cast<int64_t>(lhs_batch_.size());
    DimensionVector sizes;
    for (const int64_t i : lhs_batch_) {
      sizes.push_back(dot_.operand_shape(0).dimension(i));
    }
    for (const int64_t i : lhs_free_) {
      sizes.push_back(dot_.operand_shape(0).dimension(i));
    }
    for (const int64_t i : rhs_free) {
      sizes.push_back(dot_.operand_shape(1).dimension(i));
    }
    const int64_t group_place = batch + static_cast<int64_t>(lhs_free_.size()) +
                                PlaceIn(rhs_free, group);
    Instruction* products =
        Dot(sizes, dot_.operand(0), dot_.operand(1), lhs_batch_, rhs_batch_,
            lhs_contracting_, rhs_contracting_);
    // Batch and free dimensions lead in the result, in the prefix's order.
    DimensionVector places;
    for (int64_t i = 0; i < prefix_rank(); ++i) places.push_back(i);
    places.push_back(group_place);
    Instruction* mask =
        InGroup(sizes, batch + PlaceIn(lhs_free_, ragged_), places);
    const ElementType type = dot_.shape().element_type();
    return rewriter_.Reduce(
        Masked(mask, products),
        rewriter_.Constant(hlo::Literal(Shape::Scalar(type))), {group_place},
        MakeScalarComputation(rewriter_.module(), Opcode::kAdd, type));
  }

  // The operand once for each group, with zeros outside of it.
  Instruction* OfEachGroup(Instruction* operand, int64_t ragged,
                           Dimensions batch) {
    const Shape& shape = operand->shape();
    DimensionVector sizes = {starts_->shape().dimensions().back()};
    DimensionVector kept;
    for (int64_t i = 0; i < shape.rank(); ++i) {
      sizes.push_back(shape.dimension(i));
      kept.push_back(i + 1);
    }
    DimensionVector places;
    for (int64_t i = 0; i < prefix_rank(); ++i) places.push_back(batch[i] + 1);
    places.push_back(0);
    return Masked(InGroup(sizes, ragged + 1, places),
                  rewriter_.Broadcast(operand, sizes, kept));
  }

  absl::StatusOr<Instruction*> RunContracting() {
    if (prefix_rank() > static_cast<int64_t>(lhs_batch_.size())) {
      return Unimplemented(
          "group sizes that differ along a contracting dimension are not "
          "supported");
    }
    const int64_t rhs_ragged =
        rhs_contracting_[PlaceIn(lhs_contracting_, ragged_)];
    Instruction* lhs = OfEachGroup(dot_.operand(0), ragged_, lhs_batch_);
    Instruction* rhs = OfEachGroup(dot_.operand(1), rhs_ragged, rhs_batch_);
    DimensionVector lhs_batch = Plus(lhs_batch_, 1);
    DimensionVector rhs_batch = Plus(rhs_batch_, 1);
    lhs_batch.insert(lhs_batch.begin(), 0);
    rhs_batch.insert(rhs_batch.begin(), 0);
    return Dot(dot_.shape().dimensions(), lhs, rhs, lhs_batch, rhs_batch,
               Plus(lhs_contracting_, 1), Plus(rhs_contracting_, 1));
  }

  // The product, with zeros behind the last group.
  Instruction* RunBatch() {
    const Dimensions sizes = dot_.shape().dimensions();
    Instruction* products =
        Dot(sizes, dot_.operand(0), dot_.operand(1), lhs_batch_, rhs_batch_,
            lhs_contracting_, rhs_contracting_);
    const Shape& groups = ends_->shape();
    const int64_t count = groups.dimensions().back();
    if (count == 0) {
      return rewriter_.Splat(rewriter_.Constant(hlo::Literal(
                                 Shape::Scalar(dot_.shape().element_type()))),
                             products->shape());
    }
    hlo::SliceDimensions slice;
    DimensionVector places;
    DimensionVector prefix_sizes;
    for (int64_t i = 0; i < prefix_rank(); ++i) {
      slice.push_back({.start = 0, .limit = groups.dimension(i), .stride = 1});
      places.push_back(i);
      prefix_sizes.push_back(groups.dimension(i));
    }
    slice.push_back({.start = count - 1, .limit = count, .stride = 1});
    Instruction* end = rewriter_.Broadcast(
        rewriter_.Reshape(rewriter_.Slice(ends_, slice), prefix_sizes), sizes,
        places);
    Instruction* place = rewriter_.Iota(Shape::Array(kIndexType, sizes),
                                        PlaceIn(lhs_batch_, ragged_));
    return Masked(rewriter_.Compare(hlo::ComparisonDirection::kLt, place, end),
                  products);
  }

  Instruction& dot_;
  Rewriter& rewriter_;
  int64_t ragged_;
  DimensionVector lhs_batch_;
  DimensionVector rhs_batch_;
  DimensionVector lhs_contracting_;
  DimensionVector rhs_contracting_;
  DimensionVector lhs_free_;
  int64_t limit_;
  Instruction* starts_ = nullptr;
  Instruction* ends_ = nullptr;
};

// The operand times its scale, each element of which covers a block. A scalar
// stands for none.
Instruction* ScaledOperand(Instruction* operand, Instruction* scale,
                           ElementType type, Rewriter& rewriter) {
  if (scale->shape().IsScalar()) return operand;
  const Shape shape = WithoutLayout(operand->shape());
  DimensionVector blocks;
  DimensionVector kept;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t count = scale->shape().dimension(i);
    kept.push_back(static_cast<int64_t>(blocks.size()));
    blocks.push_back(count);
    blocks.push_back(count == 0 ? 1 : shape.dimension(i) / count);
  }
  Instruction* factors = rewriter.Reshape(
      rewriter.Broadcast(rewriter.Convert(scale, type), blocks, kept),
      shape.dimensions());
  return rewriter.Binary(Opcode::kMultiply, rewriter.Convert(operand, type),
                         factors);
}

}  // namespace

absl::StatusOr<Instruction*> ExpandRaggedDot(Instruction& instruction,
                                             Rewriter& rewriter) {
  return RaggedDotExpansion(instruction, rewriter).Run();
}

absl::StatusOr<Instruction*> ExpandScaledDot(Instruction& instruction,
                                             Rewriter& rewriter) {
  const ElementType type =
      instruction.shape().element_type() == ElementType::kF64
          ? ElementType::kF64
          : ElementType::kF32;
  Instruction* lhs = ScaledOperand(instruction.operand(0),
                                   instruction.operand(2), type, rewriter);
  Instruction* rhs = ScaledOperand(instruction.operand(1),
                                   instruction.operand(3), type, rewriter);
  return rewriter.Add(
      Opcode::kDot, WithoutLayout(instruction.shape()), {lhs, rhs},
      {With::lhs_batch_dims(instruction.lhs_batch_dims()),
       With::lhs_contracting_dims(instruction.lhs_contracting_dims()),
       With::rhs_batch_dims(instruction.rhs_batch_dims()),
       With::rhs_contracting_dims(instruction.rhs_contracting_dims())});
}

// Products of integers are computed in unsigned types, which wrap; floats have
// to become numbers of the result's type before.
absl::StatusOr<Instruction*> ExpandIntegerProduct(Instruction& instruction,
                                                  Rewriter& rewriter) {
  const ElementType type = instruction.shape().element_type();
  if (!hlo::IsInteger(type)) return nullptr;
  std::vector<Instruction*> operands = instruction.operands();
  bool has_floats = false;
  for (size_t i = 0; i < 2; ++i) {
    if (!hlo::IsFloat(operands[i]->shape().element_type())) continue;
    has_floats = true;
    operands[i] = rewriter.Convert(operands[i], type);
  }
  if (!has_floats) return nullptr;
  return rewriter.Like(instruction, instruction.shape(), operands);
}

}  // namespace hilo::passes
