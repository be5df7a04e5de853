// Sums of products over common axes of two arrays: what the dots share.
#include "hlo/eval/contraction.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "hlo/eval/block_multiply.h"
#include "hlo/eval/index.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "hlo/ir/shape.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kBlockRows = 128;
constexpr int64_t kBlockColumns = 256;
constexpr int64_t kBlockDepth = 256;

int64_t TotalSize(const ContractionAxes& axes) {
  int64_t size = 1;
  for (const ContractionAxis& axis : axes) size *= axis.size;
  return size;
}

// Offsets in one array of consecutive positions along a list of axes.
class AxisOffsets {
 public:
  AxisOffsets(const ContractionAxes& axes, int64_t ContractionAxis::* stride) {
    for (const ContractionAxis& axis : axes) {
      Append(axis.size, axis.*stride);
    }
  }

  // The offsets of positions start ... start + count - 1. Valid until the next
  // call; cheap if that asks for the same.
  absl::Span<const int64_t> Get(int64_t start, int64_t count) {
    if (start != start_ || std::cmp_not_equal(count, offsets_.size())) {
      Fill(start, count);
    }
    return offsets_;
  }

 private:
  struct Loop {
    int64_t size = 1;
    int64_t stride = 0;
  };

  // Joins the axis to the last one when both walk like one loop.
  void Append(int64_t size, int64_t stride) {
    if (size == 1) return;
    if (!loops_.empty() && loops_.back().stride == size * stride) {
      loops_.back() = {.size = loops_.back().size * size, .stride = stride};
      return;
    }
    loops_.push_back({.size = size, .stride = stride});
  }

  void Fill(int64_t start, int64_t count) {
    start_ = start;
    offsets_.resize(count);
    if (loops_.size() <= 1) {
      const int64_t stride = loops_.empty() ? 0 : loops_[0].stride;
      for (int64_t i = 0; i < count; ++i) offsets_[i] = (start + i) * stride;
      return;
    }
    const Loop inner = loops_.back();
    int64_t i = 0;
    while (i < count) {
      const int64_t first = (start + i) % inner.size;
      const int64_t run = std::min(count - i, inner.size - first);
      const int64_t base = OuterOffset((start + i) / inner.size);
      for (int64_t j = 0; j < run; ++j) {
        offsets_[i + j] = base + (first + j) * inner.stride;
      }
      i += run;
    }
  }

  int64_t OuterOffset(int64_t position) const {
    int64_t offset = 0;
    for (size_t i = loops_.size() - 1; i > 0; --i) {
      offset += position % loops_[i - 1].size * loops_[i - 1].stride;
      position /= loops_[i - 1].size;
    }
    return offset;
  }

  std::vector<Loop> loops_;
  std::vector<int64_t> offsets_;
  int64_t start_ = -1;
};

// Computes one matrix product after the other, block by block.
template <typename T>
class MatrixMultiplier {
 public:
  MatrixMultiplier(const Contraction& contraction,
                   const ContractionArrays& arrays);

  void Run(const ContractionArrays& arrays);

 private:
  struct Range {
    int64_t start = 0;
    int64_t count = 0;
  };

  static Range Block(int64_t start, int64_t total, int64_t block) {
    return {start, std::min(block, total - start)};
  }
  void ComputeBlock(const ContractionArrays& arrays, Range rows, Range columns);

  int64_t row_count_;
  int64_t column_count_;
  int64_t depth_;
  AxisOffsets lhs_rows_;
  AxisOffsets lhs_depth_;
  AxisOffsets rhs_columns_;
  AxisOffsets rhs_depth_;
  AxisOffsets result_rows_;
  AxisOffsets result_columns_;
  PackFunction<T> pack_lhs_;
  PackFunction<T> pack_rhs_;
  StoreFunction<T> store_;
  int64_t result_bytes_;
  std::vector<T> lhs_panels_;
  std::vector<T> rhs_panels_;
  std::vector<T> sums_;
  std::vector<T*> rows_;
};

