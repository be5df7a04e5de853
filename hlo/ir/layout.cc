// Prints and checks layouts.
#include "hlo/ir/layout.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

#include "hlo/ir/element_type.h"

namespace hilo::hlo {
namespace {

void AppendTile(const Tile& tile, std::string* out) {
  out->push_back('(');
  for (size_t i = 0; i < tile.dimensions.size(); ++i) {
    if (i > 0) out->push_back(',');
    if (tile.dimensions[i] == Tile::kCombineDimension) {
      out->push_back('*');
    } else {
      absl::StrAppend(out, tile.dimensions[i]);
    }
  }
  out->push_back(')');
}

void AppendProperties(const LayoutProperties& p, std::string* out) {
  if (!p.tiles.empty()) {
    out->push_back('T');
    for (const Tile& tile : p.tiles) AppendTile(tile, out);
  }
  if (p.tail_padding_alignment_elements != 1) {
    absl::StrAppend(out, "L(", p.tail_padding_alignment_elements, ")");
  }
  if (p.index_type != ElementType::kTuple) {
    absl::StrAppend(out, "#(", TextOf(p.index_type), ")");
  }
  if (p.pointer_type != ElementType::kTuple) {
    absl::StrAppend(out, "*(", TextOf(p.pointer_type), ")");
  }
  if (p.element_size_bits != 0) {
    absl::StrAppend(out, "E(", p.element_size_bits, ")");
  }
  if (p.memory_space != 0) absl::StrAppend(out, "S(", p.memory_space, ")");
  if (!p.split_configs.empty()) {
    absl::StrAppend(out, "SC");
    for (const SplitConfig& config : p.split_configs) {
      absl::StrAppend(out, "(", config.dimension, ":",
                      absl::StrJoin(config.split_indices, ","), ")");
    }
  }
  if (p.dynamic_shape_metadata_prefix_bytes != 0) {
    absl::StrAppend(out, "M(", p.dynamic_shape_metadata_prefix_bytes, ")");
  }
}

}  // namespace

Layout DefaultLayout(int64_t rank) {
  Layout layout;
  for (int64_t i = rank - 1; i >= 0; --i) layout.minor_to_major.push_back(i);
  return layout;
}

bool IsPermutation(absl::Span<const int64_t> values, int64_t rank) {
  if (std::cmp_not_equal(values.size(), rank)) return false;
  std::vector<bool> seen(rank, false);
  for (const int64_t value : values) {
    if (value < 0 || value >= rank || seen[value]) return false;
    seen[value] = true;
  }
  return true;
}

std::string ToString(const Layout& layout) {
  const bool has_properties =
      layout.properties && !(*layout.properties == LayoutProperties());
  if (layout.minor_to_major.empty() && !has_properties) return "";
  std::string out =
      absl::StrCat("{", absl::StrJoin(layout.minor_to_major, ","));
  if (has_properties) {
    out.push_back(':');
    AppendProperties(*layout.properties, &out);
  }
  out.push_back('}');
  return out;
}

}  // namespace hilo::hlo
