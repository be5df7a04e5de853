// Evaluates convolution.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "hlo/eval/block_multiply.h"
#include "hlo/eval/contraction.h"
#include "hlo/eval/convolution_loops.h"
#include "hlo/eval/handlers.h"
#include "hlo/eval/index.h"
#include "hlo/ir/element_type.h"
#include "hlo/ir/instruction.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"
#include "runtime/base/status.h"

namespace hilo::hlo {
namespace {

constexpr int64_t kWindowBlockRows = 256;
constexpr int64_t kWindowBlockColumns = 256;
constexpr int64_t kWindowBlockDepth = 256;

// A run of rows of the result: neighbours along the innermost spatial
// dimension.
struct RowRun {
  // Of all but the innermost spatial dimension.
  DimensionVector position;
  int64_t lhs_offset = 0;
  int64_t result_offset = 0;
  int64_t start = 0;
  int64_t count = 0;
  int64_t first_row = 0;
};

// Computes the result in blocks of rows (positions) by columns (features).
// Each element of the window adds the product of the rows that it touches in
// the input with its matrix of weights, so that nothing is multiplied where it
// touches padding or holes.
template <typename T>
class Convolver {
 public:
  Convolver(const ConvolutionLoops& loops, const ContractionArrays& arrays);

  void Run();

 private:
  void RunGroup(const ContractionArrays& arrays);
  void RunRows(const ContractionArrays& arrays);
  void FindRowOffsets();
  void ComputeBlock(const ContractionArrays& arrays, int64_t first_column,
                    int64_t column_count);
  bool FindTouchedRows(absl::Span<const int64_t> element);
  void TouchRun(const RowRun& run, int64_t lhs_offset, int64_t element);
  void AddProducts(const std::byte* lhs, const std::byte* rhs);
  void AddFeaturewise(const std::byte* lhs, const std::byte* rhs);

  const ConvolutionLoops& loops_;
  const ContractionArrays arrays_;
  PackFunction<T> pack_lhs_;
  PackFunction<T> pack_rhs_;
  StoreFunction<T> store_;
  int64_t lhs_bytes_;
  int64_t rhs_bytes_;
  int64_t result_bytes_;