template <typename T>
MatrixMultiplier<T>::MatrixMultiplier(const Contraction& contraction,
                                      const ContractionArrays& arrays)
    : row_count_(TotalSize(contraction.rows)),
      column_count_(TotalSize(contraction.columns)),
      depth_(TotalSize(contraction.depth)),
      lhs_rows_(contraction.rows, &ContractionAxis::lhs_stride),
      lhs_depth_(contraction.depth, &ContractionAxis::lhs_stride),
      rhs_columns_(contraction.columns, &ContractionAxis::rhs_stride),
      rhs_depth_(contraction.depth, &ContractionAxis::rhs_stride),
      result_rows_(contraction.rows, &ContractionAxis::result_stride),
      result_columns_(contraction.columns, &ContractionAxis::result_stride),
      pack_lhs_(PackFunctionOf<T>(arrays.lhs_type)),
      pack_rhs_(PackFunctionOf<T>(arrays.rhs_type)),
      store_(StoreFunctionOf<T>(arrays.result_type)),
      result_bytes_(StorageBytes(arrays.result_type)) {
  const int64_t rows = RoundUp(std::min(row_count_, kBlockRows), kTileRows);
  const int64_t columns =
      RoundUp(std::min(column_count_, kBlockColumns), kTileColumns);
  const int64_t depth = std::min(depth_, kBlockDepth);
  lhs_panels_.resize(rows * depth);
  rhs_panels_.resize(columns * depth);
  sums_.resize(rows * columns);
  for (int64_t i = 0; i < rows; ++i) {
    rows_.push_back(sums_.data() + i * columns);
  }
}

template <typename T>
void MatrixMultiplier<T>::Run(const ContractionArrays& arrays) {
  for (int64_t column = 0; column < column_count_; column += kBlockColumns) {
    for (int64_t row = 0; row < row_count_; row += kBlockRows) {
      ComputeBlock(arrays, Block(row, row_count_, kBlockRows),
                   Block(column, column_count_, kBlockColumns));
    }
  }
}

template <typename T>
void MatrixMultiplier<T>::ComputeBlock(const ContractionArrays& arrays,
                                       Range rows, Range columns) {
  std::fill(sums_.begin(), sums_.end(), T{});
  for (int64_t k = 0; k < depth_; k += kBlockDepth) {
    const Range depth = Block(k, depth_, kBlockDepth);
    pack_lhs_(arrays.lhs,
              {.lanes = lhs_rows_.Get(rows.start, rows.count),
               .depths = lhs_depth_.Get(depth.start, depth.count)},
              kTileRows, lhs_panels_.data());
    pack_rhs_(arrays.rhs,
              {.lanes = rhs_columns_.Get(columns.start, columns.count),
               .depths = rhs_depth_.Get(depth.start, depth.count)},
              kTileColumns, rhs_panels_.data());
    AccumulateBlock<T>(
        lhs_panels_.data(),
        absl::MakeConstSpan(rows_).first(RoundUp(rows.count, kTileRows)),
        rhs_panels_.data(), columns.count, depth.count);
  }
  const absl::Span<const int64_t> row_offsets =
      result_rows_.Get(rows.start, rows.count);
  const absl::Span<const int64_t> column_offsets =
      result_columns_.Get(columns.start, columns.count);
  for (int64_t i = 0; i < rows.count; ++i) {
    store_(rows_[i], column_offsets,
           arrays.result + row_offsets[i] * result_bytes_);
  }
}

constexpr int64_t kBatchBlock = 256;

template <typename T>
void MultiplyEach(const Contraction& contraction,
                  const ContractionArrays& arrays) {
  MatrixMultiplier<T> multiplier(contraction, arrays);
  AxisOffsets lhs(contraction.batch, &ContractionAxis::lhs_stride);
  AxisOffsets rhs(contraction.batch, &ContractionAxis::rhs_stride);
  AxisOffsets result(contraction.batch, &ContractionAxis::result_stride);
  const int64_t batch_count = TotalSize(contraction.batch);
  for (int64_t start = 0; start < batch_count; start += kBatchBlock) {
    const int64_t count = std::min(kBatchBlock, batch_count - start);
    const absl::Span<const int64_t> lhs_offsets = lhs.Get(start, count);
    const absl::Span<const int64_t> rhs_offsets = rhs.Get(start, count);
    const absl::Span<const int64_t> result_offsets = result.Get(start, count);
    for (int64_t i = 0; i < count; ++i) {
      multiplier.Run(
          arrays.Advanced(lhs_offsets[i], rhs_offsets[i], result_offsets[i]));
    }
  }
}

