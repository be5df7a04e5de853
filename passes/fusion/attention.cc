// Matches scores, rows and product, and finds the loops that they share.
#include "passes/fusion/attention.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/ir/computation.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "passes/fusion/fusible.h"
#include "passes/fusion/row_space.h"

namespace hilo::passes {
namespace {

using hlo::DimensionVector;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// A block of fewer rows does not repay the packing of keys and values.
constexpr int64_t kLeastBlockRows = 16;
// With fewer columns of values sums go along the depth.
constexpr int64_t kLeastValueColumns = 8;

// A loop over rows as two arrays see it.
struct PairLoop {
  int64_t size = 1;
  int64_t first_stride = 0;
  int64_t second_stride = 0;
};

bool IsListed(const DimensionVector& dimensions, int64_t dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

DimensionVector RowMajorStrides(const Shape& shape) {
  DimensionVector strides(static_cast<size_t>(shape.rank()), 1);
  for (int64_t d = shape.rank() - 2; d >= 0; --d) {
    strides[static_cast<size_t>(d)] =
        strides[static_cast<size_t>(d) + 1] * shape.dimension(d + 1);
  }
  return strides;
}

bool IsUsedOnce(const Instruction& instruction) {
  return instruction.uses().size() == 1 &&
         instruction.parent()->root() != &instruction &&
         !instruction.has_control_predecessors();
}

// Whether the elements stay where they are in memory.
bool IsView(const Instruction& instruction) {
  if (instruction.operand_count() != 1) return false;
  const Shape& from = instruction.operand_shape(0);
  const Shape& to = instruction.shape();
  if (!from.IsArray() || !to.IsArray() || from.IsDynamic() || to.IsDynamic() ||
      from.element_type() != to.element_type()) {
    return false;
  }
  return instruction.opcode() == Opcode::kReshape ||
         (instruction.opcode() == Opcode::kBitcast && from.HasDefaultLayout() &&
          to.HasDefaultLayout());
}

// Dimensions of a dot's operand that are neither batch nor contracted.
int64_t FreeElements(const Instruction& dot, int64_t operand) {
  const DimensionVector& batch =
      operand == 0 ? dot.lhs_batch_dims() : dot.rhs_batch_dims();
  const DimensionVector& contracting =
      operand == 0 ? dot.lhs_contracting_dims() : dot.rhs_contracting_dims();
  const Shape& shape = dot.operand_shape(operand);
  int64_t count = 1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!IsListed(batch, d) && !IsListed(contracting, d)) {
      count *= shape.dimension(d);
    }
  }
  return count;
}

// The loops over rows of scores, in the order of the result, with strides in
// queries and keys.
std::vector<PairLoop> ScoreLoops(const Instruction& dot) {
  const DimensionVector query = RowMajorStrides(dot.operand_shape(0));
  const DimensionVector key = RowMajorStrides(dot.operand_shape(1));
  const Shape& queries = dot.operand_shape(0);
  const DimensionVector& batch = dot.lhs_batch_dims();
  std::vector<PairLoop> loops;
  loops.reserve(batch.size());
  for (size_t i = 0; i < batch.size(); ++i) {
    loops.push_back(
        {.size = queries.dimension(batch[i]),
         .first_stride = query[static_cast<size_t>(batch[i])],
         .second_stride = key[static_cast<size_t>(dot.rhs_batch_dims()[i])]});
  }
  for (int64_t d = 0; d < queries.rank(); ++d) {
    if (IsListed(batch, d) || IsListed(dot.lhs_contracting_dims(), d)) continue;
    loops.push_back({.size = queries.dimension(d),
                     .first_stride = query[static_cast<size_t>(d)]});
  }
  return loops;
}

// The loops over rows of weights, in their order, with strides in values and
// the output; none if what is contracted does not come last.
std::optional<std::vector<PairLoop>> WeightLoops(const Instruction& dot,
                                                 int64_t weights_operand) {
  const bool is_lhs = weights_operand == 0;
  const DimensionVector& batch =
      is_lhs ? dot.lhs_batch_dims() : dot.rhs_batch_dims();
  const DimensionVector& value_batch =
      is_lhs ? dot.rhs_batch_dims() : dot.lhs_batch_dims();
  const DimensionVector& contracting =
      is_lhs ? dot.lhs_contracting_dims() : dot.rhs_contracting_dims();
  const Shape& weights = dot.operand_shape(weights_operand);
  const Shape& values = dot.operand_shape(1 - weights_operand);
  const DimensionVector value_strides = RowMajorStrides(values);
  const DimensionVector output_strides = RowMajorStrides(dot.shape());
  // Results have batch dimensions, those of lhs, those of rhs.
  auto next_output = static_cast<int64_t>(batch.size());
  if (!is_lhs) {
    next_output += values.rank() - static_cast<int64_t>(value_batch.size()) -
                   static_cast<int64_t>(contracting.size());
  }
  std::vector<PairLoop> loops;
  bool is_in_row = false;
  for (int64_t d = 0; d < weights.rank(); ++d) {
    const int64_t size = weights.dimension(d);
    if (IsListed(contracting, d)) {
      is_in_row = is_in_row || size != 1;
      continue;
    }
    PairLoop loop{.size = size};
    const auto* const place = std::ranges::find(batch, d);
    if (place != batch.end()) {
      const auto i = static_cast<size_t>(place - batch.begin());
      loop.first_stride = value_strides[static_cast<size_t>(value_batch[i])];
      loop.second_stride = output_strides[i];
    } else {
      loop.second_stride = output_strides[static_cast<size_t>(next_output++)];
    }
    if (is_in_row && size != 1) return std::nullopt;
    loops.push_back(loop);
  }
  return loops;
}

// Loops that are the outer ones of both lists, split where either is; none
// where their borders cross.
std::optional<std::vector<AttentionLoop>> CommonLoops(
    std::vector<PairLoop> scores, std::vector<PairLoop> weights) {
  const auto is_one = [](const PairLoop& loop) { return loop.size == 1; };
  std::erase_if(scores, is_one);
  std::erase_if(weights, is_one);
  std::vector<AttentionLoop> loops;
  while (!scores.empty() && !weights.empty()) {
    PairLoop& a = scores.back();
    PairLoop& b = weights.back();
    const int64_t size = std::min(a.size, b.size);
    if (a.size % size != 0 || b.size % size != 0) return std::nullopt;
    loops.push_back({.size = size,
                     .query_stride = a.first_stride,
                     .key_stride = a.second_stride,
                     .value_stride = b.first_stride,
                     .output_stride = b.second_stride});
    for (auto* list : {&scores, &weights}) {
      PairLoop& loop = list->back();
      loop.size /= size;
      loop.first_stride *= size;
      loop.second_stride *= size;
      if (loop.size == 1) list->pop_back();
    }
  }
  if (!scores.empty() || !weights.empty()) return std::nullopt;
  std::ranges::reverse(loops);
  return loops;
}

bool WalkAsOne(const AttentionLoop& outer, const AttentionLoop& inner) {
  return outer.query_stride == inner.size * inner.query_stride &&
         outer.key_stride == inner.size * inner.key_stride &&
         outer.value_stride == inner.size * inner.value_stride &&
         outer.output_stride == inner.size * inner.output_stride;
}

void JoinNeighbours(std::vector<AttentionLoop>& loops) {
  for (size_t i = loops.size(); i-- > 1;) {
    if (!WalkAsOne(loops[i - 1], loops[i])) continue;
    loops[i].size *= loops[i - 1].size;
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(i) - 1);
  }
}