  std::vector<RowRun> runs_;
  int64_t row_count_ = 0;
  std::vector<int64_t> result_offsets_;
  std::vector<int64_t> column_offsets_;
  std::vector<int64_t> rhs_column_offsets_;
  std::vector<int64_t> lhs_feature_offsets_;
  // Rows that the current window element touches.
  std::vector<int64_t> lhs_offsets_;
  std::vector<T*> touched_;
  std::vector<int64_t> lhs_depths_;
  std::vector<int64_t> rhs_depths_;
  std::vector<T> lhs_panels_;
  std::vector<T> rhs_panels_;
  // One row more than a block has, for sums that nobody reads.
  std::vector<T> sums_;
  int64_t sums_stride_ = 0;
};

template <typename T>
Convolver<T>::Convolver(const ConvolutionLoops& loops,
                        const ContractionArrays& arrays)
    : loops_(loops),
      arrays_(arrays),
      pack_lhs_(PackFunctionOf<T>(arrays.lhs_type)),
      pack_rhs_(PackFunctionOf<T>(arrays.rhs_type)),
      store_(StoreFunctionOf<T>(arrays.result_type)),
      lhs_bytes_(StorageBytes(arrays.lhs_type)),
      rhs_bytes_(StorageBytes(arrays.rhs_type)),
      result_bytes_(StorageBytes(arrays.result_type)) {
  const int64_t depth = std::min(loops.depth.size, kWindowBlockDepth);
  const int64_t panel_lanes = std::max<int64_t>(depth, 1);
  sums_stride_ =
      RoundUp(std::min(loops.columns.size, kWindowBlockColumns), kTileColumns);
  lhs_panels_.resize(
      std::max((kWindowBlockRows + kTileRows) * panel_lanes, sums_stride_));
  rhs_panels_.resize(sums_stride_ * panel_lanes);
  sums_.resize((kWindowBlockRows + 1) * sums_stride_);
  for (int64_t i = 0; i < depth; ++i) {
    lhs_depths_.push_back(i * loops.depth.lhs_stride);
    rhs_depths_.push_back(i * loops.depth.rhs_stride);
  }
}

template <typename T>
void Convolver<T>::Run() {
  for (int64_t group = 0; group < loops_.groups.size; ++group) {
    RunGroup(arrays_.Advanced(group * loops_.groups.lhs_stride,
                              group * loops_.groups.rhs_stride,
                              group * loops_.groups.result_stride));
  }
}

// Cuts the rows into blocks of runs.
template <typename T>
void Convolver<T>::RunGroup(const ContractionArrays& arrays) {
  const std::vector<ConvolutionLoop>& spatial = loops_.spatial;
  DimensionVector outer_sizes;
  for (size_t d = 0; d + 1 < spatial.size(); ++d) {
    outer_sizes.push_back(spatial[d].result_size);
  }
  const int64_t line = spatial.empty() ? 1 : spatial.back().result_size;
  for (int64_t batch = 0; batch < loops_.batch.size; ++batch) {
    DimensionVector position(outer_sizes.size(), 0);
    do {
      RowRun run{.position = position,
                 .lhs_offset = batch * loops_.batch.lhs_stride,
                 .result_offset = batch * loops_.batch.result_stride};
      for (size_t d = 0; d < position.size(); ++d) {
        run.result_offset += position[d] * spatial[d].result_stride;
      }
      while (run.start < line) {
        run.count = std::min(line - run.start, kWindowBlockRows - row_count_);
        run.first_row = row_count_;
        row_count_ += run.count;
        runs_.push_back(run);
        run.start += run.count;
        if (row_count_ == kWindowBlockRows) RunRows(arrays);
      }
    } while (NextPosition(outer_sizes, absl::MakeSpan(position)));
  }
  RunRows(arrays);
}

// Computes all columns of the collected rows, and forgets the rows.
template <typename T>
void Convolver<T>::RunRows(const ContractionArrays& arrays) {
  if (row_count_ == 0) return;
  FindRowOffsets();
  for (int64_t column = 0; column < loops_.columns.size;
       column += kWindowBlockColumns) {
    const int64_t count =
        std::min(kWindowBlockColumns, loops_.columns.size - column);
    ComputeBlock(arrays, column, count);
  }
  runs_.clear();
  row_count_ = 0;
}

template <typename T>
void Convolver<T>::FindRowOffsets() {
  const int64_t stride =
      loops_.spatial.empty() ? 0 : loops_.spatial.back().result_stride;
  result_offsets_.clear();
  for (const RowRun& run : runs_) {
    for (int64_t i = 0; i < run.count; ++i) {
      result_offsets_.push_back(run.result_offset + (run.start + i) * stride);
    }
  }
}

template <typename T>
void Convolver<T>::ComputeBlock(const ContractionArrays& arrays,
                                int64_t first_column, int64_t column_count) {
  column_offsets_.clear();
  rhs_column_offsets_.clear();
  lhs_feature_offsets_.clear();
  for (int64_t i = first_column; i < first_column + column_count; ++i) {
    column_offsets_.push_back(i * loops_.columns.result_stride);
    rhs_column_offsets_.push_back(i * loops_.columns.rhs_stride);
    lhs_feature_offsets_.push_back(i / loops_.columns_per_feature *
                                   loops_.columns.lhs_stride);
  }
  std::fill(sums_.begin(), sums_.end(), T{});
  DimensionVector window_sizes;
  for (const ConvolutionLoop& loop : loops_.spatial) {
    window_sizes.push_back(loop.window_size);
  }
  if (loops_.has_products) {
    DimensionVector element(window_sizes.size(), 0);
    do {
      if (!FindTouchedRows(element)) continue;
      int64_t rhs_offset = loops_.rhs_offset;
      for (size_t d = 0; d < element.size(); ++d) {
        rhs_offset += element[d] * loops_.spatial[d].rhs_stride;
      }
      const std::byte* rhs = arrays.rhs + rhs_offset * rhs_bytes_;
      if (loops_.is_featurewise) {
        AddFeaturewise(arrays.lhs, rhs);
      } else {
        AddProducts(arrays.lhs, rhs);
      }
    } while (NextPosition(window_sizes, absl::MakeSpan(element)));
  }
  for (int64_t row = 0; row < row_count_; ++row) {
    store_(sums_.data() + row * sums_stride_, column_offsets_,
           arrays.result +
               (loops_.result_offset + result_offsets_[row]) * result_bytes_);
  }
}

// Lists the rows for which the window element lies on an input element.
template <typename T>
bool Convolver<T>::FindTouchedRows(absl::Span<const int64_t> element) {
  lhs_offsets_.clear();
  touched_.clear();
  for (const RowRun& run : runs_) {
    int64_t offset = run.lhs_offset;
    bool touches = true;
    for (size_t d = 0; d < run.position.size() && touches; ++d) {
      const int64_t index =
          loops_.spatial[d].InputIndex(run.position[d], element[d]);
      touches = index >= 0;
      offset += index * loops_.spatial[d].lhs_stride;
    }
    if (touches) TouchRun(run, offset, element.empty() ? 0 : element.back());
  }
  return !touched_.empty();
}

template <typename T>
void Convolver<T>::TouchRun(const RowRun& run, int64_t lhs_offset,
                            int64_t element) {
  T* sums = sums_.data() + run.first_row * sums_stride_;
  if (loops_.spatial.empty()) {
    lhs_offsets_.push_back(lhs_offset);
    touched_.push_back(sums);
    return;
  }
  const ConvolutionLoop& loop = loops_.spatial.back();
  for (int64_t i = 0; i < run.count; ++i) {
    const int64_t index = loop.InputIndex(run.start + i, element);
    if (index < 0) continue;
    lhs_offsets_.push_back(lhs_offset + index * loop.lhs_stride);
    touched_.push_back(sums + i * sums_stride_);
  }
}

template <typename T>
void Convolver<T>::AddProducts(const std::byte* lhs, const std::byte* rhs) {
  const auto columns = static_cast<int64_t>(column_offsets_.size());
  constexpr int64_t kNarrow = 4;
  const bool is_narrow = columns * loops_.depth.size <= kNarrow;
  while (!is_narrow && touched_.size() % kTileRows != 0) {
    touched_.push_back(sums_.data() + kWindowBlockRows * sums_stride_);
  }
  for (int64_t k = 0; k < loops_.depth.size; k += kWindowBlockDepth) {
    const int64_t depth = std::min(kWindowBlockDepth, loops_.depth.size - k);
    pack_lhs_(lhs + k * loops_.depth.lhs_stride * lhs_bytes_,
              {.lanes = lhs_offsets_,
               .depths = absl::MakeConstSpan(lhs_depths_).first(depth)},
              is_narrow ? 1 : kTileRows, lhs_panels_.data());
    pack_rhs_(rhs + k * loops_.depth.rhs_stride * rhs_bytes_,
              {.lanes = rhs_column_offsets_,
               .depths = absl::MakeConstSpan(rhs_depths_).first(depth)},
              is_narrow ? 1 : kTileColumns, rhs_panels_.data());
    if (is_narrow) {
      AccumulateNarrowBlock<T>(lhs_panels_.data(), touched_, rhs_panels_.data(),
                               columns, depth);
    } else {
      AccumulateBlock<T>(lhs_panels_.data(), touched_, rhs_panels_.data(),
                         columns, depth);
    }
  }
}

// Each column has one input feature of its own: rows are multiplied element
// by element.
template <typename T>
void Convolver<T>::AddFeaturewise(const std::byte* lhs, const std::byte* rhs) {
  constexpr std::array<int64_t, 1> kNoOffset = {0};
  const auto columns = static_cast<int64_t>(column_offsets_.size());
  pack_rhs_(rhs, {.lanes = kNoOffset, .depths = rhs_column_offsets_}, 1,
            rhs_panels_.data());
  for (size_t i = 0; i < touched_.size(); ++i) {
    pack_lhs_(lhs + lhs_offsets_[i] * lhs_bytes_,
              {.lanes = kNoOffset, .depths = lhs_feature_offsets_}, 1,
              lhs_panels_.data());
    AccumulateProducts(lhs_panels_.data(), rhs_panels_.data(), columns,
                       touched_[i]);
  }
}

}  // namespace

absl::StatusOr<Literal> EvaluateConvolution(const Instruction& instruction,
                                            absl::Span<Literal> operands,
                                            EvaluationContext& /*context*/) {
  if (instruction.has_sparsity_config()) {
    return Unimplemented("operands with a sparsity_config are not supported");
  }
  Literal result(instruction.shape());
  if (result.element_count() == 0) return result;
  const ConvolutionLoops loops = LoopsOfConvolution(instruction);
  const ContractionArrays arrays{
      .lhs_type = operands[0].shape().element_type(),
      .rhs_type = operands[1].shape().element_type(),
      .result_type = instruction.shape().element_type(),
      .lhs = operands[0].untyped_data(),
      .rhs = operands[1].untyped_data(),
      .result = result.mutable_untyped_data()};
  DispatchComputeType(arrays.result_type, [&](auto tag) {
    Convolver<typename decltype(tag)::type>(loops, arrays).Run();
  });
  return result;
}

}  // namespace hilo::hlo