// The axes of `outer`, then those of `inner`.
ContractionAxes Joined(ContractionAxes outer, const ContractionAxes& inner) {
  outer.insert(outer.end(), inner.begin(), inner.end());
  return outer;
}

// Many products of matrices that would not fill a tile: the same element of
// all matrices in a block is a lane.
template <typename T>
void MultiplySideBySide(const Contraction& contraction,
                        const ContractionArrays& arrays) {
  const int64_t rows = TotalSize(contraction.rows);
  const int64_t columns = TotalSize(contraction.columns);
  const int64_t depth = TotalSize(contraction.depth);
  AxisOffsets lhs(contraction.batch, &ContractionAxis::lhs_stride);
  AxisOffsets rhs(contraction.batch, &ContractionAxis::rhs_stride);
  AxisOffsets result(contraction.batch, &ContractionAxis::result_stride);
  AxisOffsets lhs_elements(Joined(contraction.rows, contraction.depth),
                           &ContractionAxis::lhs_stride);
  AxisOffsets rhs_elements(Joined(contraction.columns, contraction.depth),
                           &ContractionAxis::rhs_stride);
  AxisOffsets results(Joined(contraction.rows, contraction.columns),
                      &ContractionAxis::result_stride);
  const absl::Span<const int64_t> offsets = results.Get(0, rows * columns);
  std::vector<T> lhs_lanes(rows * depth * kBatchBlock);
  std::vector<T> rhs_lanes(columns * depth * kBatchBlock);
  std::vector<T> sums(kBatchBlock);
  const int64_t batch_count = TotalSize(contraction.batch);
  for (int64_t start = 0; start < batch_count; start += kBatchBlock) {
    const int64_t count = std::min(kBatchBlock, batch_count - start);
    PackFunctionOf<T>(arrays.lhs_type)(
        arrays.lhs,
        {.lanes = lhs.Get(start, count),
         .depths = lhs_elements.Get(0, rows * depth)},
        kBatchBlock, lhs_lanes.data());
    PackFunctionOf<T>(arrays.rhs_type)(
        arrays.rhs,
        {.lanes = rhs.Get(start, count),
         .depths = rhs_elements.Get(0, columns * depth)},
        kBatchBlock, rhs_lanes.data());
    for (int64_t i = 0; i < rows * columns; ++i) {
      const T* row = lhs_lanes.data() + i / columns * depth * kBatchBlock;
      const T* column = rhs_lanes.data() + i % columns * depth * kBatchBlock;
      std::fill(sums.begin(), sums.end(), T{});
      for (int64_t k = 0; k < depth; ++k) {
        AccumulateProducts(row + k * kBatchBlock, column + k * kBatchBlock,
                           count, sums.data());
      }
      StoreFunctionOf<T>(arrays.result_type)(
          sums.data(), result.Get(start, count),
          arrays.result + offsets[i] * StorageBytes(arrays.result_type));
    }
  }
}

// Whether there are many products of few terms.
bool IsSideBySide(const Contraction& contraction) {
  constexpr int64_t kMaxTerms = 256;
  constexpr int64_t kMinBatch = 32;
  // A cap on each size keeps the product from overflowing.
  int64_t terms = 1;
  for (const ContractionAxes* axes :
       {&contraction.rows, &contraction.columns, &contraction.depth}) {
    terms *= std::min(TotalSize(*axes), kMaxTerms + 1);
  }
  return terms > 0 && terms <= kMaxTerms &&
         TotalSize(contraction.batch) >= kMinBatch;
}

template <typename T>
void ContractAs(const Contraction& contraction,
                const ContractionArrays& arrays) {
  if (IsSideBySide(contraction)) {
    MultiplySideBySide<T>(contraction, arrays);
  } else {
    MultiplyEach<T>(contraction, arrays);
  }
}