class AttentionFinder {
 public:
  explicit AttentionFinder(const Instruction& product) : dot_(DotOf(product)) {
    found_.product = &product;
  }

  AttentionMatch Run() {
    if (dot_ == nullptr) return {};
    for (const int64_t operand : {0, 1}) {
      if (!FindRows(operand)) continue;
      if (const char* reason = WhyNotHere()) {
        return {.attention = std::nullopt, .why_not = reason};
      }
      return {.attention = std::move(found_)};
    }
    return {};
  }

 private:
  const char* WhyNotHere() {
    if (const char* reason = WhyNotProduct()) return reason;
    if (const char* reason = WhyNotScores()) return reason;
    return WhyNotLoops();
  }

  // Whether an operand of the product comes from a fusion of rows.
  bool FindRows(int64_t operand) {
    found_.chain.clear();
    found_.weights_operand = operand;
    found_.weights_output = 0;
    const Instruction* value = found_.product->operand(operand);
    while (IsView(*value) || value->opcode() == Opcode::kGetTupleElement) {
      found_.chain.insert(found_.chain.begin(), value);
      if (value->opcode() == Opcode::kGetTupleElement) {
        found_.weights_output = value->index();
      }
      value = value->operand(0);
    }
    if (value->opcode() != Opcode::kFusion ||
        value->fusion_kind() != hlo::FusionKind::kInput) {
      return false;
    }
    space_ = CommonRows(*value->calls());
    if (!space_.has_value()) return false;
    reads_ = ReadsInRows(*value->calls(), *space_);
    outputs_ = OutputsOf(*value->calls());
    found_.rows = value;
    found_.row_elements = space_->row_elements();
    return reads_.has_value() && IsWhole(found_.weights_output);
  }

