// The start indices of gather and scatter.
#pragma once

#include <cstdint>

#include "absl/types/span.h"

#include "hlo/eval/index.h"
#include "hlo/ir/literal.h"

namespace hilo::hlo {

// Walks over the index vectors of an indices array in row-major order of its
// batch dimensions: all but the index vector dimension, which may be one past
// the last, for vectors of one component.
class StartIndices {
 public:
  // `indices` must outlive the walk.
  StartIndices(const Literal& indices, int64_t index_vector_dim);

  // Sizes of the batch dimensions.
  absl::Span<const int64_t> batch_sizes() const { return batch_sizes_; }
  // Number of index vectors.
  int64_t count() const { return count_; }
  // The position of an indices dimension among the batch dimensions.
  int64_t BatchDimensionOf(int64_t dimension) const {
    return dimension < index_vector_dim_ ? dimension : dimension - 1;
  }

  // Component `k` of the current vector.
  int64_t Component(int64_t k) const {
    return read_(data_, offset_ + k * component_stride_);
  }
  // The current vector's place.
  absl::Span<const int64_t> position() const { return position_; }
  // Goes to the next vector; false after the last.
  bool Next() {
    for (size_t i = batch_sizes_.size(); i-- > 0;) {
      offset_ += batch_strides_[i];
      if (++position_[i] < batch_sizes_[i]) return true;
      offset_ -= batch_sizes_[i] * batch_strides_[i];
      position_[i] = 0;
    }
    return false;
  }

 private:
  int64_t index_vector_dim_;
  const std::byte* data_;
  IndexReader read_;
  DimensionVector batch_sizes_;
  DimensionVector batch_strides_;
  DimensionVector position_;
  int64_t component_stride_ = 0;
  int64_t offset_ = 0;
  int64_t count_ = 0;
};

}  // namespace hilo::hlo
