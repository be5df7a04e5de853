// Evaluates ragged-dot.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/contraction.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Where in the list of its axes the ragged dimension stands, and the sizes of
// its groups.
class RaggedDot {
 public:
  RaggedDot(const Instruction& instruction, absl::Span<Literal> operands);

  absl::StatusOr<Literal> Run();

 private:
  void FindRaggedAxis(const Shape& lhs);
  void TakePrefix();
  void RunGroups(int64_t first_size, const ContractionArrays& arrays);
  int64_t TotalOfGroups(int64_t first_size) const;
  // The list of `contraction` that axes_ is in contraction_.
  ContractionAxes& RaggedAxesOf(Contraction& contraction) const;

  const Instruction& instruction_;
  absl::Span<const Literal> operands_;
  Contraction contraction_;
  // The list of `contraction_` that holds the ragged axis, and its place.
  ContractionAxes* axes_ = nullptr;
  size_t ragged_ = 0;
  // Axes along which the group sizes differ.
  ContractionAxes prefix_;
  int64_t group_count_;
  int64_t rhs_group_stride_ = 0;
  int64_t result_group_stride_ = 0;
};

RaggedDot::RaggedDot(const Instruction& instruction,
                     absl::Span<Literal> operands)
    : instruction_(instruction),
      operands_(operands),
      contraction_(DotContraction(instruction, operands[0].shape(),
                                  operands[1].shape(),
                                  instruction.rhs_group_dims())),
      group_count_(operands[2].shape().dimensions().back()) {
  FindRaggedAxis(operands[0].shape());
  if (!instruction.rhs_group_dims().empty()) {
    rhs_group_stride_ = RowMajorStrides(
        operands[1].shape().dimensions())[instruction.rhs_group_dims()[0]];
  }
  if (axes_ == &contraction_.depth && group_count_ > 0) {
    result_group_stride_ = instruction.shape().ElementCount() / group_count_;
  }
  if (operands[2].shape().rank() > 1) TakePrefix();
}

void RaggedDot::FindRaggedAxis(const Shape& lhs) {
  const int64_t ragged = instruction_.lhs_ragged_dims()[0];
  const auto find = [&](absl::Span<const int64_t> dimensions) {
    const auto* place = std::ranges::find(dimensions, ragged);
    ragged_ = place - dimensions.begin();
    return place != dimensions.end();
  };
  if (find(instruction_.lhs_batch_dims())) {
    axes_ = &contraction_.batch;
    return;
  }
  if (find(instruction_.lhs_contracting_dims())) {
    axes_ = &contraction_.depth;
    return;
  }
  DimensionVector free;
  for (int64_t i = 0; i < lhs.rank(); ++i) {
    if (Contains(instruction_.lhs_batch_dims(), i)) continue;
    if (Contains(instruction_.lhs_contracting_dims(), i)) continue;
    free.push_back(i);
  }
  find(free);
  axes_ = &contraction_.rows;
}

// Moves the axes before the ragged one out of the contraction.
void RaggedDot::TakePrefix() {
  if (axes_ != &contraction_.batch) prefix_ = std::move(contraction_.batch);
  const auto ragged = axes_->begin() + static_cast<int64_t>(ragged_);
  prefix_.insert(prefix_.end(), axes_->begin(), ragged);
  axes_->erase(axes_->begin(), ragged);
  ragged_ = 0;
  if (axes_ != &contraction_.batch) contraction_.batch.clear();
}

int64_t RaggedDot::TotalOfGroups(int64_t first_size) const {
  const IndexReader read = IndexReaderOf(operands_[2].shape().element_type());
  const int64_t limit = (*axes_)[ragged_].size;
  int64_t total = 0;
  for (int64_t i = 0; i < group_count_; ++i) {
    const int64_t size = read(operands_[2].untyped_data(), first_size + i);
    total += std::clamp<int64_t>(size, 0, limit - total);
  }
  return total;
}

ContractionAxes& RaggedDot::RaggedAxesOf(Contraction& contraction) const {
  if (axes_ == &contraction_.batch) return contraction.batch;
  if (axes_ == &contraction_.depth) return contraction.depth;
  return contraction.rows;
}

// Computes what belongs to one list of group sizes; the rest stays zero.
void RaggedDot::RunGroups(int64_t first_size, const ContractionArrays& arrays) {
  Contraction part = contraction_;
  const ContractionAxis axis = (*axes_)[ragged_];
  ContractionAxes& part_axes = RaggedAxesOf(part);
  if (axes_ == &contraction_.batch) {
    part_axes[ragged_].size = TotalOfGroups(first_size);
    Contract(part, arrays);
    return;
  }
  const IndexReader read = IndexReaderOf(operands_[2].shape().element_type());
  int64_t start = 0;
  for (int64_t i = 0; i < group_count_; ++i) {
    const int64_t size =
        std::clamp<int64_t>(read(operands_[2].untyped_data(), first_size + i),
                            0, axis.size - start);
    if (size == 0) continue;
    part_axes[ragged_].size = size;
    Contract(part, arrays.Advanced(
                       start * axis.lhs_stride,
                       start * axis.rhs_stride + i * rhs_group_stride_,
                       start * axis.result_stride + i * result_group_stride_));
    start += size;
  }
}

absl::StatusOr<Literal> RaggedDot::Run() {
  Literal result(instruction_.shape());
  if (result.element_count() == 0) return result;
  const bool sums_over_prefix =
      axes_ == &contraction_.depth &&
      prefix_.size() > instruction_.lhs_batch_dims().size();
  if (sums_over_prefix) {
    return Unimplemented(
        "group sizes that differ along a contracting dimension "
        "are not supported");
  }
  const ContractionArrays arrays{
      .lhs_type = operands_[0].shape().element_type(),
      .rhs_type = operands_[1].shape().element_type(),
      .result_type = instruction_.shape().element_type(),
      .lhs = operands_[0].untyped_data(),
      .rhs = operands_[1].untyped_data(),
      .result = result.mutable_untyped_data()};
  DimensionVector sizes;
  for (const ContractionAxis& axis : prefix_) sizes.push_back(axis.size);
  if (Contains(sizes, 0)) return result;
  DimensionVector position(sizes.size(), 0);
  int64_t first_size = 0;
  do {
    std::array<int64_t, 3> offsets = {};
    for (size_t d = 0; d < position.size(); ++d) {
      offsets[0] += position[d] * prefix_[d].lhs_stride;
      offsets[1] += position[d] * prefix_[d].rhs_stride;
      offsets[2] += position[d] * prefix_[d].result_stride;
    }
    RunGroups(first_size, arrays.Advanced(offsets[0], offsets[1], offsets[2]));
    first_size += group_count_;
  } while (NextPosition(sizes, absl::MakeSpan(position)));
  return result;
}

}  // namespace

absl::StatusOr<Literal> EvaluateRaggedDot(const Instruction& instruction,
                                          absl::Span<Literal> operands,
                                          EvaluationContext& /*context*/) {
  return RaggedDot(instruction, operands).Run();
}

}  // namespace hilo::hlo
