// Evaluates sort.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/eval/merge_sort.h"
#include "hlo/eval/ordered_keys.h"
#include "hlo/eval/scalar_body.h"
#include "hlo/eval/strided_copy.h"
#include "hlo/ir/computation.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/enums.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/opcode.h"
#include "hlo/ir/shape.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

// Rows are sorted together while they have fewer elements than this.
constexpr int64_t kBatchElements = int64_t{1} << 16;

// A comparator that is one comparison of the two elements of one operand.
struct PlainComparator {
  int64_t operand = 0;
  bool is_descending = false;
  ComparisonType order = ComparisonType::kFloat;
};

std::optional<PlainComparator> FindPlainComparator(
    const Computation& computation) {
  const Instruction& root = *computation.root();
  if (root.opcode() != Opcode::kCompare) return std::nullopt;
  const Instruction& lhs = *root.operand(0);
  const Instruction& rhs = *root.operand(1);
  if (lhs.opcode() != Opcode::kParameter ||
      rhs.opcode() != Opcode::kParameter) {
    return std::nullopt;
  }
  const int64_t first =
      std::min(lhs.parameter_number(), rhs.parameter_number());
  const int64_t last = std::max(lhs.parameter_number(), rhs.parameter_number());
  if (first % 2 != 0 || last != first + 1) return std::nullopt;
  const bool is_less = root.direction() == ComparisonDirection::kLt;
  if (!is_less && root.direction() != ComparisonDirection::kGt) {
    return std::nullopt;
  }
  const bool is_swapped = lhs.parameter_number() != first;
  return PlainComparator{.operand = first / 2,
                         .is_descending = is_less == is_swapped,
                         .order = root.comparison_type()};
}

// A batch of rows of one operand, made dense: [rows, row size].
struct Column {
  const std::byte* elements = nullptr;
  int bytes = 0;
  std::vector<std::byte> copy;
};

class Sorter {
 public:
  Sorter(const Instruction& instruction, absl::Span<const Literal> operands,
         absl::Span<Literal> results, EvaluationContext& context);

  absl::Status Run();

 private:
  // Rows that lie side by side: they start at `offset`, one element apart (or
  // one row apart where rows are dense).
  struct Batch {
    int64_t offset = 0;
    int64_t rows = 0;
  };

  absl::Status CheckMemory(int64_t batch_elements);
  absl::Status SortBatch(const Batch& batch);
  void LoadColumns(const Batch& batch);
  void StoreColumns(const Batch& batch, absl::Span<const int64_t> order);
  // Whether keys could be made; then `order_` is set.
  bool SortByKeys(int64_t rows);
  absl::Status SortByComparator(MergeSort& merge_sort);

  const Instruction& instruction_;
  absl::Span<const Literal> operands_;
  absl::Span<Literal> results_;
  EvaluationContext& context_;
  int64_t size_ = 0;
  int64_t outer_ = 1;
  int64_t inner_ = 1;
  std::optional<PlainComparator> plain_comparator_;
  std::vector<Column> columns_;
  std::vector<uint64_t> keys_;
  std::vector<std::pair<uint64_t, int64_t>> entries_;
  std::vector<int64_t> order_;
};

Sorter::Sorter(const Instruction& instruction,
               absl::Span<const Literal> operands, absl::Span<Literal> results,
               EvaluationContext& context)
    : instruction_(instruction),
      operands_(operands),
      results_(results),
      context_(context),
      plain_comparator_(FindPlainComparator(*instruction.to_apply())),
      columns_(operands.size()) {
  const Shape& shape = operands[0].shape();
  const int64_t dimension = instruction.dimensions()[0];
  size_ = shape.dimension(dimension);
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i < dimension) outer_ *= shape.dimension(i);
    if (i > dimension) inner_ *= shape.dimension(i);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    columns_[i].bytes = StorageBytes(operands[i].shape().element_type());
  }
}

absl::Status Sorter::Run() {
  const int64_t row_limit = std::max<int64_t>(1, kBatchElements / size_);
  const int64_t side_by_side = inner_ == 1 ? outer_ : inner_;
  const int64_t rows = std::min(row_limit, side_by_side);
  RETURN_IF_ERROR(CheckMemory(rows * size_));
  const int64_t repeats = inner_ == 1 ? 1 : outer_;
  const int64_t row_step = inner_ == 1 ? size_ : 1;
  for (int64_t repeat = 0; repeat < repeats; ++repeat) {
    for (int64_t row = 0; row < side_by_side; row += rows) {
      RETURN_IF_ERROR(SortBatch({repeat * size_ * inner_ + row * row_step,
                                 std::min(rows, side_by_side - row)}));
    }
  }
  return absl::OkStatus();
}

absl::Status Sorter::CheckMemory(int64_t batch_elements) {
  auto element_bytes = static_cast<int64_t>(
      sizeof(keys_[0]) + sizeof(entries_[0]) + sizeof(order_[0]));
  for (const Column& column : columns_) element_bytes += column.bytes;
  return context_.CheckMemory(instruction_, element_bytes * batch_elements);
}

