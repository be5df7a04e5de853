// The start indices of gather and scatter.
#include "hlo/eval/start_indices.h"

#include <cstdint>

#include "hlo/eval/index.h"
#include "hlo/ir/layout.h"
#include "hlo/ir/literal.h"

namespace hilo::hlo {

StartIndices::StartIndices(const Literal& indices, int64_t index_vector_dim)
    : index_vector_dim_(index_vector_dim),
      data_(indices.untyped_data()),
      read_(IndexReaderOf(indices.shape().element_type())) {
  const Shape& shape = indices.shape();
  const DimensionVector strides = RowMajorStrides(shape.dimensions());
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i == index_vector_dim) {
      component_stride_ = strides[i];
      continue;
    }
    batch_sizes_.push_back(shape.dimension(i));
    batch_strides_.push_back(strides[i]);
  }
  position_.resize(batch_sizes_.size(), 0);
  // Vectors without components are vectors all the same.
  count_ = Contains(batch_sizes_, 0) ? 0 : 1;
  for (const int64_t size : batch_sizes_) {
    if (count_ > 0) count_ *= size;
  }
}

}  // namespace hilo::hlo