// Gives the axes their strides in a row-major array in which they are the
// dimensions before those that take `stride` elements.
int64_t SetResultStrides(int64_t stride, ContractionAxes& axes) {
  for (size_t i = axes.size(); i > 0; --i) {
    axes[i - 1].result_stride = stride;
    stride *= axes[i - 1].size;
  }
  return stride;
}

// Pairs up batch or contracting dimensions.
ContractionAxes CommonAxes(const Shape& lhs, absl::Span<const int64_t> lhs_dims,
                           const Shape& rhs,
                           absl::Span<const int64_t> rhs_dims) {
  const DimensionVector lhs_strides = RowMajorStrides(lhs.dimensions());
  const DimensionVector rhs_strides = RowMajorStrides(rhs.dimensions());
  ContractionAxes axes;
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    axes.push_back({.size = lhs.dimension(lhs_dims[i]),
                    .lhs_stride = lhs_strides[lhs_dims[i]],
                    .rhs_stride = rhs_strides[rhs_dims[i]]});
  }
  return axes;
}

// The dimensions of an operand that no list names, in ascending order.
ContractionAxes FreeAxes(
    const Shape& shape, int64_t ContractionAxis::* stride,
    std::initializer_list<absl::Span<const int64_t>> taken) {
  const DimensionVector strides = RowMajorStrides(shape.dimensions());
  ContractionAxes axes;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const bool is_taken =
        std::ranges::any_of(taken, [i](absl::Span<const int64_t> dimensions) {
          return Contains(dimensions, i);
        });
    if (is_taken) continue;
    ContractionAxis axis{.size = shape.dimension(i)};
    axis.*stride = strides[i];
    axes.push_back(axis);
  }
  return axes;
}

}  // namespace

ContractionArrays ContractionArrays::Advanced(int64_t lhs_offset,
                                              int64_t rhs_offset,
                                              int64_t result_offset) const {
  ContractionArrays advanced = *this;
  advanced.lhs += lhs_offset * StorageBytes(lhs_type);
  advanced.rhs += rhs_offset * StorageBytes(rhs_type);
  advanced.result += result_offset * StorageBytes(result_type);
  return advanced;
}

void Contract(const Contraction& contraction, const ContractionArrays& arrays) {
  DispatchComputeType(arrays.result_type, [&](auto tag) {
    ContractAs<typename decltype(tag)::type>(contraction, arrays);
  });
}

Contraction DotContraction(const Instruction& dot, const Shape& lhs,
                           const Shape& rhs,
                           absl::Span<const int64_t> skipped_rhs_dims) {
  Contraction contraction{
      .batch = CommonAxes(lhs, dot.lhs_batch_dims(), rhs, dot.rhs_batch_dims()),
      .rows = FreeAxes(lhs, &ContractionAxis::lhs_stride,
                       {dot.lhs_batch_dims(), dot.lhs_contracting_dims()}),
      .columns = FreeAxes(
          rhs, &ContractionAxis::rhs_stride,
          {dot.rhs_batch_dims(), dot.rhs_contracting_dims(), skipped_rhs_dims}),
      .depth = CommonAxes(lhs, dot.lhs_contracting_dims(), rhs,
                          dot.rhs_contracting_dims())};
  int64_t stride = SetResultStrides(1, contraction.columns);
  stride = SetResultStrides(stride, contraction.rows);
  SetResultStrides(stride, contraction.batch);
  return contraction;
}

Literal ComputeDot(const Instruction& dot, const Literal& lhs,
                   const Literal& rhs) {
  Literal result(dot.shape());
  if (result.element_count() == 0) return result;
  Contract(DotContraction(dot, lhs.shape(), rhs.shape()),
           {.lhs_type = lhs.shape().element_type(),
            .rhs_type = rhs.shape().element_type(),
            .result_type = dot.shape().element_type(),
            .lhs = lhs.untyped_data(),
            .rhs = rhs.untyped_data(),
            .result = result.mutable_untyped_data()});
  return result;
}

}  // namespace hilo::hlo