void Sorter::LoadColumns(const Batch& batch) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    column.elements = operands_[i].untyped_data() + batch.offset * column.bytes;
    if (inner_ == 1) continue;
    column.copy.resize(batch.rows * size_ * column.bytes);
    CopyPlan(
        {{.size = batch.rows, .source_stride = 1, .destination_stride = size_},
         {.size = size_, .source_stride = inner_, .destination_stride = 1}},
        column.bytes)
        .Run(column.copy.data(), column.elements);
    column.elements = column.copy.data();
  }
}

void Sorter::StoreColumns(const Batch& batch, absl::Span<const int64_t> order) {
  const int64_t row_step = inner_ == 1 ? size_ : 1;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Column& column = columns_[i];
    std::byte* to = results_[i].mutable_untyped_data();
    for (int64_t row = 0; row < batch.rows; ++row) {
      ScatterPermuted(to + (batch.offset + row * row_step) * column.bytes,
                      inner_, column.elements,
                      order.subspan(row * size_, size_), column.bytes);
    }
  }
}

bool Sorter::SortByKeys(int64_t rows) {
  if (!plain_comparator_) return false;
  const int64_t operand = plain_comparator_->operand;
  keys_.resize(rows * size_);
  if (!FillOrderedKeys(operands_[operand].shape().element_type(),
                       plain_comparator_->order, columns_[operand].elements,
                       rows * size_, keys_.data())) {
    return false;
  }
  const uint64_t flip = plain_comparator_->is_descending ? ~uint64_t{0} : 0;
  entries_.resize(size_);
  order_.resize(rows * size_);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t first = row * size_;
    for (int64_t i = 0; i < size_; ++i) {
      entries_[i] = {keys_[first + i] ^ flip, first + i};
    }
    // Elements' numbers as second keys make any sort a stable one.
    std::ranges::sort(entries_);
    for (int64_t i = 0; i < size_; ++i) order_[first + i] = entries_[i].second;
  }
  return true;
}

absl::Status Sorter::SortByComparator(MergeSort& merge_sort) {
  const Computation& computation = *instruction_.to_apply();
  ElementTypes types;
  for (const Literal& operand : operands_) {
    types.insert(types.end(), 2, operand.shape().element_type());
  }
  const ElementType pred = ElementType::kPred;
  ASSIGN_OR_RETURN(ScalarBody body,
                   ScalarBody::Create(computation, types,
                                      absl::MakeConstSpan(&pred, 1), context_));
  std::vector<std::vector<std::byte>> lanes(types.size());
  std::vector<const void*> arguments(types.size());
  for (size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].resize(MergeSort::kMaxLanes * columns_[i / 2].bytes);
    arguments[i] = lanes[i].data();
  }
  return merge_sort.Run([&](absl::Span<const int64_t> a,
                            absl::Span<const int64_t> b, bool* is_before) {
    for (size_t i = 0; i < lanes.size(); ++i) {
      if (!body.Uses(static_cast<int64_t>(i))) continue;
      const Column& column = columns_[i / 2];
      GatherPermuted(lanes[i].data(), column.elements, i % 2 == 0 ? a : b,
                     column.bytes);
    }
    void* result = is_before;
    return body.Run(static_cast<int64_t>(a.size()), arguments,
                    absl::MakeConstSpan(&result, 1));
  });
}

absl::Status Sorter::SortBatch(const Batch& batch) {
  LoadColumns(batch);
  if (SortByKeys(batch.rows)) {
    StoreColumns(batch, order_);
    return absl::OkStatus();
  }
  MergeSort merge_sort(batch.rows, size_);
  RETURN_IF_ERROR(SortByComparator(merge_sort));
  StoreColumns(batch, merge_sort.order());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Literal> EvaluateSort(const Instruction& instruction,
                                     absl::Span<Literal> operands,
                                     EvaluationContext& context) {
  const Shape& shape = operands[0].shape();
  std::vector<Literal> results;
  if (shape.ElementCount() == 0 || shape.rank() == 0 ||
      shape.dimension(instruction.dimensions()[0]) < 2) {
    for (size_t i = 0; i < operands.size(); ++i) {
      results.push_back(
          std::move(operands[i])
              .WithShape(ResultShape(instruction, static_cast<int64_t>(i))));
    }
  } else {
    for (size_t i = 0; i < operands.size(); ++i) {
      results.emplace_back(ResultShape(instruction, static_cast<int64_t>(i)));
    }
    RETURN_IF_ERROR(
        Sorter(instruction, operands, absl::MakeSpan(results), context).Run());
  }
  if (!instruction.shape().IsTuple()) return std::move(results[0]);
  return Literal::Tuple(std::move(results));
}

}  // namespace hilo::hlo