  bool IsWhole(int64_t output) const {
    return space_.has_value() &&
           outputs_[static_cast<size_t>(output)]->shape().ElementCount() ==
               space_->shape->ElementCount();
  }

  // The weights, and other outputs of their rows, go nowhere else.
  const char* WhyNotProduct() const {
    constexpr const char* kNeededElsewhere = "its weights are needed elsewhere";
    for (const Instruction* step : found_.chain) {
      if (!IsUsedOnce(*step)) return kNeededElsewhere;
    }
    if (outputs_.size() == 1 && !IsUsedOnce(*found_.rows)) {
      return kNeededElsewhere;
    }
    const Instruction& product = *found_.product;
    if (&product != dot_ &&
        !IsUsedOnce(*dot_->operand(found_.weights_operand))) {
      return kNeededElsewhere;
    }
    if (outputs_.size() > 1 && !OthersAreReadInRows()) return kNeededElsewhere;
    if (FreeElements(*dot_, 1 - found_.weights_operand) < kLeastValueColumns) {
      return "there are too few columns of values";
    }
    return nullptr;
  }

  // Whether the product's fusion alone reads the other outputs of the rows, and
  // of each the value of its own row.
  bool OthersAreReadInRows() const {
    const Instruction& product = *found_.product;
    if (&product == dot_ || found_.weights_operand != 0 ||
        found_.rows->parent()->root() == found_.rows) {
      return false;
    }
    const RowSpace space{
        .shape = &dot_->shape(),
        .kept_rank = static_cast<int64_t>(
            dot_->shape().rank() -
            (dot_->operand_shape(1).rank() - dot_->rhs_batch_dims().size() -
             dot_->rhs_contracting_dims().size()))};
    const auto reads = ReadsInRows(*product.calls(), space);
    if (!reads.has_value()) return false;
    for (const Instruction::Use& use : found_.rows->uses()) {
      if (use.user->opcode() != Opcode::kGetTupleElement ||
          use.user->parent()->root() == use.user) {
        return false;
      }
      const int64_t output = use.user->index();
      if (output == found_.weights_output) continue;
      if (IsWhole(output)) return false;
      for (const Instruction::Use& read : use.user->uses()) {
        if (read.user != &product) return false;
        const Instruction& parameter =
            *product.calls()->parameter(read.operand_index);
        if ((*reads)[static_cast<size_t>(parameter.id())] != ReadAt::kOwnRow) {
          return false;
        }
      }
    }
    return true;
  }

