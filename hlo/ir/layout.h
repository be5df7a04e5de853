// How the elements of an array lie in memory.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"
#include "runtime/base/box.h"

namespace hilo::hlo {

using DimensionVector = absl::InlinedVector<int64_t, 4>;

// One level of tiling. An entry is a size or kCombineDimension ("*").
struct Tile {
  static constexpr int64_t kCombineDimension =
      std::numeric_limits<int64_t>::min();
  DimensionVector dimensions;

  friend bool operator==(const Tile&, const Tile&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Tile& tile) {
    return H::combine(std::move(h), tile.dimensions);
  }
};

// Where an array is cut along one dimension ("SC(1:100,200)").
struct SplitConfig {
  int64_t dimension = 0;
  DimensionVector split_indices;

  friend bool operator==(const SplitConfig&, const SplitConfig&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const SplitConfig& config) {
    return H::combine(std::move(h), config.dimension, config.split_indices);
  }
};

// The properties after ":" in a layout. Only the element size changes what
// host backends do; the others are kept and printed again.
struct LayoutProperties {
  std::vector<Tile> tiles;
  int64_t tail_padding_alignment_elements = 1;
  // Types of sparse indices and pointers; kTuple stands for "not given".
  ElementType index_type = ElementType::kTuple;
  ElementType pointer_type = ElementType::kTuple;
  // 0: the natural size. 1, 2 or 4: packed, low bits first.
  int64_t element_size_bits = 0;
  int64_t memory_space = 0;
  std::vector<SplitConfig> split_configs;
  int64_t dynamic_shape_metadata_prefix_bytes = 0;

  friend bool operator==(const LayoutProperties&,
                         const LayoutProperties&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const LayoutProperties& p) {
    return H::combine(std::move(h), p.tiles, p.tail_padding_alignment_elements,
                      p.index_type, p.pointer_type, p.element_size_bits,
                      p.memory_space, p.split_configs,
                      p.dynamic_shape_metadata_prefix_bytes);
  }
};

// The order of an array's dimensions in memory, minor (fastest) first, and
// rarer properties.
struct Layout {
  DimensionVector minor_to_major;
  // Null when all have their default values.
  Box<LayoutProperties> properties;

  friend bool operator==(const Layout&, const Layout&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Layout& layout) {
    h = H::combine(std::move(h), layout.minor_to_major);
    if (layout.properties) h = H::combine(std::move(h), *layout.properties);
    return h;
  }
};

// {rank-1, ..., 1, 0}: row-major.
Layout DefaultLayout(int64_t rank);

// Whether minor_to_major is a permutation of 0 ... rank-1.
bool IsPermutation(absl::Span<const int64_t> values, int64_t rank);

// "{1,0}", "{1,0:T(8,128)S(1)}"; "{:S(1)}" and "" for rank 0.
std::string ToString(const Layout& layout);

}  // namespace hilo::hlo