  // Finds the scores among the operands of the rows.
  const char* WhyNotScores() {
    const char* reason = "its rows are not those of a product";
    const Instruction& rows = *found_.rows;
    for (int64_t i = 0; i < rows.operand_count(); ++i) {
      std::vector<const Instruction*> steps;
      const Instruction* value = rows.operand(i);
      for (; IsView(*value); value = value->operand(0)) steps.push_back(value);
      const Instruction* dot = DotOf(*value);
      if (dot == nullptr || !value->shape().IsArray()) continue;
      steps.push_back(value);
      if (!std::ranges::all_of(steps, [](const Instruction* step) {
            return IsUsedOnce(*step);
          })) {
        reason = "its scores are needed elsewhere";
        continue;
      }
      const auto id = static_cast<size_t>(rows.calls()->parameter(i)->id());
      if (!reads_.has_value() || (*reads_)[id] != ReadAt::kOwnElement ||
          FreeElements(*dot, 1) != found_.row_elements) {
        reason = "its scores are not read row by row";
        continue;
      }
      found_.scores = value;
      found_.scores_operand = i;
      found_.chain.insert(found_.chain.begin(), &rows);
      found_.chain.insert(found_.chain.begin(), steps.rbegin(), steps.rend());
      return nullptr;
    }
    return reason;
  }

  const char* WhyNotLoops() {
    const auto weights = WeightLoops(*dot_, found_.weights_operand);
    if (!weights.has_value()) return "its weights are not summed over rows";
    int64_t rows = 1;
    for (const PairLoop& loop : *weights) rows *= loop.size;
    if (!space_.has_value() || rows != space_->rows()) {
      return "its weights are not summed over rows";
    }
    const auto loops =
        CommonLoops(ScoreLoops(*DotOf(*found_.scores)), *weights);
    if (!loops.has_value()) return "scores and weights differ in dimensions";
    found_.loops = *loops;
    JoinNeighbours(found_.loops);
    if (!FindBlockLoop()) return "too few rows share keys and values";
    return nullptr;
  }

  // The longest loop of those that share keys and values.
  bool FindBlockLoop() {
    const std::vector<AttentionLoop>& loops = found_.loops;
    int64_t rows = 1;
    int64_t longest = 0;
    for (size_t i = loops.size(); i-- > 0;) {
      if (loops[i].key_stride != 0 || loops[i].value_stride != 0) break;
      rows *= loops[i].size;
      if (loops[i].size <= longest) continue;
      longest = loops[i].size;
      found_.block_loop = static_cast<int64_t>(i);
    }
    return longest > 0 && rows >= kLeastBlockRows;
  }

  const Instruction* dot_;
  Attention found_;
  std::optional<RowSpace> space_;
  std::optional<std::vector<ReadAt>> reads_;
  std::vector<const Instruction*> outputs_;
};

}  // namespace

const Instruction* DotOf(const Instruction& product) {
  if (product.opcode() == Opcode::kDot) {
    return IsProduct(product) ? &product : nullptr;
  }
  if (product.opcode() != Opcode::kFusion ||
      product.fusion_kind() != hlo::FusionKind::kOutput ||
      product.has_output_to_operand_aliasing()) {
    return nullptr;
  }
  const Instruction* found = nullptr;
  for (const auto& inner : product.calls()->instructions()) {
    if (inner->opcode() == Opcode::kFusion) return nullptr;
    if (inner->opcode() != Opcode::kDot || !IsProduct(*inner)) continue;
    if (found != nullptr) return nullptr;
    found = inner.get();
  }
  if (found == nullptr) return nullptr;
  for (const int64_t i : {0, 1}) {
    if (found->operand(i) != product.calls()->parameter(i)) return nullptr;
  }
  return found;
}

AttentionMatch FindAttention(const Instruction& product) {
  return AttentionFinder(product).Run();
}

}  // namespace hilo::passes
